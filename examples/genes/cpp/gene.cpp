// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

#include <string>

#include "gephost/gephost.hpp"

void gephost::propose() {
  const std::string file = "docs/known-failures.md";
  auto all = findings();
  if (all.empty()) return;
  const Finding &finding = all.front();
  auto notes = read(file).value_or("# Known failures\n");
  auto note = "\n- " + std::string(finding.title()) + ": " + std::string(finding.direction()) + "\n";
  if (notes.find(note) != std::string::npos) return;
  info("noted: " + std::string(finding.id()));
  candidate(finding, "Write down the most important failure", "The agent reads about the failure before it happens again");
  new_content(file, notes + note);
}

extern "C" void gephost_propose(void) { gephost::propose(); }
