// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gephost/gephost.hpp"

namespace fs = std::filesystem;

void gephost::propose() {
  const fs::path file = "docs/known-failures.md";
  auto all = findings();
  if (all.empty()) return;
  const Finding &finding = all.front();
  std::string notes = "# Known failures\n";
  if (fs::exists(file)) {
    std::ifstream in(file, std::ios::binary);
    notes.assign(std::istreambuf_iterator<char>(in), {});
    if (!in) return fail("unreadable", file.string() + " cannot be read");
  } else {
    fs::create_directories(file.parent_path());
  }
  auto note = "\n- " + std::string(finding.title()) + ": " + std::string(finding.direction()) + "\n";
  if (notes.find(note) != std::string::npos) return;
  std::ofstream out(file, std::ios::binary);
  out << notes << note << std::flush;
  if (!out) return fail("unwritable", file.string() + " cannot be written");
  info("noted: " + std::string(finding.id()));
  candidate(finding, "Write down the most important failure", "The agent reads about the failure before it happens again");
}

extern "C" void gephost_propose(void) { gephost::propose(); }
