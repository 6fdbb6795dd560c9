/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/counting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/text.h"
#include "base/vec.h"
#include "kernel/capture/counterset.h"
#include "kernel/capture/privilege.h"
#include "sources/live/pidset.h"

#define MANY_READS 256 /* system calls; with more, sets of threads are read once a second */
#define WATCHDOG   "/proc/sys/kernel/nmi_watchdog"

struct set {
	struct counterset *set;
	struct perf_count *told; /* sums already added to slices, by event */
	int cpu;
	pid_t tid;  /* 0: all on its CPU */
	int reader; /* number of the reader it belongs to; -1: the tick's */
	bool fresh; /* has never counted: it may be opened anew */
};

struct counting {
	struct scope *scope;
	struct readers *readers;
	struct counterset_config config;
	struct set *set;
	size_t nr, cap;
	unsigned reads; /* system calls for reading all sets of the tick */
	bool on;
};

struct counting *counting_create(struct scope *scope, struct readers *rs)
{
	struct counting *c = calloc(1, sizeof(*c));
	const struct ringset_config *rings = &scope->rings;

	if (!c)
		return NULL;
	c->scope = scope;
	c->readers = rs;
	c->config = (struct counterset_config){
		.source = rings->source,
		.events = &scope->counted,
		.exclude_kernel = rings->exclude_kernel,
		.inherit = rings->inherit,
		.enable_on_exec = rings->enable_on_exec,
		.by_cgroup = rings->by_cgroup,
		.cgroup = rings->cgroup,
	};
	return c;
}

static void free_counter_set(struct set *s)
{
	counterset_free(s->set);
	free(s->told);
}

void counting_free(struct counting *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		free_counter_set(&c->set[i]);
	free(c->set);
	free(c);
}

/* --- sets --------------------------------------------------------------------------------- */

static struct set *add_set(struct counting *c, int cpu, pid_t tid, int reader)
{
	struct set s = {.cpu = cpu, .tid = tid < 0 ? 0 : tid, .reader = reader};

	s.set = counterset_create(&c->config, cpu, tid);
	s.told = calloc(c->scope->counted.nr, sizeof(*s.told));
	if (s.set && s.told && VEC_PUSH(c->set, c->nr, c->cap, s))
		return &c->set[c->nr - 1];
	counterset_free(s.set);
	free(s.told);
	return NULL;
}

static void drop_last(struct counting *c)
{
	free_counter_set(&c->set[--c->nr]);
}

void counting_drop_reader(struct counting *c)
{
	if (c->scope->counted.nr)
		drop_last(c);
}

int counting_add_reader(struct counting *c, unsigned reader)
{
	struct live_reader *lr = &c->readers->reader[reader];
	struct set *s;

	if (!c->scope->counted.nr)
		return 0;
	s = add_set(c, lr->cpu, -1, (int)reader);
	if (!s)
		return -ENOMEM;
	reader_counts(lr->reader, s->set);
	return 0;
}

static bool of_cpus(const struct counting *c)
{
	return c->scope->target.kind == TARGET_SYSTEM;
}

static int open_reader_sets(struct counting *c)
{
	int ret = 0;

	for (unsigned i = 0; i < c->readers->nr && !ret; i++) {
		ret = counting_add_reader(c, i);
		if (!ret && reader_report(c->readers->reader[i].reader)->state == RING_LIVE)
			ret = counterset_open(c->set[c->nr - 1].set);
		ret = ret == -ENODEV ? 0 : ret; /* it is opened when the CPU is back */
	}
	return ret;
}

/* Open sets on the CPUs given by -C, or wherever the thread runs.  -ESRCH: it is gone. */
static int open_thread(struct counting *c, pid_t tid)
{
	const struct scope *sc = c->scope;
	unsigned nr = sc->counts_by_cpu ? sc->watched.nr : 1;
	int ret = 0;

	for (unsigned i = 0; i < nr; i++) {
		struct set *s = add_set(c, sc->counts_by_cpu ? sc->watched.cpu[i] : -1, tid, -1);

		ret = s ? counterset_open(s->set) : -ENOMEM;
		if (s && ret)
			drop_last(c);
		if (ret && ret != -ENODEV)
			return ret;
		c->reads += ret ? 0 : counterset_reads(s->set);
	}
	return 0;
}

