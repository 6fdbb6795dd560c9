/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Readers, table and accounts on a made-up kernel, by schedules drawn from a seed: who counts when, who is
 * woken and who is late, what fails to open, which CPU goes, who forks, what is attached to and what is
 * recorded, what the ring, the table or the recording's queue has no room for.  Whatever happened, every sum
 * agrees with the others at every tick, and in the end with what was counted and what was recorded.
 *
 * SCHEDULES=n tries so many, SCHEDULE=seed one of them alone.
 */
#include "sources/live/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "tests/synthcore.h"

#define STEPS	  60
#define ALL	  (READER_COUNT | READER_DRAIN)
#define SCHEDULES 4000u
#define TASKS	  (SYNTHCORE_TASK + 16) /* below it all that there may be */

struct schedule {
	uint64_t random;
	struct synthcore core;
	struct ringset_config other; /* for READER_REOPEN: the other direction */
	bool online[SYNTHRING_CPUS]; /* as the one who asks believes */
	bool is_online[SYNTHRING_CPUS];
	bool reopening[SYNTHRING_CPUS];
	bool throttled; /* ever */
	struct recqueue queue[SYNTHRING_CPUS]; /* of recordings; without data: there was none yet */
	bool recorded[SYNTHRING_CPUS];
	uint64_t recorded_from[SYNTHRING_CPUS], queued[SYNTHRING_CPUS]; /* samples */
	uint64_t counted[SYNTHRING_CPUS][2]; /* at the tick before */
};

static struct schedule s;
static uint64_t seed_now;

/* splitmix64 */
static uint64_t draw(uint64_t below)
{
	uint64_t z = s.random += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (z ^ z >> 31) % below;
}

static bool chance(unsigned in)
{
	return draw(in) == 0;
}

#define CHECK(cond) check(cond, #cond, __LINE__)

static void check(bool ok, const char *what, int line)
{
	const struct synthcore_config *c = &s.core.config;

	if (ok)
		return;
	print_error("schedule %llu: line %d: %s; ring %llu, rows %u, period %llu%s%s%s%s, %u tasks\n",
		    (unsigned long long)seed_now, line, what, (unsigned long long)c->ring_bytes, c->rows,
		    (unsigned long long)c->period, c->overwrite ? ", overwrite" : "",
		    c->callchain ? ", chains" : "", c->no_pin ? ", not pinned" : "",
		    c->no_format_lost ? ", before 6.0" : "", c->tasks);
	print_error("%llu forks, %s\n", (unsigned long long)s.core.forks, c->inherit ? "inherited" : "not inherited");
	fail();
}

/* --- the sums ----------------------------------------------------------------------------- */

static uint64_t lost_of(const struct loss_state *a)
{
	uint64_t lost = 0;

	for (unsigned k = 0; k < LOST_NR; k++)
		lost += a->lost[k];
	return lost;
}

/*
 * What a family of tasks counted does not tell how much of it each one has under way; and of samples that differ in
 * size, or are of several events, no more than a bound of those that were overwritten is known: that may take parts
 * for a whole sample.
 */
static bool bounds_only(void)
{
	const struct synthcore_config *c = &s.core.config;

	return s.core.forks && (c->callchain || c->events > 1) && c->period > 1;
}

static void check_sums(unsigned i, unsigned e)
{
	const struct loss_state *a = &s.core.reader[i].account[e];
	struct synthring_truth t = synthring_truth(s.core.ring, (int)i, 2 + e);

	CHECK(a->counted == a->attributed + lost_of(a) + a->pending);
	CHECK(a->counted <= t.counted || bounds_only());
	CHECK(a->counted >= s.counted[i][e]);
	CHECK(a->attributed == s.core.reader[i].rows[e].weight);
	CHECK(a->samples <= t.written);
	s.counted[i][e] = a->counted;
}

static void tick(void)
{
	synthcore_tick(&s.core);
	for (unsigned i = 0; i < s.core.config.cpus; i++)
		for (unsigned e = 0; e < s.core.config.events; e++)
			check_sums(i, e);
}

