/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * control - orders from a script while we run, by a FIFO: --control.
 *
 *   SPEC  = FIFO  |  fifo: FIFO [, ACK]
 *   ORDER = mark [NAME] | enable | resume | disable | pause | snapshot | ping | stop
 *
 * One a line, which a newline or a 0 ends, as perf record --control has them; what has no name after perf is ours.  With
 * ACK "ack" and a newline are written there when an order was obeyed; what nobody reads there is counted, not waited
 * for.  A FIFO that is not there is made, for its owner alone, and removed at the end.  It is opened for both ends, so a
 * writer that comes and goes ends nothing.
 *
 * What is in it is anybody's who may write it: a line has CONTROL_LINE bytes at most, what is longer is left out up to
 * its end.  Threads: one owner.
 */
#ifndef RINGTOP_CONTROL_CONTROL_H
#define RINGTOP_CONTROL_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define CONTROL_LINE 256 /* bytes, its end included */

enum control_word { CONTROL_MARK, CONTROL_RESUME, CONTROL_PAUSE, CONTROL_SNAPSHOT, CONTROL_PING, CONTROL_STOP,
		    CONTROL_UNKNOWN, CONTROL_WORDS };

struct control_order {
	enum control_word word;
	char text[CONTROL_LINE]; /* of a mark its name, "": none was given; of what is not known all of it; raw */
};

/* What came. */
struct control_counts {
	uint64_t orders, unknown, too_long;
	uint64_t unanswered; /* answers that nobody has read */
};

/* --- the text: no I/O --------------------------------------------------------------------- */

/* A line that is under way.  All zero: none. */
struct control_lines {
	char line[CONTROL_LINE];
	size_t len;
	bool over; /* it is too long */
	struct control_counts counts;
};

/* Take bytes up to the end of a line: how many, at least one of n > 0.  *whole: *order is what that line says. */
size_t control_take(struct control_lines *l, const char *data, size_t n, struct control_order *order, bool *whole);

/* ------------------------------------------------------------------------------------------- */

struct control;

struct control *control_open(const char *spec, struct err *err);
void control_close(struct control *c);
int control_fd(const struct control *c); /* readable: control_next may have one; -1 where c is NULL */

/* The next order, what is not known too.  False: there is none now, or c is NULL. */
bool control_next(struct control *c, struct control_order *order);

/* It was obeyed. */
void control_answer(struct control *c);

#define CONTROL_AT_ONCE 64

/*
 * The orders that are there, so many at most, that one who writes without end keeps nothing else waiting; those that
 * obey says were obeyed are answered.  Nothing where c is NULL.
 */
void control_serve(struct control *c, bool (*obey)(void *arg, const struct control_order *order), void *arg);
const struct control_counts *control_counts(const struct control *c);

#endif
