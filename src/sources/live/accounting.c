/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/accounting.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernel/capture/cputime.h"
#include "sources/live/loss.h"
#include "sources/live/idle.h"
#include "measure/session/session.h"
#include "measure/trace/tracefields.h"
#include "core/table/combine.h"

#define STAT_NS (250 * NSEC_PER_MSEC) /* between reads of /proc/stat that no clock needs */

/* Time of a CPU since it was last put into an account. */
struct stat_watch {
	struct cputime last;
	uint64_t at; /* CLOCK_MONOTONIC of `last`; 0: it is not valid */
	uint64_t ns;
	struct cputime did; /* in these ns */
};

/* One event of one reader. */
struct entry {
	struct loss_state state;
	struct loss_input input;      /* last report of the reader */
	struct slicer_sums sums;         /* of its rows so far */
	struct combine_total backlog;    /* the part of it that became losses so far */
	struct combine_total owed[RESOLVER_LOSSES]; /* without room, and in no row yet */
};

struct accounting {
	const struct readers *readers;
	struct resolver *resolver;
	unsigned room; /* events that there may be */
	struct entry *entry;       /* by reader and event */
	struct idle_watch *idle;   /* by reader: of its CPU, while a clock is measured */
	struct cputimes *cputimes; /* NULL: not needed so far */
	struct stat_watch *stat;   /* by reader: of its CPU, if no clock shows how busy that is */
	uint64_t stat_at;          /* CLOCK_MONOTONIC when that was read last */
	uint64_t forks;
};

static bool measures_clock(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].clock)
			return true;
	return false;
}

struct accounting *accounting_create(const struct readers *rs, struct resolver *r)
{
	struct accounting *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	*a = (struct accounting){.readers = rs, .resolver = r, .room = scope_room(rs->scope)};
	a->entry = calloc((size_t)rs->capacity * a->room, sizeof(*a->entry));
	a->idle = calloc(rs->capacity, sizeof(*a->idle));
	a->stat = calloc(rs->capacity, sizeof(*a->stat));
	if (!a->entry || !a->idle || !a->stat) {
		accounting_free(a);
		return NULL;
	}
	return a;
}

void accounting_free(struct accounting *a)
{
	if (!a)
		return;
	cputimes_close(a->cputimes);
	free(a->entry);
	free(a->idle);
	free(a->stat);
	free(a);
}

/*
 * Return true if a measured event shows how busy CPUs are.  The screen (ui/parts/cpuuse.c) uses the
 * same condition.
 */
static bool tells_busy(const struct scope *sc)
{
	for (unsigned i = 0; i < sc->events.nr && sc->target.kind == TARGET_SYSTEM; i++)
		if (session_event_counts(sc->events.events[i].name, "cpu-clock") &&
		    !sc->events.events[i].off)
			return true;
	return false;
}

static uint64_t less(uint64_t now, uint64_t was)
{
	return now > was ? now - was : 0;
}

/* Add the time since the last look.  The kernel's figures may be some 10 ms apart from that. */
static void stat_look(struct stat_watch *w, const struct cputime *now, uint64_t at, bool counting)
{
	uint64_t passed = now && w->at && counting ? at - w->at : 0;

	w->ns += passed;
	if (passed) {
		w->did.idle += less(now->idle, w->last.idle);
		w->did.stolen += less(now->stolen, w->last.stolen);
		w->did.user += less(now->user, w->last.user);
		w->did.kernel += less(now->kernel, w->last.kernel);
	}
	w->at = now ? at : 0;
	if (now)
		w->last = *now;
}

void accounting_look(struct accounting *a, bool counting)
{
	const struct readers *rs = a->readers;
	uint64_t now = clock_ns();
	bool clock = measures_clock(&rs->scope->events);
	bool stat = !tells_busy(rs->scope) && (!counting || now - a->stat_at >= STAT_NS);

	if (!a->cputimes && (clock || stat))
		a->cputimes = cputimes_open();
	if (!a->cputimes || (!clock && !stat))
		return;
	cputimes_read(a->cputimes);
	a->stat_at = stat ? now : a->stat_at;
	for (unsigned i = 0; i < rs->nr; i++) {
		const struct cputime *t = cputimes_of(a->cputimes, rs->reader[i].cpu);

		if (clock)
			idle_look(&a->idle[i], t, now, counting);
		if (stat)
			stat_look(&a->stat[i], t, now, counting);
	}
}

static void tell_stat(struct stat_watch *w, struct slice_account *out)
{
	out->stat_ns = w->ns;
	out->stat_idle = w->did.idle;
	out->stat_stolen = w->did.stolen;
	out->stat_user = w->did.user;
	out->stat_kernel = w->did.kernel;
	w->ns = 0;
	w->did = (struct cputime){.idle = 0};
}

void accounting_fork(struct accounting *a)
{
	a->forks++;
}

struct slicer_sums *accounting_sums(struct accounting *a, unsigned reader, unsigned event)
{
	return &a->entry[reader * a->room + event].sums;
}

static void owe(struct combine_total *owed, uint64_t samples, uint64_t weight)
{
	owed->samples += samples;
	owed->weight += weight;
}

/*
 * Add rows for samples that found no room in the backlog or in the table.  Where memory is missing
 * for a row, it is owed to a later slice.
 */
