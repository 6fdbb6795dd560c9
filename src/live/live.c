/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/live.h"

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
#include "capture/perfclock.h"
#include "capture/privilege.h"
#include "event/pmu.h"
#include "live/accounting.h"
#include "live/hotplug.h"
#include "live/taking.h"
#include "live/tick.h"

#define SAMPLE_BYTES   (2u << 20) /* a quarter of it is 4 ms of 4 million events a second */
#define SIDEBAND_PAGES 128
#define RING_LEAST     (16u << 10) /* of what a user's limit of locked memory leaves */
#define AUX_BYTES      (4u << 20)
#define AUX_BYTES_USER (128u << 10) /* what fits into perf_event_mlock_kb beside the rings */
#define TABLE_ROWS     65536
#define TABLE_ARENA    (16u << 20)
#define ABANDON_NS     (3 * NSEC_PER_SEC) /* how long leaving waits for a snapshot's file */
#define WORKERS	       3 /* one may be busy with the kernel's symbols, one with a huge process */

struct live {
	struct session base;
	struct tick *tick;
	struct session_event *events;
};

/* --- the ops ------------------------------------------------------------------------------ */

static int live_next(struct session *s, struct slice **slice)
{
	return outbox_take(&((struct live *)s)->tick->outbox, slice);
}

static int live_fd(struct session *s)
{
	return ((struct live *)s)->tick->outbox.fd;
}

static int command_pause(struct tick *t, const struct session_request *rq, struct err *err)
{
	(void)err;
	t->paused = rq->command == SESSION_PAUSE;
	return 0;
}

static int command_code(struct tick *t, const struct session_request *rq, struct err *err)
{
	return askbox_put(&t->askbox, rq->code, err);
}

static int command_record(struct tick *t, const struct session_request *rq, struct err *err)
{
	return rq->text ? recording_ask(&t->recording, rq->text, err)
			: recording_ask_stop(&t->recording, err);
}

static int (*const commands[SESSION_COMMANDS])(struct tick *t, const struct session_request *rq,
					       struct err *err) = {
	[SESSION_PAUSE] = command_pause, [SESSION_RESUME] = command_pause,
	[SESSION_CODE] = command_code, [SESSION_RECORD] = command_record,
	[SESSION_SNAPSHOT] = taking_ask, [SESSION_DUMP] = taking_ask,
};

static int live_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct tick *t = ((struct live *)s)->tick;
	int ret;

	if ((unsigned)rq->command >= SESSION_COMMANDS || !commands[rq->command])
		return err_set(err, EOPNOTSUPP, "a live session does not know this command");
	ret = commands[rq->command](t, rq, err);
	tick_wake(t);
	return ret;
}

static void live_stop(struct session *s)
{
	struct tick *t = ((struct live *)s)->tick;

	t->stop = true;
	tick_wake(t);
}

static void live_end(struct session *s, struct session_end *end)
{
	*end = ((struct live *)s)->tick->end;
}

static void live_close(struct session *s)
{
	struct live *l = (struct live *)s;

	tick_free(l->tick);
	free(l->events);
	free(l);
}

static void live_abandon(struct session *s)
{
	struct tick *t = ((struct live *)s)->tick;

	if (recording_busy(&t->recording))
		tick_end(t);
	/* A file is whole or is not there. */
	snapshots_stop(t->snapshots, ABANDON_NS, t->running && !t->stop);
	command_end(&t->command);
}

static const struct session_ops live_ops = {
	.name = "live", .next = live_next, .fd = live_fd, .command = live_command,
	.stop = live_stop, .end = live_end, .close = live_close,
	.abandon = live_abandon,
};

/* --- opening: what to measure ------------------------------------------------------------- */

static int parse_events(const struct live_config *c, struct event_list *list, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < c->nevents && !ret; i++)
		ret = event_parse(c->events[i], list, err) ? err_option(err, "-e") : 0;
	if (!c->nevents && event_default(list))
		ret = err_set(err, ENOMEM, "out of memory");
	for (unsigned i = 0; i < list->nr && !ret; i++)
		ret = event_set_rate(&list->events[i], c->period, c->frequency, err) ? err_option(err, "-F")
										     : 0;
	for (unsigned i = 0; i < list->nr && c->aux_sample_bytes; i++)
		if (!list->events[i].attr.aux_sample_size)
			list->events[i].attr.aux_sample_size = (uint32_t)c->aux_sample_bytes;
	return ret;
}

