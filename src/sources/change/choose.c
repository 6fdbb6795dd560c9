/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/choose.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sources/aux/auxset.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/eventfilter.h"
#include "kernel/event/parse.h"
#include "sources/consumers/offcpu.h"
#include "sources/consumers/ftracing.h"
#include "core/table/combine.h"

#define SAMPLE_BYTES   (2u << 20) /* a quarter of it is 4 ms of 4 million events a second */
#define SAMPLE_BYTES_RAW (4u << 20) /* with tracepoints' records, which are twice as long */
#define SIDEBAND_PAGES 128
#define AUX_BYTES      (4u << 20)
#define AUX_BYTES_USER (128u << 10) /* fits into perf_event_mlock_kb beside the rings */
#define CHILDREN_EVENTS (1u << 17) /* of all threads: 2 s, 200 MB in the kernel */

/* Add the filters of one text's events, which are those from `first` on. */
static int add_filters(const struct measure_config *c, char of, unsigned nr,
		       struct event_list *list, unsigned first, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < c->nfilters && !ret; i++)
		if (c->filters[i].letter == of && c->filters[i].nr == nr)
			ret = eventfilter_add(list, first, c->filters[i].text, err);
	return ret;
}

static int parse_text(const struct measure_config *c, unsigned i, struct event_list *list,
		      struct err *err)
{
	unsigned first = list->nr;

	if (event_parse(c->events[i], list, err))
		return err_option(err, "-e");
	return add_filters(c, 'e', i, list, first, err);
}

static int set_initial_rate(const struct measure_config *c, struct event *e, struct err *err)
{
	if (e->role == EVENT_FTRACE || !event_set_rate(e, c->period, c->frequency, err))
		return 0;
	return err_option(err, "-F");
}

int choose_events(const struct measure_config *c, struct event_list *list,
		  struct between_plan *between, char *why, size_t size, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < c->nevents && !ret; i++)
		ret = parse_text(c, i, list, err);
	for (unsigned i = 0; i < c->nftraces && !ret; i++) {
		unsigned first = list->nr;

		ret = ftracing_parse(c->ftraces[i], list, err);
		if (!ret)
			ret = add_filters(c, 'f', i, list, first, err);
	}
	if (!ret && !c->nevents && !c->nftraces && event_default(list))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret && c->off_cpu)
		ret = offcpu_add_events(list, why, size, err) ? err_option(err, "--off-cpu") : 0;
	if (!ret && c->between)
		ret = between_plan_parse(between, c->between, between_plan_event, list, err);
	if (!ret && list->nr > COMBINE_EVENTS) {
		err_set(err, E2BIG, "-e: %u events, more than the %d that can be sampled at once",
			list->nr, COMBINE_EVENTS);
		ret = err_advise(err, "-S counts any number of them");
	}
	event_list_lead(list);
	for (unsigned i = 0; i < list->nr && !ret; i++)
		ret = set_initial_rate(c, &list->events[i], err);
	for (unsigned i = 0; i < list->nr && c->aux_sample_bytes; i++)
		if (!list->events[i].attr.aux_sample_size)
			list->events[i].attr.aux_sample_size = (uint32_t)c->aux_sample_bytes;
	return ret;
}

static bool has_hardware(struct perf_source *s)
{
	struct event_list list = {.nr = 0};
	int fd = event_default(&list);

	if (!fd) {
		list.events[0].attr.exclude_kernel = list.events[0].attr.disabled = 1;
		fd = perf_open_event(s, &list.events[0], &list.events[0].attr, 0, -1, -1, 0);
	}
	if (fd >= 0)
		s->ops->close(s, fd);
	event_list_clear(&list);
	return fd >= 0;
}

/*
 * Parse perf stat's default events where there is hardware to count; else other events that show a
 * program's work.
 */
static int parse_default(const struct scope *sc, struct event_list *list, bool tasks,
			 struct err *err)
{
	const char *const texts[] = {
		tasks ? "task-clock" : "cpu-clock", "context-switches,cpu-migrations,page-faults",
		has_hardware(sc->rings.source) ? "cycles,instructions,branches,branch-misses"
					       : "minor-faults,major-faults",
	};
	int ret = 0;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && !ret; i++)
		ret = event_parse(texts[i], list, err);
	return ret;
}

/* Return the term of e that only an event that is sampled can have; NULL: there is none. */
static const char *sampling_term(const struct event *e)
{
	if (e->rated && e->attr.freq)
		return "freq=";
	if (e->max_stack)
		return "max-stack=";
	if (e->stack_bytes)
		return "stack-size=";
	if (e->paths != EVENT_PATHS_SESSION)
		return "call-graph=";
	if (e->weight)
		return "weight=";
	return e->overwrite != EVENT_UNSAID ? "overwrite" : NULL;
}

/* Refuse terms that have no effect on counting, as perf stat does. */
static int check_counted(const struct event_list *list, unsigned first, struct err *err)
{
	for (unsigned i = first; i < list->nr; i++) {
		const char *term = sampling_term(&list->events[i]);

		if (!term)
			continue;
		err_set(err, EINVAL, "'%s': the term %s applies to samples, and -S takes no "
				     "samples", list->events[i].name, term);
		return err_advise(err, "-e samples it");
	}
	return 0;
}

