/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/live.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "kernel/capture/numa.h"
#include "kernel/capture/perfclock.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/catalog.h"
#include "kernel/event/fallback.h"
#include "kernel/event/pmu.h"
#include "sources/change/choose.h"
#include "sources/live/tick_parts.h"
#include "system/proc/procscan.h"
#include "measure/session/change.h"
#include "measure/consumers/samplesums.h"
#include "core/table/combine.h"

#define RING_LEAST     (16u << 10) /* least size under a limit of locked memory */
#define FTRACE_BYTES   (4u << 20) /* a quarter is 10 ms of 1.5 million system calls a second */
#define ABANDON_NS     (3 * NSEC_PER_SEC) /* how long live_abandon waits for a snapshot's file */
#define WORKERS	       3 /* one may be busy with the kernel's symbols, one with a huge process */

struct live {
	struct session base;
	struct session_event *events;
	struct session_counter *counters;
	struct measure_config config;
	struct scope scope;
	struct readers readers;
	struct command command;
	struct recording recording;
	struct outbox outbox;
	struct requestqueue requestqueue;
	struct tick_parts parts; /* these, and others; NULL: not made yet, or not in this session */
	struct tick *tick; /* NULL: not made */
};

/* --- the ops ------------------------------------------------------------------------------ */

static int live_next(struct session *s, struct slice **slice)
{
	struct live *l = (struct live *)s;
	int ret = outbox_take(&l->outbox, slice);

	if (*slice)
		session_changes(&l->base.info, *slice);
	return ret;
}

static int live_fd(struct session *s)
{
	return ((struct live *)s)->outbox.fd;
}

static int check_measures(const struct live *l, struct err *err)
{
	return tick_stopped(l->tick)
		       ? err_set(err, EINVAL, "the session has ended: nothing is measured any more")
		       : 0;
}

static int command_pause(struct live *l, const struct session_request *rq, struct err *err)
{
	(void)err;
	tick_pause(l->tick, rq->command == SESSION_PAUSE);
	return 0;
}

static int command_code(struct live *l, const struct session_request *rq, struct err *err)
{
	return requestqueue_put(&l->requestqueue, rq->code, err);
}

static int command_record(struct live *l, const struct session_request *rq, struct err *err)
{
	int ret;

	if (!rq->text)
		return recording_ask_stop(&l->recording, err);
	ret = check_measures(l, err);
	return ret ? ret : recording_ask(&l->recording, rq->text, err);
}

static int command_take(struct live *l, const struct session_request *rq, struct err *err)
{
	int ret = check_measures(l, err);

	return ret ? ret : snapshot_take_ask(l->parts.taking, rq, err);
}

static int command_fetch(struct live *l, const struct session_request *rq, struct err *err)
{
	(void)l;
	(void)rq;
	return err_set(err, EOPNOTSUPP, "it is already on this machine");
}

static int command_events(struct live *l, const struct session_request *rq, struct err *err)
{
	int ret = check_measures(l, err);

	return ret ? ret : eventchange_ask(l->parts.eventchange, rq, err);
}

static int command_ring_size(struct live *l, const struct session_request *rq, struct err *err)
{
	int ret = check_measures(l, err);

	if (ret)
		return ret;
	if (l->readers.tracing)
		return ftracing_resize(l->readers.tracing, rq->number, err);
	err_set(err, EOPNOTSUPP, "perf's rings have a fixed size; only ftrace's buffers "
				 "(--ftrace) can be resized");
	return err_advise(err, "use -m at the start");
}

static int (*const commands[SESSION_COMMANDS])(struct live *l, const struct session_request *rq,
					       struct err *err) = {
	[SESSION_PAUSE] = command_pause, [SESSION_RESUME] = command_pause,
	[SESSION_CODE] = command_code, [SESSION_RECORD] = command_record,
	[SESSION_SNAPSHOT] = command_take, [SESSION_DUMP] = command_take,
	[SESSION_FETCH] = command_fetch, [SESSION_EVENTS] = command_events,
	[SESSION_RING_SIZE] = command_ring_size,
};

