/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No FINISHED_ROUND is written: perf then sorts all records, and the rings can be written one after
 * the other. Samples are extended by their CPU's number, which is the ring's, and the id of their
 * event, where missing. So the sideband can be an event of its own; perf 6.1 crashes on a file of
 * tracepoints alone whose samples have no raw data.
 */
#include "sources/record/snapfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "base/vec.h"
#include "kernel/capture/auxevent.h"
#include "kernel/capture/cursor.h"
#include "files/decode/record.h"
#include "sources/record/datafile.h"
#include "sources/record/sidelog.h"

#define PIECE (64u << 10) /* bytes per write */

char *snapfile_buffer(size_t size)
{
	char *buf = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return buf == MAP_FAILED ? NULL : buf;
}

void snapfile_buffer_free(char *buf, size_t size)
{
	if (buf)
		munmap(buf, size);
}

static struct snapfile *alloc_snapfile(const struct ringset_config *c, unsigned nevents,
				       unsigned nrings)
{
	struct snapfile *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->nevents = nevents;
	f->events = calloc(f->nevents + 1, sizeof(*f->events));
	f->rings = calloc(nrings ? nrings : 1, sizeof(*f->rings));
	f->tids = calloc(c->ntids + 1, sizeof(*f->tids));
	if (!f->events || !f->rings || !f->tids) {
		snapfile_free(f);
		return NULL;
	}
	f->ntids = c->ntids;
	if (f->ntids)
		memcpy(f->tids, c->tids, f->ntids * sizeof(*f->tids));
	ringset_sideband_attr(c, &f->events[nevents].attr);
	strcpy(f->events[nevents].name, "sideband");
	return f;
}

struct snapfile *snapfile_create_aux(const struct ringset_config *c, const struct auxset *s,
				 struct aux_copies *copies)
{
	struct snapfile *f = alloc_snapfile(c, 1, 0);

	if (!f) {
		aux_copies_done(copies);
		return NULL;
	}
	f->copies = copies;
	auxset_info(s, &f->aux);
	f->aux_event = *f->aux.event;
	f->aux.event = &f->aux_event;
	f->aux.pmu = f->aux_event.pmu;
	auxevent_attr(&f->aux_event, c, f->aux.size, f->aux.mode == AUX_SNAPSHOT,
		      &f->events[0].attr);
	memcpy(f->events[0].name, f->aux_event.name, sizeof(f->events[0].name));
	return f;
}

struct snapfile *snapfile_create(const struct ringset_config *c, unsigned nrings)
{
	struct snapfile *f = alloc_snapfile(c, c->events->nr, nrings);

	for (unsigned i = 0; f && i < f->nevents; i++) {
		struct snapfile_event *e = &f->events[i];

		ringset_sample_attr(c, i, &e->attr);
		e->attr.write_backward = 0; /* the file has the oldest record first */
		memcpy(e->name, c->events->events[i].name, sizeof(e->name));
	}
	return f;
}

void snapfile_free(struct snapfile *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < f->nrings; i++)
		snapfile_buffer_free(f->rings[i].buf, f->rings[i].room);
	for (unsigned i = 0; f->events && i <= f->nevents; i++)
		free(f->events[i].ids);
	free(f->events);
	free(f->rings);
	free(f->sideband);
	free(f->tids);
	slice_snapshot_clear(&f->said);
	if (f->copies)
		aux_copies_done(f->copies);
	free(f);
}

int snapfile_id(struct snapfile *f, unsigned event, uint64_t id)
{
	struct snapfile_event *e = &f->events[event];

	return VEC_PUSH(e->ids, e->nids, e->cap_ids, id) ? 0 : -ENOMEM;
}

int snapfile_ids(struct snapfile *f, const struct ringset *set)
{
	for (size_t i = 0; i < set->ncounters; i++)
		if (snapfile_id(f, set->counters[i].event, set->counters[i].id))
			return -ENOMEM;
	return 0;
}

/* --- writing ------------------------------------------------------------------------------ */

