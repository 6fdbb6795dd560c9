/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No FINISHED_ROUND is written: a reader then sorts all there is, and rings can be written one after
 * the other.
 *
 * Samples are given what they lack: the number of their CPU, which is the ring's, and the id of their
 * event.  So the sideband can be an event of its own; perf 6.1 dies of a file of tracepoints alone
 * whose samples have no raw data.
 */
#include "record/flight.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "base/atomics.h"
#include "base/vec.h"
#include "capture/auxevent.h"
#include "capture/cursor.h"
#include "decode/record.h"
#include "record/buildids.h"
#include "record/facts.h"
#include "record/perffile.h"
#include "record/procstate.h"
#include "record/sidelog.h"

#define PIECE (1u << 20) /* bytes given to the file at a time */

char *flight_buffer(size_t size)
{
	char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE,
			 -1, 0);

	return buf == MAP_FAILED ? NULL : buf;
}

void flight_buffer_free(char *buf, size_t size)
{
	if (buf)
		munmap(buf, size);
}

static void describe_sideband(struct flight *f, const struct ringset_config *c)
{
	ringset_sideband_attr(c, &f->sideband_event.attr);
	strcpy(f->sideband_event.name, "sideband");
}

static void describe(struct flight *f, const struct ringset_config *c)
{
	for (unsigned i = 0; i < f->nevents; i++) {
		struct flight_event *e = &f->events[i];

		ringset_sample_attr(c, i, &e->attr);
		e->attr.write_backward = 0; /* in the file the oldest comes first */
		memcpy(e->name, c->events->events[i].name, sizeof(e->name));
	}
	describe_sideband(f, c);
}

static struct flight *create(const struct ringset_config *c, unsigned nevents, unsigned nrings)
{
	struct flight *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->nevents = nevents;
	f->events = calloc(f->nevents, sizeof(*f->events));
	f->rings = calloc(nrings ? nrings : 1, sizeof(*f->rings));
	f->ntids = c->ntids && c->tids[0] >= 0 ? c->ntids : 0;
	f->tids = f->ntids ? malloc(f->ntids * sizeof(*f->tids)) : NULL;
	if (!f->events || !f->rings || (f->ntids && !f->tids)) {
		flight_free(f);
		return NULL;
	}
	if (f->ntids)
		memcpy(f->tids, c->tids, f->ntids * sizeof(*f->tids));
	return f;
}

struct flight *flight_create_aux(const struct ringset_config *c, const struct auxset *s,
				 struct aux_copies *copies)
{
	struct flight *f = create(c, 1, 0);

	if (!f) {
		aux_copies_done(copies);
		return NULL;
	}
	f->copies = copies;
	auxset_info(s, &f->aux);
	f->aux_event = *f->aux.event;
	f->aux.event = &f->aux_event;
	f->aux.pmu = f->aux_event.pmu;
	auxevent_attr(&f->aux_event, c, f->aux.size, f->aux.mode == AUX_SNAPSHOT, &f->events[0].attr);
	memcpy(f->events[0].name, f->aux_event.name, sizeof(f->events[0].name));
	describe_sideband(f, c);
	return f;
}

struct flight *flight_create(const struct ringset_config *c, unsigned nrings)
{
	struct flight *f = create(c, c->events->nr, nrings);

	if (f)
		describe(f, c);
	return f;
}

void flight_free(struct flight *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->nrings; i++)
		flight_buffer_free(f->rings[i].buf, f->rings[i].room);
	for (unsigned i = 0; f->events && i < f->nevents; i++)
		free(f->events[i].ids);
	free(f->sideband_event.ids);
	free(f->events);
	free(f->rings);
	free(f->sideband);
	free(f->tids);
	slice_snapshot_clear(&f->said);
	if (f->copies)
		aux_copies_done(f->copies);
	free(f);
}

int flight_id(struct flight *f, unsigned event, uint64_t id)
{
	struct flight_event *e = &f->events[event];

	if (!vec_reserve(&e->ids, &e->cap_ids, e->nids + 1, sizeof(*e->ids)))
		return -ENOMEM;
	e->ids[e->nids++] = id;
	return 0;
}

int flight_ids(struct flight *f, const struct ringset *set)
{
	for (size_t i = 0; i < set->ncounters; i++)
		if (flight_id(f, set->counters[i].event, set->counters[i].id))
			return -ENOMEM;
	return 0;
}

/* --- writing ------------------------------------------------------------------------------ */