static uint64_t round_up_pages(uint64_t bytes)
{
	uint64_t n = (uint64_t)sysconf(_SC_PAGESIZE);

	while (n < bytes)
		n *= 2;
	return n;
}

static int choose_cpus(const struct live_config *c, struct tick *t, struct err *err)
{
	int ret = cpus_online(&t->online, err);

	if (ret)
		return ret;
	t->any_cpu = !c->cpus && !c->per_thread;
	t->realtime = c->realtime;
	if (!c->cpus)
		return cpus_online(&t->watched, err);
	ret = cpus_parse(c->cpus, &t->watched, err);
	for (unsigned i = 0; i < t->watched.nr && !ret; i++)
		if (!cpus_has(&t->online, t->watched.cpu[i]))
			ret = err_set(err, EINVAL, "cpu %d is not online", t->watched.cpu[i]);
	return ret ? err_option(err, "-C") : 0;
}

static int configure_rings(const struct live_config *c, const struct privilege *p, struct tick *t,
			   struct err *err)
{
	uint64_t bytes = c->ring_bytes ? c->ring_bytes
			 : callgraph_ring_bytes(&t->callgraph, &t->events, SAMPLE_BYTES);
	uint64_t sideband = (c->sideband_pages ? c->sideband_pages : SIDEBAND_PAGES) *
			    (uint64_t)sysconf(_SC_PAGESIZE);

	if (bytes > 1ull << 40 || sideband > 1ull << 40)
		return err_set(err, EINVAL, "%s: a ring of that size cannot be",
			       bytes > 1ull << 40 ? "-m" : "--sideband-pages");
	t->rings = (struct ringset_config){
		.source = c->source ? c->source : &perf_kernel,
		.events = &t->events, .tids = t->target.tids, .ntids = t->target.ntids,
		.inherit = t->target.inherit && t->target.kind != TARGET_SYSTEM,
		.enable_on_exec = t->target.kind == TARGET_COMMAND,
		.overwrite = !c->no_overwrite && !c->record, .recorded = c->record != NULL,
		.exclude_kernel = !p->kernel,
		.sample_bytes = round_up_pages(bytes), .sideband_bytes = round_up_pages(sideband),
	};
	t->rings.by_task = t->rings.inherit && !c->per_thread && t->target.kind != TARGET_COMMAND;
	callgraph_apply(&t->callgraph, &t->rings);
	t->now = &t->rings;
	t->no_overwrite = c->no_overwrite;
	perf_features_probe(t->rings.source, &t->rings.features);
	return 0;
}

/*
 * In full mode drivers give samples nothing, and the kernel, which has made room for it, warns and
 * leaves in the record what was there.
 */
static int check_aux_samples(const struct event_list *list, const struct auxset_config *ac,
			     struct err *err)
{
	if (ac->event.attr.aux_sample_size)
		return err_set(err, EINVAL, "-A %s: aux-sample-size goes with an event of -e, whose "
					    "samples take the bytes", ac->event.name);
	for (unsigned i = 0; i < list->nr && ac->mode == AUX_FULL; i++)
		if (list->events[i].attr.aux_sample_size)
			return err_set(err, EINVAL, "-e %s takes AUX data with its samples: that needs "
						    "--aux-mode snapshot", list->events[i].name);
	return 0;
}

/* The AUX event, where one is asked for; its readers come with the others. */
static int configure_aux(const struct live_config *c, const struct privilege *p, struct tick *t,
			 struct err *err)
{
	uint64_t bytes = c->aux_bytes ? c->aux_bytes : p->perfmon ? AUX_BYTES : AUX_BYTES_USER;
	struct auxset_config ac = {.rings = &t->rings, .mode = c->aux_mode,
				   .measure = c->aux_measure};
	int ret;

	if (!c->aux_event)
		return 0;
	t->rings.switches = true; /* a decoder must know whose code it was */
	if (bytes > 1ull << 40)
		return err_set(err, EINVAL, "--aux-size: an AUX area of that size cannot be");
	ac.size = round_up_pages(bytes);
	ret = auxset_parse(c->aux_event, &ac.event, err);
	if (ret)
		return ret;
	ret = check_aux_samples(&t->events, &ac, err);
	if (ret)
		return ret;
	t->aux = auxset_create(&ac);
	return t->aux ? 0 : err_room(err, errno, "%s", c->aux_event);
}