static int open_threads(struct counting *c)
{
	const struct target *t = &c->scope->target;
	size_t gone = 0;
	int ret = 0;

	for (size_t i = 0; i < t->ntids && !ret; i++) {
		ret = open_thread(c, t->tids[i]);
		gone += ret == -ESRCH;
		ret = ret == -ESRCH ? 0 : ret;
	}
	return !ret && gone == t->ntids ? -ESRCH : ret;
}

int counting_open(struct counting *c, struct err *err)
{
	int ret;

	if (!c->scope->counted.nr || c->scope->now->by_task)
		return 0;
	ret = of_cpus(c) ? open_reader_sets(c) : open_threads(c);
	if (ret == -ESRCH)
		return err_set(err, ESRCH, "none of the processes to count exists any more");
	return ret ? err_room(err, -ret, "counters") : 0;
}

/* --- sets of threads that start others meanwhile ------------------------------------------ */

static void drop_if(struct counting *c, bool all, const struct pidset *tids)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->nr; i++) {
		struct set *s = &c->set[i];

		if (s->reader < 0 && s->fresh && (all || pidset_has(tids, s->tid))) {
			c->reads -= counterset_reads(s->set);
			free_counter_set(s);
		} else {
			c->set[kept++] = *s;
		}
	}
	c->nr = kept;
}

void counting_clear(struct counting *c)
{
	drop_if(c, true, NULL);
}

static int drop_tasks(struct counting *c, const pid_t *tids, size_t nr)
{
	struct pidset drop = {.slot = NULL};
	int ret = 0;

	for (size_t i = 0; i < nr && ret >= 0; i++)
		ret = pidset_add(&drop, tids[i]);
	if (nr && ret >= 0)
		drop_if(c, false, &drop);
	pidset_clear(&drop);
	return ret < 0 ? ret : 0;
}

static int list_tasks(const struct counting *c, struct pidset *there)
{
	int ret = 0;

	for (size_t i = 0; i < c->nr && ret >= 0; i++)
		ret = pidset_add(there, c->set[i].tid);
	return ret < 0 ? ret : 0;
}

static int add_task(struct counting *c, pid_t tid)
{
	size_t from = c->nr;
	int ret = open_thread(c, tid);

	for (size_t i = from; i < c->nr; i++)
		c->set[i].fresh = true;
	return ret == -ESRCH ? 0 : ret;
}

int counting_tasks(struct counting *c, const struct reader_tasks *tasks, struct err *err)
{
	struct pidset there = {.slot = NULL};
	int ret;

	if (!c->scope->counted.nr)
		return 0;
	ret = drop_tasks(c, tasks->drop, tasks->ndrop);
	if (!ret && tasks->missing)
		ret = list_tasks(c, &there);
	for (size_t i = 0; i < tasks->ncount && !ret; i++)
		if (!pidset_has(&there, tasks->count[i]))
			ret = add_task(c, tasks->count[i]);
	pidset_clear(&there);
	return ret ? err_room(err, -ret, "counters") : 0;
}

void counting_enable_again(struct counting *c)
{
	for (size_t i = 0; i < c->nr && c->on; i++) {
		if (c->set[i].reader < 0)
			counterset_enable(c->set[i].set, true);
		c->set[i].fresh = false;
	}
}

/* --- counting ----------------------------------------------------------------------------- */

void counting_start(struct counting *c)
{
	for (size_t i = 0; i < c->nr && !c->config.enable_on_exec; i++)
		counterset_enable(c->set[i].set, true);
	c->on = true;
}