static void add_lost_rows(struct accounting *a, struct entry *e, const struct loss_input *in,
			  const struct slice_account *out)
{
	uint64_t samples = in->backlog_samples - e->backlog.samples;
	uint64_t weight = in->backlog - e->backlog.weight;
	uint16_t cpu = out->cpu < 0 ? 0 : (uint16_t)out->cpu;

	owe(&e->backlog, samples, weight);
	owe(&e->owed[RESOLVER_UNWIND_BACKLOG], samples, weight);
	if (out->lost_samples[LOST_DROPPED] > samples)
		owe(&e->owed[RESOLVER_TABLE_FULL], out->lost_samples[LOST_DROPPED] - samples,
		    out->lost[LOST_DROPPED] - weight);
	for (unsigned loss = 0; loss < RESOLVER_LOSSES; loss++) {
		struct combine_total *owed = &e->owed[loss];

		if (owed->samples &&
		    !resolver_lost(a->resolver, loss, out->event, cpu, owed->samples, owed->weight))
			*owed = (struct combine_total){.samples = 0};
	}
}

/*
 * Take a reader's sums as of its last reply, and the kernel's figures of its CPU's time up to then.
 */
static void take_input(struct accounting *a, unsigned reader, unsigned event, uint64_t answered)
{
	struct loss_input *in = &a->entry[reader * a->room + event].input;

	*in = reader_report(a->readers->reader[reader].reader)->input[event];
	in->forks = in->task ? a->forks : 0;
	if (in->clock)
		idle_tell(&a->idle[reader], answered, in);
}

/*
 * Leave wakings of other threads out of the counts, and wakings on their way to the tick: it is not
 * known yet which threads those are of.
 */
static void leave_out_others(const struct accounting *a, unsigned reader, struct loss_input *in)
{
	uint64_t dropped, under_way;

	offcpu_left_out(a->readers->offcpu, reader, &in->others, &dropped);
	in->dropped_samples += dropped;
	in->dropped += dropped;
	under_way = less(in->taken, in->others + in->attributed + in->dropped);
	in->counted = less(in->counted, in->others + under_way);
	in->counted_before = less(in->counted_before, in->others + under_way);
	in->taken = 0;
	in->targeted = true; /* a hit without a sample may be of another thread */
}

/* Return all sums of one event so far: the reader's report, and the tick's since then. */
static struct loss_input event_input(const struct accounting *a, unsigned reader, unsigned event)
{
	const struct entry *e = &a->entry[reader * a->room + event];
	const struct event_list *list = &a->readers->scope->events;
	const struct unwinding *u = a->readers->unwinding;
	struct loss_input in = e->input;

	/* Rows may come before the reader's first report: their amounts must not depend on it. */
	in.weighed = tracefields_weight(list->fields, event) != NULL;
	in.period = in.period ? in.period : event_fixed_period(&list->events[event]);
	/* Sums of the rows so far: the reader may have gone on since its report. */
	in.samples = e->sums.attributed.samples;
	in.attributed = loss_amount(&in, &e->sums.attributed);
	in.dropped_samples += e->sums.refused.samples;
	in.dropped += loss_amount(&in, &e->sums.refused);
	if (u) {
		const struct combine_total *refused = &unwinding_refused(u, reader)[event];
		const struct combine_total *left = &unwinding_left(u, reader)[event];

		in.backlog_samples += left->samples;
		in.backlog += loss_amount(&in, left);
		in.dropped_samples += refused->samples + left->samples;
		in.dropped += loss_amount(&in, refused) + loss_amount(&in, left);
	}
	if (a->readers->offcpu && ringset_of_all(a->readers->scope->now, &list->events[event]))
		leave_out_others(a, reader, &in);
	return in;
}

/* Return the number of lost samples that off-CPU times are made of. */
static uint64_t switches_lost(const struct accounting *a, unsigned reader)
{
	const struct event_list *list = &a->readers->scope->events;
	uint64_t lost = 0;

	for (unsigned e = 0; e < a->readers->scope->events.nr; e++)
		for (int c = 0; c < LOST_NR && list->events[e].role == EVENT_SWITCH; c++)
			lost += a->entry[reader * a->room + e].state.lost_samples[c];
	return lost;
}

static void add_reader(struct accounting *a, unsigned reader, uint64_t answered, struct slice *s)
{
	const struct live_reader *lr = &a->readers->reader[reader];

	for (unsigned e = 0; e < a->readers->scope->events.nr; e++) {
		struct entry *entry = &a->entry[reader * a->room + e];
		struct slice_account *out;
		struct loss_input in;

		if (a->readers->scope->events.events[e].role == EVENT_INKERNEL)
			continue; /* inkernel_tell has it */
		out = slice_add_account(s);

		/* A late reader has no new report, but its rows may be here. */
		if (lr->answered)
			take_input(a, reader, e, answered);
		if (!out)
			continue; /* the running sums catch up in the next slice */
		in = event_input(a, reader, e);
		in.elsewhere = in.elsewhere && !s->last; /* no later read would cover it */
		out->event = (uint16_t)e;
		out->cpu = (int16_t)lr->cpu;
		if (event_is_made(&a->readers->scope->events.events[e]))
			offcpu_account(a->readers->offcpu, reader, e, &entry->sums,
				       switches_lost(a, reader), out);
		else
			loss_step(&entry->state, &in, out);
		if (!e)
			tell_stat(&a->stat[reader], out);
		add_lost_rows(a, entry, &in, out);
	}
}

void accounting_tell(void *accounting, struct tick_now *n)
{
	struct accounting *a = accounting;

	for (unsigned i = 0; i < a->readers->nr; i++)
		add_reader(a, i, n->answered, n->s);
}
