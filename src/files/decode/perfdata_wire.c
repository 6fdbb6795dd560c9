/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A batch is the length of its records, the records, each after a struct head and padded to 8
 * bytes, and then the state of the file after the last record.
 */
#include "files/decode/perfdata_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "files/decode/perfdata_state.h"

#define PATH_LEN   4097u

struct head {
	uint64_t time, offset;
	uint32_t event, size;
};

/* --- the file ----------------------------------------------------------------------------- */

static void put_build_ids(const struct perfdata *p, size_t from, struct wire_out *out)
{
	wire_put(out, p->s.nids - from, 8);
	for (size_t i = from; i < p->s.nids; i++) {
		const struct perfdata_build_id *b = &p->s.ids[i];

		wire_put_text(out, b->path);
		wire_put_bytes(out, &b->id, sizeof(b->id));
		wire_put(out, b->kernel, 1);
	}
}

static void get_build_id(struct perfdata *p, struct wire_in *in)
{
	const char *path = wire_get_text(in, PATH_LEN);
	const void *id = wire_get_bytes(in, sizeof(struct build_id));
	struct perfdata_build_id b = {.kernel = wire_get(in, 1)};

	if (in->failed)
		return;
	memcpy(&b.id, id, sizeof(b.id));
	b.path = b.id.len <= sizeof(b.id.bytes) ? budget_alloc(NULL, BUDGET_NAMES, strlen(path) + 1)
						: NULL;
	if (!b.path || p->s.nids >= PERFDATA_BUILD_IDS ||
	    !budget_reserve(NULL, BUDGET_NAMES, &p->s.ids, &p->s.cap_ids, p->s.nids + 1,
			    sizeof(b))) {
		budget_free(b.path);
		in->failed = true;
		return;
	}
	strcpy(b.path, path);
	p->s.ids[p->s.nids++] = b;
}

static void get_build_ids(struct perfdata *p, struct wire_in *in)
{
	size_t nr = wire_get_count(in, sizeof(struct build_id));

	for (size_t i = 0; i < nr && !in->failed; i++)
		get_build_id(p, in);
}

/* Write the state that may change with every batch. */
static void put_state(const struct perfdata *p, size_t ids_from, struct wire_out *out)
{
	put_build_ids(p, ids_from, out);
	wire_put_err(out, &p->problem);
	wire_put(out, p->bad_records, 8);
	wire_put(out, p->trace, 8);
	wire_put(out, p->unknown, 8);
	wire_put(out, p->unknown_type, 4);
}

/* Read the state. Problems that this process found earlier take precedence. */
static void get_state(struct perfdata *p, struct wire_in *in)
{
	struct err problem;
	uint64_t bad;

	get_build_ids(p, in);
	wire_get_err(in, &problem);
	if (!p->problem.code)
		p->problem = problem;
	bad = wire_get(in, 8);
	p->bad_records += bad - p->bad_there;
	p->bad_there = bad;
	p->trace = wire_get(in, 8);
	p->unknown = wire_get(in, 8);
	p->unknown_type = (uint32_t)wire_get(in, 4);
}

void perfdata_put(const struct perfdata *p, struct wire_out *out)
{
	wire_put_bytes(out, &p->info, sizeof(p->info));
	wire_put(out, p->s.nevents, 8);
	for (unsigned i = 0; i < p->s.nevents; i++) {
		wire_put_bytes(out, &p->events[i].attr, sizeof(p->events[i].attr));
		wire_put_text(out, p->events[i].name);
	}
	wire_put(out, p->ids.nr, 8);
	for (size_t i = 0; i < p->ids.cap; i++)
		if (p->ids.slots[i].event) {
			wire_put(out, p->ids.slots[i].id, 8);
			wire_put(out, p->ids.slots[i].event - 1, 4);
		}
	put_state(p, 0, out);
}

static int get_events(struct perfdata *p, struct wire_in *in)
{
	size_t nr = wire_get_count(in, sizeof(p->events->attr));

	p->events = calloc(nr + 1, sizeof(*p->events));
	if (!p->events)
		return -ENOMEM;
	if (!nr || nr > PERFDATA_EVENTS_MAX)
		return -EPROTO;
	p->s.events = p->events;
	p->s.nevents = (unsigned)nr;
	for (size_t i = 0; i < nr; i++) {
		struct perfdata_event *e = &p->events[i];
		const void *attr = wire_get_bytes(in, sizeof(e->attr));

		if (attr)
			memcpy(&e->attr, attr, sizeof(e->attr));
		strcpy(e->name, wire_get_text(in, sizeof(e->name)));
		perfdata_layout(e);
	}
	return 0;
}