/* Many threads on many CPUs need many descriptors; ask for what root may have. */
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

/* --- opening: the readers ----------------------------------------------------------------- */

static bool create_unwinding(struct tick *t, unsigned expected, unsigned workers, struct err *err)
{
	const struct unwinding_config uc = {
		.resolver = t->resolver, .table = t->table, .readers = t->capacity,
		.expected = expected, .writer = t->capacity,
		.workers = workers, .events = t->events.nr, .regs = t->rings.user_regs,
		.stack_bytes = t->rings.user_stack,
	};

	t->unwinding = unwinding_create(&uc, err);
	return t->unwinding != NULL;
}

static int create_readers(struct tick *t, const struct live_config *c, struct err *err)
{
	size_t nr = c->per_thread ? t->target.ntids : t->watched.nr;
	unsigned workers = t->rings.user_stack ? unwinding_workers((unsigned)t->online.nr) : 0;
	int ret = 0;

	t->capacity = (unsigned)nr;
	if (t->any_cpu)
		t->capacity += hotplug_room(t);
	t->readers = calloc(t->capacity, sizeof(*t->readers));
	t->table = table_create(t->capacity + workers, TABLE_ROWS, TABLE_ARENA);
	if (!t->readers || !t->table)
		return err_set(err, ENOMEM, "out of memory for the table");
	if (t->aux && auxset_reserve(t->aux, t->capacity))
		return err_set(err, ENOMEM, "out of memory");
	if (workers && !create_unwinding(t, (unsigned)nr, workers, err))
		return -ENOMEM;
	for (size_t i = 0; i < nr && !ret; i++)
		ret = c->per_thread ? tick_add_reader(t, -1, t->target.tids[i], false, err)
				    : tick_add_reader(t, t->watched.cpu[i], 0, false, err);
	return ret;
}

/* The larger of both that was not asked for, to the half.  False: there is none. */
static bool shrink_ring(struct ringset_config *rings, const struct live_config *c)
{
	bool samples = !c->ring_bytes && rings->sample_bytes > RING_LEAST;
	bool sideband = !c->sideband_pages && rings->sideband_bytes > RING_LEAST;

	if (samples && (!sideband || rings->sample_bytes >= rings->sideband_bytes))
		rings->sample_bytes /= 2;
	else if (sideband)
		rings->sideband_bytes /= 2;
	return samples || sideband;
}

/* What opening may do without: a better event, or larger rings.  True: try again. */
static bool step_down(struct tick *t, const struct live_config *c, int code, char *note, size_t size,
		      struct err *err)
{
	struct event *e = &t->events.events[0];
	size_t at = strlen(note);

	if ((code == -ENOENT || code == -EOPNOTSUPP || code == -ENODEV || code == -EINVAL) &&
	    event_step_down(e)) {
		text_append(note, size, at, "%sno hardware counters here: %s instead of cycles",
			    at ? "; " : "", e->name);
		return !event_set_rate(e, c->period, c->frequency, err);
	}
	return code == -EPERM && shrink_ring(&t->rings, c);
}

static bool went_offline(int cpu)
{
	struct cpus now;
	bool is;

	if (cpu < 0 || cpus_online(&now, NULL))
		return false;
	is = cpus_has(&now, cpu);
	cpus_clear(&now);
	return !is;
}

static int open_readers(struct tick *t, struct err *err)
{
	size_t gone = 0;
	int ret = 0;

	for (unsigned i = 0; i < t->nreaders; i++) {
		ret = reader_open(t->readers[i].reader, err);
		/* A thread that ended meanwhile is no failure while others are left. */
		if (ret == -ESRCH && t->readers[i].cpu < 0)
			gone++;
		/* One whose CPU has gone since the list was made opens when that is back. */
		else if (ret && (ret != -ENODEV || !went_offline(t->readers[i].cpu)))
			return ret;
		else
			ret = 0;
	}
	if (gone == t->nreaders)
		return ret;
	if (t->now->by_task) {
		ret = attach_start(t, err);
		t->rings.tids = t->target.tids;
		t->rings.ntids = t->target.ntids;
		if (ret)
			return ret;
	}
	return t->aux ? auxset_ready(t->aux, err) : 0;
}

