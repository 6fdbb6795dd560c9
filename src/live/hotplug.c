/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/hotplug.h"

#include <errno.h>

#include "capture/cpus.h"
#include "live/tick.h"

unsigned hotplug_room(const struct tick *t)
{
	struct cpus possible;
	unsigned nr = 0;

	if (cpus_possible(&possible, NULL))
		return 0; /* new CPUs are told of, then, and not measured */
	for (unsigned i = 0; i < possible.nr; i++)
		nr += !cpus_has(&t->watched, possible.cpu[i]);
	cpus_clear(&possible);
	return nr;
}

/*
 * Events of tasks would be those of the tasks known at the start: what they have forked since is
 * counted by inheritance, from events of theirs that this CPU has not.
 */
static int add_cpu(struct tick *t, int cpu, struct err *err)
{
	int ret;

	if (t->target.kind != TARGET_SYSTEM)
		return err_set(err, EOPNOTSUPP, "start again to measure %s there, too", t->target.text);
	if (t->nreaders == t->capacity)
		return err_set(err, ENOSPC, "the kernel said it could never be");
	ret = tick_add_reader(t, cpu, 0, true, err);
	if (ret)
		return ret;
	ret = reader_start(t->readers[t->nreaders - 1].reader, err);
	if (!ret && cpus_add(&t->watched, cpu))
		ret = err_set(err, ENOMEM, "out of memory");
	if (ret)
		tick_drop_reader(t);
	return ret;
}

/* False: later, please; a file that is being written has the readers of its beginning. */
static bool meet(struct tick *t, int cpu, struct slice *s)
{
	struct err err;

	if (t->recording.recorder) {
		if (!t->newcomers)
			slice_log(s, SLICE_WARNING,
				  "cpu %d is new: measured when the recording has ended", cpu);
		return false;
	}
	if (add_cpu(t, cpu, &err))
		slice_log(s, SLICE_WARNING, "cpu %d is new and not measured: %s", cpu, err.text);
	else
		slice_log(s, SLICE_WARNING, "cpu %d is new: measured from here on%s", cpu,
			  t->aux && !t->readers[t->nreaders - 1].aux
				  ? ", without the AUX event: its PMU does not measure there" : "");
	return true;
}

static bool is_new(const struct tick *t, int cpu)
{
	return t->any_cpu && !cpus_has(&t->online, cpu) && !cpus_has(&t->watched, cpu);
}

bool hotplug_follow(struct tick *t, struct slice *s)
{
	struct cpus now;

	bool changed = cpus_changed(t->hotplug), waiting = false;

	/* The first look compares: a CPU may have gone since the events were opened. */
	if ((!changed && !t->newcomers && t->ticks) || cpus_online(&now, NULL))
		return false;
	for (unsigned i = 0; i < t->watched.nr; i++) {
		int cpu = t->watched.cpu[i];
		bool was = cpus_has(&t->online, cpu), is = cpus_has(&now, cpu);

		if (was != is)
			slice_log(s, SLICE_WARNING, "cpu %d went %s", cpu, is ? "online" : "offline");
	}
	for (unsigned i = 0; i < now.nr;) {
		if (is_new(t, now.cpu[i]) && !meet(t, now.cpu[i], s)) {
			waiting = true;
			cpus_drop(&now, i); /* new at the next look, too */
		} else {
			i++;
		}
	}
	t->newcomers = waiting;
	cpus_clear(&t->online);
	t->online = now;
	return true;
}

void hotplug_tell(struct tick_reader *tr, struct slice *s)
{
	const struct reader_report *rep = reader_report(tr->reader);

	bool works = rep->reopened != tr->reopened, fails = rep->failed != tr->failed;

	if (works)
		slice_log(s, SLICE_INFO, "cpu %d: events opened anew", tr->cpu);
	/* It is tried again each tick; told once until it works. */
	else if (fails && !tr->failing)
		slice_log(s, SLICE_WARNING, "cpu %d is not measured: %s", tr->cpu, rep->failure.text);
	tr->failing = !works && (fails || tr->failing);
	tr->reopened = rep->reopened;
	tr->failed = rep->failed;
}