struct writing {
	struct snapfile *f;
	struct datafile *file;
	struct perfwrite out; /* records to be written */
	struct record_layout *layouts; /* layouts in the rings */
	struct record_layout sidelog;
	uint64_t *shorter;    /* buffer for one record */
	uint64_t lacking;     /* fields that samples lack, of CPU and IDENTIFIER */
	uint64_t known_id;    /* a cache: the next record mostly has the same id */
	unsigned known_event;
	const bool *cancel;
};

/* Return -ECANCELED if the snapshot was given up, or 0. */
static int go_on(const struct writing *w)
{
	return atomic_load_relaxed(w->cancel) ? -ECANCELED : 0;
}

static int flush_piece(struct writing *w)
{
	int ret = datafile_put(w->file, &w->out);

	return ret ? ret : go_on(w);
}

static int give_some(struct writing *w)
{
	return w->out.len < PIECE && !w->out.failed ? 0 : flush_piece(w);
}

/* Write the state before the first sideband record. */
static int write_state_before(struct writing *w)
{
	int ret = datafile_earlier(w->file, w->f->tids, w->f->ntids, -1);

	while (!ret && !datafile_complete(w->file)) {
		ret = datafile_take_earlier(w->file, true);
		ret = ret ? ret : go_on(w);
	}
	return ret;
}

/* Write a sideband record, with its sample_id converted to the layout of the file's first event. */
static void put_sideband(struct writing *w, const struct perf_event_header *h)
{
	size_t body = (size_t)h->size - w->sidelog.trailer;
	struct perfwrite_id id = {.time = record_time(&w->sidelog, h),
				  .cpu = record_cpu(&w->sidelog, h)};

	memcpy(&id.pid, (const char *)h + body + w->sidelog.trailer_tid - 1, sizeof(id.pid));
	memcpy(&id.tid, (const char *)h + body + w->sidelog.trailer_tid + 3, sizeof(id.tid));
	id.id = w->f->events[w->f->nevents].ids[0];
	perfwrite_again(&w->out, h, body, &id);
}

static int write_sideband(struct writing *w)
{
	struct cursor c = {.data = w->f->sideband, .len = w->f->sideband_len};
	const struct perf_event_header *h;
	int ret = 0;

	while (!ret && cursor_next(&c, &h) == CURSOR_RECORD) {
		put_sideband(w, h);
		ret = give_some(w);
	}
	return ret ? ret : flush_piece(w);
}

static unsigned event_with_id(const struct snapfile *f, uint64_t id)
{
	for (unsigned e = 0; e < f->nevents; e++)
		for (size_t i = 0; i < f->events[e].nids; i++)
			if (f->events[e].ids[i] == id)
				return e;
	return f->nevents;
}

/* Return the record's event, by its id; a single event has no ids. */
static unsigned event_of_record(struct writing *w, const struct perf_event_header *h)
{
	const struct snapfile *f = w->f;
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
		w->known_event = event_with_id(f, id);
	}
	return w->known_event;
}

/*
 * Write a record with the lacking fields. A sample: id first, CPU before the period. Other records:
 * CPU and id last.
 */
static void put_ring_record(struct writing *w, const struct record_layout *l,
			    const struct perf_event_header *h, int cpu, uint64_t id)
{
	const bool sample = h->type == PERF_RECORD_SAMPLE;
	const size_t more = 8 * (size_t)__builtin_popcountll(w->lacking);
	const struct perf_event_header longer = {h->type, h->misc, (uint16_t)(h->size + more)};
	size_t at =
		sample ? (l->period ? l->period : l->fixed) : h->size - (l->identifier ? 8u : 0);

	if (h->size + more > UINT16_MAX || at > h->size) {
		w->f->said.dropped++;
		return;
	}
	perfwrite_bytes(&w->out, &longer, sizeof(longer));
	if (sample && w->lacking & PERF_SAMPLE_IDENTIFIER)
		perfwrite_u64(&w->out, id);
	perfwrite_bytes(&w->out, h + 1, at - sizeof(*h));
	if (w->lacking & PERF_SAMPLE_CPU)
		perfwrite_u64(&w->out, (uint32_t)cpu); /* followed by a reserved word */
	perfwrite_bytes(&w->out, (const char *)h + at, h->size - at);
	if (!sample && w->lacking & PERF_SAMPLE_IDENTIFIER)
		perfwrite_u64(&w->out, id);
}