static int live_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct live *l = (struct live *)s;
	int ret;

	if ((unsigned)rq->command >= SESSION_COMMANDS || !commands[rq->command])
		return err_set(err, EOPNOTSUPP, "a live session does not support this command");
	ret = commands[rq->command](l, rq, err);
	tick_wake(l->tick);
	return ret;
}

struct choices {
	struct session_choice *list;
	size_t nr, cap;
};

static int take_choice(void *arg, const struct catalog_entry *e)
{
	struct choices *to = arg;
	struct session_choice *c;

	if (e->kind == CATALOG_FORM)
		return 0;
	c = VEC_ADD(to->list, to->nr, to->cap);
	if (!c)
		return -ENOMEM;
	snprintf(c->kind, sizeof(c->kind), "%s", catalog_kind_names[e->kind]);
	snprintf(c->name, sizeof(c->name), "%s", e->name);
	snprintf(c->unit, sizeof(c->unit), "%s", e->unit);
	snprintf(c->text, sizeof(c->text), "%s", e->text);
	return 0;
}

static int live_choices(struct session *s, struct session_choice **list, size_t *nr,
			struct err *err)
{
	struct choices to = {.list = NULL};
	int ret = catalog_walk(NULL, take_choice, &to, err);

	(void)s;
	if (ret == -ENOMEM)
		err_set(err, ENOMEM, "out of memory");
	if (ret)
		free(to.list);
	*list = ret ? NULL : to.list;
	*nr = ret ? 0 : to.nr;
	return ret;
}

static int live_fields(struct session *s, unsigned event, struct session_choice **list, size_t *nr,
		       struct err *err)
{
	return eventchange_fields(((struct live *)s)->parts.eventchange, event, list, nr, err);
}

static void live_stop(struct session *s)
{
	tick_stop(((struct live *)s)->tick);
}

static void live_end(struct session *s, struct session_end *end)
{
	tick_how_ended(((struct live *)s)->tick, end);
}

static void clear_scope(struct scope *sc)
{
	tracefields_free(sc->events.fields);
	event_list_clear(&sc->events);
	event_list_clear(&sc->counted);
	target_clear(&sc->target);
	cpus_clear(&sc->watched);
	cpus_clear(&sc->online);
}

/*
 * Free the readers before the parts that they write to, and before the parts that look at them:
 * their threads end with them.
 */
static void live_close(struct session *s)
{
	struct live *l = (struct live *)s;

	tick_free(l->tick);
	if (l->parts.snapshots)
		snapshots_stop(l->parts.snapshots, 0, false); /* their copies go with the readers */
	recording_end(&l->recording);
	readers_clear(&l->readers);
	ftracing_free(l->readers.tracing);
	counting_free(l->parts.counting);
	recording_clear(&l->recording);
	eventchange_free(l->parts.eventchange);
	snapshot_take_free(l->parts.taking);
	inkernel_free(l->parts.inkernel);
	logevents_free(l->parts.logging);
	accounting_free(l->parts.accounting);
	hotplug_free(l->parts.hotplug);
	attach_free(l->parts.attach);
	command_close(&l->command);
	resolver_free(l->parts.resolver);
	throttling_free(l->parts.throttling);
	snapshots_free(l->parts.snapshots);
	outbox_clear(&l->outbox);
	requestqueue_clear(&l->requestqueue);
	clear_scope(&l->scope);
	free(l->events);
	free(l->counters);
	free(l);
}

static void live_abandon(struct session *s)
{
	struct live *l = (struct live *)s;

	if (recording_busy(&l->recording) || l->parts.inkernel)
		tick_end(l->tick);
	/* No other process takes an instance back; the tick's thread, which reads it, has ended. */
	inkernel_free(l->parts.inkernel);
	l->parts.inkernel = NULL;
	/* A file is whole or is not there. */
	snapshots_stop(l->parts.snapshots, ABANDON_NS, !tick_stopped(l->tick));
	command_end(&l->command);
	if (!l->readers.tracing)
		return;
	/* The instance outlives this process where a reader still has its buffer open. */
	tick_end(l->tick);
	readers_drop_all(&l->readers);
	ftracing_free(l->readers.tracing);
	l->readers.tracing = NULL;
}

