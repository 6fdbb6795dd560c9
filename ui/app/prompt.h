/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt - one line of text being typed: for / f w R \\ and the command line.
 *
 * Pure: keys in, text out; drawing is the frame's.  Threads: one owner.
 */
#ifndef RINGTOP_UI_APP_PROMPT_H
#define RINGTOP_UI_APP_PROMPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROMPT_MAX 256

enum prompt_kind { PROMPT_NONE, PROMPT_SEARCH, PROMPT_FILTER, PROMPT_COMMAND, PROMPT_WRITE,
		   PROMPT_RECORD, PROMPT_KERNEL, PROMPT_MARK, PROMPT_SAVE, PROMPT_BY, PROMPT_NR };

enum prompt_step {
	PROMPT_SAME,     /* the key did nothing */
	PROMPT_EDITED,
	PROMPT_MOVED,
	PROMPT_COMPLETE, /* Tab: the owner may replace the text */
	PROMPT_DONE,     /* Enter */
	PROMPT_CANCEL,   /* Esc, Ctrl-C, Backspace on nothing */
};

struct prompt {
	enum prompt_kind kind; /* PROMPT_NONE: not open */
	char text[PROMPT_MAX];
	size_t len, at; /* bytes; at: the cursor, always on a character's start */
	char last[PROMPT_NR][PROMPT_MAX]; /* what was entered before: key ↑ */
};

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text);
void prompt_close(struct prompt *p);
void prompt_set(struct prompt *p, const char *text); /* cursor to the end */
enum prompt_step prompt_key(struct prompt *p, uint32_t key);

#endif
