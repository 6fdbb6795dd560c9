/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * taking - the tick's half of a snapshot: asking the readers for copies of their rings, and handing
 * these to the writer.
 *
 * Threads: the tick's, but for taking_ask.
 */
#ifndef RINGTOP_LIVE_TAKING_H
#define RINGTOP_LIVE_TAKING_H

#include "base/err.h"
#include "live/tick.h"
#include "session/session.h"

/* SESSION_SNAPSHOT and SESSION_DUMP; from any thread. */
int taking_ask(struct tick *t, const struct session_request *rq, struct err *err);

/* Before the readers are asked: what else to ask them, READER_HOLD or nothing. */
unsigned taking_begin(struct tick *t);

/* When they have answered and the sideband up to then was taken. */
void taking_end(struct tick *t, struct slice *s);

#endif
