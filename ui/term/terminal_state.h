/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_state - struct terminal, private to terminal.c, terminal_line.c and terminal_keys.c.
 *
 * Threads: as terminal.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_STATE_H
#define RINGTOP_UI_TERM_TERMINAL_STATE_H

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdio.h>
#include <termios.h>

#include "ui/term/escape.h"
#include "ui/term/ttyflow.h"
#include "ui/term/terminal.h"

struct terminal {
	struct terminal_traits traits;
	char name[64];
	int fd;          /* the line, if possible a description of its own: non-blocking */
	bool blocking;   /* fd is blocking: only small writes after POLLOUT */
	int memory;      /* file in memory into which curses paints */
	FILE *out, *in;  /* curses' view of memory and line */
	WINDOW *keys;    /* read from: a pad, so that reading never paints */
	struct termios saved, raw;
	enum palette palette;
	short pair[ROLE_NR];
	char *pending;
	size_t start, len, cap;
	uint64_t bytes;
	int error;
	bool entered;
	bool no_mouse;     /* ignore mouse reports that come nevertheless */
	bool pastes;       /* bracketed paste is on */
	uint64_t paste_at; /* clock_ns() of the last character of a paste; 0: no paste */
	struct escape sequence; /* the present sequence, complete or not */
	uint64_t sequence_at;   /* clock_ns() of its last character */
	bool signs;        /* this kind of terminal gives signs on request */
	struct ttyflow pace;
};

#endif