static int open_with_steps(struct tick *t, const struct live_config *c, char *note, size_t size,
			   struct err *err)
{
	uint64_t wanted = t->rings.sample_bytes + t->rings.sideband_bytes;
	char samples[UNITS_LEN], maps[UNITS_LEN];
	int ret;

	for (;;) {
		ret = create_readers(t, c, err);
		if (!ret)
			ret = open_readers(t, err);
		if (!ret && err)
			err->code = 0; /* of what was stepped down from */
		if (!ret || !step_down(t, c, ret, note, size, err))
			break;
		tick_free_readers(t);
	}
	if (!ret && t->rings.sample_bytes + t->rings.sideband_bytes < wanted)
		text_append(note, size, strlen(note), "; rings of %s, and %s for maps: more is above "
			    "the mlock limit", units_bytes(samples, (double)t->rings.sample_bytes),
			    units_bytes(maps, (double)t->rings.sideband_bytes));
	return ret;
}

static void enable(struct tick_reader *tr)
{
	ringset_enable(reader_set(tr->reader), true);
	if (tr->aux)
		auxreader_enable(tr->aux, true);
}

static int start_readers(struct tick *t, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < t->nreaders && !ret; i++)
		ret = reader_start(t->readers[i].reader, err);
	for (unsigned i = 0; i < t->nreaders && !ret && t->target.kind != TARGET_COMMAND; i++)
		enable(&t->readers[i]);
	if (!ret && t->now->by_task)
		attach_let_now(t);
	return ret;
}

/* --- opening: all of it ------------------------------------------------------------------- */

static void describe(struct live *l, const struct live_config *c, const char *note)
{
	struct session_info *info = &l->base.info;
	struct tick *t = l->tick;

	gethostname(info->host, sizeof(info->host) - 1);
	if (c->cpus && t->target.kind != TARGET_SYSTEM)
		snprintf(info->target, sizeof(info->target), "%.200s on cpus %.40s", t->target.text,
			 c->cpus);
	else if (c->cpus)
		snprintf(info->target, sizeof(info->target), "cpus %.200s", c->cpus);
	else
		snprintf(info->target, sizeof(info->target), "%s", t->target.text);
	snprintf(info->call_graph, sizeof(info->call_graph), "%s", t->callgraph.text);
	snprintf(info->note, sizeof(info->note), "%s", *note == ';' ? note + 2 : note);
	info->start_wall = clock_read(CLOCK_REALTIME);
	info->cpus = t->watched.nr;
	info->live = true;
	info->debuginfod = c->debuginfod;
	info->self = getpid();
	pmu_names(info->pmus, sizeof(info->pmus));
	if (t->aux)
		snprintf(info->aux_event, sizeof(info->aux_event), "%s", auxset_name(t->aux));
	info->nevents = t->events.nr;
	info->events = l->events;
	for (unsigned i = 0; i < t->events.nr; i++) {
		const struct event *e = &t->events.events[i];
		uint64_t period = event_fixed_period(e);

		snprintf(l->events[i].name, sizeof(l->events[i].name), "%s", e->name);
		l->events[i].unit = e->unit;
		l->events[i].period = period;
		/* A clock's period came of a frequency, unless it was given. */
		l->events[i].frequency = e->attr.freq ? (uint32_t)e->attr.sample_freq
					 : e->clock && !c->period ? (uint32_t)(1000000000 / period) : 0;
	}
}

static int resolver_open(struct tick *t, const struct live_config *c, const struct privilege *p,
			 struct err *err)
{
	struct resolver_config rc = {.self = getpid(), .scan = true, .kernel = p->kernel,
				     .lines = !c->no_lines, .debuginfod = c->debuginfod,
				     .files = {.symfs = c->symfs}, .kallsyms = c->kallsyms,
				     .workers = WORKERS, .worker_begin = sched_soon,
				     .clock = perfclock_relate, .split = &t->split};

	t->sideband = sideband_create();
	if (!t->sideband)
		return err_set(err, ENOMEM, "out of memory");
	t->resolver = resolver_create(&rc, err);
	return t->resolver ? 0 : -err->code;
}

