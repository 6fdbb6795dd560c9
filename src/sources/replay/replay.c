/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sources/replay/deferred.h"
#include "sources/replay/fileevents.h"
#include "sources/replay/fileunwind.h"
#include "sources/replay/replay_accounts.h"
#include "measure/consumers/samplesums.h"
#include "names/resolve/resolver.h"

#define TABLE_ROWS    65536
#define TABLE_ARENA   (16u << 20)
#define WORKERS	      2
#define LENGTH_MIN    (100 * NSEC_PER_MSEC)
#define SPAN_MAX      (5ull * 366 * 86400 * NSEC_PER_SEC) /* longer times are invalid */
#define PRESS_EVERY   256  /* samples between checks of the table's fill */
#define SLICE_ROWS    (1u << 18) /* rows of a slice if samples have no times */
#define STOPPED_NS    (300 * NSEC_PER_MSEC) /* waiting time for names of a stopped session */
#define LOADING_TICKS 50   /* slices that names may lag behind */
#define ROWS_MANY     1024 /* rows of a slice that the history would merge: make fewer */

/* --- events ------------------------------------------------------------------------------- */

static int number_events(struct replay *r)
{
	const struct filefields_plan *plan = r->config.consumers.traced;
	const struct perfdata *file = r->config.file;

	r->nevents = perfdata_events(file);
	r->event = calloc(r->nevents, sizeof(*r->event));
	if (!r->event)
		return -ENOMEM;
	for (unsigned i = 0; i < r->nevents; i++) {
		const struct perf_event_attr *a = &perfdata_event(file, i)->attr;
		struct replay_event *e = &r->event[i];

		e->index = fileevents_number(file, i, &r->nsession);
		e->period = a->freq ? 0 : a->sample_period;
		e->default_period = a->sample_period;
		if (e->index == PERFDATA_NO_EVENT)
			continue;
		r->fixed[e->index] = !a->freq && a->sample_period;
		e->weigh = plan ? tracefields_weight(plan->fields, e->index) : NULL;
		e->consumers = fileconsumers_of(&r->consumers, e->index, a);
	}
	for (unsigned i = 0; plan && i < r->nsession; i++)
		r->hits[i] = filefields_plan_hits(plan, i);
	if (!r->nsession) { /* nothing but dummies */
		r->nsession = 1;
		r->event[0].index = 0;
	}
	for (unsigned role = 0; r->config.consumers.waits && role < EVENT_ROLES; role++)
		if (r->config.consumers.waits->made[role] >= r->nsession)
			r->nsession = r->config.consumers.waits->made[role] + 1u;
	return 0;
}

/* --- slices ------------------------------------------------------------------------------- */

static int begin_slice(struct replay *r)
{
	if (!slicer_open(&r->slicer, 0, 0))
		return -ENOMEM;
	slicer_begin(&r->slicer);
	/* Ids unused for long are released: names must not come later than that. */
	if (r->loading > LOADING_TICKS) {
		resolver_settle(r->resolver, r->config.stop_fd, UINT64_MAX);
		r->loading = 0;
	}
	requestqueue_pass(r->config.asks, r->resolver);
	return 0;
}

static struct slicer_sums *row_sums(void *arg, struct table_row *row)
{
	struct replay *r = arg;

	return &r->account[row->key.cpu * r->nsession + row->key.event].sums;
}

/* Resolve all samples that the table holds. */
static int flush_rows(struct replay *r)
{
	int ret;

	if (!r->any_dirty)
		return 0;
	combine_flush(r->combine);
	table_leave(r->table, 0);
	ret = slicer_rows(&r->slicer, table_rotate(r->table), row_sums, r);
	table_enter(r->table, 0);
	memset(r->dirty, 0, sizeof(r->dirty));
	r->any_dirty = false;
	r->unpressed = 0;
	return ret;
}

