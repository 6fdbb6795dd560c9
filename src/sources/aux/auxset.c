/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/aux/auxset.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/vec.h"
#include "kernel/capture/cpus.h"
#include "kernel/event/parse.h"
#include "kernel/event/pmu.h"

#define SETS 2

/* State from a reader's last report, for the time that it is late. */
struct told {
	uint64_t seen; /* clock_ns() of its newest record, 0: none */
	uint8_t state, head;
};

struct auxset {
	struct auxset_config config;
	struct auxreader **readers;
	size_t nr, cap;
	struct told *told; /* last reported state, by reader */
	size_t cap_told;
	const struct aux_sink *sink; /* shared */
	struct cpus only; /* CPUs that the PMU measures on */
	bool some;        /* `only` is valid */
	struct aux_copies *sets[SETS];
	unsigned last;    /* index of the set with the newest copies */
	int done_fd;
	void (*call)(void *arg);
	void *call_arg;
	struct auxset_info info;
};

int auxset_parse(const char *text, struct event *e, struct err *err)
{
	struct event_list list = {0};
	int ret = event_parse(text, &list, err);

	if (!ret && list.nr != 1)
		ret = err_set(err, EINVAL, "-A %s: one AUX event, not %u", text, list.nr);
	if (!ret && !*list.events[0].pmu) {
		err_set(err, EINVAL, "-A %s: an AUX event must belong to a PMU", text);
		err_advise(err, "such as intel_pt//u or arm_spe/ts_enable=1/");
		ret = -EINVAL;
	}
	if (!ret) {
		*e = list.events[0];
		list.events[0].text = NULL; /* owned by e now */
		ret = pmu_trace_defaults(e, err);
	}
	event_list_clear(&list);
	return ret ? err_option(err, "-A") : 0;
}

/* Find the PMU's CPUs: a PMU that has a list of CPUs measures on no others. */
static void find_cpus(struct auxset *s)
{
	char mask[1024];
	struct err err;

	pmu_cpumask(s->config.event.pmu, mask, sizeof(mask));
	s->some = *mask && !cpus_parse(mask, &s->only, &err);
}

struct auxset *auxset_create(const struct auxset_config *c)
{
	struct auxset *s = calloc(1, sizeof(*s));

	if (!s) {
		struct event event = c->event;

		event_clear(&event);
		return NULL;
	}
	s->config = *c;
	s->info = (struct auxset_info){.event = &s->config.event, .pmu = s->config.event.pmu,
				       .size = c->size, .mode = c->mode,
				       .tasks = c->rings->ntids && c->rings->tids[0] >= 0};
	s->done_fd = eventfd(0, EFD_CLOEXEC);
	find_cpus(s);
	if (s->done_fd >= 0)
		return s;
	auxset_free(s);
	return NULL;
}

int auxset_reserve(struct auxset *s, unsigned most)
{
	return vec_reserve(&s->readers, &s->cap, most, sizeof(struct auxreader *)) ? 0 : -ENOMEM;
}

void auxset_drop(struct auxset *s)
{
	auxreader_free(s->readers[--s->nr]);
}

int auxset_add(struct auxset *s, int cpu, pid_t tid, struct auxreader **r)
{
	struct auxreader_config c = {.event = &s->config.event, .rings = s->config.rings,
				     .mode = s->config.mode, .size = s->config.size,
				     .measure = s->config.measure, .sink = &s->sink};

	*r = NULL;
	if (s->some && cpu >= 0 && !cpus_has(&s->only, cpu))
		return 0;
	if (!vec_reserve(&s->readers, &s->cap, s->nr + 1, sizeof(struct auxreader *)) ||
	    !vec_reserve(&s->told, &s->cap_told, s->nr + 1, sizeof(*s->told)))
		return -ENOMEM;
	s->told[s->nr] = (struct told){.seen = 0};
	*r = auxreader_create(&c, cpu, tid);
	if (!*r)
		return -ENOMEM;
	s->readers[s->nr++] = *r;
	return 0;
}

/* --- the buffers -------------------------------------------------------------------------- */

static void copies_free(struct aux_copies *c)
{
	if (!c)
		return;
	for (unsigned i = 0; i < c->nr; i++)
		if (c->copy[i].data)
			munmap(c->copy[i].data, c->copy[i].room);
	free(c->copy);
	free(c);
}

