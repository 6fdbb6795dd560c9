/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch - what a session without a thread waits for, as one descriptor: others, and a time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_WATCH_H
#define RINGTOP_LINK_REMOTE_WATCH_H

#include <poll.h>
#include <stdint.h>

#define WATCH_MAX 4

struct watch {
	int fd;    /* readable: something that was waited for is there */
	int timer; /* of CLOCK_BOOTTIME, as linkclock_now */
	struct pollfd on[WATCH_MAX];
	unsigned nr;
	unsigned stamp;
};

int watch_init(struct watch *w); /* 0 or -errno; then too: watch_clear */
void watch_clear(struct watch *w);

/*
 * Wait for these.  What has the number that another had before is told by a new stamp.  0 or -errno.
 */
int watch_set(struct watch *w, const struct pollfd *p, unsigned nr, unsigned stamp);

void watch_until(struct watch *w, uint64_t time); /* UINT64_MAX: no time */

#endif
