/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/hotplug.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "kernel/capture/cpus.h"
#include "sources/change/recording.h"

#define UNSEEN_NS (2 * NSEC_PER_SEC) /* checks whether a CPU went and came are a second apart */

/* State of a reader, as far as it was logged. */
struct told {
	unsigned reopened, failed;
	bool failing; /* to open */
};

struct hotplug {
	struct scope *scope;
	struct readers *readers;
	struct counting *counting;
	struct cpus_watch *watch;
	struct told *told;
	bool looked;
	bool newcomers; /* CPUs that wait until they may be measured */
};

struct hotplug *hotplug_create(struct scope *scope, struct readers *rs, struct counting *counting)
{
	struct hotplug *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	*h = (struct hotplug){.scope = scope, .readers = rs, .counting = counting,
			      .told = calloc(rs->capacity, sizeof(*h->told))};
	if (!h->told) {
		free(h);
		return NULL;
	}
	h->watch = cpus_watch(scope->rings.source->online);
	return h;
}

void hotplug_free(struct hotplug *h)
{
	if (!h)
		return;
	cpus_unwatch(h->watch);
	free(h->told);
	free(h);
}

unsigned hotplug_room(const struct scope *scope)
{
	struct cpus possible;
	unsigned nr = 0;

	if (cpus_read(scope->rings.source->possible, &possible, NULL))
		return 0; /* new CPUs are logged, then, and not measured */
	for (unsigned i = 0; i < possible.nr; i++)
		nr += !cpus_has(&scope->watched, possible.cpu[i]);
	cpus_clear(&possible);
	return nr;
}

/*
 * Add a new CPU, unless tasks are measured: their events would be those of the tasks known at the
 * start, and tasks forked since are counted by inheritance, from events that this CPU does not
 * have.
 */
static int add_cpu(struct hotplug *h, int cpu, struct err *err)
{
	struct readers *rs = h->readers;
	int ret;

	if (h->scope->target.kind != TARGET_SYSTEM)
		return err_set(err, EOPNOTSUPP, "restart ringtop to measure %s there too",
			       h->scope->target.text);
	if (rs->nr == rs->capacity)
		return err_set(err, ENOSPC, "the kernel did not list it as possible");
	ret = readers_add(rs, cpu, 0, true, err);
	if (ret)
		return ret;
	if (counting_add_reader(h->counting, rs->nr - 1)) {
		readers_drop(rs);
		return err_set(err, ENOMEM, "out of memory");
	}
	ret = reader_start(rs->reader[rs->nr - 1].reader, err);
	if (!ret && cpus_add(&h->scope->watched, cpu))
		ret = err_set(err, ENOMEM, "out of memory");
	if (ret) {
		readers_drop(rs);
		counting_drop_reader(h->counting);
	}
	return ret;
}

/* Return false if the CPU must wait for a later call. */
static bool meet_cpu(struct hotplug *h, int cpu, bool may, struct slice *s)
{
	const struct readers *rs = h->readers;
	struct err err;

	if (!may) {
		if (!h->newcomers)
			slice_log(s, SLICE_WARNING,
				  "cpu %d is new: it will be measured after the recording", cpu);
		return false;
	}
	if (add_cpu(h, cpu, &err))
		slice_log(s, SLICE_WARNING, "cpu %d is new and not measured: %s", cpu, err.text);
	else
		slice_log(s, SLICE_WARNING, "cpu %d is new: measured from now on%s", cpu,
			  rs->aux && !rs->reader[rs->nr - 1].aux
			      ? ", without the AUX event: its PMU does not cover this CPU"
			      : "");
	return true;
}

static void log_changed_cpus(const struct scope *sc, const struct cpus *now, struct slice *s)
{
	for (unsigned i = 0; i < sc->watched.nr; i++) {
		int cpu = sc->watched.cpu[i];
		bool was = cpus_has(&sc->online, cpu), is = cpus_has(now, cpu);

		if (was != is)
			slice_log(s, SLICE_WARNING, "cpu %d went %s", cpu,
				  is ? "online" : "offline");
	}
}

void hotplug_follow(void *hotplug, struct tick_now *n)
{
	bool may = !recording_has_rings(n->parts->recording);
	struct hotplug *h = hotplug;
	struct cpus now;
	bool changed = cpus_changed(h->watch), waiting = false;

	/* The first look compares: a CPU may have gone since the events were opened. */
	if ((!changed && !h->newcomers && h->looked) ||
	    cpus_read(h->scope->rings.source->online, &now, NULL))
		return;
	h->looked = true;
	log_changed_cpus(h->scope, &now, n->s);
	for (unsigned i = 0; i < now.nr;) {
		int cpu = now.cpu[i];
		bool is_new = h->scope->any_cpu && !cpus_has(&h->scope->online, cpu) &&
			      !cpus_has(&h->scope->watched, cpu);

		if (is_new && !meet_cpu(h, cpu, may, n->s)) {
			waiting = true;
			cpus_drop(&now, i); /* new at the next look, too */
		} else {
			i++;
		}
	}
	h->newcomers = waiting;
	cpus_clear(&h->scope->online);
	h->scope->online = now;
	n->all = n->recount = true;
}

int hotplug_fd(struct hotplug *h)
{
	return cpus_watch_fd(h->watch);
}

bool hotplug_told(struct hotplug *h)
{
	return cpus_told(h->watch);
}

static void tell_reader(struct hotplug *h, unsigned reader, struct slice *s)
{
	const struct live_reader *lr = &h->readers->reader[reader];
	const struct reader_report *rep = reader_report(lr->reader);
	struct told *told = &h->told[reader];
	bool works = rep->reopened != told->reopened, fails = rep->failed != told->failed;

	if (works) {
		slice_log(s, SLICE_INFO, "cpu %d: events reopened", lr->cpu);
		readers_unseen(h->readers, clock_ns() - UNSEEN_NS);
	} else if (fails && !told->failing) { /* tried each tick, logged once */
		slice_log(s, SLICE_WARNING, "cpu %d is not measured: %s", lr->cpu,
			  rep->failure.text);
	}
	*told = (struct told){rep->reopened, rep->failed, !works && (fails || told->failing)};
}

void hotplug_tell(void *hotplug, struct tick_now *n)
{
	struct hotplug *h = hotplug;

	for (unsigned i = 0; i < h->readers->nr; i++)
		if (h->readers->reader[i].answered)
			tell_reader(h, i, n->s);
}
