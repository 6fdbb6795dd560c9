/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/offcpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/log.h"
#include "base/units.h"
#include "base/vec.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/tracepoint.h"
#include "sources/consumers/lentblocks.h"
#include "sources/consumers/switchlog.h"
#include "sources/consumers/stackcopies.h"
#include "sources/consumers/unswitched.h"
#include "sources/consumers/unwinding.h"
#include "measure/consumers/switches.h"
#include "measure/consumers/waitrows.h"

#define QUEUE_BYTES (8u << 20)   /* 100 ms of 300 000 switches a second, 20 addresses */
#define ALL_BYTES   (256u << 20) /* of all readers */
#define QUEUE_LEAST (1u << 20)

struct queue {
	struct stackcopies *copies;
	struct stackcopies *stacks; /* copies that are unwound first: they do not crowd these */
	struct dump_block *taken; /* of these; the tick's */
	uint64_t refused; /* shared, relaxed; the reader counts */
	uint64_t unkept;  /* shared, relaxed: wakings among these */
	uint64_t others;  /* wakings of other threads; the tick's */
	uint64_t gap;     /* shared, relaxed: earlier records may be missing; the reader's */
	uint64_t went;    /* time when a thread was last seen to leave that CPU */
	/* The tick's, by role: */
	struct made {
		uint64_t ns;                    /* that should be in rows */
		struct combine_total full;      /* rows that found no room */
		struct slice_account told;      /* running sums in accounts so far */
	} made[EVENT_ROLES];
};

_Static_assert(sizeof(struct switch_said) == sizeof(uint64_t), "it is a word of a copy");

struct offcpu {
	struct offcpu_config config;
	struct lentblocks lent;
	struct switches switches;
	uint8_t role[EVENTS_MAX];      /* by event */
	uint16_t event[EVENT_ROLES];   /* by role */
	bool has[EVENT_ROLES];
	struct queue *queues;
	struct waits *waits;
	struct waitrows rows; /* where these go */
	struct unswitched *standing;
	bool begins; /* the events are being enabled */
	bool off;    /* none is open */
	struct switchlog_list list;
	uint64_t now;  /* time up to which all records are in */
	uint64_t told; /* time of the last report of waits under way */
	uint64_t blind; /* copies from before that time are not whole, and are left out */
};

/* --- the events --------------------------------------------------------------------------- */

int offcpu_add_events(struct event_list *list, char *why, size_t size, struct err *err)
{
	struct privilege p;
	bool tracepoints;

	privilege_get(&p);
	tracepoints = p.tracepoints && tracepoint_root(NULL);
	*why = '\0';
	if (!tracepoints)
		snprintf(
			why, size,
			"; off-cpu: by context-switch records, so without paths, states and "
			"wakers: %s",
			p.tracepoints ? "tracefs is not mounted"
				      : "tracepoints need root or CAP_PERFMON");
	return switches_events(list, tracepoints, err);
}

bool offcpu_wanted(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].role == EVENT_OFFCPU)
			return true;
	return false;
}

/* --- the readers' side -------------------------------------------------------------------- */

static void refuse_copy(struct offcpu *o, unsigned reader, bool waking)
{
	atomic_add_relaxed(&o->queues[reader].refused, 1);
	if (waking)
		atomic_add_relaxed(&o->queues[reader].unkept, 1);
}

/* Copy what a switch said, with its stack if it has one (c NULL: no sample). */
static void put_switch(struct offcpu *o, unsigned reader, const struct switch_seen *seen,
		       const struct consumer_sample *c)
{
	const struct switch_said *said = &seen->said;
	const struct table_key key = {.pid = seen->pid,
				      .tid = seen->tid,
				      .cpu = (uint16_t)reader,
				      .mode = seen->path.mode};
	struct queue *q = &o->queues[reader];
	struct path path = {seen->path.ips, seen->path.nr};
	uint64_t word = 0, ips[TABLE_PATH_MAX];
	struct dump_input in;

	/* No thread is switched or woken: the CPU idles. */
	if (!said->thread && said->kind != SWITCH_WAKING)
		return;
	memcpy(&word, said, sizeof(*said));
	/* A task that an interrupt found on the CPU did not wake the thread. */
	if (c && c->s->span[SAMPLE_STACK_USER].offset && o->lent.unwinding && !said->interrupt &&
	    unwinding_copy(o->lent.unwinding, reader,
			   &(struct unwinding_copy){q->stacks, c->layout, c->s, &key, word}, &path,
			   ips))
		return;
	in = (struct dump_input){.key = &key, .weight = word, .time = seen->time,
				 .chain = path.ips, .nchain = path.nr};
	if (stackcopies_put(q->copies, &in))
		return;
	refuse_copy(o, reader, said->kind == SWITCH_WAKING);
	atomic_max_relaxed(&q->gap, seen->time);
}

