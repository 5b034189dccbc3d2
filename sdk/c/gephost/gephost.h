// The gephost SDK for genes in C. Implement `gephost_propose`.
//
// Files below /workspace are read and written with the functions of the C library, or with `gephost_glob` and
// `gephost_read`. Everything that a call hands over stays valid until `gephost_propose` returns.
#ifndef GEPHOST_H
#define GEPHOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Text or bytes with a length. A zero byte follows, which the length does not count.
typedef struct gephost_text {
  const char *data;
  size_t length;
} gephost_text;

// The diagnosis, by numbers: finding `i` has texts, signals, and lines of evidence.
size_t gephost_findings(void);
gephost_text gephost_finding_id(size_t finding);
gephost_text gephost_finding_kind(size_t finding);
gephost_text gephost_finding_title(size_t finding);
gephost_text gephost_finding_hypothesis(size_t finding);
gephost_text gephost_finding_direction(size_t finding);
uint32_t gephost_finding_occurrences(size_t finding);
size_t gephost_finding_signals(size_t finding);
gephost_text gephost_finding_signal(size_t finding, size_t signal);
size_t gephost_finding_evidence(size_t finding);
gephost_text gephost_finding_line(size_t finding, size_t evidence);

// The paths of the files that match a glob, sorted. Returns how many there are, at most `limit`.
size_t gephost_glob(const char *pattern, uint32_t limit, const gephost_text **paths);
// A whole file. Returns false if there is no such file, or if this gene may not see it.
bool gephost_read(const char *path, gephost_text *content);

// Messages to the operator, who sees them with `-v`. The format is that of printf.
void gephost_debug(const char *format, ...);
void gephost_info(const char *format, ...);
void gephost_warn(const char *format, ...);
void gephost_error(const char *format, ...);
// The same for a text without a format: level 0 is debug, 3 is error.
void gephost_log(uint8_t level, const char *data, size_t length);

// Begins a candidate for a finding, with its evidence. The functions below complete the last one. A candidate without changes
// has the files that the gene wrote.
void gephost_candidate(size_t finding, const char *title, const char *objective);
void gephost_new_content(const char *path, const char *data, size_t length);
void gephost_delete(const char *path);
void gephost_test_to_run(const char *command);
void gephost_rollback_plan(const char *plan);
// The gene's own estimate of the risk: 0 is low, 2 is high. The host computes the risk itself.
void gephost_risk(uint8_t level);
// Fails the call. `code` is a short word for programs.
void gephost_fail(const char *code, const char *message);

// Implemented by the gene: looks at the findings and makes candidates, best first.
void gephost_propose(void);

#ifdef __cplusplus
}
#endif
#endif
