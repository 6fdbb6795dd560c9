/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sshlog - reads ssh's stderr: messages of ssh and the agent, and the output of a COMMAND there.
 *
 * With an output, all bytes are copied there, escaped if it is a terminal; without one, lines are
 * reported.  The last line may be the reason why the connection ended.  Lines are raw.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_SSHLOG_H
#define RINGTOP_LINK_REMOTE_SSHLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WORDS_LINE 256 /* bytes of a line that are kept */

struct sshlog {
	int fd;     /* -1: it has ended */
	int output; /* -1: none */
	bool terminal;
	/* incomplete line; the last one that was not blank */
	char line[WORDS_LINE], last[WORDS_LINE];
	size_t len;
	unsigned shown;       /* lines reported since `since` */
	uint64_t since;
	uint64_t left_out;    /* lines not reported since then */
};

/* Begin to read fd; output: -1 for none.  Both stay the caller's. */
void sshlog_init(struct sshlog *w, int fd, int output);

/* Return true if w->fd should be polled; else *until may become an earlier time to try. */
bool sshlog_wanted(const struct sshlog *w, uint64_t now, uint64_t *until);

/* Read the available bytes.  `line` gets each line to be reported. */
void sshlog_read(struct sshlog *w, uint64_t now, void (*line)(void *arg, const char *text),
		void *arg);

/* Return true if the text has no visible characters. */
bool sshlog_blank(const char *text);

/* Return the last line that was not blank, or "".  Valid as long as w. */
const char *sshlog_last(const struct sshlog *w);

#endif
