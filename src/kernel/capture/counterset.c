/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/counterset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * A group's read is at most 16 KiB (perf_event_validate_size): three numbers, and one for each
 * event.
 */
#define TOGETHER_MOST 1024u
#define GROUP_HEAD    3u /* number, enabled, running */
#define TIMES	      (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct counting_event {
	int fd;              /* -1: not open */
	int code;
	unsigned leader;     /* index of its group's leader; its own if it leads or is alone */
	unsigned members;    /* of a leader: open events of its group, itself included */
};

struct counterset {
	struct counterset_config c;
	int cpu;
	pid_t tid;
	bool apart;          /* the kernel does not read inherited groups */
	unsigned nr;
	struct counting_event *event;
	struct perf_count *sum, *base; /* base: totals of events that were closed */
	uint64_t *buf;       /* fits a group's read */
};

struct counterset *counterset_create(const struct counterset_config *c, int cpu, pid_t tid)
{
	struct counterset *cs = calloc(1, sizeof(*cs));
	unsigned nr = c->events->nr;

	if (!cs)
		return NULL;
	*cs = (struct counterset){.c = *c, .cpu = cpu, .tid = tid, .nr = nr};
	cs->event = calloc(nr, sizeof(*cs->event));
	cs->sum = calloc(nr, sizeof(*cs->sum));
	cs->base = calloc(nr, sizeof(*cs->base));
	cs->buf = calloc(GROUP_HEAD + nr, sizeof(*cs->buf));
	if (!cs->event || !cs->sum || !cs->base || !cs->buf) {
		counterset_free(cs);
		return NULL;
	}
	for (unsigned i = 0; i < nr; i++)
		cs->event[i].fd = -1;
	return cs;
}

void counterset_free(struct counterset *cs)
{
	if (!cs)
		return;
	for (unsigned i = 0; cs->event && i < cs->nr; i++)
		if (cs->event[i].fd >= 0)
			cs->c.source->ops->close(cs->c.source, cs->event[i].fd);
	free(cs->event);
	free(cs->sum);
	free(cs->base);
	free(cs->buf);
	free(cs);
}

/* --- opening ------------------------------------------------------------------------------ */

static void make_attr(const struct counterset *cs, const struct event *e, bool leads,
		      struct perf_event_attr *a)
{
	*a = e->attr;
	a->size = sizeof(*a);
	a->sample_type = a->sample_period = a->freq = a->precise_ip = 0;
	a->sample_id_all = a->watermark = a->write_backward = a->aux_sample_size = 0;
	a->read_format = TIMES | (cs->apart ? 0 : PERF_FORMAT_GROUP);
	a->inherit = cs->c.inherit && e->inherit != EVENT_NO;
	a->inherit_thread = a->inherit && e->inherit_thread;
	/* A group counts only while its leader does. */
	a->disabled = leads;
	a->enable_on_exec = leads && cs->c.enable_on_exec;
	a->exclude_kernel |= cs->c.exclude_kernel;
	a->exclude_hv |= cs->c.exclude_kernel;
}

static int open_one(struct counterset *cs, unsigned i, int leader)
{
	const struct event *e = &cs->c.events->events[i];
	struct perf_event_attr a;

	make_attr(cs, e, leader < 0, &a);
	return perf_open_event(cs->c.source, e, &a, cs->c.by_cgroup ? cs->c.cgroup : cs->tid,
			       cs->cpu, leader, cs->c.by_cgroup ? PERF_FLAG_PID_CGROUP : 0);
}

/* Return the first open event of i's user group, else i. */
static unsigned user_leader(const struct counterset *cs, unsigned i)
{
	const struct event *events = cs->c.events->events;
	unsigned k = i;

	while (k && events[k - 1].group == events[i].group)
		k--;
	while (k < i && cs->event[k].fd < 0)
		k++;
	return k;
}

/* A group is inherited like its leader. */
static bool inherit_alike(const struct event *a, const struct event *b)
{
	return (a->inherit == EVENT_NO) == (b->inherit == EVENT_NO) &&
	       a->inherit_thread == b->inherit_thread;
}

/* Return the leader of the last group of ours that has room for i, else i. */
static unsigned own_leader(const struct counterset *cs, unsigned i)
{
	const struct event *events = cs->c.events->events;

	for (unsigned k = i; k-- > 0 && !cs->apart;) {
		const struct counting_event *o = &cs->event[k];

		if (o->fd >= 0 && o->leader == k && event_counts_alone(&events[k]) &&
		    inherit_alike(&events[k], &events[i]) && o->members < TOGETHER_MOST)
			return k;
	}
	return i;
}

static void close_one(struct counterset *cs, unsigned i)
{
	cs->c.source->ops->close(cs->c.source, cs->event[i].fd);
	cs->event[i].fd = -1;
}

