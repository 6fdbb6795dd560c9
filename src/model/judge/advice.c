/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sentence on the worst cause of loss in the window: the ring, what happened, how much, and the
 * option to change.  Without loss, one on a ring that was nearly full, or on code without names.
 */
#include "model/judge/advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/heap.h"
#include "base/io.h"
#include "base/text.h"
#include "base/units.h"
#include "model/core/window.h"

#define NEARLY_FULL 0.75
#define SHORT_SHARE 0.2 /* least share of the counts in open periods, and */
#define SHORT_LEAST 100u /* least number of open periods, to advise on them */
#define LATE_RATE   999 /* Hz that a clock's timer keeps up with */
#define NAMELESS    0.1 /* share of the attributed weight without names that is worth advice */
#define UNSEEN	    0.01 /* share in other PID namespaces worth advice: no file would name it */
#define NAMED       3   /* objects listed by name */

struct scene {
	struct model *m;
	unsigned event;
	struct window w;
	struct account account;
	size_t pos; /* in m->advice */
};

#define say(s, ...) \
	((s)->pos = text_append((s)->m->advice, sizeof((s)->m->advice), (s)->pos, __VA_ARGS__))

#define PLACE 100

/* Format "cpu3", "web02 cpu3" or "thread 42"; `blank` goes between "cpu" and its number. */
static const char *describe_place(const struct scene *s, char buf[PLACE], int cpu,
				  const char *blank, int tid)
{
	const struct session_info *info = s->m->info;
	const char *host = session_place_name(info, cpu);
	int number = session_place(info, cpu).cpu;
	size_t pos = *host ? text_append(buf, PLACE, 0, "%.60s ", host) : 0;

	if (number >= 0)
		text_append(buf, PLACE, pos, "cpu%s%d", blank, number);
	else
		text_append(buf, PLACE, pos, "thread %d", tid);
	return buf;
}

static void ring_name(const struct scene *s, char buf[PLACE + 20], const struct slice_gauge *g)
{
	char place[PLACE];

	snprintf(buf, PLACE + 20, "%s's %s ring", describe_place(s, place, g->cpu, "", g->tid),
		 ring_kind_names[g->kind]);
}

/* Find the ring with the largest value of `of` in the window; false: none has any. */
static bool worst_ring(const struct scene *s, uint64_t (*of)(const struct gauge *),
		       struct gauge *worst, size_t *index)
{
	uint64_t most = 0;

	for (size_t i = 0; i < model_ngauges(s->m); i++) {
		struct gauge g;
		uint64_t n;

		model_gauge(s->m, i, s->w, &g);
		n = of(&g);
		if (n != GAUGE_UNKNOWN && n > most) {
			most = n;
			*worst = g;
			*index = i;
		}
	}
	return most > 0;
}

static uint64_t gauge_overwritten(const struct gauge *g)
{
	return g->now.kind == RING_SAMPLE ? g->overwritten_bytes : 0;
}

/* An overwritten ring is never full: it loses records only while it is paused. */
static uint64_t gauge_lost(const struct gauge *g)
{
	return g->now.kind == RING_SAMPLE && g->now.mode == RING_FORWARD ? g->lost : 0;
}

static uint64_t gauge_sideband_lost(const struct gauge *g)
{
	return g->now.kind == RING_SIDEBAND ? g->lost : 0;
}

static uint64_t gauge_fill(const struct gauge *g)
{
	/* A full AUX area is known by its records, see advise_aux(). */
	if (g->now.kind == RING_AUX)
		return 0;
	return g->fill_max >= NEARLY_FULL ? (uint64_t)(g->fill_max * 1000) : 0;
}

/* Return a ring size that would have sufficed, in bytes, a power of two. */
static uint64_t size_advised(const struct gauge *g)
{
	uint64_t size = g->now.size * 2;

	while ((double)size * NEARLY_FULL < g->fill_max * (double)g->now.size && size < 1ull << 40)
		size *= 2;
	return size;
}

static void advise_ring_size(struct scene *s, const struct gauge *g)
{
	char now[UNITS_LEN], then[UNITS_LEN];

	say(s, "Try -m %s (now %s)", units_bytes(then, (double)size_advised(g)),
	    units_bytes(now, (double)g->now.size));
}