static void note_gap(void *of, unsigned reader, uint64_t from, uint64_t to)
{
	struct offcpu *o = of;

	(void)from;
	atomic_max_relaxed(&o->queues[reader].gap, to);
}

static bool queue_sample(void *of, const struct consumer_sample *c)
{
	struct offcpu *o = of;
	const enum event_role role = o->role[c->event];
	uint64_t ips[TABLE_PATH_MAX];
	struct switch_seen seen;

	if (switches_see_sample(&o->switches, role, c->s, c->path, ips, &seen))
		put_switch(o, c->reader, &seen, c);
	else
		refuse_copy(o, c->reader, role == EVENT_WAKING);
	return true;
}

void offcpu_left_out(const struct offcpu *o, unsigned reader, uint64_t *others, uint64_t *dropped)
{
	const struct queue *q = &o->queues[reader];

	*others = q->others;
	*dropped = atomic_load_relaxed(&q->unkept) + q->made[EVENT_WAKING].full.samples;
}

static void queue_record(void *of, unsigned reader, const struct record_layout *l,
			 const struct perf_event_header *h, uint64_t time)
{
	struct offcpu *o = of;
	struct switch_seen seen;

	if (h->type != PERF_RECORD_SWITCH && h->type != PERF_RECORD_SWITCH_CPU_WIDE)
		return;
	if (switches_see_record(&o->switches, l, h, time, &seen))
		put_switch(o, reader, &seen, NULL);
	else
		refuse_copy(o, reader, false);
}

/* A block that is handed over is not filled any more: so only when the tick waits for it. */
static void flush_copies(void *of, unsigned reader, bool asked)
{
	struct offcpu *o = of;

	if (!asked)
		return;
	stackcopies_flush(o->queues[reader].copies);
	stackcopies_flush(o->queues[reader].stacks);
}

static bool copies_pressed(const void *of)
{
	const struct offcpu *o = of;

	for (unsigned i = 0; i < o->config.readers; i++)
		if (stackcopies_pressed(o->queues[i].copies) ||
		    stackcopies_pressed(o->queues[i].stacks))
			return true;
	return false;
}

const struct consumer_ops offcpu_consumer = {
	.sample = queue_sample,
	.other = queue_record,
	.gap = note_gap,
	.flush = flush_copies,
	.pressed = copies_pressed,
};

bool offcpu_pressed(const struct offcpu *o)
{
	return o && copies_pressed(o);
}

/* --- rows --------------------------------------------------------------------------------- */

/* Add a row of time that ended at `time`; sample: it is not a part of an earlier report. */
static void add_time_row(void *arg, enum event_role role, const struct table_key *whose,
			 const struct waits_path *p, uint64_t ns, uint64_t time, bool sample)
{
	struct offcpu *o = arg;
	struct made *m = &o->queues[whose->cpu].made[role];
	const struct table_count count = {sample, ns, time, time};
	struct table_key key = *whose;

	if (!ns || !o->has[role])
		return;
	key.event = o->event[role];
	key.mode = p->mode;
	key.nr = p->nr;
	key.epoch = split_epoch(o->config.split, key.pid, time, p->ips, p->nr);
	m->ns += ns;
	if (table_add(o->config.table, o->config.writer, &key, p->ips, &count))
		return;
	m->full.samples += sample;
	m->full.weight += ns;
}

/* --- in order of time --------------------------------------------------------------------- */

