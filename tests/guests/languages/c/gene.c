// The gene *tidy* in C, with stdio and the POSIX functions of wasi-libc: see ../README.md.

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "strategy.h"

#define WORKSPACE "/workspace"
enum { PATH_BYTES = 1024, TEXT_BYTES = 1 << 16 };

// The lines of a walk.
struct lines {
  char **line;
  size_t count;
};

static bool add_folder(const char *folder, struct lines *lines);

static bool add_entry(const char *path, struct lines *lines) {
  struct stat status;
  if (stat(path, &status) != 0)
    return false;
  if (S_ISDIR(status.st_mode))
    return add_folder(path, lines);
  char line[PATH_BYTES + 32];
  snprintf(line, sizeof line, "%s %lld\n", path + strlen(WORKSPACE "/"), (long long)status.st_size);
  char **longer = realloc(lines->line, (lines->count + 1) * sizeof *longer);
  if (!longer)
    return false;
  lines->line = longer;
  longer[lines->count] = strdup(line);
  return longer[lines->count++] != NULL;
}

// Calls `each` with the path of every entry of a folder, until one call fails.
static bool each_entry(const char *folder, bool (*each)(const char *, struct lines *), struct lines *lines) {
  DIR *directory = opendir(folder);
  if (!directory)
    return false;
  bool ok = true;
  struct dirent *entry;
  while (ok && (entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
      continue;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    ok = each(path, lines);
  }
  return closedir(directory) == 0 && ok;
}

static bool add_folder(const char *folder, struct lines *lines) { return each_entry(folder, add_entry, lines); }

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

// Adds a sorted walk of the workspace to `text`.
static bool walk(char *text) {
  struct lines lines = {NULL, 0};
  if (!add_folder(WORKSPACE, &lines))
    return false;
  qsort(lines.line, lines.count, sizeof *lines.line, compare_lines);
  for (size_t i = 0; i < lines.count; i++) {
    if (strlen(text) + strlen(lines.line[i]) >= TEXT_BYTES)
      return false;
    strcat(text, lines.line[i]);
    free(lines.line[i]);
  }
  free(lines.line);
  return true;
}

static const char *try_read(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return errno == ENOENT ? "not there" : "refused";
  fclose(file);
  return "read";
}

// Writes text to a file that fopen opens in this mode.
static bool write_file(const char *path, const char *mode, const char *text) {
  FILE *file = fopen(path, mode);
  if (!file)
    return false;
  bool ok = fputs(text, file) >= 0;
  return fclose(file) == 0 && ok;
}

static void probe(char *text, size_t size) {
  const char *above = strcmp(try_read("/workspace/../etc/passwd"), "read") == 0 ? "read" : "refused";
  const char *written = write_file(WORKSPACE "/.env", "wb", "mine\n") ? "written" : "refused";
  snprintf(text, size,
           "/workspace/.env: %s\n/etc/passwd: %s\n/workspace/../etc/passwd: %s\nwriting /workspace/.env: %s\n",
           try_read(WORKSPACE "/.env"), try_read("/etc/passwd"), above, written);
}

// Replaces "red" by "green" in a file.
static bool replace_red(const char *path) {
  static char text[TEXT_BYTES], replaced[2 * TEXT_BYTES];
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  char *end = replaced;
  const char *rest = text;
  for (const char *red; (red = strstr(rest, "red")); rest = red + 3)
    end += sprintf(end, "%.*sgreen", (int)(red - rest), rest);
  strcpy(end, rest);
  return write_file(path, "wb", replaced);
}

static bool remove_tree(const char *path, struct lines *unused) {
  struct stat status;
  if (stat(path, &status) != 0)
    return false;
  if (!S_ISDIR(status.st_mode))
    return unlink(path) == 0;
  return each_entry(path, remove_tree, unused) && rmdir(path) == 0;
}

static bool change_files(void) {
  return replace_red(WORKSPACE "/src/app.txt") && write_file(WORKSPACE "/CHANGES.md", "ab", "- tidied\n") &&
         rename(WORKSPACE "/docs/old.md", WORKSPACE "/docs/new.md") == 0 && unlink(WORKSPACE "/obsolete.txt") == 0 &&
         remove_tree(WORKSPACE "/attic", NULL);
}

static bool tidy(void) {
  static char report[2 * TEXT_BYTES + 1024], walked[TEXT_BYTES];
  char refused[512];
  strcpy(report, "before:\n");
  walked[0] = 0;
  if (!walk(walked))
    return false;
  strcat(report, walked);
  probe(refused, sizeof refused);
  if (!change_files() || mkdir(WORKSPACE "/notes", 0755) != 0 || mkdir(WORKSPACE "/notes/tidy", 0755) != 0)
    return false;
  walked[0] = 0;
  if (!walk(walked))
    return false;
  strcat(report, "after:\n");
  strcat(report, walked);
  strcat(report, "refused:\n");
  strcat(report, refused);
  return write_file(WORKSPACE "/notes/tidy/report.txt", "wb", report);
}

bool exports_gephost_gene_proposals_propose(exports_gephost_gene_proposals_diagnosis_t *diagnosis,
                                            exports_gephost_gene_proposals_list_proposal_t *ret,
                                            exports_gephost_gene_proposals_gene_error_t *err) {
  if (!tidy()) {
    strategy_string_dup(&err->code, "io");
    strategy_string_dup(&err->message, strerror(errno));
    return false;
  }
  // Freed with all that hangs on it once the host has read it.
  exports_gephost_gene_proposals_proposal_t *proposal = calloc(1, sizeof *proposal);
  strategy_string_dup(&proposal->title, "Tidy the workspace");
  strategy_string_dup(&proposal->objective, "One colour, one place for notes");
  const strategy_string_t *finding = &diagnosis->findings.ptr[0].id;
  strategy_string_dup_n(&proposal->finding, (const char *)finding->ptr, finding->len);
  strategy_string_dup(&proposal->rollback_plan, "Revert the commit");
  proposal->risk_level = GEPHOST_GENE_TYPES_RISK_LEVEL_LOW;
  ret->ptr = proposal;
  ret->len = 1;
  exports_gephost_gene_proposals_diagnosis_free(diagnosis);
  return true;
}