static const struct session_ops live_ops = {
	.name = "live", .next = live_next, .fd = live_fd, .command = live_command,
	.stop = live_stop, .end = live_end, .close = live_close,
	.abandon = live_abandon, .choices = live_choices, .fields = live_fields,
};

/* --- opening: the readers ----------------------------------------------------------------- */

/* Take over the target's list of threads, which has grown. */
static void take_target(struct scope *sc)
{
	sc->rings.tids = sc->target.tids;
	sc->rings.ntids = sc->target.ntids;
}

/* Many threads on many CPUs need many descriptors; raise the limit, as root even the hard one. */
static void raise_nofile(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	if (lim.rlim_max < 1u << 20) {
		struct rlimit more = {1u << 20, 1u << 20};

		if (!setrlimit(RLIMIT_NOFILE, &more))
			return;
	}
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

/*
 * Halve the larger ring of the two, of those without a size given by the user.  Return false if
 * there is none.
 */
static bool shrink_ring(struct ringset_config *rings, const struct measure_config *c)
{
	bool samples = !c->ring_bytes && rings->sample_bytes > RING_LEAST;
	bool sideband = !c->sideband_pages && rings->sideband_bytes > RING_LEAST;

	if (samples && (!sideband || rings->sample_bytes >= rings->sideband_bytes))
		rings->sample_bytes /= 2;
	else if (sideband)
		rings->sideband_bytes /= 2;
	return samples || sideband;
}

/*
 * Fall back to a less precise or another event, or to smaller rings.  Return true if opening is to
 * be tried again.
 */
static bool fall_back(struct scope *sc, const struct measure_config *c, int code, char *note,
		      size_t size, struct err *err)
{
	struct event *e = &sc->events.events[0];
	size_t at = strlen(note);
	bool less = false;

	if (code == -ENOENT || code == -EOPNOTSUPP || code == -ENODEV || code == -EINVAL) {
		for (unsigned i = 0; i < sc->events.nr; i++)
			less |= sc->events.events[i].precise_most &&
				fallback_step(&sc->events.events[i]);
		if (less)
			return true; /* note_sampling_rate writes how precise it is in the end */
		if (fallback_step(e)) {
			text_append(note, size, at, "%sno hardware counters here: %s instead of "
						    "cycles",
				    at ? "; " : "", e->name);
			return !event_set_rate(e, c->period, c->frequency, err);
		}
	}
	return code == -EPERM && shrink_ring(&sc->rings, c);
}

static bool went_offline(const struct scope *sc, int cpu)
{
	struct cpus now;
	bool is;

	if (cpu < 0 || cpus_read(sc->rings.source->online, &now, NULL))
		return false;
	is = cpus_has(&now, cpu);
	cpus_clear(&now);
	return !is;
}

static int open_all_readers(struct live *l, struct err *err)
{
	struct readers *rs = &l->readers;
	size_t gone = 0;
	int ret = 0;

	for (unsigned i = 0; i < rs->nr; i++) {
		int cpu = rs->reader[i].cpu;

		ret = reader_open(rs->reader[i].reader, err);
		/* A thread that ended meanwhile is no failure while others are left. */
		if (ret == -ESRCH && cpu < 0)
			gone++;
		/* A reader whose CPU has gone since the list was made opens when that is back. */
		else if (ret && (ret != -ENODEV || !went_offline(&l->scope, cpu)))
			return ret;
		else
			ret = 0;
	}
	if (gone == rs->nr)
		return ret;
	if (l->scope.now->by_task) {
		ret = attach_start(l->parts.attach, err);
		take_target(&l->scope);
		if (ret)
			return ret;
		if (rs->offcpu)
			offcpu_watch(rs->offcpu, l->scope.target.tids, l->scope.target.ntids);
	}
	return rs->aux ? auxset_ready(rs->aux, err) : 0;
}

static int open_with_steps(struct live *l, const struct measure_config *c, char *note, size_t size,
			   struct err *err)
{
	struct ringset_config *rings = &l->scope.rings;
	uint64_t wanted = rings->sample_bytes + rings->sideband_bytes;
	unsigned more = l->scope.any_cpu ? hotplug_room(&l->scope) : 0;
	char samples[UNITS_LEN], maps[UNITS_LEN];
	int ret;

	for (;;) {
		ret = readers_create(&l->readers, c->per_thread, more, l->parts.resolver, err);
		if (!ret)
			ret = open_all_readers(l, err);
		if (!ret && err)
			err->code = 0; /* of an attempt before the fallback */
		if (!ret || !fall_back(&l->scope, c, ret, note, size, err))
			break;
		readers_drop_all(&l->readers);
	}
	if (!ret && rings->sample_bytes + rings->sideband_bytes < wanted)
		text_append(note, size, strlen(note),
			    "; rings of %s, and %s for maps: the mlock limit allows no more",
			    units_bytes(samples, (double)rings->sample_bytes),
			    units_bytes(maps, (double)rings->sideband_bytes));
	return ret;
}

static int start_readers(struct live *l, const struct measure_config *c, struct err *err)
{
	const struct readers *rs = &l->readers;
	int ret = readers_start(&l->readers, err);

	l->readers.off = c->start_ns > 0;
	if (ret || c->start_ns)
		return ret; /* the tick enables them */
	for (unsigned i = 0; i < rs->nr && !ret && l->scope.target.kind != TARGET_COMMAND; i++) {
		ringset_enable(reader_set(rs->reader[i].reader), true);
		if (rs->reader[i].aux)
			auxreader_enable(rs->reader[i].aux, true);
	}
	if (!ret && rs->tracing && ftracing_enable(rs->tracing, true))
		ret = err_set(err, EIO, "--ftrace: its instance cannot be enabled");
	if (!ret)
		counting_start(l->parts.counting);
	if (!ret && l->parts.inkernel)
		inkernel_enable(l->parts.inkernel, true);
	if (!ret && l->scope.now->by_task)
		attach_enable_now(l->parts.attach);
	return ret;
}

/* --- opening: all of it ------------------------------------------------------------------- */

static void describe_session(struct live *l, const struct measure_config *c, const char *note)
{
	struct session_info *info = &l->base.info;
	const struct scope *sc = &l->scope;
	char whom[256];

	gethostname(info->host, sizeof(info->host) - 1);
	target_describe(&sc->target, whom, sizeof(whom));
	if (c->cpus && sc->target.kind != TARGET_SYSTEM)
		snprintf(info->target, sizeof(info->target), "%.200s on cpus %.40s", whom, c->cpus);
	else if (c->cpus)
		snprintf(info->target, sizeof(info->target), "cpus %.200s", c->cpus);
	else
		snprintf(info->target, sizeof(info->target), "%s", whom);
	snprintf(info->call_graph, sizeof(info->call_graph), "%s", sc->callgraph.text);
	snprintf(info->note, sizeof(info->note), "%s", *note == ';' ? note + 2 : note);
	info->start_wall = clock_read(CLOCK_REALTIME);
	info->cpus = sc->watched.nr;
	info->live = true;
	info->debuginfod = c->debuginfod;
	info->self = getpid();
	pmu_names(info->pmus, sizeof(info->pmus));
	numa_read(NUMA_NODES, info->nodes, sizeof(info->nodes));
	if (l->readers.aux)
		snprintf(info->aux_event, sizeof(info->aux_event), "%s",
			 auxset_name(l->readers.aux));
	info->nevents = sc->events.nr;
	samplesums_describe_pairs(&sc->between, &info->between);
	info->events = l->events;
	for (unsigned i = 0; i < sc->events.nr; i++) {
		const struct event *e = &sc->events.events[i];
		uint64_t period = event_is_made(e) ? 0 : event_fixed_period(e);

		snprintf(l->events[i].name, sizeof(l->events[i].name), "%s", e->name);
		samplesums_describe(sc->events.fields, i, e, &l->events[i]);
		text_append(l->events[i].filter, sizeof(l->events[i].filter), 0, "%s",
			    e->filter ? e->filter : "");
		l->events[i].unit = e->unit;
		l->events[i].precise = event_is_made(e) || e->probe
					       ? 0
					       : session_precise(e->attr.type, e->attr.precise_ip);
		l->events[i].period = period;
		/* A clock's period came of a frequency, unless it was given. */
		l->events[i].frequency = e->attr.freq		  ? (uint32_t)e->attr.sample_freq
					 : e->clock && !c->period ? (uint32_t)(1000000000 / period)
								  : 0;
	}
}

static int describe_counters(struct live *l, struct err *err)
{
	unsigned nr = l->scope.counted.nr;

	l->counters = calloc(nr + 1, sizeof(*l->counters));
	if (!l->counters)
		return err_room(err, ENOMEM, "the session");
	counting_describe(l->parts.counting, l->counters);
	l->base.info.counters = l->counters;
	l->base.info.ncounters = nr;
	return 0;
}

/* Return an event's name; events keep their indexes in the list. */
static const char *scope_event_name(const void *arg, unsigned event)
{
	const struct scope *sc = arg;

	return event < sc->events.nr ? sc->events.events[event].name : NULL;
}

static void owner_seen(void *arg, const struct owner_seen *seen)
{
	throttling_meet(arg, seen);
}

static int resolver_open(struct live *l, const struct measure_config *c, const struct privilege *p,
			 struct err *err)
{
	struct resolver_config rc = {.self = getpid(), .scan = true, .kernel = p->kernel,
				     .lines = !c->no_lines, .debuginfod = c->debuginfod,
				     .files = {.symfs = c->symfs}, .kallsyms = c->kallsyms,
				     .workers = WORKERS, .worker_begin = threadsched_soon,
				     .clock = perfclock_relate, .event_name = scope_event_name,
				     .event_arg = &l->scope, .split = &l->readers.split};

	l->readers.sideband = sideband_create();
	l->parts.throttling = throttling_create();
	rc.owner_seen = owner_seen;
	rc.owner_arg = l->parts.throttling;
	if (!l->readers.sideband || !l->parts.throttling)
		return err_set(err, ENOMEM, "out of memory");
	l->parts.resolver = resolver_create(&rc, err);
	return l->parts.resolver ? 0 : -err->code;
}

/* Note where the rate is not the requested one, or its counts are not exact. */
static void note_sampling_rate(const struct event *e, char *note, size_t size)
{
	uint64_t period = event_fixed_period(e);

	if (e->precise_most)
		text_append(note, size, strlen(note), "; %s: precise_ip is %u", e->name,
			    (unsigned)e->attr.precise_ip);
	if (event_is_soft(e) && !period && e->attr.freq)
		text_append(note, size, strlen(note), "; by frequency the counts of %s are the "
						      "kernel's "
			    "estimate (-c 1 is exact)", e->name);
	if (e->slowed)
		text_append(note, size, strlen(note), "; %s at %llu Hz: %s", e->name,
			    (unsigned long long)(1000000000 / period),
			    period == EVENT_CLOCK_PERIOD_LEAST
				? "its timer cannot run faster"
				: "the kernel does not throttle clocks that use too much time, so "
				  "max is limited to this (-F HZ allows more)");
}

/* Later events may be tracepoints, too: on a screen. */
static int prepare_log(const struct measure_config *c, const struct privilege *p, struct scope *sc,
		       struct err *err)
{
	if (!c->log_lines || (!c->log_events && !p->tracepoints))
		return 0;
	sc->log_lines = c->log_lines;
	sc->logged = logevents_mark(&sc->events);
	if (sc->logged || !c->log_events)
		return 0;
	err_set(err, EINVAL, "--log-events: no tracepoint is sampled, so there are no records to "
			     "print");
	return err_advise(err, "for example -e sched:sched_switch; --list shows all tracepoints");
}

/* A trigger is hit by any task, and its filter knows no processes. */
static int prepare_inkernel(struct live *l, const struct measure_config *c, struct err *err)
{
	struct scope *sc = &l->scope;
	int ret;

	if (sc->target.kind != TARGET_SYSTEM || c->cpus) {
		err_set(err, EINVAL, "--in-kernel works for the whole machine only");
		return err_advise(err, "use -a, without -p, -t, -u, --cgroup and -C; or "
				       "leave out --in-kernel");
	}
	if (c->record)
		return err_set(err, EINVAL, "--in-kernel leaves no records for -w to write");
	ret = perf_check_filters(sc->rings.source, &sc->events, false, err);
	return ret ? ret : inkernel_create(&sc->events, sc->events.fields, &l->parts.inkernel, err);
}

static int prepare_live(struct live *l, const struct measure_config *c, char *note, size_t size,
			struct err *err)
{
	struct scope *sc = &l->scope;
	const struct tracefields_source source = {.paths = callgraph_check_whole,
						  .arg = &sc->callgraph};
	char off_cpu[160] = "";
	struct privilege p;
	int ret;

	sc->rings.source = c->source ? c->source : &perf_kernel;
	sc->rings.source->ops->rights(sc->rings.source, &p);
	/* The place where a thread waits is its call path. */
	ret = callgraph_parse(&sc->callgraph, c->call_graph || !c->off_cpu ? c->call_graph : "fp",
			      err);
	if (!ret && c->record)
		ret = recording_ask(&l->recording, c->record, err) ? err_option(err, "-w") : 0;
	if (!ret && !(l->parts.snapshots = snapshots_create(c->snapshot_dir, err)))
		ret = -err->code;
	if (!ret)
		ret = choose_events(c, &sc->events, &sc->between, off_cpu, sizeof(off_cpu), err);
	if (!ret)
		ret = choose_counted(c, sc, err);
	sc->room = c->per_thread ? 0
		   : sc->events.nr + SESSION_EVENTS_MORE < COMBINE_EVENTS
			   ? sc->events.nr + SESSION_EVENTS_MORE
			   : COMBINE_EVENTS;
	if (!ret)
		ret = tracefields_create(&sc->events, c->by, &source, &sc->events.fields, err);
	if (!ret)
		ret = between_plan_find(&sc->between, &sc->events, NULL, err);
	if (!ret)
		ret = prepare_log(c, &p, sc, err);
	callgraph_of_events(&sc->callgraph, &sc->events);
	if (!ret)
		ret = callgraph_check(&sc->callgraph, &sc->events, err);
	if (!ret)
		ret = choose_overwrite(c, sc, err);
	if (!ret)
		ret = target_resolve(c, &p, &sc->target, err);
	if (!ret)
		ret = choose_cpus(c, sc, err);
	if (!ret && c->in_kernel)
		ret = prepare_inkernel(l, c, err);
	if (!ret && c->command)
		ret = command_fork(&l->command, c->command, c->screen ? -1 : STDERR_FILENO, err);
	raise_nofile(); /* after the fork: COMMAND keeps the limits it was given */
	if (!ret)
		choose_children(c, sc);
	if (!ret && sc->target.kind == TARGET_COMMAND && target_add(&sc->target, l->command.pid))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret)
		ret = choose_rings(c, &p, sc, err);
	if (!ret)
		ret = choose_aux(c, &p, sc, &l->readers.aux, err);
	if (!ret && ftracing_wanted(&sc->events))
		ret = ftracing_create(sc, c->ring_bytes ? sc->rings.sample_bytes : FTRACE_BYTES,
				      &l->readers.tracing, err);
	if (!ret && l->readers.tracing) {
		ret = ftracing_follow(l->readers.tracing, &sc->target, err);
		take_target(sc);
	}
	if (!ret)
		ret = perf_check_filters(sc->rings.source, &sc->events, !p.kernel, err);
	if (!ret)
		ret = perf_check_filters(sc->rings.source, &sc->counted, !p.kernel, err);
	/* Before the first sample: the names of the kernel are read while the rings are opened. */
	if (!ret)
		ret = resolver_open(l, c, &p, err);
	if (!ret && (!(l->parts.counting = counting_create(sc, &l->readers)) ||
		     !(l->parts.attach = attach_create(sc, &l->readers, l->parts.resolver,
						       l->parts.counting))))
		ret = err_room(err, ENOMEM, "the session");
	if (!ret)
		ret = open_with_steps(l, c, note, size, err);
	if (!ret && !p.kernel)
		text_append(note, size, strlen(note), "; user code only: "
						      "kernel.perf_event_paranoid is %d",
			    p.paranoid);
	if (!ret && sc->target.kind == TARGET_SYSTEM && procscan_is_namespaced())
		text_append(note, size, strlen(note), "; in a PID namespace: processes outside of "
						      "it have no pid and no names");
	if (!ret && sc->target.kind == TARGET_USER && !c->user)
		text_append(note, size, strlen(note), "; own processes only: the whole machine "
						      "needs "
						      "root or CAP_PERFMON");
	if (!ret && sc->target.nleft)
		text_append(note, size, strlen(note),
			    "; %zu running children are not measured (too many events): use -G "
			    "CGROUP, or -a and the filter parent:NAME", sc->target.nleft);
	text_append(note, size, strlen(note), "%s", off_cpu);
	if (!ret && c->start_ns)
		text_append(note, size, strlen(note), "; events count after %llu ms",
			    (unsigned long long)(c->start_ns / NSEC_PER_MSEC));
	for (unsigned i = 0; !ret && i < sc->events.nr; i++)
		note_sampling_rate(&sc->events.events[i], note, size);
	return ret;
}

