/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watchdog - a watchdog: ends an agent whose loop is blocked when its connection is gone or a
 * signal has arrived.
 *
 * A thread polls the same descriptors as the agent's loop.  Where one of them reports the end and
 * the loop makes no turn for DOGWATCH_NS, the process exits; with it go temporary files without a
 * name, a COMMAND that was not started yet, and all events.
 *
 * Threads: one owner, beside the thread of its own.
 */
#ifndef RINGTOP_LINK_AGENT_WATCHDOG_H
#define RINGTOP_LINK_AGENT_WATCHDOG_H

#define DOGWATCH_NS 10000000000ull

struct watchdog;

/* stop_fd: readable when a signal arrived; borrowed.  NULL: no thread or no memory. */
struct watchdog *watchdog_start(int stop_fd);

/* Report a turn of the loop, and the descriptors to watch from now on (-1: none). */
void watchdog_alive(struct watchdog *d, int in, int out);

/* Stop the thread and free `d`; NULL is allowed. */
void watchdog_stop(struct watchdog *d);

#endif