/*
 * `end`: session time. On an error the slice stays open, for the last one: that is put in any case,
 * and the error reports that it is incomplete.
 */
static int end_slice(struct replay *r, uint64_t end, bool last)
{
	struct slice *s = r->slicer.slice;
	int ret, ret_accounts;
	bool many;

	filewaits_tell(r->consumers.waits, r->time, last, s);
	replay_lost_waits(r);
	filemultiplex_tell(&r->times, replay_enabled, r);
	ret = flush_rows(r);
	ret_accounts = replay_accounts(r);
	many = s->nrows > ROWS_MANY;
	ret = ret ? ret : ret_accounts;
	if (ret && !last)
		return ret;
	if (!fileconsumers_tell(&r->consumers, r->time, last, s))
		ret = -ENOMEM;
	s->last = last;
	r->loading = slicer_end(&r->slicer, r->time, end) ? r->loading + 1 : 0;
	if (r->unwind)
		fileunwind_gauge(r->unwind, &s->self.unwind);
	r->slices++;
	slicer_put(&r->slicer);
	/* Longer than the header's times, or without any: use coarser slices from here on. */
	if (many && r->length * 2 <= r->length_most)
		r->length *= 2;
	else if (r->slices >= REPLAY_SLICES && r->slices % (REPLAY_SLICES / 8) == 0)
		r->length *= 2;
	return last ? ret : begin_slice(r);
}

/* End the slices before the one that `time` belongs to. */
static int follow_time(struct replay *r, uint64_t time)
{
	int ret = 0;

	if (!r->started) {
		r->started = true;
		r->zero = time;
		r->cut = time + r->length;
	}
	if (time < r->cut)
		return 0;
	ret = end_slice(r, r->cut - r->zero, false);
	/* A gap is one empty slice. */
	if (!ret && time - r->cut >= r->length) {
		r->cut += (time - r->cut) / r->length * r->length;
		ret = end_slice(r, r->cut - r->zero, false);
	}
	r->cut += r->length;
	return ret;
}

/* --- samples ------------------------------------------------------------------------------ */

static void mark_dirty(struct replay *r, uint32_t id)
{
	r->dirty[id % REPLAY_DIRTY_BITS / 64] |= 1ull << id % 64;
	r->any_dirty = true;
}

static bool is_dirty(const struct replay *r, uint32_t id)
{
	return r->dirty[id % REPLAY_DIRTY_BITS / 64] >> id % 64 & 1;
}

static int count_sample(struct replay *r, struct replay_event *e, const struct sample *s,
			struct path path, uint64_t period, uint64_t offset)
{
	struct table_key key = {.pid = s->pid,
				.tid = s->tid,
				.event = (uint16_t)e->index,
				.mode = s->mode,
				.cpu = (uint16_t)(s->cpu < REPLAY_CPUS_MAX ? s->cpu : 0),
				.nr = path.nr};
	struct replay_account *a;
	uint64_t counted;

	if (e->index == PERFDATA_NO_EVENT)
		return 0;
	counted = r->hits[e->index] ? r->hits[e->index] : period;
	if (!replay_add(&r->weight[e->index], period) ||
	    !replay_add(&r->counted[e->index], counted)) {
		perfdata_complain(r->config.file, offset, "an impossible period");
		return 0;
	}
	a = replay_account_of(r, e->index, s->cpu);
	if (!a || !filemultiplex_counted(&r->times, e->index, key.cpu, counted))
		return -ENOMEM;
	combine_add(r->combine, &key, path.ips, period, s->time);
	mark_dirty(r, s->pid);
	mark_dirty(r, s->tid);
	a->taken.samples++;
	a->taken.weight += counted;
	e->samples++;
	e->attributed += counted;
	if (++r->unpressed % PRESS_EVERY == 0 && table_pressed(r->table))
		return flush_rows(r);
	return 0;
}