/* Create the parts that depend on how many readers there may be, and the tick. */
static int create_parts(struct live *l, const struct measure_config *c, struct err *err)
{
	struct tick_parts *p = &l->parts;

	p->tracing = l->readers.tracing;
	p->accounting = accounting_create(&l->readers, p->resolver);
	p->hotplug = hotplug_create(&l->scope, &l->readers, p->counting);
	p->taking = snapshot_take_create(&l->readers, p->snapshots);
	recording_init(&l->recording, &l->scope, &l->readers, p->resolver, p->attach);
	p->eventchange = eventchange_create(&l->scope, &l->recording, c->period, c->frequency);
	p->first_log = l->base.info.note;
	/* A session that can end must end at once. */
	if (l->scope.target.kind != TARGET_SYSTEM || c->command)
		l->config.doze_ns = 0;
	if (l->scope.log_lines &&
	    !(p->logging = logevents_create(&l->scope, p->resolver, l->scope.log_lines,
					  c->log_fields, err)))
		return -err->code;
	if (!p->accounting || !p->hotplug || !p->taking || !p->eventchange)
		return err_room(err, ENOMEM, "the session");
	l->tick = tick_create(p, err);
	return l->tick ? counting_open(p->counting, err) : -err->code;
}

static int start_live(struct live *l, const struct measure_config *c, struct err *err)
{
	int ret;

	l->scope.zero = clock_ns();
	accounting_look(l->parts.accounting, false);
	ret = c->record && recording_first(&l->recording, err) ? err_option(err, "-w") : 0;
	if (!ret)
		ret = start_readers(l, c, err);
	if (!ret && l->readers.offcpu && !c->start_ns)
		offcpu_start(l->readers.offcpu);
	if (!ret && c->command)
		ret = command_go(&l->command, c->command[0], err);
	return ret ? ret : tick_start(l->tick, err);
}