static int get_ids(struct perfdata *p, struct wire_in *in, struct err *err)
{
	size_t nr = wire_get_count(in, 12);
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		uint64_t id = wire_get(in, 8);

		ret = perfdata_ids_add(&p->ids, id, (uint32_t)wire_get(in, 4) % p->s.nevents);
	}
	return ret ? perfdata_ids_explain(&p->ids, -ret, err) : 0;
}

struct perfdata *perfdata_get(struct wire_in *in, const struct perfdata_feed *feed, struct err *err)
{
	const void *info = wire_get_bytes(in, sizeof(struct perfdata_info));
	struct perfdata *p = calloc(1, sizeof(*p));
	int ret = p ? 0 : -ENOMEM;

	err->code = 0;
	if (p && info) {
		memcpy(&p->info, info, sizeof(p->info));
		p->info.host[sizeof(p->info.host) - 1] = '\0';
		p->info.release[sizeof(p->info.release) - 1] = '\0';
		p->info.arch[sizeof(p->info.arch) - 1] = '\0';
		p->info.command[sizeof(p->info.command) - 1] = '\0';
		p->info.remark[sizeof(p->info.remark) - 1] = '\0';
		p->s.info = &p->info;
		p->feed = feed;
		ret = get_events(p, in);
	}
	if (!ret && info)
		ret = get_ids(p, in, err);
	if (!ret && info)
		get_state(p, in);
	if (!ret && !in->failed)
		return p;
	perfdata_close(p);
	if (!err->code)
		err_set(err, ret == -ENOMEM ? ENOMEM : EPROTO,
			ret == -ENOMEM ? "out of memory" : "the helper sent an invalid answer");
	return NULL;
}

/* --- records ------------------------------------------------------------------------------ */

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

void perfdata_put_batch(struct perfdata *p, struct wire_out *out)
{
	static const char zeros[8];
	size_t start = out->len, ids = p->s.nids;
	struct err err = {.code = 0};
	struct perfdata_record rec;
	uint64_t len;
	int ret = 1;

	wire_put(out, 0, 8);
	while (out->len - start < PERFDATA_BATCH && !out->failed &&
	       (ret = perfdata_next(p, &rec, &err)) > 0) {
		struct head h = {rec.time, rec.offset, rec.event, rec.h->size};

		wire_put_bytes(out, &h, sizeof(h));
		wire_put_bytes(out, rec.h, rec.h->size);
		wire_put_bytes(out, zeros, padded(rec.h->size) - rec.h->size);
	}
	len = out->len - start - sizeof(len);
	if (!out->failed)
		memcpy(out->data + start, &len, sizeof(len));
	wire_put(out, ret > 0, 1); /* more records follow */
	wire_put_err(out, &err);
	put_state(p, ids, out);
}

/* Fetch the next batch. Return 1 if there are more records, 0 at the end, -errno. */
static int next_batch(struct perfdata *p, struct err *err)
{
	uint64_t len;
	int ret;

	if (p->fed) { /* the state after the last batch's records */
		bool more = wire_get(&p->batch, 1);

		wire_get_err(&p->batch, err);
		get_state(p, &p->batch);
		if (p->batch.failed)
			return err_set(err, EPROTO, "the helper sent an invalid answer");
		if (!more)
			return -err->code;
	}
	ret = p->feed->more(p->feed->arg, &p->batch, err);
	if (ret)
		return ret;
	p->fed = true;
	len = wire_get(&p->batch, 8);
	if (p->batch.failed || len > (size_t)(p->batch.end - p->batch.at))
		return err_set(err, EPROTO, "the helper sent an invalid answer");
	p->batch_end = p->batch.at + len;
	return 1;
}

int perfdata_next_fed(struct perfdata *p, struct perfdata_record *rec, struct err *err)
{
	const struct perf_event_header *h;
	size_t left;
	struct head head;

	while (p->batch.at == p->batch_end) {
		int ret = next_batch(p, err);

		if (ret <= 0)
			return ret;
	}
	left = (size_t)(p->batch_end - p->batch.at);
	if (left >= sizeof(head))
		memcpy(&head, p->batch.at, sizeof(head));
	h = (const void *)(p->batch.at + sizeof(head));
	if (left < sizeof(head) + sizeof(*h) || head.size < sizeof(*h) || head.size != h->size ||
	    padded(head.size) > left - sizeof(head) ||
	    (head.event >= p->s.nevents && head.event != PERFDATA_NO_EVENT))
		return err_set(err, EPROTO, "the helper sent an invalid answer");
	*rec = (struct perfdata_record){
		.h = h, .event = head.event, .time = head.time, .offset = head.offset};
	p->batch.at += sizeof(head) + padded(head.size);
	return 1;
}
