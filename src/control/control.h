/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control - orders from a script to a running ringtop, by a FIFO: --control.
 *
 *   SPEC  = FIFO  |  fifo: FIFO [, ACK]
 *   ORDER = mark [NAME] | enable | resume | disable | pause | snapshot | ping | stop
 *
 * Each order is a line, which a newline or a NUL ends, as in perf record --control; orders that
 * perf does not have are ringtop's own.  With ACK, "ack" and a newline are written there after each
 * order that was obeyed; if ACK is full because it is not read, the ack is counted, not waited
 * for.  A FIFO that does not exist is made, for its owner alone, and removed at the end.  It is
 * opened for reading and writing, so a writer that comes and goes causes no end of file.
 *
 * Lines are not trusted: they have CONTROL_LINE bytes at most, longer ones are skipped up to their
 * end.  Threads: one owner.
 */
#ifndef RINGTOP_CONTROL_CONTROL_H
#define RINGTOP_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CONTROL_LINE 256 /* bytes of a line, its end included */

enum control_word {
	CONTROL_MARK,
	CONTROL_RESUME,
	CONTROL_PAUSE,
	CONTROL_SNAPSHOT,
	CONTROL_PING,
	CONTROL_STOP,
	CONTROL_UNKNOWN,
	CONTROL_WORDS
};

struct control_order {
	enum control_word word;
	char text[CONTROL_LINE]; /* raw; MARK: its name or ""; UNKNOWN: the whole line */
};

/* Counts of the lines received. */
struct control_counts {
	uint64_t orders, unknown, too_long;
	uint64_t unanswered; /* acks that could not be written */
};

/* --- the text: no I/O --------------------------------------------------------------------- */

/* Part of a line that was received so far, and the counts.  All zero at first. */
struct control_lines {
	char line[CONTROL_LINE];
	size_t len;
	bool over; /* the line is too long */
	struct control_counts counts;
};

/*
 * Take bytes up to the end of a line.  Return their number, at least one of n > 0.  *whole is true
 * if the line ended and is not blank: then *order is the order in it.
 */
size_t control_take(struct control_lines *l, const char *data, size_t n,
		    struct control_order *order, bool *whole);

/* ------------------------------------------------------------------------------------------- */

struct control;

/* Open the FIFOs of a SPEC, making those that do not exist.  NULL with err. */
struct control *control_open(const char *spec, struct err *err);
void control_close(struct control *c); /* removes FIFOs that were made; NULL: no-op */
int control_fd(const struct control *c); /* readable: control_next may have one; -1: c is NULL */

/* Read the next order, also an unknown one.  False: there is none now, or c is NULL. */
bool control_next(struct control *c, struct control_order *order);

/* Acknowledge an order that was obeyed, if there is an ACK. */
void control_answer(struct control *c);

#define CONTROL_AT_ONCE 64

/*
 * Call obey(arg, order) for each order that is there, and acknowledge it if that returns true.  At
 * most CONTROL_AT_ONCE orders, so that a script that writes without end does not block the caller.
 * No-op where c is NULL.
 */
void control_serve(struct control *c, bool (*obey)(void *arg, const struct control_order *order),
		   void *arg);

/* Return the counts so far; they belong to c. */
const struct control_counts *control_counts(const struct control *c);

#endif