static struct live *live_create(struct err *err)
{
	struct live *l = calloc(1, sizeof(*l));
	int outbox, requestqueue, readers;

	if (!l)
		return err_null(err_room(err, ENOMEM, "the session"));
	l->base.ops = &live_ops;
	l->parts = (struct tick_parts){.config = &l->config, .scope = &l->scope,
				       .readers = &l->readers,
				       .recording = &l->recording, .command = &l->command,
				       .requestqueue = &l->requestqueue, .outbox = &l->outbox};
	outbox = outbox_init(&l->outbox);
	requestqueue = requestqueue_init(&l->requestqueue);
	readers = readers_init(&l->readers, &l->scope);
	command_init(&l->command);
	if (!outbox && !requestqueue && !readers)
		return l;
	err_room(err, errno, "the session");
	live_close(&l->base);
	return NULL;
}

struct session *live_open(const struct measure_config *c, struct err *err)
{
	struct live *l = live_create(err);
	char note[512] = "";
	int ret;

	if (!l)
		return NULL;
	l->config = *c;
	ret = prepare_live(l, c, note, sizeof(note), err);
	if (!ret && !(l->events = calloc(scope_room(&l->scope), sizeof(*l->events))))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret) {
		describe_session(l, c, note);
		inkernel_describe(l->parts.inkernel, l->events);
		ret = create_parts(l, c, err);
	}
	if (!ret)
		ret = describe_counters(l, err);
	if (!ret)
		ret = start_live(l, c, err);
	if (!ret)
		return &l->base;
	recording_discard(&l->recording);
	live_close(&l->base);
	return NULL;
}
