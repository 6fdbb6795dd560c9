/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal_line - output to the terminal, written without ever blocking, and the signs that report
 * its arrival.  terminal_write(), terminal_copy() and related functions of terminal.h are here,
 * too.
 *
 * Threads: as terminal.
 */
#ifndef RINGTOP_UI_TERM_TERMINAL_LINE_H
#define RINGTOP_UI_TERM_TERMINAL_LINE_H

#define TERMINAL_DRAIN_MS 40 /* longest wait for a slow line when the terminal is left */

struct terminal;

/* Append the bytes that curses has painted into memory to the pending ones. */
void terminal_collect(struct terminal *t);

/* Append bytes to the pending ones. */
void terminal_append(struct terminal *t, const char *bytes);

/* Request a sign behind the bytes so far. */
void terminal_ask_sign(struct terminal *t);

/*
 * Write the pending bytes when the terminal is left; those that the line does not take soon are
 * discarded.
 */
void terminal_drain(struct terminal *t);

/*
 * Wait for requested signs, which the next program on the line would read as keys.  Reads byte by
 * byte, so that keys typed behind the last sign stay for that program.  Does not wait for a
 * terminal that never gave a sign.
 */
void terminal_await_signs(struct terminal *t);

#endif
