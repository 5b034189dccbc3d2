// The gephost SDK for genes in C, on top of the generated bindings in strategy.h.

#include "gephost.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strategy.h"

// The generated bindings call this so that the linker keeps an object with the types of the world. Here `gephost gene pack`
// writes those types.
void __component_type_object_force_link_strategy(void) {}

static const exports_gephost_gene_proposals_diagnosis_t *diagnosis;
static exports_gephost_gene_proposals_list_proposal_t candidates;
static exports_gephost_gene_proposals_gene_error_t failure;
static bool has_failed;

static void *need(void *memory) {
  if (!memory)
    abort();
  return memory;
}

// A copy with a zero byte behind it. The memory of a call is never freed: the instance ends with the call.
static char *copy(const void *data, size_t length) {
  char *text = need(malloc(length + 1));
  if (length)
    memcpy(text, data, length);
  text[length] = 0;
  return text;
}

static strategy_string_t string(const char *text) {
  size_t length = strlen(text);
  return (strategy_string_t){(uint8_t *)copy(text, length), length};
}

static gephost_text text(strategy_string_t string) {
  return (gephost_text){copy(string.ptr, string.len), string.len};
}

static void *longer(void *list, size_t length, size_t size) { return need(realloc(list, (length + 1) * size)); }

size_t gephost_findings(void) { return diagnosis->findings.len; }

static const gephost_gene_types_finding_t *finding_at(size_t finding) {
  if (finding >= diagnosis->findings.len)
    abort();
  return &diagnosis->findings.ptr[finding];
}

gephost_text gephost_finding_id(size_t finding) { return text(finding_at(finding)->id); }
gephost_text gephost_finding_kind(size_t finding) { return text(finding_at(finding)->kind); }
gephost_text gephost_finding_title(size_t finding) { return text(finding_at(finding)->title); }
gephost_text gephost_finding_hypothesis(size_t finding) { return text(finding_at(finding)->hypothesis); }
gephost_text gephost_finding_direction(size_t finding) { return text(finding_at(finding)->direction); }
uint32_t gephost_finding_occurrences(size_t finding) { return finding_at(finding)->occurrences; }
size_t gephost_finding_signals(size_t finding) { return finding_at(finding)->signals.len; }
size_t gephost_finding_evidence(size_t finding) { return finding_at(finding)->evidence.len; }

gephost_text gephost_finding_signal(size_t finding, size_t signal) {
  if (signal >= gephost_finding_signals(finding))
    abort();
  return text(finding_at(finding)->signals.ptr[signal]);
}

gephost_text gephost_finding_line(size_t finding, size_t evidence) {
  if (evidence >= gephost_finding_evidence(finding))
    abort();
  return text(finding_at(finding)->evidence.ptr[evidence].line);
}

size_t gephost_glob(const char *pattern, uint32_t limit, const gephost_text **paths) {
  strategy_string_t wanted = string(pattern);
  gephost_gene_workspace_list_entry_t entries;
  gephost_gene_workspace_host_error_t error;
  *paths = NULL;
  if (!gephost_gene_workspace_glob(&wanted, limit, &entries, &error))
    return 0;
  gephost_text *found = need(calloc(entries.len + 1, sizeof *found));
  size_t count = 0;
  for (size_t i = 0; i < entries.len; i++)
    if (entries.ptr[i].kind == GEPHOST_GENE_WORKSPACE_ENTRY_KIND_FILE)
      found[count++] = text(entries.ptr[i].path);
  *paths = found;
  return count;
}

bool gephost_read(const char *path, gephost_text *content) {
  strategy_string_t wanted = string(path);
  strategy_list_string_t paths = {&wanted, 1};
  gephost_gene_workspace_list_result_list_u8_host_error_t answers;
  gephost_gene_workspace_read(&paths, &answers);
  if (answers.len != 1 || answers.ptr[0].is_err)
    return false;
  *content = (gephost_text){copy(answers.ptr[0].val.ok.ptr, answers.ptr[0].val.ok.len), answers.ptr[0].val.ok.len};
  return true;
}

