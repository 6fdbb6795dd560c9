/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * editor - open the user's editor at a line of a source file.
 *
 * The file's name comes from the debug information of a profiled program, which may name any file.
 * So only regular files are opened, by their absolute path (which no editor takes for an option),
 * and only if the line is still the one that was shown; the user is told which file it is.  The
 * editor is a program with arguments (VISUAL, EDITOR, else vi), never a shell command.
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
	char path[EDITOR_PATH]; /* not escaped; "": none */
	unsigned line;          /* from 1 on */
	char text[512];         /* beginning of the line as shown, not escaped; "": not known */
};

/*
 * Check that the file may be opened.  0, or -errno with err: such as a missing file, no regular
 * file, or a line that differs from f->text.  *others: it belongs neither to the effective user nor
 * to root.  Reads the file up to the line if f->text is known.
 */
int editor_check(const struct editor_file *f, bool *others, struct err *err);

/*
 * Split `command` into words and append the arguments that tell the editor file and line.  Returns
 * one block for free(), ending with NULL; NULL with err.
 */
char **editor_words(const char *command, const struct editor_file *f, struct err *err);

/* Return VISUAL, EDITOR or "vi", the first that is set and not empty. */
const char *editor_command(void);

/* Start the editor on ringtop's terminal.  0 with *pid, or -errno with err. */
int editor_start(const struct editor_file *f, pid_t *pid, struct err *err);

#endif