/*
 * Nothing counts any more and all was read: what was counted is named to the last period, and where tasks
 * forked but for what each child may have under way.
 */
static void check_end(unsigned i, unsigned e)
{
	uint64_t period = s.core.config.period, named, whole, unsure = s.core.forks * (period - 1);
	const struct loss_state *a = &s.core.reader[i].account[e];
	struct synthring_truth t = synthring_truth(s.core.ring, (int)i, 2 + e);
	bool sure = !s.throttled && !s.core.config.callchain && !s.core.config.no_format_lost;

	CHECK(a->counted == t.counted || (a->counted > t.counted && bounds_only()));
	named = a->attributed + lost_of(a);
	whole = t.periods * period;
	CHECK(unsure ? named <= a->counted && whole < named + unsure + period : named == whole);
	CHECK(!sure || unsure || !a->lost[LOST_UNKNOWN]);
	CHECK(!sure || a->lost_samples[LOST_FULL] + a->lost_samples[LOST_PAUSED] == t.refused + t.paused);
	CHECK(a->lost_samples[LOST_FULL] == 0 || t.refused || s.throttled);
	CHECK(!!a->lost[LOST_THROTTLED] <= s.throttled);
}

/* --- recordings --------------------------------------------------------------------------- */

static void empty_queue(unsigned i)
{
	struct recqueue *q = &s.queue[i];
	size_t len, size;
	const char *at = recqueue_peek(q, recqueue_head(q), &len);

	for (size_t left = len; left; left -= size, at += size) {
		const struct perf_event_header *h = (const void *)at;

		size = h->size;
		CHECK(size >= sizeof(*h) && size <= left);
		s.queued[i] += h->type == PERF_RECORD_SAMPLE;
	}
	recqueue_take(q, len);
}

/* All that the reader has taken: in rows, or refused by the table. */
static uint64_t taken_by(unsigned i)
{
	uint64_t taken = 0;

	for (unsigned e = 0; e < s.core.config.events; e++)
		taken += s.core.reader[i].rows[e].samples + s.core.reader[i].input[e].dropped_samples;
	return taken;
}

/* It has just answered.  While it recorded, all that it took went into its queue, or was counted as dropped there. */
static void check_recorded(unsigned i)
{
	uint64_t dropped = 0;

	tick();
	if (s.recorded[i]) {
		empty_queue(i);
		for (unsigned e = 0; e < s.core.config.events; e++)
			dropped += s.queue[i].lost[e];
		CHECK(taken_by(i) - s.recorded_from[i] == s.queued[i] + dropped);
		recqueue_clear(&s.queue[i]);
		s.queue[i] = (struct recqueue){.data = NULL};
	}
	s.recorded[i] = reader_queue(s.core.reader[i].reader) != NULL;
	s.recorded_from[i] = taken_by(i);
	s.queued[i] = 0;
}

static void turn(unsigned i)
{
	synthcore_turn(&s.core, i);
	if (s.recorded[i] != (reader_queue(s.core.reader[i].reader) != NULL))
		check_recorded(i);
}

static void empty_some(void)
{
	unsigned i = (unsigned)draw(s.core.config.cpus);

	if (s.recorded[i])
		empty_queue(i);
}

/* --- what may happen ---------------------------------------------------------------------- */

static int some_cpu(void)
{
	return (int)draw(s.core.config.cpus);
}

static pid_t some_task(void)
{
	return SYNTHCORE_TASK + (pid_t)draw(s.core.config.tasks ? s.core.config.tasks + 1 + s.core.forks : 3);
}

static void count(void)
{
	uint64_t n = 1 + draw(chance(8) ? 900 : 40), config = 2 + draw(s.core.config.events);
	unsigned depth = s.core.config.callchain ? (unsigned)draw(12) : 0;
	int cpu = some_cpu();

	for (uint64_t at = 0; at < n;) {
		uint64_t one = 1 + draw(n - at);

		synthring_count(s.core.ring, cpu, config, some_task(), one, 0x1000 + draw(64) * 16, depth);
		at += one;
	}
}