/* Give a block back to where it came from; all its copies are alike. */
static void give_block(struct offcpu *o, struct dump_block *block, unsigned reader, bool stacks)
{
	struct queue *q = &o->queues[reader];

	stackcopies_give(stacks ? q->stacks : q->copies, block);
}

static void done_with(struct offcpu *o, const struct switchlog *s)
{
	if (!--s->block->nr)
		give_block(o, s->block, s->copy->key.cpu, s->copy->nregs);
}

static void take_copy_block(struct offcpu *o, unsigned reader, struct dump_block *b)
{
	struct stackcopy *c = dump_first(b), *next;
	bool stacks = c && c->nregs;
	uint32_t failed = 0;

	lentblocks_meet(&o->lent, b);
	for (; c; c = next) {
		next = dump_next(b, c);
		if (VEC_PUSH(o->list.said, o->list.nr, o->list.cap,
			     (struct switchlog){.time = c->time, .copy = c, .block = b}))
			continue;
		refuse_copy(o, reader, lentblocks_said(c).kind == SWITCH_WAKING);
		failed++;
	}
	b->nr -= failed;
	if (!b->nr)
		give_block(o, b, reader, stacks);
}

/* A block has its paths.  If time has gone on without it, it is left out. */
static void take_unwound(void *of, unsigned reader, struct dump_block *b, bool late)
{
	struct offcpu *o = of;

	for (struct stackcopy *c = late ? dump_first(b) : NULL; c; c = dump_next(b, c))
		refuse_copy(o, reader, lentblocks_said(c).kind == SWITCH_WAKING);
	if (late)
		give_block(o, b, reader, true);
	else
		take_copy_block(o, reader, b);
}

void offcpu_lend(struct offcpu *o)
{
	for (unsigned i = 0; o->lent.unwinding && i < o->config.readers; i++) {
		o->queues[i].taken = stackcopies_take(o->queues[i].stacks);
		for (struct dump_block *b = o->queues[i].taken; b; b = b->next)
			lentblocks_meet(&o->lent, b);
	}
	for (unsigned i = 0; o->lent.unwinding && i < o->config.readers; i++) {
		for (struct dump_block *b = o->queues[i].taken, *next; b; b = next) {
			next = b->next;
			if (o->config.of_all)
				lentblocks_spare(&o->lent, b, o->waits);
			lentblocks_lend(&o->lent, i, b);
		}
	}
}

static void take_copies(struct offcpu *o)
{
	for (unsigned i = 0; i < o->config.readers; i++) {
		for (struct dump_block *b = stackcopies_take(o->queues[i].copies), *next; b;
		     b = next) {
			next = b->next;
			take_copy_block(o, i, b);
		}
	}
	offcpu_lend(o);
	lentblocks_collect(&o->lent);
	switchlog_sort(&o->list);
}

static struct switch_seen seen_in(const struct stackcopy *c)
{
	return (struct switch_seen){.said = lentblocks_said(c),
				    .time = c->time,
				    .pid = c->key.pid,
				    .tid = c->key.tid,
				    .path = {c->key.mode, (uint8_t)c->nchain, c->words}};
}

/* Sort wakings of all tasks: threads that never were seen to switch are not measured. */
static void sort_out(struct offcpu *o, const struct stackcopy *c)
{
	const struct switch_seen seen = seen_in(c);

	if (!o->config.of_all || seen.said.kind != SWITCH_WAKING)
		return;
	if (waits_has(o->waits, seen.said.thread))
		add_time_row(o, EVENT_WAKING, &c->key, &seen.path, 1, c->time, true);
	else
		o->queues[c->key.cpu].others++;
}

static void apply_switch(struct offcpu *o, const struct stackcopy *c)
{
	const struct switch_seen seen = seen_in(c);

	if (seen.said.kind == SWITCH_OUT)
		o->queues[c->key.cpu].went = c->time;
	switches_tell(&o->switches, &seen, c->key.cpu, o->waits);
}

/*
 * Return true if an unknown thread may run: records of arrivals may be missing on a CPU that no
 * thread has left since.
 */