/* Where the rate is not what was asked for, or what it gives is not exact. */
static void note_rate(const struct event *e, char *note, size_t size)
{
	uint64_t period = event_fixed_period(e);

	if (event_is_soft(e) && !period)
		text_append(note, size, strlen(note), "; by frequency the counts of %s are the kernel's "
			    "estimate (-c 1 is exact)", e->name);
	if (e->slowed)
		text_append(note, size, strlen(note), "; %s at %llu Hz: %s", e->name,
			    (unsigned long long)(1000000000 / period),
			    period == EVENT_CLOCK_PERIOD_LEAST
				? "its timer goes no faster"
				: "the kernel does not slow down a clock that takes too much time, so max "
				  "stops there (-F HZ gives more)");
}

static int prepare(struct live *l, const struct live_config *c, char *note, size_t size,
		   struct err *err)
{
	struct tick *t = l->tick;
	struct privilege p;
	int ret;

	privilege_get(&p);
	ret = callgraph_parse(&t->callgraph, c->call_graph, err);
	if (!ret && c->record)
		ret = recording_ask(&t->recording, c->record, err) ? err_option(err, "-w") : 0;
	if (!ret && !(t->snapshots = snapshots_create(c->snapshot_dir, err)))
		ret = -err->code;
	if (!ret)
		ret = parse_events(c, &t->events, err);
	if (!ret)
		ret = callgraph_check(&t->callgraph, &t->events, err);
	if (!ret)
		ret = target_resolve(c, &p, &t->target, err);
	if (!ret)
		ret = choose_cpus(c, t, err);
	if (!ret && c->command)
		ret = command_fork(&t->command, c->command, c->command_output, err);
	raise_nofile(); /* after the fork: COMMAND keeps the limits it was given */
	if (!ret && t->target.kind == TARGET_COMMAND && target_add(&t->target, t->command.pid))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret)
		ret = configure_rings(c, &p, t, err);
	if (!ret)
		ret = configure_aux(c, &p, t, err);
	/* Before the first sample: the names of the kernel are read while the rings are opened. */
	if (!ret)
		ret = resolver_open(t, c, &p, err);
	if (!ret)
		ret = open_with_steps(t, c, note, size, err);
	if (!ret && !p.kernel)
		text_append(note, size, strlen(note), "; user code only: kernel.perf_event_paranoid is %d",
			    p.paranoid);
	if (!ret && t->target.kind == TARGET_USER && !c->user)
		text_append(note, size, strlen(note), "; own processes only: the whole machine needs "
						      "root or CAP_PERFMON");
	for (unsigned i = 0; !ret && i < t->events.nr; i++)
		note_rate(&t->events.events[i], note, size);
	return ret;
}

static bool measures_clock(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].clock)
			return true;
	return false;
}

static int start(struct live *l, const struct live_config *c, struct err *err)
{
	struct tick *t = l->tick;
	int ret;

	t->zero = clock_ns();
	if (measures_clock(&t->events))
		t->cputimes = cputimes_open();
	accounting_look(t, false);
	ret = c->record && recording_first(t, err) ? err_option(err, "-w") : 0;
	if (!ret)
		ret = start_readers(t, err);
	if (!ret && c->command)
		ret = command_go(&t->command, c->command[0], err);
	return ret ? ret : tick_start(t, err);
}

static struct live *live_create(struct err *err)
{
	struct live *l = calloc(1, sizeof(*l));
	struct tick *t = calloc(1, sizeof(*t));
	int outbox, askbox;

	if (!l || !t) {
		free(l);
		free(t);
		err_room(err, ENOMEM, "the session");
		return NULL;
	}
	l->base.ops = &live_ops;
	l->tick = t;
	outbox = outbox_init(&t->outbox);
	askbox = askbox_init(&t->askbox);
	t->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	t->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	command_init(&t->command);
	if (!outbox && !askbox && t->wake_fd >= 0 && t->done_fd >= 0)
		return l;
	err_room(err, errno, "the session");
	live_close(&l->base);
	return NULL;
}

struct session *live_open(const struct live_config *c, struct err *err)
{
	struct live *l = live_create(err);
	char note[512] = "";
	int ret;

	if (!l)
		return NULL;
	ret = prepare(l, c, note, sizeof(note), err);
	if (!ret && !(l->events = calloc(l->tick->events.nr, sizeof(*l->events))))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret) {
		describe(l, c, note);
		l->tick->first_log = *note ? strdup(l->base.info.note) : NULL;
		ret = start(l, c, err);
	}
	if (!ret)
		return &l->base;
	recording_discard(&l->tick->recording);
	live_close(&l->base);
	return NULL;
}
