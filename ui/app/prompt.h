/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prompt - editing of one line of text: for / f w R \\ and the command line.
 *
 * It takes keys and yields text; frame.c draws it.  Threads: one owner.
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
	PROMPT_CANCEL,   /* Esc, Ctrl-C, Backspace in an empty prompt */
};

struct prompt {
	enum prompt_kind kind; /* PROMPT_NONE: not open */
	char text[PROMPT_MAX];
	size_t len, at; /* bytes; at: the cursor, always at the start of a character */
	char last[PROMPT_NR][PROMPT_MAX]; /* last text entered, by kind: key ↑ */
};

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text);
void prompt_close(struct prompt *p);

/* Replace the text, and move the cursor to its end. */
void prompt_set(struct prompt *p, const char *text);

/* Handle a key. */
enum prompt_step prompt_key(struct prompt *p, uint32_t key);

#endif
