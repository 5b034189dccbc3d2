// Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "gephost/gephost.h"

#define NOTES "docs/known-failures.md"

static void *need(void *memory) {
  if (!memory)
    abort();
  return memory;
}

// A whole file as text; NULL if it cannot be read.
static char *whole(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = size < 0 ? NULL : need(calloc((size_t)size + 1, 1));
  if (text && fread(text, 1, (size_t)size, file) != (size_t)size)
    text = NULL;
  fclose(file);
  return text;
}

void gephost_propose(void) {
  if (gephost_findings() == 0)
    return;
  gephost_text title = gephost_finding_title(0), direction = gephost_finding_direction(0);
  size_t room = title.length + direction.length + sizeof "\n- : \n";
  char *note = need(malloc(room));
  snprintf(note, room, "\n- %s: %s\n", title.data, direction.data);
  const char *notes = whole(NOTES);
  if (!notes && errno != ENOENT) {
    gephost_fail("unreadable", NOTES " cannot be read");
    return;
  }
  if (!notes)
    mkdir("docs", 0777);
  if (notes && strstr(notes, note))
    return;
  FILE *file = fopen(NOTES, "wb");
  if (!file || fprintf(file, "%s%s", notes ? notes : "# Known failures\n", note) < 0 || fclose(file) != 0) {
    gephost_fail("unwritable", NOTES " cannot be written");
    return;
  }
  gephost_info("noted: %s", gephost_finding_id(0).data);
  gephost_candidate(0, "Write down the most important failure", "The agent reads about the failure before it happens again");
}