/* Add a row of off-CPU time, which is in no record of the file. */
static void add_offcpu_row(void *arg, enum event_role role, const struct table_key *whose,
			   const struct waits_path *p, uint64_t ns, uint64_t time, bool sample)
{
	const struct table_count count = {sample, ns, time, time};
	struct replay *r = arg;
	unsigned event = r->config.consumers.waits->made[role];
	struct table_key key = *whose;
	struct replay_account *a;

	if (!event || !ns || r->failed)
		return;
	if (!replay_add(&r->weight[event], ns) || !replay_add(&r->counted[event], ns)) {
		perfdata_complain(r->config.file, r->offset, "a wait of impossible length");
		return;
	}
	a = replay_account_of(r, event, key.cpu);
	if (!a) {
		r->failed = -ENOMEM;
		return;
	}
	key.event = (uint16_t)event;
	key.mode = p->mode;
	key.nr = p->nr;
	a->taken.samples += sample;
	a->taken.weight += ns;
	mark_dirty(r, key.pid);
	mark_dirty(r, key.tid);
	if (role == EVENT_WOKEN) { /* names are the waker's, too */
		mark_dirty(r, (uint32_t)(p->ips[1] >> 32));
		mark_dirty(r, (uint32_t)p->ips[1]);
	}
	/* If there is no room the row is dropped, which the account shows. */
	table_add(r->table, 0, &key, p->ips, &count);
	if (table_pressed(r->table))
		r->failed = flush_rows(r);
}

/* Count a sample that carries counter values: the counts of each counter since its last sample. */
static int count_values(struct replay *r, const struct perfdata_event *from, const struct sample *s,
			struct path path, uint64_t offset)
{
	struct sample_value v;
	int ret = 0;

	for (uint64_t i = 0; !ret && sample_value(&from->layout, s, i, &v); i++) {
		uint32_t event = perfdata_find(r->config.file, v.id),
			 tid = from->attr.inherit ? s->tid : 0;
		uint64_t period;
		bool gap;

		if (event == PERFDATA_NO_EVENT)
			continue;
		filemultiplex_sample(&r->times, event, from, s, v.id, offset);
		if (!readings_since(&r->readings, v.id, tid, v.value, false, &period, &gap))
			perfdata_complain(r->config.file, offset, "counts of too many threads");
		else if (period)
			ret = count_sample(r, &r->event[event], s, path, period, offset);
	}
	return ret;
}

/* Return a sample's path; without an address it stands for its event. */
static struct path sample_path(struct replay *r, const struct record_layout *l, struct sample *s,
			       uint32_t event)
{
	if (l->ip || s->nr_chain)
		return path_of(l, s, r->ips);
	s->mode = TABLE_MODE_EVENT;
	s->ip = r->event[event].index;
	return (struct path){&s->ip, 1};
}

static int take_event_sample(struct replay *r, const struct perf_event_header *h, uint32_t event,
			     uint64_t offset)
{
	const struct perfdata_event *from;
	struct record_layout l;
	struct replay_event *e;
	struct filelog_sample whole;
	struct consumer_sample *c = &whole.c;
	struct path path;
	struct sample s;

	if (event >= r->nevents) {
		perfdata_complain(r->config.file, offset, "a sample of an unknown event");
		return 0;
	}
	from = perfdata_event(r->config.file, event);
	e = &r->event[event];
	if (!record_sample(&from->layout, h, &s)) {
		perfdata_complain(r->config.file, offset, "a broken sample");
		return 0;
	}
	path_disown(&s, r->chain, REPLAY_CHAIN_MAX);
	l = from->layout;
	if (deferred_join(r->deferred, &r->later, &s, r->chain, REPLAY_CHAIN_MAX))
		l.max_stack = UINT16_MAX; /* each part has a limit of its own */
	if (!r->unwind || !fileunwind_run(r->unwind, from, &s, &path))
		path = sample_path(r, &l, &s, event);
	whole = (struct filelog_sample){.c = {.s = &s,
					      .path = &path,
					      .reader = s.cpu,
					      .event = e->index,
					      .cpu = (int)s.cpu},
					.format = (uint32_t)from->attr.config,
					.shown = s.time - r->zero};
	c->weight = e->weigh		   ? r->hits[e->index]
		    : from->layout.period ? s.period
					  : e->default_period;
	if ((e->weigh && !samplesums_weigh(e->weigh, &s, &c->weight)) ||
	    !consumers_sample(r->consumers.list, e->consumers, c)) {
		perfdata_complain(r->config.file, offset, "a tracepoint record that ends before a "
							  "field, or an impossible weight");
		return 0;
	}
	if (r->failed)
		return r->failed;
	if (from->attr.sample_type & PERF_SAMPLE_READ)
		return count_values(r, from, &s, path, offset);
	return count_sample(r, e, &s, path, c->weight, offset);
}