static bool may_miss_arrivals(const struct offcpu *o)
{
	for (unsigned i = 0; i < o->config.readers; i++)
		if (atomic_load_relaxed(&o->queues[i].gap) > o->queues[i].went)
			return true;
	return false;
}

static void go_blind(struct offcpu *o, const struct switchlog *s)
{
	if (!may_miss_arrivals(o))
		waits_tell(o->waits, s->time);
	waits_break(o->waits, s->time);
	o->blind = s->unseen;
	o->begins = s->unseen != UINT64_MAX;
	unswitched_end(o->standing);
}

static void take_switch_record(struct offcpu *o, const struct switchlog *s)
{
	if (!s->copy && s->unseen) {
		go_blind(o, s);
	} else if (!s->copy) {
		waits_exit(o->waits, s->thread, s->time, !o->config.by_task);
	} else {
		sort_out(o, s->copy);
		if (s->time >= o->blind)
			apply_switch(o, s->copy);
		done_with(o, s);
	}
}

/* Report waits under way up to `time`. */
static void report_under_way(struct offcpu *o, uint64_t time, bool last)
{
	if (may_miss_arrivals(o))
		return;
	if (last)
		waits_tell(o->waits, time);
	else if (time > o->told)
		waits_tell_some(o->waits, time, o->told ? time - o->told : 0);
	o->told = time > o->told ? time : o->told;
}

/* Take the records up to `time`, which are in order. */
static void take_until(struct offcpu *o, uint64_t time)
{
	struct switchlog_list *l = &o->list;
	size_t n = 0;

	for (; n < l->nr && l->said[n].time <= time; n++) {
		take_switch_record(o, &l->said[n]);
		if (l->said[n].copy && l->said[n].time > o->now)
			o->now = l->said[n].time;
	}
	l->nr -= n;
	if (n && l->nr)
		memmove(l->said, l->said + n, l->nr * sizeof(*l->said));
}

static void drop_copies(struct offcpu *o)
{
	struct switchlog_list *l = &o->list;

	for (size_t n = 0; n < l->nr; n++) {
		if (!l->said[n].copy)
			continue;
		sort_out(o, l->said[n].copy);
		done_with(o, &l->said[n]);
	}
	l->nr = 0;
}

void offcpu_start(struct offcpu *o)
{
	o->begins = false;
	unswitched_begin(o->standing);
}

void offcpu_step(struct offcpu *o, uint64_t horizon, uint64_t seen, bool last)
{
	/*
	 * Threads that ended by then are known.  Threads that ended later and were not seen to
	 * leave may not be: they do not run on.
	 */
	uint64_t known = seen ? unswitched_clock(o->standing, seen) : 0, until;

	horizon = known > horizon ? known : horizon;
	if (o->begins && horizon)
		offcpu_start(o);
	if (!may_miss_arrivals(o))
		unswitched_step(o->standing, o->waits, last ? UINT64_MAX : o->now);
	take_copies(o);
	until = lentblocks_until(&o->lent);
	horizon = horizon < until ? horizon : until;
	known = known < until ? known : until;
	o->now = horizon > o->now ? horizon : o->now;
	table_enter(o->config.table, o->config.writer);
	take_until(o, last && !known ? UINT64_MAX : o->now);
	report_under_way(o, known && !last ? known : o->now, last);
	if (last)
		drop_copies(o);
	table_leave(o->config.table, o->config.writer);
}

