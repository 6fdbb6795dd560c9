/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture_live [SCALE [SEED]]: whole live sessions on a made-up kernel (tests/synthring.h), as many as
 * SCALE says (default 1: about 3 s): readers, table, tick, slices, in their own threads, while others count
 * on every CPU and one takes CPUs offline and back, holds readers up, throttles, lets time jump, pauses.
 *
 * In every slice the rows are those of its accounts, and all sums agree; in the end they are what the made-up
 * kernel has counted, to the last period.  A seed makes the same sessions and the same draws; the threads'
 * order is the machine's.
 * Build it with ThreadSanitizer, too.  It needs no rights.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "sources/live/live.h"
#include "core/slice/slice.h"
#include "tests/synthring.h"

#define SESSIONS   6u
#define SESSION_NS (400 * NSEC_PER_MSEC)
#define CPUS_MOST  3u
#define EVENTS     2u
#define FAULTS	   2 /* the configs of page-faults and context-switches */

struct sums {
	uint64_t counted, attributed, lost[LOST_NR], lost_samples[LOST_NR], pending;
	int64_t unsampled;
};

struct torture {
	struct synthring *ring;
	unsigned cpus;
	uint64_t period;
	bool throttled;
	struct sums sums[CPUS_MOST][EVENTS];
	uint64_t slices, samples;
	bool stop; /* shared: those who count and disturb */
};

struct worker {
	struct torture *t;
	uint64_t random;
	unsigned cpu;
	pthread_t thread;
};

static uint64_t seed;

static uint64_t draw(uint64_t *random, uint64_t below)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static void die(const char *what)
{
	fprintf(stderr, "torture_live: seed %" PRIu64 ": %s\n", seed, what);
	exit(1);
}

/* --- the machine -------------------------------------------------------------------------- */

/* A name and a birth of a task, for the sideband. */
static void tell(struct worker *w, uint32_t pid)
{
	const struct {
		uint32_t pid, tid;
		char name[8];
	} comm = {pid, pid, "made-up"};
	const struct {
		uint32_t pid, ppid, tid, ptid;
		uint64_t time;
	} task = {pid, 1, pid, 1, 0};

	synthring_side(w->t->ring, (int)w->cpu, PERF_RECORD_FORK, &task, sizeof(task));
	synthring_side(w->t->ring, (int)w->cpu, PERF_RECORD_COMM, &comm, sizeof(comm));
}

static void *count(void *arg)
{
	struct worker *w = arg;

	while (!atomic_load_relaxed(&w->t->stop)) {
		uint64_t n = 1 + draw(&w->random, draw(&w->random, 50) ? 40 : 2000);
		uint32_t pid = 100000 + (uint32_t)draw(&w->random, 50);

		if (!draw(&w->random, 20))
			tell(w, pid);
		synthring_count(w->t->ring, (int)w->cpu, FAULTS + draw(&w->random, EVENTS), (pid_t)pid, n,
				0x1000 + draw(&w->random, 200) * 16, 0);
		if (!draw(&w->random, 4))
			sched_yield();
	}
	return NULL;
}

static void disturb_once(struct worker *w, unsigned cpu)
{
	struct synthring *ring = w->t->ring;

	switch (draw(&w->random, 5)) {
	case 0:
		synthring_hold(ring, (int)cpu, true);
		/* Now and then for longer than a tick waits. */
		poll(NULL, 0, (int)(draw(&w->random, 8) ? draw(&w->random, 20) : 105 + draw(&w->random, 50)));
		synthring_hold(ring, (int)cpu, false);
		break;
	case 1:
		synthring_online(ring, (int)cpu, false);
		poll(NULL, 0, (int)draw(&w->random, 10)); /* or back before anyone looked */
		synthring_online(ring, (int)cpu, true);
		break;
	case 2:
		if (w->t->throttled)
			synthring_throttle(ring, (int)cpu, draw(&w->random, 2));
		break;
	case 3:
		synthring_jump(ring, (int64_t)draw(&w->random, 20000) - 10000);
		break;
	default:
		poll(NULL, 0, 1);
	}
}

static void *disturb(void *arg)
{
	struct worker *w = arg;

	while (!atomic_load_relaxed(&w->t->stop))
		disturb_once(w, 1 + (unsigned)draw(&w->random, w->t->cpus - 1));
	return NULL;
}

/* --- what is told of it ------------------------------------------------------------------- */

static void add_account(struct torture *t, const struct slice_account *a)
{
	struct sums *s = &t->sums[a->cpu][a->event];
	uint64_t lost = 0;

	s->counted += a->counted;
	s->attributed += a->attributed;
	s->unsampled += a->unsampled;
	s->pending = a->pending;
	for (unsigned k = 0; k < LOST_NR; k++) {
		s->lost[k] += a->lost[k];
		s->lost_samples[k] += a->lost_samples[k];
		lost += s->lost[k];
	}
	t->samples += a->samples;
	if (s->counted != s->attributed + lost + (uint64_t)s->unsampled + s->pending)
		die("counted is not attributed + lost + unsampled + pending");
	if (s->counted > synthring_truth(t->ring, a->cpu, FAULTS + a->event).counted)
		die("more counted than there was");
}