/*
 * Cut the piece of the stack off, which comes last with its registers: perf would take it for all
 * of the stack.
 */
static const struct perf_event_header *cut_piece(struct writing *w, const struct record_layout *l,
						 const struct perf_event_header *h)
{
	struct perf_event_header *to = (struct perf_event_header *)(void *)w->shorter;
	size_t size = h->size - 2 * sizeof(uint64_t); /* the kernel's alone has neither */
	struct sample s;

	if (!record_sample(l, h, &s))
		return h;
	if (s.span[SAMPLE_REGS_USER].offset)
		size = s.span[SAMPLE_REGS_USER].offset - sizeof(uint64_t);
	memcpy(to, h, size);
	to->size = (uint16_t)size;
	return to;
}

/*
 * Cut the user's part off the chain of samples with a stack copy: perf appends what it unwinds, so
 * the file would have it twice.
 */
static const struct perf_event_header *cut_chain(struct writing *w, const struct record_layout *l,
						 const struct perf_event_header *h)
{
	struct perf_event_header *to = (struct perf_event_header *)(void *)w->shorter;
	struct sample s;
	uint64_t nr = 0;
	size_t at, gone;

	if (l->piece)
		return cut_piece(w, l, h);
	if (!l->both || !record_sample(l, h, &s) || !s.nr_chain)
		return h;
	while (nr < s.nr_chain && s.chain[nr] != (uint64_t)PERF_CONTEXT_USER)
		nr++;
	at = (size_t)((const char *)s.chain - (const char *)h);
	gone = (s.nr_chain - nr) * sizeof(nr);
	memcpy(to, h, at + nr * sizeof(nr));
	memcpy((char *)to + at - sizeof(nr), &nr, sizeof(nr));
	memcpy((char *)to + at + nr * sizeof(nr), (const char *)s.chain + s.nr_chain * sizeof(nr),
	       h->size - at - s.nr_chain * sizeof(nr));
	to->size = (uint16_t)(h->size - gone);
	return to;
}

static void put_ring_sample(struct writing *w, const struct perf_event_header *h, int cpu)
{
	unsigned event = event_of_record(w, h);
	const struct record_layout *l = &w->layouts[event < w->f->nevents ? event : 0];

	/* Other records are of counters that are closed. */
	if (event < w->f->nevents && w->f->events[event].nids)
		put_ring_record(w, l, cut_chain(w, l, h), cpu, w->f->events[event].ids[0]);
}

/* Write a ring's records, the oldest first. */
static int write_ring(struct writing *w, const struct snapfile_ring *ring)
{
	struct cursor c = {.data = ring->buf, .len = ring->len};
	const struct perf_event_header *h;
	uint32_t *at = NULL;
	size_t nr = 0, cap = 0;
	int ret = 0;

	while (!ret && cursor_next(&c, &h) == CURSOR_RECORD) {
		if (!VEC_PUSH(at, nr, cap, (uint32_t)(((const char *)h - ring->buf) / 8)))
			ret = -ENOMEM;
	}
	while (nr-- && !ret) {
		const char *from = ring->buf + (size_t)at[nr] * 8;

		put_ring_sample(w, (const struct perf_event_header *)(const void *)from, ring->cpu);
		ret = give_some(w);
	}
	free(at);
	return ret ? ret : flush_piece(w);
}

/* --- AUX areas ---------------------------------------------------------------------------- */

/*
 * Write an AUX record for all the bytes, of which the kernel's record may cover a part: perf takes
 * CoreSight's trace by these records, and counts their flags.
 */