struct writing {
	struct flight *f;
	struct perffile *file;
	struct perfwrite out; /* records on their way */
	struct perfwrite_event *events; /* the sideband's last */
	unsigned nevents;
	struct record_layout *layouts; /* as in the rings */
	struct record_layout sidelog;
	struct buildids *buildids;
	uint64_t lacking;     /* of CPU and IDENTIFIER: what samples are given */
	uint64_t known_id;    /* and its event: mostly the next one's, too */
	unsigned known_event;
	uint64_t first, last; /* times of samples */
	const bool *cancel;
};

static int give(struct writing *w)
{
	int ret = w->out.failed ? -ENOMEM : perffile_records(w->file, w->out.data, w->out.len);

	w->out.len = 0;
	if (!ret && atomic_load_relaxed(w->cancel))
		ret = -ECANCELED;
	return ret;
}

static int give_some(struct writing *w)
{
	return w->out.len < PIECE && !w->out.failed ? 0 : give(w);
}

static void note_files(struct writing *w, const struct record_layout *l)
{
	struct cursor c = {.data = w->out.data, .len = w->out.len};
	const struct perf_event_header *h;

	while (cursor_next(&c, &h) == CURSOR_RECORD)
		if (buildids_record(w->buildids, l, h))
			return; /* names are only for finding the right file later */
}

/* What was there before the first sideband record. */
static int write_state(struct writing *w, const struct record_layout *l)
{
	struct procstate ps = {.pids = NULL};
	int ret;

	while (procstate_kernel(&ps, &w->out))
		;
	ret = give(w);
	if (!ret)
		ret = procstate_begin(&ps, w->f->tids, w->f->ntids);
	if (ret)
		return ret;
	while (!ret && procstate_next(&ps, &w->out)) {
		if (w->out.len < PIECE)
			continue;
		note_files(w, l);
		ret = give(w);
	}
	procstate_clear(&ps);
	note_files(w, l);
	return ret ? ret : give(w);
}

/* The sample_id of our own kind into that of the file's first event. */
static void put_sideband(struct writing *w, const struct perf_event_header *h)
{
	size_t body = (size_t)h->size - w->sidelog.trailer;
	struct perfwrite_id id = {.time = record_time(&w->sidelog, h), .cpu = record_cpu(&w->sidelog, h)};

	memcpy(&id.pid, (const char *)h + body + w->sidelog.trailer_tid - 1, sizeof(id.pid));
	memcpy(&id.tid, (const char *)h + body + w->sidelog.trailer_tid + 3, sizeof(id.tid));
	id.id = w->f->sideband_event.ids[0];
	perfwrite_again(&w->out, h, body, &id);
}

static int write_sideband(struct writing *w, const struct record_layout *l)
{
	struct cursor c = {.data = w->f->sideband, .len = w->f->sideband_len};
	const struct perf_event_header *h;
	int ret = 0;

	while (!ret && cursor_next(&c, &h) == CURSOR_RECORD) {
		put_sideband(w, h);
		if (w->out.len < PIECE)
			continue;
		note_files(w, l);
		ret = give(w);
	}
	note_files(w, l);
	return ret ? ret : give(w);
}

static unsigned find_event(const struct flight *f, uint64_t id)
{
	for (unsigned e = 0; e < f->nevents; e++)
		for (size_t i = 0; i < f->events[e].nids; i++)
			if (f->events[e].ids[i] == id)
				return e;
	return f->nevents;
}

/* Which event's record it is, by the id that is in all of them; a single event has none. */
static unsigned event_of(struct writing *w, const struct perf_event_header *h)
{
	const struct flight *f = w->f;
	uint64_t id;

	if (f->nevents == 1)
		return 0;
	if (h->type != PERF_RECORD_SAMPLE)
		id = record_id(&w->layouts[0], h);
	else if (h->size >= sizeof(*h) + sizeof(id))
		memcpy(&id, h + 1, sizeof(id)); /* IDENTIFIER comes first */
	else
		return f->nevents;
	if (id != w->known_id) {
		w->known_id = id;
		w->known_event = find_event(f, id);
	}
	return w->known_event;
}