void counting_switch(void *counting, struct tick_now *n)
{
	struct counting *c = counting;
	bool on = !n->parts->readers->off;

	for (size_t i = 0; i < c->nr; i++)
		if (c->set[i].reader < 0)
			counterset_enable(c->set[i].set, on);
	c->on = on;
}

/* --- descriptions ------------------------------------------------------------------------ */

/* Return why the event is counted nowhere; 0: it is counted somewhere. */
static int refusal_code(const struct counting *c, unsigned event)
{
	int code = 0;

	for (size_t i = 0; i < c->nr; i++) {
		code = counterset_code(c->set[i].set, event);
		if (!code)
			return 0;
	}
	return code;
}

/* Return true if the event is alone on some CPU: its times are not its group's then. */
static bool is_split(const struct counting *c, unsigned event)
{
	for (size_t i = 0; i < c->nr; i++)
		if (counterset_split(c->set[i].set, event))
			return true;
	return false;
}

static void describe_refusal(const struct event *e, int code, char *buf, size_t size)
{
	struct err err;

	if (code == -EINVAL && e->group) {
		text_append(
			buf, size, 0,
			"it does not fit its group: too many events for the hardware, or events "
			"of two PMUs (:W after the group counts it alone)");
		return;
	}
	privilege_explain(NULL, -code, e->name, &err);
	text_append(buf, size, 0, "%s", err.text);
}

void counting_describe(const struct counting *c, struct session_counter *counters)
{
	bool watchdog = io_read_number(WATCHDOG, 0) == 1;

	for (unsigned i = 0; i < c->scope->counted.nr; i++) {
		const struct event *e = &c->scope->counted.events[i];
		struct session_counter *n = &counters[i];
		int code = refusal_code(c, i);

		*n = (struct session_counter){.scale = e->scale != 0 ? (float)e->scale : 1,
					      .type = e->attr.type,
					      .config = e->attr.config,
					      .group = is_split(c, i) ? 0 : e->group,
					      .pinned = e->attr.pinned};
		text_append(n->name, sizeof(n->name), 0, "%s", e->name);
		text_append(n->filter, sizeof(n->filter), 0, "%s", e->filter ? e->filter : "");
		text_append(n->unit, sizeof(n->unit), 0, "%s", e->scale != 0 ? e->scaled : e->unit);
		if (code)
			describe_refusal(e, code, n->why, sizeof(n->why));
		text_append(
			n->starved, sizeof(n->starved), 0, "other events hold the hardware "
							   "counters%s%s",
			n->group ? ": its group needs all its counters at once" : "",
			watchdog
				? "; the NMI watchdog has one (sysctl kernel.nmi_watchdog=0 gives "
				  "it back)"
				: "");
	}
}

/* --- counts ------------------------------------------------------------------------------- */

/* Add a counter's increase; where memory is missing the next slice has it. */
static void add_counter_increase(struct set *s, unsigned event, struct slice *slice)
{
	const struct perf_count *now = &counterset_sums(s->set)[event];
	struct perf_count *was = &s->told[event];
	struct slice_counter *out;

	if (now->enabled == was->enabled && now->value == was->value)
		return;
	out = slice_add_counter(slice);
	if (!out)
		return;
	*out = (struct slice_counter){.counter = (uint16_t)event,
				      .cpu = (int16_t)s->cpu,
				      .tid = s->tid,
				      .count = now->value - was->value,
				      .enabled = now->enabled - was->enabled,
				      .running = now->running - was->running};
	*was = *now;
}

void counting_tell(void *counting, struct tick_now *n)
{
	struct counting *c = counting;

	for (size_t i = 0; i < c->nr; i++) {
		struct set *set = &c->set[i];

		if (set->reader >= 0 && !c->readers->reader[set->reader].answered)
			continue;
		if (set->reader < 0 && (n->all || c->reads <= MANY_READS))
			counterset_read(set->set);
		for (unsigned e = 0; e < c->scope->counted.nr; e++)
			add_counter_increase(set, e, n->s);
	}
}