static void woken(void)
{
	turn((unsigned)some_cpu());
}

/* As the owner of a reader that was to open anew: what is left of the old is closed first. */
static void close_before(unsigned i)
{
	struct reader *r = s.core.reader[i].reader;

	if (!s.reopening[i] || !reader_done(r))
		return;
	sidequeue_close(reader_sideband(r), &reader_before(r)->sideband);
	ringset_close(reader_before(r));
	s.reopening[i] = reader_report(r)->shut;
}

static void ask(unsigned i, unsigned what)
{
	close_before(i);
	if (s.reopening[i])
		what |= READER_REOPEN; /* again */
	if (!s.core.config.tasks || chance(2))
		what |= s.online[i] ? READER_ONLINE : READER_OFFLINE;
	if (synthcore_ask(&s.core, i, what) && what & READER_REOPEN)
		s.reopening[i] = true;
}

static void ask_some(void)
{
	static const unsigned what[] = {ALL, ALL, READER_DRAIN, ALL | READER_ENABLE,
					ALL | READER_DISABLE, READER_ENABLE_NEW};
	unsigned i = (unsigned)some_cpu();

	ask(i, what[draw(sizeof(what) / sizeof(*what))]);
	if (!chance(3))
		turn(i);
}

/* With a recording that begins, or after one that ended. */
static void reopen(void)
{
	unsigned i = (unsigned)some_cpu();
	struct reader *r = s.core.reader[i].reader;
	bool record = !s.recorded[i] && chance(2);

	close_before(i);
	if (!reader_done(r) || s.reopening[i])
		return;
	if (record && !s.queue[i].data)
		CHECK(!recqueue_init(&s.queue[i], 4096, s.core.config.events, s.core.done_fd));
	reader_reopen(r, reader_set(r)->sample.overwrite == s.core.rings.overwrite ? &s.other : &s.core.rings,
		      record ? &s.queue[i] : NULL);
	ask(i, READER_REOPEN | ALL);
	turn(i);
}

/* Tasks that are there already are opened, or those that are not enabled yet closed again. */
static void attach(void)
{
	static const pid_t all[] = {SYNTHCORE_TASK, SYNTHCORE_TASK + 1, SYNTHCORE_TASK + 2, SYNTHCORE_TASK + 3};
	unsigned i = (unsigned)some_cpu();
	struct reader *r = s.core.reader[i].reader;
	size_t nr = 1 + draw(s.core.config.tasks + 1), drop = chance(4) ? nr : 0;
	const struct reader_tasks tasks = {.watch = all, .nwatch = nr, .count = all, .ncount = nr - drop,
					   .drop = all, .ndrop = drop, .missing = true};

	if (!s.core.config.by_task || !reader_done(r))
		return;
	CHECK(!reader_open_new(r, &tasks));
	ask(i, READER_OPEN_NEW | (chance(3) ? READER_ENABLE_NEW : 0));
	if (!chance(3))
		turn(i);
}

static void task_forks(void)
{
	pid_t parent = some_task(), child = SYNTHCORE_TASK + (pid_t)(s.core.config.tasks + 1 + s.core.forks);

	if (s.core.config.inherit && child < TASKS && synthring_fork(s.core.ring, parent, child))
		s.core.forks++;
}

static void hotplug(void)
{
	int cpu = some_cpu();

	s.is_online[cpu] = !s.is_online[cpu];
	synthring_online(s.core.ring, cpu, s.is_online[cpu]);
	if (chance(3)) { /* and back before anyone looked */
		s.is_online[cpu] = !s.is_online[cpu];
		synthring_online(s.core.ring, cpu, s.is_online[cpu]);
	}
}

static void look_at_cpus(void)
{
	memcpy(s.online, s.is_online, sizeof(s.online));
}

