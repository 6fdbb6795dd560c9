/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal - the only module that uses curses.
 *
 * Curses paints into memory, not onto the line: its bytes are taken from there, counted, and
 * written without ever blocking.  Bytes that the line does not take stay pending, and while there
 * are any the painter drops frames.  The bytes that restore the terminal (leave the alternate
 * screen, cursor on, mouse off) are made beforehand, so that a crash handler only needs write(2).
 *
 * Restored on: terminal_close, exit(), SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL (whose former
 * handlers run afterwards).  One terminal a process.  Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_H
#define RINGTOP_UI_TERM_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "ui/term/scene.h"
#include "ui/term/theme.h"

struct terminal;

struct terminal_options {
	bool ascii, mono; /* requested */
	bool colour;      /* use the terminal's colours, whatever the environment demands */
	enum palette palette;
	bool no_mouse;
};

/* Settings in use, by options, terminal, locale and environment. */
struct terminal_traits {
	bool ascii;  /* requested, or the font or locale is not capable of UTF-8 */
	bool mono;   /* by option or environment (NO_COLOR, CLICOLOR), or there are no colours */
	const char *name; /* TERM */
};

/*
 * Open the terminal.  0; -ENOTTY, -ENOTSUP (unknown TERM, or one that cannot move the cursor) ...
 * with err.
 */
int terminal_open(const struct terminal_options *o, struct terminal **t, struct err *err);

/* Restore the line and close the terminal; NULL is allowed. */
void terminal_close(struct terminal *t);

const struct terminal_traits *terminal_traits(const struct terminal *t);

/* Get the line's size, and adapt to it. */
void terminal_resize(struct terminal *t, int *rows, int *cols);

/* Put a cell, to be sent by the next flush. */
void terminal_put(struct terminal *t, int y, int x, const struct cell *c);

/* Write the cells that were put to the line, as far as it takes them. */
void terminal_flush(struct terminal *t);

/* Return how many bytes may be put now (ui/term/ttyflow.h); 0 while earlier ones are under way. */
size_t terminal_room(struct terminal *t);

/*
 * Return when there may be room even if nothing comes from the terminal (clock_ns()); UINT64_MAX:
 * never.
 */
uint64_t terminal_room_at(const struct terminal *t);

/*
 * Let the next flush blank the terminal, whatever is on it, before the cells put from now on: key
 * Ctrl-L.
 */
void terminal_redraw(struct terminal *t);

/*
 * Send a text to the terminal's clipboard, by OSC 52 (xterm's control sequences, "Operating System
 * Commands").  False: this kind of terminal has none, or there is no memory.  Terminals do not
 * report if they accept it.
 */
bool terminal_copy(struct terminal *t, const char *text);

/* Continue to write pending bytes.  0, or -errno if the line is gone. */
int terminal_write(struct terminal *t);

/* Return the number of pending bytes. */
size_t terminal_pending(const struct terminal *t);

/* Return the number of bytes written so far. */
uint64_t terminal_bytes(const struct terminal *t);

/* Return the descriptor to poll: POLLIN for keys, POLLOUT while bytes are pending. */
int terminal_fd(const struct terminal *t);

/*
 * Take clicks and the wheel as input (on from the start, unless no_mouse), or leave them to the
 * terminal.
 */
void terminal_mouse(struct terminal *t, bool on);

/* Restore the line, and take it again: around a stop by job control, or another program. */
void terminal_leave(struct terminal *t);
void terminal_enter(struct terminal *t);

#endif
