/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dogwatch - the end of an agent that is blocked in something when its connection is gone, or a signal wants it to end.
 *
 * A thread looks at the same descriptors as the agent's loop.  Where one of them says that it is over and the
 * loop does not come round for DOGWATCH_NS, the process exits: files that nobody named yet, a COMMAND that was
 * not told to start and all events go with it.
 *
 * Threads: one owner; the thread is its own.
 */
#ifndef RINGTOP_LINK_AGENT_DOGWATCH_H
#define RINGTOP_LINK_AGENT_DOGWATCH_H

#define DOGWATCH_NS 10000000000ull

struct dogwatch;

struct dogwatch *dogwatch_start(int stop_fd); /* NULL: no thread, no memory */

/* The loop is alive, and these are its descriptors from now on (-1: there is none). */
void dogwatch_alive(struct dogwatch *d, int in, int out);

void dogwatch_stop(struct dogwatch *d);

#endif
