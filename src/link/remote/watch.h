/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch - one descriptor to poll for a session without a thread: it stands for several others, and
 * a time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_WATCH_H
#define RINGTOP_LINK_REMOTE_WATCH_H

#include <poll.h>
#include <stdint.h>

#define WATCH_MAX 4

struct watch {
	int fd;    /* readable: a descriptor is ready, or the time has come */
	int timer; /* on CLOCK_BOOTTIME, as clocksync_now */
	struct pollfd on[WATCH_MAX];
	unsigned nr;
	unsigned stamp;
};

/* Return 0 or -errno; watch_clear is needed after both. */
int watch_init(struct watch *w);
void watch_clear(struct watch *w);

/*
 * Wait for these descriptors.  The caller passes a new `stamp` when a descriptor's number may mean
 * another file than before.  Return 0 or -errno.
 */
int watch_set(struct watch *w, const struct pollfd *p, unsigned nr, unsigned stamp);

/* Set the time, ns of CLOCK_BOOTTIME; UINT64_MAX: none. */
void watch_until(struct watch *w, uint64_t time);

#endif