static bool advise_overwritten(struct scene *s)
{
	char name[PLACE + 20], span[UNITS_LEN], lost[UNITS_LEN];
	struct gauge g;
	uint64_t late;
	size_t i;

	if (!worst_ring(s, gauge_overwritten, &g, &i))
		return false;
	ring_name(s, name, &g.now);
	late = window_gauge_late(s->m, i, s->w);
	say(s, "%s overflowed (%s overwritten)", name,
	    units_bytes(lost, (double)g.overwritten_bytes));
	if (late != GAUGE_UNKNOWN && late)
		say(s, ": its reader woke %s late", units_span(span, late));
	say(s, ". ");
	advise_ring_size(s, &g);
	say(s, " or --realtime 1.");
	return true;
}

static bool advise_full(struct scene *s)
{
	char name[PLACE + 20], lost[UNITS_LEN];
	struct gauge g;
	size_t i;

	if (!worst_ring(s, gauge_lost, &g, &i))
		return false;
	ring_name(s, name, &g.now);
	say(s, "%s was full: the kernel lost %s records. ", name,
	    units_count(lost, (double)g.lost));
	advise_ring_size(s, &g);
	say(s, ", --realtime 1, or a longer period (-c).");
	return true;
}

static bool advise_paused(struct scene *s)
{
	char lost[UNITS_LEN];
	struct gauge g = {.now = {.cpu = 0}};

	if (!s->account.lost[LOST_PAUSED] && !s->account.lost_samples[LOST_PAUSED])
		return false;
	if (model_ngauges(s->m))
		model_gauge(s->m, 0, s->w, &g);
	say(s, "%s samples lost while rings were paused to read them: %s",
	    units_count(lost, (double)s->account.lost_samples[LOST_PAUSED]),
	    session_place(s->m->info, g.now.cpu).cpu < 0
		    ? "a ring of one thread has no CPU to be read on. Leave out --per-thread, or "
		      "take a longer "
		      "period (-c)."
		    : "ringtop is not allowed to run on the CPUs it measures. Widen its cpuset or "
		      "affinity.");
	return true;
}

static bool advise_throttled(struct scene *s)
{
	char n[UNITS_LEN];

	if (!s->account.throttles && !s->account.lost[LOST_THROTTLED])
		return false;
	units_count(n, (double)s->account.throttles);
	say(s, "The kernel throttled the event %s times: it samples too often. ", n);
	say(s, "Lower -F, raise -c, or raise kernel.perf_event_max_sample_rate.");
	return true;
}

static bool advise_backlog(struct scene *s)
{
	char lost[UNITS_LEN], waited[UNITS_LEN];
	struct head h;

	model_head(s->m, s->event, s->w, &h);
	if (!h.self.unwind.dropped)
		return false;
	say(s, "%s samples arrived faster than their stacks could be unwound (up to %s of them "
	       "waited): their callers are unknown. ",
	    units_count(lost, (double)h.self.unwind.dropped),
	    units_bytes(waited, (double)h.self.unwind.bytes_max));
	say(s, "Lower -F, or copy less of each stack: --call-graph dwarf,%u.",
	    h.self.unwind.stack_bytes > 2048 ? h.self.unwind.stack_bytes / 2 : 1024);
	return true;
}

static bool advise_dropped(struct scene *s)
{
	char lost[UNITS_LEN];
	struct head h;

	if (!s->account.lost[LOST_DROPPED] && !s->account.lost_samples[LOST_DROPPED])
		return false;
	model_head(s->m, s->event, s->w, &h);
	say(s, "ringtop's table was full (%u of %u rows): %s samples were dropped. ",
	    h.self.table_rows, h.self.table_capacity,
	    units_count(lost, (double)s->account.lost_samples[LOST_DROPPED]));
	say(s, "Measure fewer events or less often: -F, -c, or without -g.");
	return true;
}

/* A virtual machine's timers are late now and then, whatever the rate. */
static bool advise_late(struct scene *s)
{
	const struct session_event *e = &model_info(s->m)->events[s->event];
	uint64_t late = s->account.lost[LOST_LATE];
	char lost[UNITS_LEN];

	if (late * 100 <= s->account.counted)
		return false;
	say(s, "%s have no sample although the CPU was busy: the clock's timer fired late. ",
	    units_span(lost, late));
	if (e->frequency > LATE_RATE)
		say(s, "Lower the rate: -F %u (now %u).", LATE_RATE, e->frequency);
	else
		say(s,
		    "The CPU had interrupts disabled, or the host of the virtual machine ran "
		    "something else.");
	return true;
}