static void take_slice(struct torture *t, struct slice *s)
{
	uint64_t rows = 0, accounts = 0, enabled[2] = {0};

	for (size_t i = 0; i < s->nrows; i++)
		rows += s->rows[i].samples;
	for (size_t i = 0; i < s->naccounts; i++) {
		accounts += s->accounts[i].samples + s->accounts[i].lost_samples[LOST_DROPPED];
		add_account(t, &s->accounts[i]);
	}
	if (rows != accounts)
		die("the rows of a slice are not its accounts' samples");
	for (size_t i = 0; i < s->ncounters; i++)
		if (s->counters[i].counter < 2)
			enabled[s->counters[i].counter] += s->counters[i].enabled;
	if (enabled[0] != enabled[1])
		die("a group's counters are not enabled alike");
	t->slices++;
	slice_free(s);
}

static void check_end(struct torture *t, unsigned cpu, unsigned event)
{
	const struct sums *s = &t->sums[cpu][event];
	struct synthring_truth truth = synthring_truth(t->ring, (int)cpu, FAULTS + event);
	uint64_t lost = 0;

	for (unsigned k = 0; k < LOST_NR; k++)
		lost += s->lost[k];
	if (s->counted != truth.counted)
		die("not all that was counted is told");
	if (s->attributed + lost != truth.periods * t->period)
		die("attributed and lost are not the periods that ended");
	if (!t->throttled && s->lost[LOST_UNKNOWN])
		die("lost for unknown reasons");
}

/* --- a session ---------------------------------------------------------------------------- */

/* Ticks as fast as they come: whoever says "go on" wakes it. */
static void watch(struct torture *t, struct session *s, uint64_t *random)
{
	uint64_t until = clock_ns() + SESSION_NS;
	bool stopped = false;
	struct slice *slice;
	struct err err;
	int ret;

	while ((ret = session_next(s, &slice)) == 0) {
		struct pollfd fd = {.fd = s->ops->fd(s), .events = POLLIN};
		struct session_request rq = {.command = draw(random, 40) ? SESSION_RESUME : SESSION_PAUSE};

		if (slice) {
			take_slice(t, slice);
			continue;
		}
		if (!stopped && clock_ns() > until) {
			s->ops->stop(s);
			stopped = true;
		}
		if (!stopped && s->ops->command(s, &rq, &err))
			die(err.text);
		poll(&fd, 1, stopped ? 1000 : 3);
	}
	if (ret != -ESHUTDOWN)
		die("the session failed");
}

static void begin(struct worker *w, struct torture *t, unsigned cpu, void *(*run)(void *), uint64_t *random)
{
	*w = (struct worker){.t = t, .cpu = cpu, .random = draw(random, UINT64_MAX)};
	if (pthread_create(&w->thread, NULL, run, w))
		die("no thread");
}

static void run(struct torture *t, const struct measure_config *c, uint64_t *random)
{
	struct worker worker[CPUS_MOST + 1];
	struct err err = {.code = 0};
	struct session *s = live_open(c, &err);

	if (!s)
		die(err.text);
	for (unsigned i = 0; i < t->cpus; i++)
		begin(&worker[i], t, i, count, random);
	begin(&worker[t->cpus], t, 0, disturb, random);
	watch(t, s, random);
	atomic_store_relaxed(&t->stop, true);
	for (unsigned i = 0; i <= t->cpus; i++)
		pthread_join(worker[i].thread, NULL);
	for (unsigned i = 0; i < t->cpus; i++)
		for (unsigned e = 0; e < EVENTS; e++)
			check_end(t, i, e);
	session_close(s);
	if (synthring_open_count(t->ring))
		die("events or rings are left open");
}

static void session(uint64_t *random, struct torture *t)
{
	static const char *const events[EVENTS] = {"page-faults", "context-switches"};
	static const char *const counted[] = {"{page-faults,context-switches},minor-faults"};
	bool no_pin = !draw(random, 4);
	struct synthring_config sc = {.cpus = 2 + (unsigned)draw(random, CPUS_MOST - 1),
				      .format_lost = true, .no_pin = no_pin};
	struct measure_config c = {.all_cpus = true, .events = events, .nevents = EVENTS, .screen = true,
				.counted = counted, .ncounted = (unsigned)draw(random, 2),
				.period = 1 + draw(random, 20), .ring_bytes = 4096u << draw(random, 6),
				.no_overwrite = draw(random, 3) == 0, .no_lines = true,
				.doze_ns = draw(random, 2) ? NSEC_PER_SEC / 4 : 0};

	*t = (struct torture){.ring = synthring_create(&sc), .cpus = sc.cpus, .period = c.period,
			      .throttled = draw(random, 3) == 0};
	if (!t->ring)
		die("no memory");
	c.source = synthring_source(t->ring);
	printf("%u cpus, rings of %" PRIu64 " KiB%s%s, period %" PRIu64 "%s: ", t->cpus, c.ring_bytes / 1024,
	       c.no_overwrite ? ", forward" : "", no_pin ? ", not pinned" : "", c.period,
	       t->throttled ? ", throttled" : "");
	fflush(stdout);
	run(t, &c, random);
	printf("%" PRIu64 " slices, %" PRIu64 " samples\n", t->slices, t->samples);
	synthring_free(t->ring);
}

int main(int argc, char **argv)
{
	double scale = argc > 1 ? atof(argv[1]) : 1;
	static struct torture t;
	const char *drawn = argc > 2 ? argv[2] : getenv("RINGTOP_TEST_SEED");
	uint64_t random;

	seed = drawn ? strtoull(drawn, NULL, 10) : clock_read(CLOCK_REALTIME) / 1000;
	random = seed;
	printf("seed %" PRIu64 "\n", seed);
	for (unsigned i = 0; i < SESSIONS * scale; i++)
		session(&random, &t);
	return 0;
}