void gephost_log(uint8_t level, const char *data, size_t length) {
  strategy_string_t message = {(uint8_t *)copy(data, length), length};
  gephost_gene_logging_log(level, &message);
}

static void log_format(uint8_t level, const char *format, va_list arguments) {
  char line[4096];
  int length = vsnprintf(line, sizeof line, format, arguments);
  if (length > 0)
    gephost_log(level, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

#define LOG(name, level)                \
  void name(const char *format, ...) {  \
    va_list arguments;                  \
    va_start(arguments, format);        \
    log_format(level, format, arguments); \
    va_end(arguments);                  \
  }

LOG(gephost_debug, GEPHOST_GENE_LOGGING_LEVEL_DEBUG)
LOG(gephost_info, GEPHOST_GENE_LOGGING_LEVEL_INFO)
LOG(gephost_warn, GEPHOST_GENE_LOGGING_LEVEL_WARN)
LOG(gephost_error, GEPHOST_GENE_LOGGING_LEVEL_ERROR)

void gephost_candidate(size_t finding, const char *title, const char *objective) {
  const gephost_gene_types_finding_t *from = finding_at(finding);
  candidates.ptr = longer(candidates.ptr, candidates.len, sizeof *candidates.ptr);
  exports_gephost_gene_proposals_proposal_t *made = &candidates.ptr[candidates.len++];
  memset(made, 0, sizeof *made);
  made->title = string(title);
  made->objective = string(objective);
  made->finding = string(gephost_finding_id(finding).data);
  made->risk_level = GEPHOST_GENE_TYPES_RISK_LEVEL_LOW;
  made->rollback_plan = string("Revert the commit");
  for (size_t i = 0; i < from->evidence.len; i++) {
    made->evidence.ptr = longer(made->evidence.ptr, made->evidence.len, sizeof *made->evidence.ptr);
    made->evidence.ptr[made->evidence.len++] = string(gephost_finding_line(finding, i).data);
  }
}

static exports_gephost_gene_proposals_proposal_t *last(void) {
  if (!candidates.len)
    abort();
  return &candidates.ptr[candidates.len - 1];
}

static gephost_gene_types_change_t *new_change(void) {
  gephost_gene_types_list_change_t *changes = &last()->changes;
  changes->ptr = longer(changes->ptr, changes->len, sizeof *changes->ptr);
  return &changes->ptr[changes->len++];
}

void gephost_new_content(const char *path, const char *data, size_t length) {
  gephost_gene_types_change_t *change = new_change();
  change->tag = GEPHOST_GENE_TYPES_CHANGE_NEW_CONTENT;
  change->val.new_content.path = string(path);
  change->val.new_content.content = (strategy_list_u8_t){(uint8_t *)copy(data, length), length};
}

void gephost_delete(const char *path) {
  gephost_gene_types_change_t *change = new_change();
  change->tag = GEPHOST_GENE_TYPES_CHANGE_DELETE;
  change->val.delete_ = string(path);
}

void gephost_test_to_run(const char *command) {
  strategy_list_string_t *tests = &last()->tests_to_run;
  tests->ptr = longer(tests->ptr, tests->len, sizeof *tests->ptr);
  tests->ptr[tests->len++] = string(command);
}

void gephost_rollback_plan(const char *plan) { last()->rollback_plan = string(plan); }

void gephost_risk(uint8_t level) {
  last()->risk_level = level < GEPHOST_GENE_TYPES_RISK_LEVEL_HIGH ? level : GEPHOST_GENE_TYPES_RISK_LEVEL_HIGH;
}

void gephost_fail(const char *code, const char *message) {
  failure.code = string(code);
  failure.message = string(message);
  has_failed = true;
}

bool exports_gephost_gene_proposals_propose(
    exports_gephost_gene_proposals_diagnosis_t *asked, exports_gephost_gene_proposals_list_proposal_t *ret,
    exports_gephost_gene_proposals_gene_error_t *err) {
  diagnosis = asked;
  gephost_propose();
  if (has_failed) {
    *err = failure;
    return false;
  }
  *ret = candidates;
  return true;
}
