/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostlinks - the machines that slices come from: their links, and gaps in which nothing came.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_HOSTLINKS_H
#define RINGTOP_MODEL_CORE_HOSTLINKS_H

#include "model/core/history.h"
#include "model/core/model.h"

#define HOSTLINKS_GAPS 64 /* kept */

struct hostlinks {
	struct slice_host *now; /* counts: since the start or hostlinks_reset() */
	size_t nr, cap;
	struct host_gap gaps[HOSTLINKS_GAPS]; /* ring; newest at (ngaps - 1) % HOSTLINKS_GAPS */
	size_t ngaps;
};

/* Take a slice's hosts.  Return 0 or -ENOMEM. */
int hostlinks_take(struct hostlinks *h, const struct slice *s);
void hostlinks_reset(struct hostlinks *h); /* set all counts to zero */
void hostlinks_clear(struct hostlinks *h);

/*
 * Return the ns of the window in which nothing came from the host; forgotten gaps are not included.
 */
uint64_t hostlinks_absent(const struct hostlinks *h, size_t host, struct window w);

/* Copy a slice's link counts into its history slice; history_slice_reserve() has made room. */
void hostlinks_links(struct history_slice *to, const struct slice *s);

#endif