static void throttle(void)
{
	s.throttled = true;
	synthring_throttle(s.core.ring, some_cpu(), chance(2));
}

static void fail_some(void)
{
	static const int codes[] = {0, -EMFILE, -ENOMEM, -EPERM};
	int code = codes[draw(4)];

	if (chance(2))
		synthring_fail_open(s.core.ring, (unsigned)draw(4), code);
	else
		synthring_fail_map(s.core.ring, (unsigned)draw(3), code);
}

static void jump(void)
{
	synthring_jump(s.core.ring, (int64_t)draw(2000000) - 1000000);
}

static void task_ends(void)
{
	if (s.core.config.tasks)
		synthring_exit(s.core.ring, some_task());
}

static void step(void)
{
	static const struct {
		void (*act)(void);
		unsigned weight;
	} acts[] = {{count, 30}, {woken, 10}, {ask_some, 25}, {tick, 12}, {look_at_cpus, 6}, {reopen, 3},
		    {hotplug, 3}, {fail_some, 2}, {jump, 1}, {throttle, 1}, {task_ends, 1}, {attach, 3},
		    {task_forks, 2}, {empty_some, 2}};
	uint64_t at = draw(101);
	unsigned i = 0;

	while (at >= acts[i].weight)
		at -= acts[i++].weight;
	acts[i].act();
}

/* --- a schedule --------------------------------------------------------------------------- */

static void finish(void)
{
	synthring_fail_open(s.core.ring, 0, 0);
	synthring_fail_map(s.core.ring, 0, 0);
	look_at_cpus();
	for (unsigned i = 0; i < s.core.config.cpus; i++) {
		while (!reader_done(s.core.reader[i].reader))
			turn(i);
		ask(i, READER_DISABLE | ALL);
		turn(i);
		close_before(i);
		check_recorded(i);
	}
	s.core.last = true;
	tick();
	for (unsigned i = 0; i < s.core.config.cpus; i++)
		for (unsigned e = 0; e < s.core.config.events; e++)
			check_end(i, e);
}

static struct synthcore_config some_config(void)
{
	struct synthcore_config c = {
		.cpus = 1 + (unsigned)draw(3), .events = 1 + (unsigned)draw(2), .period = 1 + draw(5),
		.ring_bytes = 4096u << draw(3), .rows = chance(4) ? 16 : 0,
		.tasks = chance(3) ? 1 + (unsigned)draw(3) : 0, .overwrite = !chance(3), .callchain = chance(3),
		.no_pin = chance(4), .no_format_lost = chance(4),
	};

	/* Which event a LOST record is of is not known: the kernel names whoever wrote next. */
	if (c.no_format_lost)
		c.events = 1;
	c.inherit = c.tasks && chance(2);
	c.by_task = c.tasks && chance(2);
	return c;
}

static void run(uint64_t seed)
{
	struct synthcore_config c;

	seed_now = seed;
	memset(&s, 0, sizeof(s));
	s.random = seed;
	c = some_config();
	synthcore_begin(&s.core, &c);
	s.other = s.core.rings;
	s.other.overwrite = !s.other.overwrite;
	for (unsigned i = 0; i < c.cpus; i++)
		s.online[i] = s.is_online[i] = true;
	for (unsigned i = 0; i < STEPS; i++)
		step();
	finish();
	synthcore_end(&s.core);
	for (unsigned i = 0; i < c.cpus; i++)
		recqueue_clear(&s.queue[i]);
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_schedules(void **state)
{
	uint64_t nr = number_of("SCHEDULES", SCHEDULES), first = clock_read(CLOCK_REALTIME) / 1000;

	(void)state;
	if (getenv("SCHEDULE")) {
		run(number_of("SCHEDULE", 0));
		return;
	}
	print_message("%llu schedules from %llu on\n", (unsigned long long)nr, (unsigned long long)first);
	for (uint64_t i = 0; i < nr; i++)
		run(first + i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schedules),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
