/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_aux.h"

#include <stdlib.h>
#include <string.h>

#define AREA (4u << 20)
#define RATE 21000000u /* bytes in a tick */

void synth_aux_info(struct session_info *info, enum synth_aux aux)
{
	strcpy(info->pmus, "breakpoint, cpu, intel_pt, msr, software, tracepoint, uprobe");
	if (aux && aux != SYNTH_AUX_DUMPS)
		strcpy(info->aux_event, "intel_pt//u");
}

static void full(struct slice_aux *a, unsigned cpu, uint64_t tick)
{
	bool overrun = cpu == 1 && tick % 4 == 3;

	a->bytes = RATE + tick % 7 * 900000;
	a->unread = 65536 * (cpu + 1);
	a->consumed = cpu ? 0 : a->bytes;
	a->records = 320;
	a->truncated = a->gaps = a->restarts = overrun;
	a->lost_bytes = overrun ? GAUGE_UNKNOWN : 0;
	a->partial = cpu == 1 && tick == 5;
	a->gaps += a->partial;
	a->age_ns = 400000;
}

static void snapshot(struct slice_aux *a, enum synth_aux aux, uint64_t tick)
{
	bool taken = tick == 12 || tick == 22 || tick == 30;

	a->bytes = a->unread = GAUGE_UNKNOWN;
	a->records = a->overwrite = a->starts = a->snapshots = taken;
	a->head = tick < 12 ? AUX_HEAD_UNSEEN : AUX_HEAD_POSITION;
	a->age_ns = tick < 12 ? GAUGE_UNKNOWN : (tick % 10 + 1) * 100000000;
	if (aux == SYNTH_AUX_MEASURED && tick % 10 == 5)
		a->measured = 10ull * RATE + tick * 1000000;
}

static void add_area(struct slice *s, enum synth_aux aux, unsigned cpu, uint64_t tick)
{
	struct slice_aux *a = slice_add_aux(s);
	struct slice_gauge *g = slice_add_gauge(s);

	if (!a || !g)
		return;
	*a = (struct slice_aux){.cpu = (int16_t)cpu, .size = AREA, .measured = GAUGE_UNKNOWN,
				.mode = aux == SYNTH_AUX_FULL ? AUX_FULL : AUX_SNAPSHOT};
	if (aux == SYNTH_AUX_FULL)
		full(a, cpu, tick);
	else
		snapshot(a, aux, tick);
	*g = (struct slice_gauge){.cpu = (int16_t)cpu, .kind = RING_AUX, .size = AREA,
				  .mode = a->mode == AUX_FULL ? RING_FORWARD : RING_OVERWRITE,
				  .unread = a->unread, .unread_max = a->unread, .bytes = a->bytes,
				  .records = a->records, .overwritten_bytes = GAUGE_UNKNOWN,
				  .oldest_ns = GAUGE_UNKNOWN, .late_ns = GAUGE_UNKNOWN};
}

static void add_news(struct slice *s, unsigned cpus, uint64_t tick, bool hostile)
{
	static const struct {
		uint64_t tick;
		struct slice_snapshot s;
	} news[] = {
	    {12, {.nr = 1, .state = SNAPSHOT_WRITING, .reason = "key"}},
	    {13, {.nr = 1, .state = SNAPSHOT_WRITTEN, .reason = "key",
		  .file = "ringtop-snapshot-20260101-120001-1.data", .written_ns = 41000000}},
	    {22, {.nr = 2, .state = SNAPSHOT_FAILED, .reason = "function>80%:2s",
		  .file = "ringtop-snapshot-20260101-120002-2.data",
		  .error = "No space left on device"}},
	    {30, {.nr = 3, .state = SNAPSHOT_WRITING, .reason = "signal",
		  .file = "ringtop-snapshot-20260101-120003-3.data"}},
	};

	for (size_t i = 0; i < sizeof(news) / sizeof(*news); i++) {
		struct slice_snapshot n = news[i].s;

		if (news[i].tick != tick)
			continue;
		n.time = tick * 100000000;
		n.wall = s->wall;
		n.bytes = (uint64_t)cpus * AREA;
		n.kind = n.nr == 3 ? SNAPSHOT_RINGS : SNAPSHOT_AUX;
		n.shared = n.nr == 3 ? GAUGE_UNKNOWN : n.nr == 2 ? n.bytes / 4 : 0;
		n.stopped_ns = n.nr == 3 ? 0 : 2300000;
		if (hostile && n.file)
			n.file = "/tmp/\x1b[31mred\x07\xff/x.data";
		slice_add_snapshot(s, &n);
	}
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void add_answer(struct slice *s, bool hostile)
{
	static const struct slice_pt_row rows[] = {
	    {"compress_block", "/usr/lib/libz.so.1", "gzip", 4242, 1800000, 9200000, 311},
	    {"std::_Rb_tree<int>::_M_insert_unique", "/usr/lib/libstdc++.so.6", "clang", 77, 640000,
	     2100000, 54000},
	    {NULL, "[anon]", "java", 99, GAUGE_UNKNOWN, 1200, 0},
	};
	static const struct slice_pt_stretch stretches[] = {
	    {0, PT_LOST_HEAD, 0, 1311, GAUGE_UNKNOWN, NULL},
	    {0, PT_LOST_OVERFLOW, 40960, GAUGE_UNKNOWN, 120000, NULL},
	    {1, PT_LOST_ERROR, 81920, 16384, 3100000, "unknown opcode"},
	};
	struct slice_pt *pt = calloc(1, sizeof(*pt));

	*pt = (struct slice_pt){.snapshot = 1, .changed = s->end, .bytes = 8 << 20,
				.decoded = (8 << 20) - 1311 - 16384, .insns = 11301200,
				.ns = 2440000, .span_ns = 9100000, .branches = 4100000,
				.lost = {1, 1, 0, 1, 0}, .lost_bytes = {1311, 0, 0, 16384, 0},
				.nrows = 3, .nstretches = 3};
	pt->rows = calloc(3, sizeof(*pt->rows));
	pt->stretches = calloc(3, sizeof(*pt->stretches));
	for (int i = 0; i < 3; i++) {
		pt->rows[i] = rows[i];
		pt->rows[i].function = copy(hostile && i ? "\x1b[31mred\x07\xff" : rows[i].function);
		pt->rows[i].object = copy(rows[i].object);
		pt->rows[i].comm = copy(hostile ? "\x1b]0;x\x07" : rows[i].comm);
		pt->stretches[i] = stretches[i];
		pt->stretches[i].why = copy(hostile && i ? "\x1b[2J" : stretches[i].why);
	}
	s->pt = pt;
}

void synth_aux_tick(struct slice *s, enum synth_aux aux, unsigned cpus, uint64_t tick, bool hostile)
{
	if (!aux)
		return;
	for (unsigned cpu = 0; cpu < cpus && aux != SYNTH_AUX_DUMPS; cpu++)
		add_area(s, aux, cpu, tick);
	if (aux == SYNTH_AUX_PT && tick == 14)
		add_answer(s, hostile);
	if (aux != SYNTH_AUX_FULL)
		add_news(s, cpus, tick, hostile);
}
