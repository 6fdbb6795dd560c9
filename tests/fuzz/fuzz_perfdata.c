/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf.data file, or with an odd size a stream; all its records, read in full and put in order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/decode/order.h"
#include "files/decode/perfdata.h"
#include "memory.h"
#include "must.h"

#define QUEUE (4u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_sample(const struct record_layout *l, const struct perf_event_header *h)
{
	struct sample_value v;
	struct sample s;
	uint64_t sum = 0;

	if (!record_sample(l, h, &s))
		return;
	for (uint64_t i = 0; i < s.nr_chain; i++)
		sum += s.chain[i];
	for (int i = 0; i < SAMPLE_FIELDS; i++)
		must(s.span[i].offset + s.span[i].len <= h->size);
	for (uint64_t i = 0; sample_value(l, &s, i, &v); i++)
		sum += v.value;
	must(s.cpu != 0 || sum != 1);
}

static void look_at(const struct record_layout *l, const struct perf_event_header *h)
{
	struct record_ksymbol k;
	struct record_mmap m;
	struct record_comm c;
	struct record_lost lost;
	struct record_task t;
	uint64_t n;

	if (h->type == PERF_RECORD_SAMPLE) {
		look_at_sample(l, h);
		return;
	}
	must(!record_mmap(l, h, &m) || strlen(m.filename) < h->size);
	must(!record_comm(l, h, &c) || strlen(c.comm) < h->size);
	must(!record_ksymbol(l, h, &k) || strlen(k.name) < h->size);
	if (record_task(l, h, &t) && record_lost(l, h, &lost) && record_throttle(l, h, &n))
		must(record_lost_samples(l, h, &n));
	must(record_cpu(l, h) || record_id(l, h) || record_time(l, h) || l);
}

static void drain(struct order *o, const struct perfdata *p, uint64_t *nr)
{
	const struct order_record *r;

	while ((r = order_next(o))) {
		must(r->h.size >= sizeof(r->h));
		look_at(&perfdata_event(p, r->event)->layout, &r->h);
		--*nr;
	}
}

static void read_all(struct perfdata *p)
{
	struct order *o = order_create(QUEUE);
	struct perfdata_record rec;
	struct err err = {0};
	uint64_t waiting = 0;
	int ret = 0;

	while (o && (ret = perfdata_next(p, &rec, &err)) > 0) {
		must(((uintptr_t)rec.h & 7) == 0);
		if (rec.h->type == PERFDATA_FINISHED_ROUND) {
			order_round(o);
		} else if (rec.event != PERFDATA_NO_EVENT) {
			must(!order_add(o, rec.h, rec.h->size, rec.time, rec.event, rec.offset));
			waiting++;
		}
		drain(o, p, &waiting);
		must(order_bytes(o) < 4 * QUEUE);
	}
	must(!ret || err.code);
	if (o) {
		order_finish(o);
		drain(o, p, &waiting);
		must(!waiting);
	}
	order_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = {data, size};
	struct perfdata_source source = {.read = read_memory, .arg = &m, .seekable = !(size & 1)};
	struct err err = {0};
	struct perfdata *p = perfdata_open(&source, &err);

	must(p || err.code);
	for (size_t i = 0; p && i < perfdata_build_ids(p); i++)
		must(perfdata_build_id(p, i)->id.len <= 20);
	if (p)
		read_all(p);
	perfdata_close(p);
	return 0;
}