/* --- other records ------------------------------------------------------------------------ */

static const struct record_layout *layout_of(const struct replay *r, uint32_t event)
{
	return &perfdata_event(r->config.file, event < r->nevents ? event : 0)->layout;
}

static struct replay_event *shown_event(struct replay *r, uint32_t event)
{
	return event < r->nevents && r->event[event].index != PERFDATA_NO_EVENT ? &r->event[event]
										 : NULL;
}

/* Sideband's losses are included: the kernel counts all lost records of the ring. */
static int take_lost(struct replay *r, const struct record *rec, uint32_t event, uint64_t offset)
{
	struct replay_event *e;
	uint32_t whose;

	if (!rec->whole)
		return 0;
	CONSUMERS_EACH(r->consumers.list, gap, rec->cpu, 0, rec->time);
	whose = perfdata_find(r->config.file, rec->lost.id);
	e = shown_event(r, whose == PERFDATA_NO_EVENT ? event : whose);
	if (!e)
		return 0;
	e->lost += rec->lost.lost;
	return replay_lost_samples(r, e, rec->cpu, rec->lost.lost, offset);
}

/*
 * The kernel's records (hardware skipped samples) carry a time. perf's, written at the end, do not:
 * they are totals of the events, partly in LOST records, too.
 */
static int take_lost_samples(struct replay *r, const struct record *rec, uint32_t event,
			     uint64_t time, uint64_t offset)
{
	struct replay_event *e = shown_event(r, event);

	if (!e || !rec->whole)
		return 0;
	if (time)
		return replay_lost_samples(r, e, rec->cpu, rec->lost.lost, offset);
	e->lost_said += rec->lost.lost;
	return 0;
}

static int take_throttle(struct replay *r, const struct record *rec, uint32_t event)
{
	struct replay_event *e = shown_event(r, event);
	struct replay_account *a = e ? replay_account_of(r, e->index, rec->cpu) : NULL;

	if (a)
		a->throttles++;
	return e && !a ? -ENOMEM : 0;
}

/* Add the losses in the events' totals that LOST records did not report. */
static int settle_lost(struct replay *r)
{
	uint64_t told = 0, said = 0, room;
	int ret = 0;

	for (unsigned i = 0; i < r->nevents; i++) {
		told += r->event[i].lost;
		said += r->event[i].lost_said;
	}
	room = said > told ? said - told : 0;
	for (unsigned i = 0; i < r->nevents && room && !ret; i++) {
		struct replay_event *e = &r->event[i];
		uint64_t more = e->lost_said > e->lost ? e->lost_said - e->lost : 0;

		more = more < room ? more : room;
		if (more && r->consumers.between)
			between_lost(r->consumers.between);
		if (more)
			ret = replay_lost_samples(r, e, 0, more,
						  perfdata_info(r->config.file)->data);
		room -= more;
	}
	return ret;
}