/* Each task begins with a whole period, and the unfinished one is lost when it ends. */
static bool advise_short(struct scene *s)
{
	const struct session_event *e = &model_info(s->m)->events[s->event];
	uint64_t open = s->account.pending - s->account.unsampled;
	char cut[UNITS_LEN], all[UNITS_LEN], period[UNITS_LEN];
	struct head h;

	if (strcmp(e->unit ? e->unit : "", "ns") != 0 || !e->period ||
	    open < SHORT_LEAST * e->period || open < SHORT_SHARE * (double)s->account.counted)
		return false;
	model_head(s->m, s->event, s->w, &h);
	if (h.self.unwind.waiting)
		return false;
	say(s,
	    "%s of %s are in periods that did not end: tasks that live for less than one period "
	    "(%s) are hardly ever sampled. Raise -F.",
	    units_span(cut, open), units_span(all, s->account.counted),
	    units_span(period, e->period));
	return true;
}

/* Count the events that were without a counter for a part of the time, or for all of it. */
static unsigned events_sharing(const struct scene *s)
{
	unsigned nr = 0;
	struct account a;

	for (unsigned e = 0; e < s->m->info->nevents; e++) {
		model_account(s->m, e, ALL_CPUS, s->w, &a);
		nr += a.starved > 0;
	}
	return nr;
}

static bool advise_multiplexed(struct scene *s)
{
	const struct account *a = &s->account;
	unsigned nr;

	if (!a->starved)
		return false;
	nr = events_sharing(s);
	if (a->unknown)
		say(s, "The event never had a counter: other events hold the hardware. ");
	else
		say(s, "The event had a counter for %.1f%% of the time: counts are scaled up from "
		       "that. ", model_counter_share(a) * 100);
	if (nr > 1)
		say(s,
		    "%u events share the hardware counters, so their shares cover different parts "
		    "of the run. Measure fewer at once, or compare events in a group: -e '{A,B}'.",
		    nr);
	else
		say(s,
		    "Other users hold counters: measure fewer events at once, or look for other "
		    "users (the NMI watchdog holds one).");
	return true;
}

/* Known to happen with events whose hits the kernel's own code counts; perf has the same gap. */
static bool advise_unknown(struct scene *s)
{
	const struct session_event *e = &model_info(s->m)->events[s->event];
	char lost[UNITS_LEN];

	if (s->account.lost[LOST_UNKNOWN] * 100 <= s->account.counted)
		return false;
	say(s, "%s of the event were counted but never sampled; the kernel does not report why.",
	    units_count(lost, (double)s->account.lost[LOST_UNKNOWN]));
	if (!e->precise && !e->in_kernel && !*(e->unit ? e->unit : ""))
		say(s,
		    " Hits in interrupts on an idle CPU behave like this: perf stat counts them, "
		    "and perf record has no sample of them either.");
	return true;
}

static bool advise_sideband(struct scene *s)
{
	char name[PLACE + 20], lost[UNITS_LEN];
	struct gauge g;
	size_t i;

	if (!worst_ring(s, gauge_sideband_lost, &g, &i))
		return false;
	ring_name(s, name, &g.now);
	say(s, "%s was full: %s records about maps and tasks lost, names may be missing. ", name,
	    units_count(lost, (double)g.lost));
	say(s, "Raise --sideband-pages.");
	return true;
}

static bool advise_aux(struct scene *s)
{
	char times[UNITS_LEN], size[UNITS_LEN], place[PLACE];
	struct aux a, worst = {.sum = {.truncated = 0}};

	for (size_t i = 0; i < model_naux(s->m); i++) {
		model_aux(s->m, i, s->w, &a);
		if (a.sum.truncated != GAUGE_UNKNOWN && a.sum.truncated > worst.sum.truncated)
			worst = a;
	}
	if (!worst.sum.truncated)
		return false;
	say(s, "The AUX area of %s was full %s times, and trace data of these times is missing. ",
	    describe_place(s, place, worst.now.cpu, " ", worst.now.tid),
	    units_count(times, (double)worst.sum.truncated));
	say(s, "Raise --aux-size (now %s), or trace less (user code only: /u).",
	    units_bytes(size, (double)worst.now.size));
	return true;
}

