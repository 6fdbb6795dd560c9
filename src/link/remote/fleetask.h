/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetask - which member answers for a function's code: the one where its samples are, else whoever can.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETASK_H
#define RINGTOP_LINK_REMOTE_FLEETASK_H

#include "link/remote/fleetjoin.h"

/* As a session's command does. */
int fleet_ask(struct fleet *f, const struct code_place *place, struct err *err);

/* A member's answer.  False: it knows nothing, and the next member is asked. */
bool fleet_answer(struct fleet *f, unsigned host, struct code *c);

void fleet_ask_clear(struct fleet *f);

#endif