static int take_sideband(struct replay *r, const struct record *rec)
{
	uint32_t id;
	int ret = 0;

	if (r->any_dirty && fileconsumers_redefines(rec, &id) &&
	    (id == UINT32_MAX || is_dirty(r, id)))
		ret = flush_rows(r);
	fileconsumers_sideband(&r->consumers, rec, r->slicer.slice);
	resolver_record(r->resolver, rec);
	return ret;
}

static int replay_other_record(struct replay *r, const struct perf_event_header *h, uint32_t event,
			       uint64_t time, uint64_t offset)
{
	struct record rec;

	record_open(layout_of(r, event), h, &rec);
	switch (h->type) {
	case PERF_RECORD_LOST:
		return take_lost(r, &rec, event, offset);
	case PERF_RECORD_LOST_SAMPLES:
		return take_lost_samples(r, &rec, event, time, offset);
	case PERF_RECORD_THROTTLE:
		return take_throttle(r, &rec, event);
	case PERF_RECORD_READ:
		filemultiplex_read(&r->times, layout_of(r, event), h, offset);
		return 0;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		CONSUMERS_EACH(r->consumers.list, other, rec.cpu, layout_of(r, event), h, time);
		return r->failed;
	default:
		return take_sideband(r, &rec);
	}
}

static int dispatch_record(struct replay *r, const struct perf_event_header *h, uint32_t event,
			   uint64_t time, uint64_t offset)
{
	int ret = 0;

	r->offset = offset;
	if (time > INT64_MAX || (r->started && time > r->zero && time - r->zero > SPAN_MAX)) {
		perfdata_complain(r->config.file, offset, "an impossible time");
		return 0;
	}
	if (time > r->time && (r->started || h->type == PERF_RECORD_SAMPLE))
		r->time = time;
	if (h->type != PERF_RECORD_SAMPLE)
		return replay_other_record(r, h, event, time, offset);
	if (time)
		ret = follow_time(r, time);
	else if (r->slicer.slice->nrows >= SLICE_ROWS)
		ret = end_slice(r, r->slicer.last_end + r->length, false);
	/* A report shows each line. */
	if (!ret && filelog_full(r->consumers.log) && time > r->zero + r->slicer.last_end)
		ret = end_slice(r, time - r->zero, false);
	return ret ? ret : take_event_sample(r, h, event, offset);
}

/* Take the records that no longer wait behind a chain that comes later. */
static void take_answered(struct replay *r)
{
	struct deferred_record rec;

	while (!r->failed && deferred_next(r->deferred, &rec)) {
		r->later = rec.chain;
		r->failed = dispatch_record(r, rec.h, rec.event, rec.time, rec.offset);
	}
	r->later.nr = 0;
}

int replay_record(struct replay *r, const struct perf_event_header *h, uint32_t event,
		  uint64_t time, uint64_t offset)
{
	const struct deferred_record rec = {h, time, offset, event, {.nr = 0}};
	int held = 0;

	if (!r->failed && r->deferred)
		held = deferred_put(r->deferred, layout_of(r, event), &rec);
	if (held < 0)
		r->failed = held;
	else if (held)
		take_answered(r);
	else if (!r->failed)
		r->failed = dispatch_record(r, h, event, time, offset);
	return r->failed;
}

/* --- begin and end ------------------------------------------------------------------------ */

static int add_build_ids(struct replay *r)
{
	int ret = 0;

	for (size_t i = 0; i < perfdata_build_ids(r->config.file) && !ret; i++) {
		const struct perfdata_build_id *id = perfdata_build_id(r->config.file, i);

		if (!id->kernel)
			ret = resolver_build_id(r->resolver, id->path, &id->id);
	}
	return ret;
}

static const char *session_event_name(const void *arg, unsigned event)
{
	const struct replay *r = arg;

	for (unsigned i = 0; i < r->nevents; i++)
		if (r->event[i].index == event)
			return perfdata_event(r->config.file, i)->name;
	return NULL;
}

