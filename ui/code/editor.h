/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * editor - the user's editor at a line of a source file.
 *
 * Which file that is says the debug information of a profiled program, which may name any.  So only regular files are
 * opened, by their absolute path (which no editor takes for an option), where the line still is what was shown of it; and
 * it is said which.  The editor is a program and words for it (VISUAL, EDITOR, else vi), never a shell's line.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_EDITOR_H
#define RINGTOP_UI_CODE_EDITOR_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

#define EDITOR_PATH 4096

struct editor_file {
	char path[EDITOR_PATH]; /* raw; "": none */
	unsigned line;          /* from 1 on */
	char text[512];         /* what the line was, raw, as far as it is known; "": not known */
};

/*
 * May it be opened?  0, or -errno with err: what it is instead, or that it is not here.  *others: it is neither ours nor
 * root's.  The file is read up to the line where its text is known.
 */
int editor_check(const struct editor_file *f, bool *others, struct err *err);

/* The words of the command, for free(); NULL with err.  Those behind the program's own say file and line. */
char **editor_words(const char *command, const struct editor_file *f, struct err *err);

/* What VISUAL and EDITOR say. */
const char *editor_command(void);

/* Start it on our terminal.  0 with *pid, or -errno with err. */
int editor_start(const struct editor_file *f, pid_t *pid, struct err *err);

#endif