/* A sample: id first, CPU before the period.  Other records: CPU and id last. */
static bool put_ring_record(struct writing *w, const struct record_layout *l,
			    const struct perf_event_header *h, int cpu, uint64_t id)
{
	const bool sample = h->type == PERF_RECORD_SAMPLE;
	const size_t more = 8 * (size_t)__builtin_popcountll(w->lacking);
	const struct perf_event_header longer = {h->type, h->misc, (uint16_t)(h->size + more)};
	size_t at = sample ? (l->period ? l->period : l->fixed) : h->size - (l->identifier ? 8u : 0);

	if (h->size + more > UINT16_MAX || at > h->size) {
		w->f->said.dropped++;
		return false;
	}
	perfwrite_bytes(&w->out, &longer, sizeof(longer));
	if (sample && w->lacking & PERF_SAMPLE_IDENTIFIER)
		perfwrite_u64(&w->out, id);
	perfwrite_bytes(&w->out, h + 1, at - sizeof(*h));
	if (w->lacking & PERF_SAMPLE_CPU)
		perfwrite_u64(&w->out, (uint32_t)cpu); /* and a reserved word */
	perfwrite_bytes(&w->out, (const char *)h + at, h->size - at);
	if (!sample && w->lacking & PERF_SAMPLE_IDENTIFIER)
		perfwrite_u64(&w->out, id);
	return true;
}

static void put_sample(struct writing *w, const struct perf_event_header *h, int cpu)
{
	unsigned event = event_of(w, h);
	const struct record_layout *l = &w->layouts[event < w->f->nevents ? event : 0];
	struct sample s;

	if (event == w->f->nevents || !w->f->events[event].nids)
		return; /* of no counter that is open */
	if (!put_ring_record(w, l, h, cpu, w->f->events[event].ids[0]))
		return;
	if (h->type == PERF_RECORD_SAMPLE && record_sample(l, h, &s)) {
		w->first = !w->first || s.time < w->first ? s.time : w->first;
		w->last = s.time > w->last ? s.time : w->last;
		w->f->said.samples++;
	}
}

/* A ring's records, the oldest first. */
static int write_ring(struct writing *w, const struct flight_ring *ring)
{
	struct cursor c = {.data = ring->buf, .len = ring->len};
	const struct perf_event_header *h;
	uint32_t *at = NULL;
	size_t nr = 0, cap = 0;
	int ret = 0;

	while (!ret && cursor_next(&c, &h) == CURSOR_RECORD) {
		if (!vec_reserve(&at, &cap, nr + 1, sizeof(*at)))
			ret = -ENOMEM;
		else
			at[nr++] = (uint32_t)(((const char *)h - ring->buf) / 8);
	}
	while (nr-- && !ret) {
		const char *from = ring->buf + (size_t)at[nr] * 8;

		put_sample(w, (const struct perf_event_header *)(const void *)from, ring->cpu);
		ret = give_some(w);
	}
	free(at);
	return ret ? ret : give(w);
}

/* --- AUX areas ---------------------------------------------------------------------------- */

/* Without a decoder of its own perf does not know what to do with the bytes; we do. */
static int write_aux_info(struct writing *w)
{
	struct auxinfo info;

	auxinfo_make(&w->f->aux, w->f->copies->nr && w->f->copies->copy[0].cpu >= 0, &info);
	perfwrite_auxtrace_info(&w->out, info.type, info.words, info.nr);
	w->out.failed |= info.failed;
	auxinfo_clear(&info);
	return give(w);
}

/*
 * With the place of all the bytes, of which the kernel's record may tell a part: perf takes CoreSight's
 * trace by these records, and counts their flags.
 */
static int write_aux_record(struct writing *w, const struct aux_copy *c)
{
	uint64_t record[AUX_RECORD_WORDS];

	if (!c->record[0])
		return 0;
	memcpy(record, c->record, sizeof(record));
	record[1] = c->offset + c->len; /* of an overwritten area it is the end */
	record[2] = c->len;
	perfwrite_bytes(&w->out, record, sizeof(record));
	return give(w);
}

static int write_areas(struct writing *w)
{
	int ret = 0;

	for (unsigned i = 0; i < w->f->copies->nr && !ret; i++) {
		const struct aux_copy *c = &w->f->copies->copy[i];
		const struct perfwrite_auxtrace a = {.size = c->len, .offset = c->offset,
						     .reference = c->reference, .idx = i,
						     .tid = c->tid, .cpu = c->cpu};

		const struct iovec part = {c->data, c->len};

		if (c->len)
			ret = perffile_auxtrace(w->file, &a, &part, 1);
		if (c->len && !ret)
			ret = write_aux_record(w, c);
		if (!ret && atomic_load_relaxed(w->cancel))
			ret = -ECANCELED;
	}
	return ret;
}