void offcpu_say(const struct offcpu *o, struct slice *s)
{
	const struct waits_sum sum = waits_total(o->waits);
	char span[UNITS_LEN];
	uint64_t refused = 0;
	bool gaps = false;

	for (unsigned i = 0; i < o->config.readers; i++) {
		refused += atomic_load_relaxed(&o->queues[i].refused);
		gaps |= atomic_load_relaxed(&o->queues[i].gap) != 0;
	}
	if (gaps)
		slice_log(
			s, SLICE_WARNING,
			"off-cpu: records of sched:sched_switch were lost: threads that ran in "
			"between count as waiting (enlarge rings: -m)");
	if (sum.unsure_ns)
		slice_log(s, SLICE_INFO,
			  "off-cpu: %llu waits have no wakeup record: %s of waiting may be "
			  "sleeping or runnable and count as off-cpu:unknown",
			  (unsigned long long)sum.unwoken, units_span(span, sum.unsure_ns));
	slice_log(
		s, sum.lost + sum.headless + sum.untracked + refused ? SLICE_WARNING : SLICE_INFO,
		"off-cpu: %llu waits started before measuring and are not counted; %zu threads "
		"without a wait have an unknown state; %llu waits have no start, %llu no end; "
		"dropped switch records: %llu (queue full), %llu (thread table full)",
		(unsigned long long)waits_begun_before(o->waits), unswitched_unknown(o->standing),
		(unsigned long long)sum.headless, (unsigned long long)sum.lost,
		(unsigned long long)refused, (unsigned long long)sum.untracked);
}

static void say_unseen(struct offcpu *o, uint64_t from, uint64_t to)
{
	if (!VEC_PUSH(o->list.said, o->list.nr, o->list.cap,
		      (struct switchlog){.time = from, .unseen = to}))
		log_msg(LOG_SESSION, "off-cpu: out of memory");
}

void offcpu_unseen(struct offcpu *o, uint64_t from, uint64_t to)
{
	say_unseen(o, from, o->off ? UINT64_MAX : to);
}

void offcpu_measure(struct offcpu *o, bool on)
{
	o->off = !on;
}

void offcpu_stop(struct offcpu *o, uint64_t since)
{
	uint64_t from = unswitched_clock(o->standing, since);

	if (from)
		say_unseen(o, from, UINT64_MAX);
}

void offcpu_watch(struct offcpu *o, const pid_t *tids, size_t ntids)
{
	if (!unswitched_watch(o->standing, tids, ntids))
		log_msg(LOG_SESSION, "off-cpu: out of memory for threads that are not switched");
}

void offcpu_resume(struct offcpu *o)
{
	const struct switchlog_list *l = &o->list;
	size_t n;

	take_copies(o);
	lentblocks_leave(&o->lent);
	table_enter(o->config.table, o->config.writer);
	/* EXIT records behind the newest switch came while no event was open. */
	for (n = l->nr; n && !l->said[n - 1].copy && !l->said[n - 1].unseen;)
		n--;
	take_until(o, n ? l->said[n - 1].time : 0);
	waits_break(o->waits, o->now);
	take_until(o, UINT64_MAX);
	table_leave(o->config.table, o->config.writer);
	o->begins = !o->off;
	o->blind = o->off ? UINT64_MAX : 0;
}

void offcpu_exit(struct offcpu *o, uint32_t tid, uint64_t time)
{
	/* Without this, its number is in use until another thread has it. */
	if (!VEC_PUSH(o->list.said, o->list.nr, o->list.cap,
		      (struct switchlog){.time = time, .thread = tid}))
		log_msg(LOG_SESSION, "off-cpu: out of memory");
}

/* --- the account -------------------------------------------------------------------------- */

static uint64_t raise_total(uint64_t *sum, uint64_t now)
{
	uint64_t delta = now > *sum ? now - *sum : 0;

	*sum += delta;
	return delta;
}

/* Account for lost waits, and return the time of lost waits and those under way. */
static uint64_t account_waits(struct offcpu *o, unsigned reader, uint64_t missing,
			      struct slice_account *told, struct slice_account *out)
{
	const struct waits_sum *w = waits_sum(o->waits, reader);
	enum lost_cause cause = o->config.overwrite ? LOST_OVERWRITTEN : LOST_FULL;

	out->lost_samples[cause] = raise_total(&told->lost_samples[cause], w->lost + missing);
	out->lost[cause] = raise_total(&told->lost[cause], w->lost_ns);
	out->lost_samples[LOST_PAUSED] = raise_total(&told->lost_samples[LOST_PAUSED], w->cut);
	out->lost[LOST_PAUSED] = raise_total(&told->lost[LOST_PAUSED], w->cut_ns);
	return w->lost_ns + w->cut_ns + waits_under_way(w, o->now);
}

