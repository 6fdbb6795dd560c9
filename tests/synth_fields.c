/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synth_fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 20

void synth_fields_info(struct session_info *info, struct session_event *events, bool in_kernel, bool stacks)
{
	events[0].in_kernel = in_kernel;
	strcpy(events[0].by, stacks ? "cpu, stack" : "id, comm");
	strcpy(events[0].by_kinds, stacks ? "np" : "ns");
	info->between = (struct slice_between){.wanted = !stacks, .from = 0, .to = (uint16_t)(info->nevents - 1)};
}

static void put(struct slice *s, const char *key, uint64_t count, uint64_t value, bool rest)
{
	struct slice_field *f = slice_add_field(s);

	if (!f)
		return;
	f->rest = rest;
	snprintf(f->key, sizeof(f->key), "%s", key);
	f->count = count;
	f->min = value;
	f->max = 2 * value;
	f->sum = count > 1 ? (count - 1) * value + 2 * value : 2 * value;
	f->hist[64 - __builtin_clzll(value)] = (uint32_t)(count - 1);
	f->hist[64 - __builtin_clzll(2 * value)] = 1;
}

void synth_fields_stacks(struct slice *s)
{
	for (size_t i = 0; i < s->nrows; i++) {
		const struct slice_row *r = &s->rows[i];
		uint64_t period = r->samples ? r->weight / r->samples : 0;
		struct slice_field *f = period && !r->event ? slice_add_field(s) : NULL;

		if (!f)
			continue;
		f->path = r->path;
		snprintf(f->key, sizeof(f->key), "%u\t", r->cpu);
		f->count = r->samples;
		f->sum = r->weight;
		f->min = f->max = period;
		f->hist[64 - __builtin_clzll(period)] = r->samples;
	}
	s->nfields = slice_fields_fold(s->fields, s->nfields);
}

void synth_fields_tick(struct slice *s, uint64_t tick, bool hostile, bool in_kernel)
{
	char key[64];

	for (unsigned i = 0; i < KEYS; i++) {
		snprintf(key, sizeof(key), "%u\t%s", i * 7, hostile ? "\033[31mred\n" : i % 3 ? "gzip" : "clang");
		put(s, key, 200 / (i + 1) + tick % 3, 1000u * (i + 1), false);
	}
	put(s, "", 5, 700, true);
	for (size_t i = 0; in_kernel && i < s->nfields; i++) {
		s->fields[i].min = s->fields[i].max = 0;
		memset(s->fields[i].hist, 0, sizeof(s->fields[i].hist));
	}
	s->latency = calloc(1, sizeof(*s->latency));
	for (unsigned i = 0; s->latency && i < 100; i++)
		slice_latency_take(s->latency, 1000ull << (i % 14));
	if (s->latency)
		s->latency->unpaired_from = tick % 2;
}
