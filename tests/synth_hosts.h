/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synth_hosts - other machines that slices come from, made up.  Part of synth. */
#ifndef RINGTOP_TESTS_SYNTH_HOSTS_H
#define RINGTOP_TESTS_SYNTH_HOSTS_H

#include <stdbool.h>

#include "measure/session/session.h"

#define SYNTH_HOSTS_MAX 80

struct synth_hosts {
	struct session_host host[SYNTH_HOSTS_MAX];
	struct session_place place[SYNTH_HOSTS_MAX * 64];
	unsigned nr, cpus; /* of each */
	unsigned cut_from, cut_to; /* ticks in which nothing comes from the last one */
	bool hostile;
};

/* "web01", "root@web02", ...; several have places.  nr 0: none. */
void synth_hosts_init(struct synth_hosts *h, struct session_info *info);

bool synth_hosts_cut(const struct synth_hosts *h, unsigned host, unsigned tick);

/* How their links are in this tick.  False: no memory. */
bool synth_hosts_tick(const struct synth_hosts *h, struct slice *s, unsigned tick);

#endif
