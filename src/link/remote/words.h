/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words - what comes on ssh's stderr: ssh's own words, the agent's, and the output of a COMMAND there.
 *
 * Whole to an output where there is one, escaped if that is a terminal; without one, as lines to be shown.  The last
 * line may be why the connection ended.  Lines are raw.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_WORDS_H
#define RINGTOP_LINK_REMOTE_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORDS_LINE 256 /* bytes of a line that are kept */

struct words {
	int fd;     /* -1: it has ended */
	int output; /* -1: none */
	bool terminal;
	char line[WORDS_LINE], last[WORDS_LINE]; /* under way, and the last that was not blank */
	size_t len;
	unsigned shown;       /* lines since `since` */
	uint64_t since;
	uint64_t left_out;
};

void words_init(struct words *w, int fd, int output);

/* Is there any use in waiting for w->fd?  If not, *until is when to look again, where that is earlier. */
bool words_wanted(const struct words *w, uint64_t now, uint64_t *until);

/* Take what is there.  `line` gets each that is to be shown. */
void words_read(struct words *w, uint64_t now, void (*line)(void *arg, const char *text), void *arg);

/* Nothing in it that a person could read. */
bool words_blank(const char *text);

/* The connection has ended: its last words, or "". */
const char *words_last(const struct words *w);

#endif
