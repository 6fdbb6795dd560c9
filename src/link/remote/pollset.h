/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pollset - one descriptor to poll for a session without a thread: it stands for several others,
 * and a time.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_POLLSET_H
#define RINGTOP_LINK_REMOTE_POLLSET_H

#include <poll.h>
#include <stdint.h>

#define POLLSET_MAX 4

struct pollset {
	int fd;    /* readable: a descriptor is ready, or the time has come */
	int timer; /* on CLOCK_BOOTTIME, as clocksync_now */
	struct pollfd on[POLLSET_MAX];
	unsigned nr;
	unsigned stamp;
};

/* Return 0 or -errno; pollset_clear is needed after both. */
int pollset_init(struct pollset *w);
void pollset_clear(struct pollset *w);

/*
 * Wait for these descriptors.  The caller passes a new `stamp` when a descriptor's number may mean
 * another file than before.  Return 0 or -errno.
 */
int pollset_set(struct pollset *w, const struct pollfd *p, unsigned nr, unsigned stamp);

/* Set the time, ns of CLOCK_BOOTTIME; UINT64_MAX: none. */
void pollset_until(struct pollset *w, uint64_t time);

#endif