/* Open an event in a group if possible, else alone if allowed. */
static int open_counter(struct counterset *cs, unsigned i)
{
	const struct event *e = &cs->c.events->events[i];
	struct counting_event *o = &cs->event[i];
	unsigned leader = e->group		  ? user_leader(cs, i)
			  : event_counts_alone(e) ? own_leader(cs, i)
						  : i;
	int fd = open_one(cs, i, leader == i ? -1 : cs->event[leader].fd);

	if (fd < 0 && leader != i && (!e->group || e->weak)) {
		leader = i;
		fd = open_one(cs, i, -1);
	}
	if (fd < 0)
		return fd;
	*o = (struct counting_event){.fd = fd, .leader = leader};
	cs->event[leader].members++;
	return 0;
}

static int open_all(struct counterset *cs)
{
	int ret = 0;

	for (unsigned i = 0; i < cs->nr && ret != -ESRCH && ret != -ENODEV; i++)
		ret = cs->event[i].code = open_counter(cs, i);
	return ret == -ESRCH || ret == -ENODEV ? ret : 0;
}

static bool inherits_no_groups(const struct counterset *cs)
{
	for (unsigned i = 0; i < cs->nr; i++)
		if (cs->event[i].fd >= 0)
			return false;
	return cs->nr && cs->c.inherit && !cs->apart && cs->event[0].code == -EINVAL;
}

int counterset_open(struct counterset *cs)
{
	int ret = open_all(cs);

	if (!ret && inherits_no_groups(cs)) {
		cs->apart = true;
		ret = open_all(cs);
	}
	for (unsigned i = 0; ret && i < cs->nr; i++)
		if (cs->event[i].fd >= 0)
			close_one(cs, i);
	return ret;
}

int counterset_code(const struct counterset *cs, unsigned event)
{
	return cs->event[event].code;
}

bool counterset_split(const struct counterset *cs, unsigned event)
{
	const struct event *events = cs->c.events->events;
	const struct counting_event *o = &cs->event[event];

	return events[event].group && o->fd >= 0 && o->leader == event &&
	       user_leader(cs, event) != event;
}

void counterset_enable(struct counterset *cs, bool on)
{
	for (unsigned i = 0; i < cs->nr; i++)
		if (cs->event[i].fd >= 0 && cs->event[i].leader == i)
			cs->c.source->ops->control(
				cs->c.source, cs->event[i].fd,
				on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

/* --- reading ------------------------------------------------------------------------------ */

static void add_up(struct counterset *cs, unsigned i, uint64_t value, uint64_t enabled,
		   uint64_t running)
{
	const struct perf_count *base = &cs->base[i];

	cs->sum[i] = (struct perf_count){base->value + value, base->enabled + enabled,
					 base->running + running, 0};
}

/* Values come in the order in which the events were opened. */
static void add_group_values(struct counterset *cs, unsigned leader)
{
	const uint64_t *value = cs->buf + GROUP_HEAD;

	for (unsigned i = leader; i < cs->nr && value < cs->buf + GROUP_HEAD + cs->buf[0]; i++)
		if (cs->event[i].fd >= 0 && cs->event[i].leader == leader)
			add_up(cs, i, *value++, cs->buf[1], cs->buf[2]);
}

static void read_group(struct counterset *cs, unsigned leader)
{
	unsigned members = cs->event[leader].members;
	size_t want = (GROUP_HEAD + members) * sizeof(*cs->buf);

	if (cs->c.source->ops->read(cs->c.source, cs->event[leader].fd, cs->buf, want) ==
		    (ssize_t)want &&
	    cs->buf[0] == members)
		add_group_values(cs, leader);
}

static void read_alone(struct counterset *cs, unsigned i)
{
	uint64_t v[3];

	if (cs->c.source->ops->read(cs->c.source, cs->event[i].fd, v, sizeof(v)) ==
	    (ssize_t)sizeof(v))
		add_up(cs, i, v[0], v[1], v[2]);
}

void counterset_read(struct counterset *cs)
{
	for (unsigned i = 0; i < cs->nr; i++) {
		if (cs->event[i].fd < 0)
			continue;
		if (cs->apart)
			read_alone(cs, i);
		else if (cs->event[i].leader == i)
			read_group(cs, i);
	}
}

const struct perf_count *counterset_sums(const struct counterset *cs)
{
	return cs->sum;
}

unsigned counterset_reads(const struct counterset *cs)
{
	unsigned reads = 0;

	for (unsigned i = 0; i < cs->nr; i++)
		reads += cs->event[i].fd >= 0 && (cs->apart || cs->event[i].leader == i);
	return reads;
}

void counterset_close(struct counterset *cs)
{
	counterset_read(cs);
	memcpy(cs->base, cs->sum, cs->nr * sizeof(*cs->base));
	for (unsigned i = cs->nr; i-- > 0;) {
		if (cs->event[i].fd >= 0)
			close_one(cs, i);
		cs->event[i].members = 0;
	}
}