/* --- the file ----------------------------------------------------------------------------- */

/* Per-thread rings do not know a CPU. */
static uint64_t find_lacking(const struct flight *f)
{
	uint64_t want = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU;

	for (unsigned i = 0; i < f->nrings; i++)
		if (f->rings[i].cpu < 0)
			want = PERF_SAMPLE_IDENTIFIER;
	return want & ~f->events[0].attr.sample_type;
}

/* A number that no event has. */
static uint64_t free_id(const struct flight *f)
{
	uint64_t id = 0;

	for (unsigned e = 0; e < f->nevents; e++)
		for (size_t i = 0; i < f->events[e].nids; i++)
			id = f->events[e].ids[i] > id ? f->events[e].ids[i] : id;
	return id + 1;
}

static bool prepare_sideband(struct writing *w)
{
	struct flight_event *e = &w->f->sideband_event;

	e->ids = malloc(sizeof(*e->ids));
	if (!e->ids)
		return false;
	e->ids[0] = free_id(w->f);
	e->nids = 1;
	w->events[w->nevents++] = (struct perfwrite_event){&e->attr, e->name, e->ids, 1};
	w->out.trailer = e->attr.sample_type;
	return true;
}

static bool prepare(struct writing *w)
{
	struct flight *f = w->f;

	w->events = calloc(f->nevents + 1, sizeof(*w->events));
	w->layouts = calloc(f->nevents, sizeof(*w->layouts));
	w->buildids = buildids_create();
	if (!w->events || !w->layouts || !w->buildids)
		return false;
	w->lacking = find_lacking(f);
	record_layout_init(&w->sidelog, SIDELOG_TYPE);
	for (unsigned i = 0; i < f->nevents; i++) {
		struct flight_event *e = &f->events[i];

		record_layout_init_attr(&w->layouts[i], &e->attr);
		e->attr.sample_type |= w->lacking;
		w->events[w->nevents++] = (struct perfwrite_event){&e->attr, e->name, e->ids, e->nids};
	}
	w->known_event = f->nevents;
	return prepare_sideband(w);
}

static void clear(struct writing *w)
{
	perfwrite_clear(&w->out);
	buildids_free(w->buildids);
	free(w->events);
	free(w->layouts);
}

static void write_features(struct writing *w)
{
	struct perfwrite *t = perffile_feature(w->file, PERFWRITE_SAMPLE_TIME);

	facts_write(w->file, w->events, w->nevents);
	buildids_write(w->buildids, perffile_feature(w->file, PERFWRITE_BUILD_ID));
	if (w->last) {
		perfwrite_u64(t, w->first);
		perfwrite_u64(t, w->last);
	}
}

static int write_records(struct writing *w)
{
	struct record_layout l;
	int ret;

	record_layout_init_attr(&l, &w->f->sideband_event.attr);
	ret = perffile_begin(w->file, w->events, w->nevents);
	if (!ret && w->f->copies)
		ret = write_aux_info(w);
	if (!ret)
		ret = write_state(w, &l);
	if (!ret)
		ret = write_sideband(w, &l);
	for (unsigned i = 0; i < w->f->nrings && !ret; i++)
		ret = write_ring(w, &w->f->rings[i]);
	if (!ret && w->f->copies)
		ret = write_areas(w);
	return ret ? ret : perffile_flush(w->file);
}

int flight_write(struct flight *f, const char *path, const bool *cancel, struct err *err)
{
	struct writing w = {.f = f, .cancel = cancel};
	int ret = -ENOMEM;

	if (!prepare(&w)) {
		clear(&w);
		return err_set(err, ENOMEM, "out of memory");
	}
	w.file = perffile_create(path, err);
	if (!w.file) {
		clear(&w);
		return -err->code;
	}
	ret = perffile_expect(w.file, f->said.bytes + f->sideband_len, err);
	if (!ret && (ret = write_records(&w)))
		err_set(err, -ret, "%s", strerror(-ret)); /* the file is told beside it */
	if (!ret) {
		write_features(&w);
		ret = perffile_finish(w.file, w.events, w.nevents, err);
	}
	f->said.file_bytes = ret ? 0 : perffile_bytes(w.file);
	if (ret)
		perffile_discard(w.file);
	else
		perffile_free(w.file);
	clear(&w);
	return ret;
}
