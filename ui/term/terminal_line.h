/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_line - bytes on their way to the terminal, written without ever blocking, and the signs that say they have
 * come.  terminal_write, _copy and what is asked of them (terminal.h) are here, too.
 *
 * Threads: as terminal.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_LINE_H
#define RINGTOP_UI_TERM_TERMINAL_LINE_H

#define TERMINAL_DRAIN_MS 40 /* how long the way out waits for a slow line */

struct terminal;

/* Move what curses painted from its memory to the end of what is pending. */
void terminal_collect(struct terminal *t);

/* To the end of what is pending. */
void terminal_append(struct terminal *t, const char *bytes);

/* Ask for a sign behind what was put. */
void terminal_ask_sign(struct terminal *t);

/* The way out: what is pending goes if the line takes it soon, and is thrown away if not. */
void terminal_drain(struct terminal *t);

/*
 * Signs that are still to come would be keys of whoever reads the line next.  A byte at a time, so that what is typed
 * behind the last one stays his; from one that never gave any none is expected any more.
 */
void terminal_await_signs(struct terminal *t);

#endif