struct replay *replay_create(const struct replay_config *c, struct err *err)
{
	const struct perfdata_info *info = perfdata_info(c->file);
	struct resolver_config rc = {.recorded = true, .kernel = c->kernel, .maps = c->here,
				     .kernel_why = c->kernel_why, .files = c->files,
				     .lines = c->lines, .debuginfod = c->debuginfod,
				     .workers = WORKERS, .event_name = session_event_name,
				     .vmlinux = c->vmlinux, .kallsyms = c->kallsyms,
				     .kernel_id = c->kernel_id};
	struct replay *r = calloc(1, sizeof(*r));

	if (!r)
		goto nomem;
	rc.event_arg = r;
	r->config = *c;
	r->length = (info->last - info->first) / REPLAY_SLICES;
	r->length = r->length < LENGTH_MIN ? LENGTH_MIN : r->length;
	r->length_most = (info->last - info->first) / REPLAY_SLICES_LEAST;
	if (r->length > SPAN_MAX / REPLAY_SLICES) {
		r->length = LENGTH_MIN; /* invalid times in the header */
		r->length_most = 0;
	}
	r->table = table_create(1, TABLE_ROWS, TABLE_ARENA);
	r->combine = r->table ? combine_create(r->table, 0) : NULL;
	r->resolver = resolver_create(&rc, err);
	if (!r->resolver) {
		replay_free(r);
		return NULL;
	}
	if (fileunwind_wanted(c->file) && !(r->unwind = fileunwind_create(c->file, r->resolver)))
		goto nomem;
	slicer_init(&r->slicer, &(struct slicer_config){.resolver = r->resolver, .table = r->table,
							.asks = c->asks, .recorded = true,
							.start_wall = c->start_wall, .put = c->put,
							.arg = c->arg});
	if (!r->combine ||
	    fileconsumers_init(&r->consumers, &c->consumers, r->resolver, REPLAY_CPUS_MAX,
			       &(struct waitrows){add_offcpu_row, r}) ||
	    number_events(r) || !filemultiplex_init(&r->times, c->file, r->nsession) ||
	    add_build_ids(r) || begin_slice(r))
		goto nomem;
	if (deferred_asked(c->file) && !(r->deferred = deferred_create(c->piped)))
		goto nomem;
	table_enter(r->table, 0);
	return r;
nomem:
	replay_free(r);
	err_set(err, ENOMEM, "out of memory");
	return NULL;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	slicer_clear(&r->slicer);
	readings_clear(&r->readings);
	filemultiplex_clear(&r->times);
	fileunwind_free(r->unwind);
	deferred_free(r->deferred);
	fileconsumers_clear(&r->consumers);
	resolver_free(r->resolver);
	combine_free(r->combine);
	table_free(r->table);
	free(r->event);
	free(r->account);
	free(r);
}

int replay_finish(struct replay *r)
{
	uint64_t end = r->slicer.last_end;
	int ret;

	if (!r->slicer.slice)
		return r->failed;
	if (r->deferred) {
		deferred_finish(r->deferred);
		take_answered(r);
		deferred_say(r->deferred, r->slicer.slice);
	}
	if (!r->failed)
		r->failed = settle_lost(r);
	if (!r->failed) {
		r->failed = flush_rows(r);
		/*
		 * Earlier slices are out, so names that come now go into the last one.  On a stop
		 * the user wants the present state; most names take no longer than that.
		 */
		if (!resolver_settle(r->resolver, r->config.stop_fd, UINT64_MAX))
			resolver_settle(r->resolver, -1, STOPPED_NS);
	}
	if (r->started && r->time >= r->zero && r->time - r->zero > end)
		end = r->time - r->zero;
	end = end > r->slicer.last_end ? end : r->slicer.last_end + 1;
	ret = end_slice(r, end, true);
	return r->failed ? r->failed : ret;
}

void replay_linger(struct replay *r, int wake_fd, const _Atomic bool *closing)
{
	slicer_linger(&r->slicer, wake_fd, closing);
}