/* Where switches are missing, time of running unseen counts as waiting. */
static bool is_exact(const struct offcpu *o, unsigned reader)
{
	const struct waits_sum *w = waits_sum(o->waits, reader);

	return !w->lost && !w->cut && !w->headless && !w->untracked &&
	       !atomic_load_relaxed(&o->queues[reader].gap);
}

void offcpu_account(struct offcpu *o, unsigned reader, unsigned event,
		    const struct slicer_sums *sums, uint64_t missing, struct slice_account *out)
{
	enum event_role role = o->role[event];
	struct made *m = &o->queues[reader].made[role];
	struct slice_account *told = &m->told;
	uint64_t more = 0, unmet = 0;

	out->exact = is_exact(o, reader);
	if (role == EVENT_OFFCPU) {
		more = account_waits(o, reader, missing, told, out);
		unmet = waits_sum(o->waits, reader)->untracked +
			atomic_load_relaxed(&o->queues[reader].refused);
	}
	out->samples = raise_total(&told->samples, sums->attributed.samples);
	out->attributed = raise_total(&told->attributed, sums->attributed.weight);
	out->lost_samples[LOST_DROPPED] = raise_total(&told->lost_samples[LOST_DROPPED],
						      m->full.samples + sums->refused.samples +
						      unmet);
	out->lost[LOST_DROPPED] = raise_total(&told->lost[LOST_DROPPED],
					      m->full.weight + sums->refused.weight);
	out->counted = raise_total(&told->counted, m->ns + more);
	out->pending = told->counted - told->attributed;
	for (int c = 0; c < LOST_NR; c++)
		out->pending -= told->lost[c];
}

/* --- all of it ---------------------------------------------------------------------------- */

static bool create_copy_queues(struct offcpu *o)
{
	size_t each = ALL_BYTES / (o->config.expected ? o->config.expected : 1);

	each = each < QUEUE_LEAST ? QUEUE_LEAST : each < QUEUE_BYTES ? each : QUEUE_BYTES;
	o->queues = calloc(o->config.readers, sizeof(*o->queues));
	for (unsigned i = 0; o->queues && i < o->config.readers; i++)
		if (!(o->queues[i].copies = stackcopies_create(each)) ||
		    !(o->queues[i].stacks = stackcopies_create(each)))
			return false;
	return o->queues;
}

static void know_events(struct offcpu *o)
{
	const struct event_list *list = o->config.events;

	for (unsigned i = 0; i < list->nr && i < EVENTS_MAX; i++) {
		uint8_t role = list->events[i].role;

		o->role[i] = role;
		o->event[role] = (uint16_t)i;
		o->has[role] = true;
	}
}

struct offcpu *offcpu_create(const struct offcpu_config *c, struct err *err)
{
	struct offcpu *o = calloc(1, sizeof(*o));
	struct waits_sink sink;

	if (o) {
		o->config = *c;
		o->rows = (struct waitrows){add_time_row, o};
		o->lent = (struct lentblocks){.back = take_unwound, .of = o};
		sink = waitrows_sink(&o->rows);
		know_events(o);
		o->standing = unswitched_create(c->tids, c->ntids, c->readers);
		if (create_copy_queues(o))
			o->waits = waits_create(c->readers, &sink);
	}
	if (o && o->waits && c->all_wakings)
		waits_all_wakings(o->waits);
	if (!o || !o->waits || !o->standing) {
		offcpu_free(o);
		err_room(err, ENOMEM, "off-CPU times");
		return NULL;
	}
	if (!switches_open(&o->switches, c->events, err))
		return o;
	offcpu_free(o);
	return NULL;
}

void offcpu_unwind(struct offcpu *o, struct unwinding *u)
{
	o->lent.unwinding = u;
}

void offcpu_free(struct offcpu *o)
{
	if (!o)
		return;
	lentblocks_clear(&o->lent);
	for (unsigned i = 0; o->queues && i < o->config.readers; i++) {
		stackcopies_free(o->queues[i].copies);
		stackcopies_free(o->queues[i].stacks);
	}
	waits_free(o->waits);
	unswitched_free(o->standing);
	free(o->queues);
	switchlog_clear(&o->list);
	free(o);
}
