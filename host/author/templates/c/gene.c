// Makes shell scripts call python3 if there is no python.

#include <stdlib.h>
#include <string.h>

#include "gephost/gephost.h"

static bool is_ours(size_t finding) {
  for (size_t i = 0; i < gephost_finding_signals(finding); i++)
    if (strcmp(gephost_finding_signal(finding, i).data, "missing_program") == 0)
      return strstr(gephost_finding_title(finding).data, "`python`") != NULL;
  return false;
}

// Copies a script with python3 for each python that begins a line. Returns the length of the copy.
static size_t repair(const char *script, char *copy) {
  char *end = copy;
  while (*script) {
    size_t blank = strspn(script, " \t");
    size_t line = strcspn(script, "\n");
    line += script[line] == '\n';
    if (strncmp(script + blank, "python ", 7) == 0) {
      size_t begin = blank + strlen("python");
      memcpy(end, script, begin);
      end[begin] = '3';
      memcpy(end + begin + 1, script + begin, line - begin);
      end += line + 1;
    } else {
      memcpy(end, script, line);
      end += line;
    }
    script += line;
  }
  return (size_t)(end - copy);
}

static void propose_for(size_t finding) {
  const gephost_text *paths;
  size_t count = gephost_glob("**/*.sh", 1000, &paths), changed = 0;
  for (size_t i = 0; i < count; i++) {
    gephost_text script;
    if (!gephost_read(paths[i].data, &script))
      continue;
    char *repaired = malloc(2 * script.length + 1);
    if (!repaired)
      abort();
    size_t length = repair(script.data, repaired);
    if (length == script.length)
      continue;
    if (changed++ == 0)
      gephost_candidate(finding, "Call python3 in shell scripts", "The scripts run where python is only python3");
    gephost_new_content(paths[i].data, repaired, length);
  }
  gephost_info("scripts that call python: %zu", changed);
}

void gephost_propose(void) {
  for (size_t finding = 0; finding < gephost_findings(); finding++)
    if (is_ours(finding)) {
      propose_for(finding);
      return;
    }
}