int choose_counted(const struct measure_config *c, struct scope *sc, struct err *err)
{
	bool tasks = c->pids || c->tids || c->user || c->command;
	int ret = 0;

	for (unsigned i = 0; i < c->ncounted && !ret; i++) {
		unsigned first = sc->counted.nr;

		ret = strcmp(c->counted[i], COUNTED_DEFAULT)
			      ? event_parse(c->counted[i], &sc->counted, err)
			      : parse_default(sc, &sc->counted, tasks, err);
		if (!ret)
			ret = check_counted(&sc->counted, first, err);
		if (!ret)
			ret = add_filters(c, 'S', i, &sc->counted, first, err);
	}
	return ret ? err_option(err, "-S") : 0;
}

static uint64_t round_up_pages(uint64_t bytes)
{
	uint64_t n = (uint64_t)sysconf(_SC_PAGESIZE);

	while (n < bytes)
		n *= 2;
	return n;
}

int choose_cpus(const struct measure_config *c, struct scope *sc, struct err *err)
{
	const char *online = sc->rings.source->online;
	int ret = cpus_read(online, &sc->online, err);

	if (ret)
		return ret;
	sc->any_cpu = !c->cpus && !c->per_thread;
	sc->counts_by_cpu = c->cpus != NULL;
	sc->realtime = c->realtime;
	if (!c->cpus)
		return cpus_read(online, &sc->watched, err);
	ret = cpus_parse(c->cpus, &sc->watched, err);
	for (unsigned i = 0; i < sc->watched.nr && !ret; i++)
		if (!cpus_has(&sc->online, sc->watched.cpu[i]))
			ret = err_set(err, EINVAL, "cpu %d is not online", sc->watched.cpu[i]);
	return ret ? err_option(err, "-C") : 0;
}

/* Return how many events only new threads inherit; *first is one of them, NULL: none is. */
static unsigned count_thread_events(const struct scope *sc, const struct event **first)
{
	const struct event_list *lists[] = {&sc->events, &sc->counted};
	unsigned nr = 0;

	*first = NULL;
	for (size_t l = 0; l < sizeof(lists) / sizeof(*lists); l++)
		for (unsigned i = 0; i < lists[l]->nr; i++)
			if (lists[l]->events[i].inherit_thread) {
				*first = *first ? *first : &lists[l]->events[i];
				nr++;
			}
	return nr;
}

/* Find out whether all events have inherit-thread.  -EINVAL: the kernel has no such thing. */
static int check_threads(struct scope *sc, struct err *err)
{
	const struct event *e;
	unsigned threads = count_thread_events(sc, &e);

	sc->threads_only = sc->events.nr + sc->counted.nr == threads;
	if (!threads || sc->rings.features.inherit_thread)
		return 0;
	err_set(err, EINVAL, "event '%s': inherit-thread needs Linux 5.13", e->name);
	return err_advise(err, "no-inherit leaves out new threads, too");
}

/*
 * Return how many threads may be measured.  Half of the descriptors are left for all else, and for
 * later events.
 */
static size_t children_room(const struct measure_config *c, const struct scope *sc)
{
	size_t each = 1 + (c->aux_event != NULL), most = CHILDREN_EVENTS; /* one for the sideband */
	struct rlimit files;

	for (unsigned i = 0; i < sc->events.nr; i++)
		each += event_is_opened(&sc->events.events[i]);
	each = each * sc->watched.nr +
	       (size_t)sc->counted.nr * (sc->counts_by_cpu ? sc->watched.nr : 1);
	if (!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_cur / 2 < most)
		most = files.rlim_cur / 2;
	return most / each;
}

void choose_children(const struct measure_config *c, struct scope *sc)
{
	const struct event *e;

	/* The children that run already are followed as those that come later are. */
	if (sc->target.inherit && count_thread_events(sc, &e) < sc->events.nr + sc->counted.nr)
		target_follow(&sc->target, children_room(c, sc));
}

/* One ring takes the samples of all events of a CPU, and forward and backward do not mix. */
int choose_overwrite(const struct measure_config *c, struct scope *sc, struct err *err)
{
	const struct event *said = NULL;

	sc->no_overwrite = c->no_overwrite;
	for (unsigned i = 0; i < sc->events.nr; i++) {
		const struct event *e = &sc->events.events[i];

		if (e->overwrite == EVENT_UNSAID)
			continue;
		if (said && said->overwrite != e->overwrite)
			return err_set(
				err, EINVAL,
				"-e: %s needs an overwritable ring and %s a forward one, but all "
				"events of a CPU share one ring",
				(e->overwrite == EVENT_YES ? e : said)->name,
				(e->overwrite == EVENT_YES ? said : e)->name);
		said = e;
		sc->no_overwrite = e->overwrite == EVENT_NO;
	}
	return 0;
}

static int check_readings(const struct ringset_config *rings, struct err *err)
{
	for (unsigned i = 0; i < rings->events->nr; i++)
		if (ringset_check_reading(rings, &rings->events->events[i], err))
			return err_option(err, "-e");
	return 0;
}