static bool advise_nearly_full(struct scene *s)
{
	char name[PLACE + 20];
	struct gauge g;
	size_t i;

	if (!worst_ring(s, gauge_fill, &g, &i))
		return false;
	ring_name(s, name, &g.now);
	say(s, "%s was %.0f%% full. ", name, g.fill_max > 1 ? 100 : g.fill_max * 100);
	if (g.now.kind == RING_SIDEBAND)
		say(s, "Raise --sideband-pages.");
	else
		advise_ring_size(s, &g);
	if (g.now.kind != RING_SIDEBAND)
		say(s, " before it overflows.");
	return true;
}

static bool advise_unlisted(struct scene *s)
{
	if (s->m->incomplete)
		say(s,
		    "Out of memory: the counts of some CPUs are not in the sums. Lower --history.");
	else if (s->m->unlisted)
		say(s, "Out of memory: %llu samples are counted but not in any row. Lower "
		       "--history.", (unsigned long long)s->m->unlisted);
	return s->m->incomplete || s->m->unlisted;
}

static bool advise_memory(struct scene *s)
{
	if (!heap_failures())
		return false;
	say(s,
	    "Memory ran out %llu times: names, rows or their counts may be missing. Lower "
	    "--history.",
	    (unsigned long long)heap_failures());
	return true;
}

static bool advise_reads(struct scene *s)
{
	if (!io_failures())
		return false;
	say(s, "%llu reads of programs' files failed: names, lines or callers may be missing. "
	       "See dmesg for the disk's errors.", (unsigned long long)io_failures());
	return true;
}

/* Weights without names, by object. */
struct nameless {
	uint64_t *weight; /* by object */
	uint32_t worst[NAMED];
	uint64_t all;
	uint64_t unseen; /* weight of processes in other PID namespaces */
	unsigned nr;
	bool files, debug_files, kernel; /* kinds of files that would help */
};

/*
 * Return true if a file could name the object: not for JIT code and addresses outside of all
 * objects.
 */
static bool may_be_named(const struct model_object *o)
{
	return o->state != OBJECT_LOADING &&
	       (o->kind == OBJECT_FILE || o->kind == OBJECT_KERNEL || o->kind == OBJECT_MODULE);
}

static void nameless_add(struct nameless *n, const struct model_object *o, uint32_t id,
			 uint64_t weight)
{
	n->weight[id] += weight;
	n->all += weight;
	n->kernel |= o->kind != OBJECT_FILE;
	n->files |= o->kind == OBJECT_FILE && o->state == OBJECT_NAMELESS;
	n->debug_files |= o->kind == OBJECT_FILE && o->state == OBJECT_READY && o->build_id.len;
}

static void nameless_rank(struct nameless *n, size_t nobjects)
{
	for (uint32_t id = 0; id < nobjects; id++) {
		unsigned at = n->nr;

		while (at && n->weight[n->worst[at - 1]] < n->weight[id])
			at--;
		if (!n->weight[id] || at == NAMED)
			continue;
		n->nr += n->nr < NAMED;
		memmove(n->worst + at + 1, n->worst + at, (n->nr - at - 1) * sizeof(*n->worst));
		n->worst[at] = id;
	}
}

static void nameless_look(const struct scene *s, struct nameless *n, uint32_t function,
			  uint64_t weight)
{
	const struct dict *d = &s->m->dict;
	const struct model_function *f = &d->functions[function];

	if (d->objects[f->object].kind == OBJECT_OUTSIDE &&
	    !strcmp(dict_string(d, d->objects[f->object].name), OBJECT_UNSEEN))
		n->unseen += weight;
	if (f->flags & FUNCTION_UNRESOLVED && weight && may_be_named(&d->objects[f->object]))
		nameless_add(n, &d->objects[f->object], f->object, weight);
}

static void nameless_in_slice(const struct scene *s, struct nameless *n,
			      const struct history_slice *h)
{
	const struct dict *d = &s->m->dict;

	for (uint32_t i = 0; i < h->nrows; i++)
		if (h->rows[i].event == s->event && !dict_row_ours(d, &h->rows[i]))
			nameless_look(s, n, d->paths[h->rows[i].path].function, h->rows[i].weight);
}

