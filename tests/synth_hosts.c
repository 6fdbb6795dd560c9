/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_hosts.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#define TICK_NS (100 * NSEC_PER_MSEC)

void synth_hosts_init(struct synth_hosts *h, struct session_info *info)
{
	size_t at = 0;

	for (unsigned i = 0; i < h->nr; i++) {
		struct session_host *to = &h->host[i];

		snprintf(to->name, sizeof(to->name), "%sweb%02u%s", i % 2 ? "root@" : "", i + 1,
			 h->hostile && !i ? "\033[31m" : "");
		snprintf(to->host, sizeof(to->host), "web%02u.lan", i + 1);
		to->cpus = h->cpus;
		to->self = 999;
		for (unsigned c = 0; c < h->cpus; c++)
			h->place[i * h->cpus + c] = (struct session_place){(uint16_t)i, (int16_t)c,
				numanodes_of(info->nodes, (int)c)};
	}
	info->nhosts = h->nr;
	info->hosts = h->nr ? h->host : NULL;
	if (h->nr < 2)
		return;
	info->places = h->place;
	info->nodes[0] = '\0'; /* each host has its own */
	info->nplaces = h->nr * h->cpus;
	for (unsigned i = 0; i < h->nr && at < sizeof(info->host); i++)
		at += (size_t)snprintf(info->host + at, sizeof(info->host) - at, "%s%.20s", i ? "," : "",
				       h->host[i].name);
}

bool synth_hosts_cut(const struct synth_hosts *h, unsigned host, unsigned tick)
{
	return h->nr && host == h->nr - 1 && tick >= h->cut_from && tick < h->cut_to;
}

/* The last one's link is slow, the second of several is late from 2 s on. */
static void host_tick(const struct synth_hosts *h, struct slice_host *to, unsigned i, unsigned tick)
{
	bool slow = i == h->nr - 1, late = h->nr > 2 && i == 1 && tick >= 20;

	*to = (struct slice_host){
		.state = late ? HOST_LATE : HOST_UP,
		.beat_ms = slow ? 1000 : 100,
		.since = late ? 20 * TICK_NS : 0,
		.behind_ns = late ? (tick - 19) * TICK_NS : 120000000,
		.bytes_in = 180 + 37 * i, .bytes_out = 6,
		.round_trip_ns = 200000 * (i + 1ull),
		.offset_ns = (int64_t)i * -3500000 + 1000000, .error_ns = 100000,
		.merged = slow && tick % 10 == 9 ? 9 : 0,
		.folded_samples = slow && tick % 10 == 9 ? 5 : 0,
		.folded_rows = slow && tick % 10 == 9 ? 3 : 0,
		.self = {.cpu_ns = 200000, .rss_bytes = 9 << 20},
	};
	if (!synth_hosts_cut(h, i, tick))
		return;
	to->state = HOST_CUT;
	to->since = h->cut_from * TICK_NS;
	to->behind_ns = (tick - h->cut_from + 1) * TICK_NS;
	to->round_trip_ns = to->error_ns = GAUGE_UNKNOWN;
	to->bytes_in = to->bytes_out = to->merged = 0;
	to->folded_samples = to->folded_rows = 0;
	to->offset_ns = 0;
	snprintf(to->why, sizeof(to->why), "ssh: %sconnection reset by peer", h->hostile ? "\033]0;\007" : "");
}

bool synth_hosts_tick(const struct synth_hosts *h, struct slice *s, unsigned tick)
{
	for (unsigned i = 0; i < h->nr; i++) {
		struct slice_host *to = slice_add_host(s);

		if (!to)
			return false;
		host_tick(h, to, i, tick);
	}
	return true;
}