/*
 * Find out whether events of tasks can have one of whole CPUs beside them, by trying it:
 * capabilities, a container and security modules decide it together.
 */
static bool may_measure_cpus(const struct scope *sc)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE,
				    .config = PERF_COUNT_SW_DUMMY,
				    .size = sizeof(a),
				    .disabled = 1};
	struct perf_source *s = sc->rings.source;
	int fd = sc->online.nr ? s->ops->open(s, &a, -1, sc->online.cpu[0], -1, 0) : -ENODEV;

	if (fd >= 0)
		s->ops->close(s, fd);
	return fd >= 0;
}

int choose_rings(const struct measure_config *c, const struct privilege *p, struct scope *sc,
		 struct err *err)
{
	bool raw = sc->events.fields || sc->between.nfields || sc->logged;
	uint64_t bytes = c->ring_bytes
				 ? c->ring_bytes
				 : callgraph_ring_bytes(&sc->callgraph, &sc->events,
							raw ? SAMPLE_BYTES_RAW : SAMPLE_BYTES);
	uint64_t sideband = (c->sideband_pages ? c->sideband_pages : SIDEBAND_PAGES) *
			    (uint64_t)sysconf(_SC_PAGESIZE);

	if (bytes > 1ull << 40 || sideband > 1ull << 40)
		return err_set(err, EINVAL, "%s: a ring cannot have that size",
			       bytes > 1ull << 40 ? "-m" : "--sideband-pages");
	sc->rings = (struct ringset_config){
		.source = sc->rings.source,
		.events = &sc->events, .tids = sc->target.tids, .ntids = sc->target.ntids,
		.inherit = sc->target.inherit && sc->target.kind != TARGET_SYSTEM,
		.enable_on_exec = sc->target.kind == TARGET_COMMAND && !c->start_ns,
		.overwrite = !sc->no_overwrite && !c->record, .recorded = c->record != NULL,
		.by_cgroup = sc->target.by_cgroup, .cgroup = sc->target.cgroup,
		.exclude_kernel = !p->kernel,
		.sample_bytes = round_up_pages(bytes), .sideband_bytes = round_up_pages(sideband),
	};
	sc->rings.found = sc->target.kind == TARGET_USER;
	sc->rings.by_task =
		sc->rings.inherit && !c->per_thread && sc->target.kind != TARGET_COMMAND;
	sc->rings.all_wakings = (sc->target.kind != TARGET_SYSTEM || sc->target.by_cgroup) &&
				!c->per_thread && may_measure_cpus(sc);
	callgraph_apply(&sc->callgraph, &sc->rings);
	sc->now = &sc->rings;
	perf_features_probe(sc->rings.source, &sc->rings.features);
	return check_threads(sc, err) ? -EINVAL : check_readings(&sc->rings, err);
}

/*
 * Refuse AUX samples in full mode: drivers give samples nothing then, and the kernel, which has
 * made room for it, warns and leaves old memory in the record.
 */
static int check_aux_samples(const struct event_list *list, const struct auxset_config *ac,
			     struct err *err)
{
	if (ac->event.attr.aux_sample_size)
		return err_set(err, EINVAL,
			       "-A %s: aux-sample-size goes with an event of -e, whose "
			       "samples take the bytes", ac->event.name);
	for (unsigned i = 0; i < list->nr && ac->mode == AUX_FULL; i++)
		if (list->events[i].attr.aux_sample_size)
			return err_set(err, EINVAL,
				       "-e %s takes AUX data with its samples: that needs "
				       "--aux-mode snapshot", list->events[i].name);
	return 0;
}

/* Create the set of the AUX event; its readers come with the others. */
int choose_aux(const struct measure_config *c, const struct privilege *p, struct scope *sc,
	       struct auxset **aux, struct err *err)
{
	uint64_t bytes = c->aux_bytes ? c->aux_bytes : p->perfmon ? AUX_BYTES : AUX_BYTES_USER;
	struct auxset_config ac = {.rings = &sc->rings,
				   .mode = c->aux_full ? AUX_FULL : AUX_SNAPSHOT,
				   .measure = c->aux_measure};
	struct event_list one = {.events = &ac.event, .nr = 1};
	int ret;

	if (!c->aux_event)
		return 0;
	sc->rings.switches = true; /* a decoder must know which thread's code it was */
	if (bytes > 1ull << 40)
		return err_set(err, EINVAL, "--aux-size: an AUX area cannot have that size");
	ac.size = round_up_pages(bytes);
	ret = auxset_parse(c->aux_event, &ac.event, err);
	if (!ret)
		ret = add_filters(c, 'A', 0, &one, 0, err);
	if (!ret)
		ret = perf_check_filters(sc->rings.source, &one, !p->kernel, err);
	if (!ret)
		ret = check_aux_samples(&sc->events, &ac, err);
	if (ret) {
		event_clear(&ac.event);
		return ret;
	}
	*aux = auxset_create(&ac); /* the event is the set's from here on */
	return *aux ? 0 : err_room(err, errno, "%s", c->aux_event);
}
