/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts - the session of -H: another machine's, or those of several as one.
 */
#ifndef RINGTOP_APP_HOSTS_H
#define RINGTOP_APP_HOSTS_H

#include "app/options.h"
#include "measure/session/session.h"

/*
 * Log in, which may ask on the terminal, and wait until the sessions there are open; of several one is enough.  NULL:
 * err has the words of who refused, with EACCES, EPERM or EINVAL as the session there would have it.  stop_fd readable
 * ends the waiting; -1: none.  `o` must outlive the session, of which there is one in a process.
 */
struct session *hosts_open(const struct options *o, int stop_fd, bool screen, struct err *err);

/* What a slice from there covers: in whole ticks, as long as the intervals and the end allow, 1 s at most. */
uint32_t hosts_beat_ms(const struct options *o);

/* Before the process ends: nothing that was typed stays in memory. */
void hosts_forget(void);

#endif
