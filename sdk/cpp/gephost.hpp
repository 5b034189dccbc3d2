// The gephost SDK for genes in C++, on top of the SDK for C. Implement `gephost::propose`.
#ifndef GEPHOST_HPP
#define GEPHOST_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gephost.h"

namespace gephost {

inline std::string_view view(gephost_text text) { return {text.data, text.length}; }

// A finding of the diagnosis.
class Finding {
 public:
  explicit Finding(size_t number) : number_(number) {}

  size_t number() const { return number_; }
  std::string_view id() const { return view(gephost_finding_id(number_)); }
  std::string_view kind() const { return view(gephost_finding_kind(number_)); }
  std::string_view title() const { return view(gephost_finding_title(number_)); }
  std::string_view hypothesis() const { return view(gephost_finding_hypothesis(number_)); }
  std::string_view direction() const { return view(gephost_finding_direction(number_)); }
  uint32_t occurrences() const { return gephost_finding_occurrences(number_); }

  // The lines of the evidence, the most informative first.
  std::vector<std::string_view> lines() const {
    std::vector<std::string_view> all;
    for (size_t i = 0; i < gephost_finding_evidence(number_); i++) all.push_back(view(gephost_finding_line(number_, i)));
    return all;
  }

  bool raises(std::string_view signal) const {
    for (size_t i = 0; i < gephost_finding_signals(number_); i++)
      if (view(gephost_finding_signal(number_, i)) == signal) return true;
    return false;
  }

 private:
  size_t number_;
};

// All findings, most important first.
inline std::vector<Finding> findings() {
  std::vector<Finding> all;
  for (size_t i = 0; i < gephost_findings(); i++) all.emplace_back(i);
  return all;
}

// The paths of the files that match a glob, sorted.
inline std::vector<std::string> glob(const std::string &pattern, uint32_t limit = 1000) {
  const gephost_text *paths;
  std::vector<std::string> all;
  for (size_t i = 0, count = gephost_glob(pattern.c_str(), limit, &paths); i < count; i++) all.emplace_back(view(paths[i]));
  return all;
}

// A whole file; nothing if there is no such file, or if this gene may not see it.
inline std::optional<std::string> read(const std::string &path) {
  gephost_text content;
  if (!gephost_read(path.c_str(), &content)) return std::nullopt;
  return std::string(view(content));
}

// A message to the operator, who sees it with `-v`.
inline void debug(std::string_view message) { gephost_log(0, message.data(), message.size()); }
inline void info(std::string_view message) { gephost_log(1, message.data(), message.size()); }
inline void warn(std::string_view message) { gephost_log(2, message.data(), message.size()); }
inline void error(std::string_view message) { gephost_log(3, message.data(), message.size()); }

// Begins a candidate for a finding, with its evidence. The functions below complete the last one. A candidate without changes
// has the files that the gene wrote.
inline void candidate(const Finding &finding, const std::string &title, const std::string &objective) {
  gephost_candidate(finding.number(), title.c_str(), objective.c_str());
}
inline void new_content(const std::string &path, std::string_view content) {
  gephost_new_content(path.c_str(), content.data(), content.size());
}
inline void remove(const std::string &path) { gephost_delete(path.c_str()); }
inline void test_to_run(const std::string &command) { gephost_test_to_run(command.c_str()); }
inline void rollback_plan(const std::string &plan) { gephost_rollback_plan(plan.c_str()); }

// The gene's own estimate of the risk. The host computes the risk itself.
enum class Risk : uint8_t { low, medium, high };
inline void risk(Risk level) { gephost_risk(static_cast<uint8_t>(level)); }

// Fails the call. `code` is a short word for programs.
inline void fail(const std::string &code, const std::string &message) { gephost_fail(code.c_str(), message.c_str()); }

// Implemented by the gene.
void propose();

}  // namespace gephost

#endif
