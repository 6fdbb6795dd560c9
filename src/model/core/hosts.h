/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hosts - the machines that slices come from: their links, and gaps in which nothing came.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_HOSTS_H
#define RINGTOP_MODEL_CORE_HOSTS_H

#include "model/core/history.h"
#include "model/core/model.h"

#define HOSTS_GAPS 64 /* kept */

struct hosts {
	struct slice_host *now; /* counts: since the start or hosts_reset() */
	size_t nr, cap;
	struct host_gap gaps[HOSTS_GAPS]; /* ring; newest at (ngaps - 1) % HOSTS_GAPS */
	size_t ngaps;
};

/* Take a slice's hosts.  Return 0 or -ENOMEM. */
int hosts_take(struct hosts *h, const struct slice *s);
void hosts_reset(struct hosts *h); /* set all counts to zero */
void hosts_clear(struct hosts *h);

/*
 * Return the ns of the window in which nothing came from the host; forgotten gaps are not included.
 */
uint64_t hosts_absent(const struct hosts *h, size_t host, struct window w);

/* Copy a slice's link counts into its history slice; history_slice_reserve() has made room. */
void hosts_links(struct history_slice *to, const struct slice *s);

#endif