static int write_aux_record(struct writing *w, const struct aux_copy *c)
{
	uint64_t record[AUX_RECORD_WORDS];

	if (!c->record[0])
		return 0;
	memcpy(record, c->record, sizeof(record));
	record[1] = c->offset + c->len; /* in an overwritten area it is the end */
	record[2] = c->len;
	perfwrite_bytes(&w->out, record, sizeof(record));
	return flush_piece(w);
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
			ret = datafile_auxtrace(w->file, &a, &part, 1);
		if (c->len && !ret)
			ret = write_aux_record(w, c);
		ret = ret ? ret : go_on(w);
	}
	return ret;
}

/* --- the file ----------------------------------------------------------------------------- */

/* Return the fields that samples lack; per-thread rings do not know their CPU. */
static uint64_t find_lacking(const struct snapfile *f)
{
	uint64_t want = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU;

	for (unsigned i = 0; i < f->nrings; i++)
		if (f->rings[i].cpu < 0)
			want = PERF_SAMPLE_IDENTIFIER;
	return want & ~f->events[0].attr.sample_type;
}

/* Return an id that no event has. */
static uint64_t free_id(const struct snapfile *f)
{
	uint64_t id = 0;

	for (unsigned e = 0; e < f->nevents; e++)
		for (size_t i = 0; i < f->events[e].nids; i++)
			id = f->events[e].ids[i] > id ? f->events[e].ids[i] : id;
	return id + 1;
}

/* Add an event to the file; its samples get the lacking fields. */
static int describe_written_event(struct writing *w, const struct snapfile_event *e)
{
	struct perf_event_attr attr = e->attr;
	int event;

	attr.sample_type |= w->lacking;
	if (record_is_piece(&attr)) {
		attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
		attr.sample_regs_user = 0;
		attr.sample_stack_user = 0;
	}
	attr.exclude_callchain_user |= (attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
	event = datafile_event(w->file, &attr, e->name);
	return event < 0 ? event : datafile_ids(w->file, (unsigned)event, e->ids, e->nids);
}

static int describe_written_events(struct writing *w)
{
	const struct snapfile *f = w->f;
	int ret = 0;

	w->layouts = calloc(f->nevents, sizeof(*w->layouts));
	w->shorter = malloc(UINT16_MAX + 1);
	if (!w->layouts || !w->shorter || snapfile_id(w->f, f->nevents, free_id(f)))
		return -ENOMEM;
	w->lacking = find_lacking(f);
	w->known_event = f->nevents;
	w->out.trailer = RINGSET_SIDEBAND_TYPE;
	record_layout_init(&w->sidelog, SIDELOG_TYPE);
	for (unsigned i = 0; i < f->nevents; i++)
		record_layout_init_attr(&w->layouts[i], &f->events[i].attr);
	for (unsigned i = 0; i <= f->nevents && !ret; i++)
		ret = describe_written_event(w, &f->events[i]);
	return ret;
}

static int write_records(struct writing *w)
{
	const struct aux_copies *copies = w->f->copies;
	int ret = describe_written_events(w);

	if (!ret)
		ret = datafile_begin(w->file);
	if (!ret && copies)
		ret = datafile_aux(w->file, &w->f->aux, copies->nr && copies->copy[0].cpu >= 0);
	if (!ret)
		ret = write_state_before(w);
	if (!ret)
		ret = write_sideband(w);
	for (unsigned i = 0; i < w->f->nrings && !ret; i++)
		ret = write_ring(w, &w->f->rings[i]);
	if (!ret && copies)
		ret = write_areas(w);
	return ret ? ret : datafile_flush(w->file);
}

int snapfile_write(struct snapfile *f, const char *path, const bool *cancel, struct err *err)
{
	struct writing w = {.f = f, .cancel = cancel};
	int ret;

	w.file = datafile_create(path, f->said.bytes + f->sideband_len, err);
	if (!w.file)
		return -err->code;
	ret = write_records(&w);
	if (ret)
		err_set(err, -ret, "%s", strerror(-ret)); /* the caller reports the file's name */
	else
		ret = datafile_finish(w.file, err);
	f->said.samples = datafile_samples(w.file);
	f->said.file_bytes = ret ? 0 : datafile_bytes(w.file);
	datafile_discard(w.file);
	perfwrite_clear(&w.out);
	free(w.layouts);
	free(w.shorter);
	return ret;
}