/* Allocate with all pages in place: no page fault while the events are stopped. */
static char *buffer_create(uint64_t size)
{
	char *data = mmap(NULL, size, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return data == MAP_FAILED ? NULL : data;
}

/* Allocate buffers for the CPUs that have none yet. False: out of memory. */
static bool copies_fit(const struct auxset *s, struct aux_copies *c)
{
	for (; c->nr < s->nr; c->nr++) {
		struct aux_copy *one = &c->copy[c->nr];
		int cpu = auxreader_cpu(s->readers[c->nr]);

		*one = (struct aux_copy){.cpu = cpu, .data = buffer_create(s->config.size),
					 .tid = cpu < 0 ? auxreader_tid(s->readers[c->nr]) : -1};
		if (!one->data)
			return false;
		one->room = s->config.size;
	}
	return true;
}

static struct aux_copies *copies_create(const struct auxset *s)
{
	struct aux_copies *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->copy = calloc(s->cap + 1, sizeof(*c->copy));
	if (c->copy && copies_fit(s, c))
		return c;
	copies_free(c);
	return NULL;
}

/* Read the conversion of the time stamp counter to perf's clock: the same for all maps. */
static void read_perf_clock(struct auxset *s)
{
	const struct perf_event_mmap_page *page = auxreader_event(s->readers[0])->ring.page;

	if (!page || !page->cap_user_time_zero)
		return;
	s->info.time_shift = page->time_shift;
	s->info.time_mult = page->time_mult;
	s->info.time_zero = page->time_zero;
}

int auxset_ready(struct auxset *s, struct err *err)
{
	char bytes[UNITS_LEN];

	if (!s->nr)
		return err_set(err, ENODEV, "%s measures on none of the CPUs chosen",
			       s->config.event.name);
	read_perf_clock(s);
	if (s->config.mode != AUX_SNAPSHOT)
		return 0;
	s->sets[0] = copies_create(s);
	if (s->sets[0])
		return 0;
	return err_set(err, ENOMEM, "out of memory for copies of %zu AUX areas of %s", s->nr,
		       units_bytes(bytes, (double)s->config.size));
}

void auxset_clear(struct auxset *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++)
		auxreader_free(s->readers[i]);
	s->nr = 0;
	for (int i = 0; i < SETS; i++) {
		copies_free(s->sets[i]);
		s->sets[i] = NULL;
	}
}

void auxset_free(struct auxset *s)
{
	if (!s)
		return;
	auxset_clear(s);
	event_clear(&s->config.event);
	free(s->readers);
	free(s->told);
	cpus_clear(&s->only);
	if (s->done_fd >= 0)
		close(s->done_fd);
	free(s);
}

/* --- running ------------------------------------------------------------------------------ */

void auxset_caller(struct auxset *s, void (*call)(void *arg), void *arg)
{
	s->call = call;
	s->call_arg = arg;
}

void auxset_sink(struct auxset *s, const struct aux_sink *sink)
{
	/* Pairs with the acquire in sink_of. */
	atomic_store_release(&s->sink, sink);
}

void auxset_info(const struct auxset *s, struct auxset_info *info)
{
	*info = s->info;
}

void auxset_who(const struct auxset *s, unsigned i, int *cpu, pid_t *tid)
{
	*cpu = auxreader_cpu(s->readers[i]);
	*tid = *cpu < 0 ? auxreader_tid(s->readers[i]) : -1;
}

void auxset_attr(const struct auxset *s, struct perf_event_attr *attr)
{
	auxevent_attr(&s->config.event, s->config.rings, s->config.size,
		      s->config.mode == AUX_SNAPSHOT, attr);
	attr->size = sizeof(*attr);
}

uint64_t *auxset_ids(const struct auxset *s, size_t *nr)
{
	uint64_t *ids = malloc(sizeof(*ids));
	size_t cap = ids ? 1 : 0;

	*nr = 0;
	for (size_t i = 0; i < s->nr && ids; i++)
		if (!auxreader_ids(s->readers[i], &ids, nr, &cap)) {
			free(ids);
			ids = NULL;
		}
	return ids;
}

const char *auxset_name(const struct auxset *s)
{
	return s->config.event.name;
}

unsigned auxset_nr(const struct auxset *s)
{
	return (unsigned)s->nr;
}

struct auxreader *auxset_reader(const struct auxset *s, unsigned i)
{
	return s->readers[i];
}

/*
 * Fill an empty row for a late reader: its figures come with a later slice, but its row keeps its
 * place.
 */
static void report_late_reader(const struct auxset *s, unsigned i, struct slice_aux *a,
			       struct slice_gauge *g)
{
	const struct auxreader *r = s->readers[i];
	const struct told *told = &s->told[i];

	*a = (struct slice_aux){.cpu = (int16_t)auxreader_cpu(r), .tid = auxreader_tid(r),
				.mode = (uint8_t)s->config.mode, .size = s->config.size,
				.state = told->state, .head = told->head,
				.measured = GAUGE_UNKNOWN,
				.age_ns = told->seen ? clock_ns() - told->seen : GAUGE_UNKNOWN};
	*g = (struct slice_gauge){.cpu = a->cpu,
				  .tid = a->tid,
				  .kind = RING_AUX,
				  .size = a->size,
				  .mode = s->config.mode == AUX_FULL ? RING_FORWARD
								     : RING_OVERWRITE,
				  .state = told->state,
				  .late_ns = GAUGE_UNKNOWN};
	slice_aux_unread(a);
	slice_gauge_unread(g);
}

