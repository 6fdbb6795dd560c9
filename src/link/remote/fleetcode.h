/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fleetcode - requests a function's code from the member that has its samples, else from any that
 * can send it.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_FLEETCODE_H
#define RINGTOP_LINK_REMOTE_FLEETCODE_H

#include "link/remote/fleetjoin.h"

/* Request the code at `place`, which is copied.  Return 0 or -errno with err. */
int fleet_ask(struct fleet *f, const struct code_place *place, struct err *err);

/* Check a member's code, and set its host.  False: it has none, and another member was asked. */
bool fleet_answer(struct fleet *f, unsigned host, struct code *c);

/* Drop all open requests. */
void fleet_ask_clear(struct fleet *f);

#endif
