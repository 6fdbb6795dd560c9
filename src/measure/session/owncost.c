/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's CPU time is read by a clock of its own: one call, without a file.  Its name is read
 * once.  The time of an ended thread since the last look is missing here; the process's sum
 * (slice_self.cpu_ns) has it.
 */
#include "measure/session/owncost.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/vec.h"
#include "system/proc/procscan.h"

static const struct {
	const char *comm; /* beginning of the name */
	enum self_cause cause;
} names[] = {
	{"ringtop-cpu", SELF_READING},	    {"ringtop-tick", SELF_RESOLVING},
	{"ringtop-unwind", SELF_UNWINDING}, {"ringtop-lines", SELF_LINES},
	{"ringtop-worker", SELF_NAMES},	    {"ringtop-file", SELF_READING},
	{"ringtop-record", SELF_WRITING},   {"ringtop-earlier", SELF_WRITING},
	{"ringtop-snap", SELF_WRITING},	    {"ringtop-saver", SELF_WRITING},
};

static const enum self_cause helper_causes[SANDBOX_PROCESSES] = {
	[SANDBOX_NAMES] = SELF_NAMES,	  [SANDBOX_FRAMES] = SELF_UNWINDING,
	[SANDBOX_LINES] = SELF_LINES,	  [SANDBOX_TRACES] = SELF_TRACES,
	[SANDBOX_EVENTS] = SELF_PRINTING,
};

enum self_cause owncost_cause(const char *comm)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(comm, names[i].comm, strlen(names[i].comm)))
			return names[i].cause;
	return SELF_SHOWING; /* the front end's thread, or the agent's that sends */
}

void owncost_clear(struct owncost *o)
{
	free(o->threads);
	*o = (struct owncost){.threads = NULL};
}

/* Return a thread's CPU time in ns, by MAKE_THREAD_CPUCLOCK(tid, CPUCLOCK_SCHED). */
static uint64_t thread_cpu_ns(pid_t tid)
{
	struct timespec t;

	if (clock_gettime((clockid_t)(~(unsigned)tid << 3 | 6), &t))
		return 0; /* it has ended */
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static struct owncost_thread *find_or_add_thread(struct owncost *o, pid_t tid)
{
	char comm[COMM_LEN] = "";
	struct owncost_thread *t;

	for (size_t i = 0; i < o->nr; i++)
		if (o->threads[i].tid == tid)
			return &o->threads[i];
	t = VEC_ADD(o->threads, o->nr, o->cap);
	if (!t)
		return NULL; /* out of memory: it stays uncounted */
	/* the name of a thread that has just ended stays empty */
	procscan_comm(getpid(), tid, comm);
	*t = (struct owncost_thread){.tid = tid, .cause = (uint8_t)owncost_cause(comm)};
	return t;
}

static void look_at_threads(struct owncost *o)
{
	size_t nr, kept = 0;
	pid_t *tids = procscan_tids(getpid(), &nr);

	o->look++;
	for (size_t i = 0; i < nr; i++) {
		struct owncost_thread *t = find_or_add_thread(o, tids[i]);
		uint64_t now = t ? thread_cpu_ns(tids[i]) : 0;

		if (!t)
			continue;
		if (now > t->cpu_ns)
			o->cost_ns[t->cause] += now - t->cpu_ns;
		t->cpu_ns = now > t->cpu_ns ? now : t->cpu_ns;
		t->seen = o->look;
	}
	free(tids);
	if (!nr)
		return;
	for (size_t i = 0; i < o->nr; i++)
		if (o->threads[i].seen == o->look)
			o->threads[kept++] = o->threads[i];
	o->nr = kept;
}

void owncost_look(struct owncost *o, const struct sandbox_figures helpers[SANDBOX_PROCESSES])
{
	memset(o->cost_ns, 0, sizeof(o->cost_ns));
	look_at_threads(o);
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		if (helpers[i].cpu_ns > o->helpers_ns[i])
			o->cost_ns[helper_causes[i]] += helpers[i].cpu_ns - o->helpers_ns[i];
		o->helpers_ns[i] = helpers[i].cpu_ns;
	}
}

enum self_cause owncost_most(const struct owncost *o)
{
	enum self_cause most = SELF_NOTHING;

	for (enum self_cause c = 0; c < SELF_CAUSES; c++)
		if (o->cost_ns[c] > o->cost_ns[most])
			most = c;
	return most;
}

double owncost_borne(const struct owncost *o)
{
	static const bool borne[SELF_CAUSES] = {
		[SELF_READING] = true,	[SELF_RESOLVING] = true, [SELF_UNWINDING] = true,
		[SELF_PRINTING] = true, [SELF_SHOWING] = true,
	};
	uint64_t of[2] = {0, 0};

	for (enum self_cause c = 0; c < SELF_CAUSES; c++)
		of[borne[c]] += o->cost_ns[c];
	return of[true] ? (double)of[true] / (double)(of[false] + of[true]) : 0;
}
