/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal - the one place that knows curses.
 *
 * Curses paints into memory, not onto the line: its bytes are taken from there, counted, and
 * written without ever blocking.  What does not fit stays pending, and while something is pending
 * the painter drops frames.  Because the way back (leave the alternate screen, cursor on, mouse
 * off) is known in bytes beforehand, a crash handler can write it with nothing but write(2).
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
	bool ascii, mono; /* asked for */
	bool colour;      /* whatever the environment says, where the terminal has any */
	enum palette palette;
	bool no_mouse;
};

/* What was chosen, by terminal, locale and environment. */
struct terminal_traits {
	bool ascii;  /* the locale is not UTF-8 */
	bool mono;   /* asked for, by the environment (NO_COLOR, CLICOLOR) too, or the terminal has none */
	const char *name; /* TERM */
};

/* 0; -ENOTTY, -ENOTSUP (unknown TERM, or one that cannot move the cursor) ... with err. */
int terminal_open(const struct terminal_options *o, struct terminal **t, struct err *err);
void terminal_close(struct terminal *t); /* NULL: fine */

const struct terminal_traits *terminal_traits(const struct terminal *t);

/* Ask the line for its size and follow it. */
void terminal_resize(struct terminal *t, int *rows, int *cols);

void terminal_put(struct terminal *t, int y, int x, const struct cell *c);

/* Hand what was put to the line, as far as it takes it. */
void terminal_flush(struct terminal *t);

/* How many bytes may be put now (ui/term/pace.h): 0 while the line has what was flushed before. */
size_t terminal_room(struct terminal *t);

/* When there may be room even if nothing comes from the terminal (clock_ns); UINT64_MAX: never. */
uint64_t terminal_room_at(const struct terminal *t);

/* Blank, whatever is on it, at the next flush, and what is put from now on: key Ctrl-L. */
void terminal_redraw(struct terminal *t);

/*
 * Into the clipboard, by OSC 52 (xterm's control sequences, "Operating System Commands").  False: the terminal is none
 * that could have one, or there is no memory.  Whether it has, and lets programs write it, no terminal says.
 */
bool terminal_copy(struct terminal *t, const char *text);

/* Go on writing what is pending.  0, or -errno where the line is gone. */
int terminal_write(struct terminal *t);
size_t terminal_pending(const struct terminal *t);
uint64_t terminal_bytes(const struct terminal *t); /* written so far */

/* For poll: POLLIN keys, POLLOUT while something is pending. */
int terminal_fd(const struct terminal *t);

/* Whether clicks and the wheel are keys of ours (as from the start, but for no_mouse) or the terminal's own. */
void terminal_mouse(struct terminal *t, bool on);

/* Give the line back as it was, and take it again: around a stop by job control, and another program. */
void terminal_leave(struct terminal *t);
void terminal_enter(struct terminal *t);

#endif