static void note_report(struct told *told, const struct slice_aux *a)
{
	*told = (struct told){.state = a->state, .head = a->head,
			      .seen = a->age_ns == GAUGE_UNKNOWN ? 0 : clock_ns() - a->age_ns};
}

void auxset_report(struct auxset *s, unsigned i, bool late, struct slice *slice)
{
	struct slice_aux *a = slice_add_aux(slice);
	struct slice_gauge *g = slice_add_gauge(slice), spare;

	if (!a)
		return;
	g = g ? g : &spare;
	if (late)
		report_late_reader(s, i, a, g);
	else
		auxreader_take(s->readers[i], a, g);
	if (!late)
		note_report(&s->told[i], a);
}

/* --- snapshots ---------------------------------------------------------------------------- */

/*
 * Return a set that is not being written and does not hold the newest copies. NULL with err: none.
 */
static struct aux_copies *find_free_set(struct auxset *s, unsigned *which, struct err *err)
{
	*which = s->sets[s->last] && s->sets[s->last]->asked ? (s->last + 1) % SETS : s->last;
	if (!s->sets[*which])
		s->sets[*which] = copies_create(s);
	if (!s->sets[*which])
		err_set(err, ENOMEM, "out of memory for a second set of copies");
	else if (atomic_load_acquire(&s->sets[*which]->busy))
		err_set(err, EBUSY, "the snapshot before the last one is still being written");
	else if (!copies_fit(s, s->sets[*which]))
		err_set(err, ENOMEM, "out of memory for the copy of a CPU that is new");
	else
		return s->sets[*which];
	return NULL;
}

/* Stop all events, and return the number of those that are open. */
static unsigned stop_all(struct auxset *s, struct aux_copies *c)
{
	unsigned stopped = 0;

	for (size_t i = 0; i < s->nr; i++) {
		c->copy[i].len = c->copy[i].shared = 0;
		c->copy[i].flags = auxreader_stop(s->readers[i]) ? 0 : AUX_COPY_NONE;
		stopped += !c->copy[i].flags;
	}
	return stopped;
}

/* Offer all copies to their readers, and take the copies that no reader has taken. */
static void copy_all(struct auxset *s, struct aux_copies *c, unsigned stopped)
{
	static const struct aux_copy nothing;
	const struct aux_copies *before = s->sets[s->last];
	unsigned left = stopped; /* shared */
	_Atomic uint64_t started = 0;
	eventfd_t n;

	for (size_t i = 0; i < s->nr; i++) {
		struct aux_work w = {.copy = &c->copy[i], .left = &left, .started = &started,
				     .before = before == c || i >= before->nr ? &nothing
									      : &before->copy[i],
				     .done_fd = s->done_fd};

		if (!(c->copy[i].flags & AUX_COPY_NONE))
			auxreader_offer(s->readers[i], &w);
	}
	if (s->call)
		s->call(s->call_arg);
	for (size_t i = 0; i < s->nr; i++)
		auxreader_help(s->readers[i]);
	/* After this no other thread uses `left`. */
	while (eventfd_read(s->done_fd, &n) && errno == EINTR)
		;
	c->started = atomic_load(&started);
}

int auxset_snapshot(struct auxset *s, struct aux_copies **copies, struct err *err)
{
	uint64_t asked = clock_ns();
	struct aux_copies *c;
	unsigned which, stopped;
	struct err own;

	err = err ? err : &own;
	if (s->config.mode != AUX_SNAPSHOT)
		return err_set(err, EOPNOTSUPP,
			       "AUX data is drained continuously: snapshots need --aux-mode "
			       "snapshot");
	c = find_free_set(s, &which, err);
	if (!c)
		return -err->code;
	stopped = stop_all(s, c);
	if (!stopped)
		return err_set(err, ENODATA, "%s runs on no CPU", s->config.event.name);
	c->asked = asked;
	c->stopped = clock_ns();
	copy_all(s, c, stopped);
	c->bytes = c->shared = 0;
	for (unsigned i = 0; i < c->nr; i++) {
		c->bytes += c->copy[i].len;
		c->shared += c->copy[i].shared;
	}
	atomic_store_relaxed(&c->busy, true);
	s->last = which;
	*copies = c;
	/* Allocate the next snapshot's buffers now, while no thread waits for them. */
	which = (which + 1) % SETS;
	if (!s->sets[which])
		s->sets[which] = copies_create(s);
	return 0;
}

void aux_copies_done(struct aux_copies *c)
{
	/* Pairs with the acquire in find_free_set. */
	atomic_store_release(&c->busy, false);
}