static void nameless_in_total(const struct scene *s, struct nameless *n)
{
	struct total *t = &s->m->total;

	if (total_settle(t, &s->m->dict))
		return; /* out of memory: no advice on names then */
	for (size_t i = 0; i < t->functions.nr; i++)
		if (t->functions.entries[i].key >> 32 == s->event)
			nameless_look(s, n, (uint32_t)t->functions.entries[i].key,
				      t->functions.entries[i].self);
	for (size_t i = 0; i < t->paths.nr; i++)
		if (t->paths.entries[i].key >> 32 == s->event)
			nameless_look(s, n,
				      s->m->dict.paths[(uint32_t)t->paths.entries[i].key].function,
				      t->paths.entries[i].self);
}

/* Sum by object only: grouping by function, with callers, would cost as much as the rows shown. */
static void nameless_collect(const struct scene *s, struct nameless *n)
{
	size_t from, to;

	if (window_is_all(s->w))
		nameless_in_total(s, n);
	else
		for (history_range(&s->m->history, s->w, &from, &to); from < to; from++)
			nameless_in_slice(s, n, history_at(&s->m->history, from));
	nameless_rank(n, s->m->dict.cap[E_OBJECT]);
}

static void say_nameless(struct scene *s, const struct nameless *n)
{
	const struct dict *d = &s->m->dict;
	const struct session_info *info = s->m->info;
	const char *const help[] = {
		n->files ? "--symfs DIR" : NULL,
		n->debug_files && !info->debuginfod ? "--debuginfod" : NULL,
		n->kernel && !info->live ? "--vmlinux FILE" : NULL,
		n->kernel ? "--kallsyms FILE" : NULL,
	};
	const char *before = "; try ";

	say(s, "%.0f%% of samples are in objects without names: ",
	    100 * (double)n->all / (double)s->account.attributed);
	for (unsigned i = 0; i < n->nr; i++) {
		const char *name = dict_string(d, d->objects[n->worst[i]].name);

		say(s, "%s%.60s", i ? ", " : "", text_base(name));
	}
	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++) {
		if (!help[i])
			continue;
		say(s, "%s%s", before, help[i]);
		before = ", ";
	}
	say(s, ".");
}

static bool advise_nameless(struct scene *s)
{
	struct nameless n = {.weight = calloc(s->m->dict.cap[E_OBJECT] + 1, sizeof(*n.weight))};
	bool much;

	/* Rows of an event with its own weights cannot be compared with the account. */
	if (!n.weight || *s->m->info->events[s->event].weight) {
		free(n.weight);
		return false;
	}
	nameless_collect(s, &n);
	much = n.unseen && (double)n.unseen >= UNSEEN * (double)s->account.attributed;
	if (much)
		say(s,
		    "%.0f%% of samples are user code of processes that are not visible in this "
		    "PID namespace (a container): run ringtop outside, or measure only the "
		    "container: -G and its path in /proc/self/cgroup.",
		    100 * (double)n.unseen / (double)s->account.attributed);
	if (!much && (double)n.all >= NAMELESS * (double)s->account.attributed && n.all) {
		say_nameless(s, &n);
		much = true;
	}
	free(n.weight);
	return much;
}

/* Worst first. */
static const struct {
	bool (*look)(struct scene *s);
	bool loss; /* it explains lost samples, throttling aside */
} advisers[] = {
	{advise_unlisted, false}, {advise_memory, false},     {advise_overwritten, true},
	{advise_full, true},	  {advise_backlog, true},     {advise_dropped, true},
	{advise_paused, true},	  {advise_throttled, false},  {advise_sideband, false},
	{advise_aux, false},	  {advise_multiplexed, true}, {advise_late, true},
	{advise_short, false},	  {advise_unknown, true},     {advise_nearly_full, false},
	{advise_reads, false},	  {advise_nameless, false},
};

static const char *first_advice(struct model *m, unsigned event, struct window w, bool loss)
{
	struct scene s = {.m = m, .event = event, .w = w};

	m->advice[0] = '\0';
	model_account(m, event, ALL_CPUS, w, &s.account);
	for (size_t i = 0; i < sizeof(advisers) / sizeof(advisers[0]); i++)
		if ((!loss || advisers[i].loss) && advisers[i].look(&s))
			return m->advice;
	return NULL;
}

const char *model_advice(struct model *m, unsigned event, struct window w)
{
	return first_advice(m, event, w, false);
}

const char *model_advice_loss(struct model *m, unsigned event, struct window w)
{
	return first_advice(m, event, w, true);
}
