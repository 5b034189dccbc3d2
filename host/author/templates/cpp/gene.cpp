// Makes shell scripts call python3 if there is no python.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "gephost/gephost.hpp"

namespace {

bool is_ours(const gephost::Finding &finding) {
  return finding.raises("missing_program") && finding.title().find("`python`") != std::string_view::npos;
}

// The script with python3 for each python that begins a line.
std::string repaired(std::string script) {
  for (size_t line = 0; line < script.size();) {
    size_t word = script.find_first_not_of(" \t", line);
    if (word != std::string::npos && script.compare(word, 7, "python ") == 0) script.insert(word + 6, "3");
    size_t end = script.find('\n', line);
    line = end == std::string::npos ? script.size() : end + 1;
  }
  return script;
}

}  // namespace

void gephost::propose() {
  auto all = findings();
  auto finding = std::find_if(all.begin(), all.end(), is_ours);
  if (finding == all.end()) return;
  std::vector<std::pair<std::string, std::string>> changed;
  for (const auto &path : glob("**/*.sh")) {
    auto script = read(path);
    if (!script) continue;
    auto text = repaired(*script);
    if (text != *script) changed.emplace_back(path, text);
  }
  info("scripts that call python: " + std::to_string(changed.size()));
  if (changed.empty()) return;
  candidate(*finding, "Call python3 in shell scripts", "The scripts run where python is only python3");
  for (const auto &[path, text] : changed) new_content(path, text);
}

extern "C" void gephost_propose(void) { gephost::propose(); }
