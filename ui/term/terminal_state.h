/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_state - what a terminal is, for terminal.c and its parts, terminal_line and terminal_keys, alone.
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
#include "ui/term/pace.h"
#include "ui/term/terminal.h"

struct terminal {
	struct terminal_traits traits;
	char name[64];
	int fd;          /* the line, opened by ourselves where possible: non-blocking */
	bool blocking;   /* it is not: then only small writes after POLLOUT */
	int memory;      /* where curses paints */
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
	bool no_mouse;     /* reports that come all the same are nothing */
	bool pastes;       /* it is asked to say where a paste begins and ends */
	uint64_t paste_at; /* clock_ns of the last of a paste that is under way, 0: none is */
	struct escape sequence; /* under way, or done */
	uint64_t sequence_at;   /* clock_ns of its last character */
	bool signs;        /* it is asked for them: it is of a kind that knows how */
	struct pace pace;
};

#endif
