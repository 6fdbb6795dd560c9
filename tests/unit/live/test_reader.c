/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader on rings made by hand: what it takes, what it counts, and what it says is missing. */
#include "sources/live/reader.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/synthcore.h"

#define FAULTS	 2 /* the configs of its events */
#define SWITCHES 3
#define ALL	 (READER_COUNT | READER_DRAIN)

static struct synthcore core;

static void begin(const struct synthcore_config *config)
{
	synthcore_begin(&core, config);
}

static void end(void)
{
	synthcore_end(&core);
}

static void look(unsigned i)
{
	synthcore_do(&core, i, ALL);
	synthcore_tick(&core);
}

static const struct reader_report *report(unsigned i)
{
	return reader_report(core.reader[i].reader);
}

/* Sums of one event on one CPU so far; they contradict neither each other nor the kernel. */
static const struct loss_state *sums(unsigned i, unsigned e)
{
	const struct loss_state *a = &core.reader[i].account[e];
	uint64_t lost = 0;

	for (unsigned k = 0; k < LOST_NR; k++)
		lost += a->lost[k];
	assert_int_equal(a->counted, a->attributed + lost + a->pending);
	return a;
}

static void test_counts(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 2, .events = 2, .period = 10, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 35, 0x1000, 0);
	synthring_count(core.ring, 0, SWITCHES, 7, 10, 0x2000, 0);
	synthring_count(core.ring, 1, FAULTS, 8, 9, 0x3000, 0);
	look(0);
	look(1);
	assert_int_equal(sums(0, 0)->attributed, 30);
	assert_int_equal(sums(0, 0)->pending, 5);
	assert_int_equal(sums(0, 1)->attributed, 10);
	assert_int_equal(sums(0, 1)->pending, 0);
	assert_int_equal(sums(1, 0)->attributed, 0);
	assert_int_equal(sums(1, 0)->pending, 9);
	assert_int_equal(report(0)->gauge.records, 4);
	assert_int_equal(report(0)->gauge.overwritten_bytes, 0);
	assert_int_equal(report(0)->gauge.state, RING_LIVE);
	end();
}

/* A quarter of the ring wakes it, without anybody's asking. */
static void test_woken(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 31, 0x1000, 0); /* of 32 bytes each */
	synthcore_turn(&core, 0);
	assert_int_equal(ring_unread(&reader_set(core.reader[0].reader)->sample), 31 * 32);
	synthring_count(core.ring, 0, FAULTS, 7, 1, 0x1000, 0);
	synthcore_turn(&core, 0);
	assert_int_equal(ring_unread(&reader_set(core.reader[0].reader)->sample), 0);
	look(0);
	assert_int_equal(report(0)->gauge.wakeups, 1);
	assert_int_equal(report(0)->gauge.unread_max, 32 * 32);
	assert_int_equal(sums(0, 0)->attributed, 32);
	end();
}

/* It comes when the ring was written round: all is counted, and what cannot be had is lost. */
static void test_overrun(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	for (unsigned i = 0; i < 1000; i++)
		synthring_count(core.ring, 0, FAULTS, 7, 1, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->counted, 1000);
	assert_int_equal(sums(0, 0)->attributed, 4096 / 32);
	assert_int_equal(sums(0, 0)->lost_samples[LOST_OVERWRITTEN], 1000 - 4096 / 32);
	assert_int_equal(sums(0, 0)->pending, 0);
	end();
}

/* A forward ring refuses what it has no room for, and says so by a record or the event's own count. */
static void check_full(bool format_lost)
{
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 2, .no_format_lost = !format_lost});
	synthring_count(core.ring, 0, FAULTS, 7, 2000, 0x1000, 0);
	look(0);
	synthring_count(core.ring, 0, FAULTS, 7, 2, 0x1000, 0); /* brings the LOST record */
	look(0);
	assert_int_equal(sums(0, 0)->counted, 2002);
	assert_int_equal(sums(0, 0)->attributed, 2 * (4096 / 32 + 1));
	/* A record that comes when they were missed already adds nothing. */
	assert_int_equal(sums(0, 0)->lost_samples[format_lost ? LOST_FULL : LOST_UNKNOWN], 1000 - 4096 / 32);
	assert_int_equal(sums(0, 0)->pending, 0);
	synthring_count(core.ring, 0, FAULTS, 7, 2000, 0x1000, 0);
	synthcore_turn(&core, 0);
	synthring_count(core.ring, 0, FAULTS, 7, 2, 0x1000, 0); /* one that is there in time does */
	look(0);
	assert_int_equal(sums(0, 0)->counted, 4004);
	assert_int_equal(sums(0, 0)->attributed, 4 * (4096 / 32 + 1));
	assert_int_equal(sums(0, 0)->pending, 0);
	assert_int_equal(sums(0, 0)->lost_samples[LOST_FULL], (format_lost ? 2 : 1) * (1000 - 4096 / 32));
	end();
}

static void test_full(void **state)
{
	(void)state;
	check_full(true);
	check_full(false);
}

/* Not on the ring's CPU: paused while it copies, which goes on afterwards. */
static void test_unpinned(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true, .no_pin = true});
	synthring_count(core.ring, 0, FAULTS, 7, 5, 0x1000, 0);
	look(0);
	synthring_count(core.ring, 0, FAULTS, 7, 5, 0x1000, 0);
	look(0);
	assert_int_equal(report(0)->gauge.state, RING_PAUSING);
	assert_int_equal(sums(0, 0)->attributed, 10);
	end();
}

static void test_throttled(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 5, 0x1000, 0);
	synthring_throttle(core.ring, 0, true);
	synthring_count(core.ring, 0, FAULTS, 7, 20, 0x1000, 0);
	synthring_throttle(core.ring, 0, false);
	synthring_count(core.ring, 0, FAULTS, 7, 5, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->throttles, 1);
	assert_int_equal(sums(0, 0)->attributed, 10);
	assert_int_equal(sums(0, 0)->lost[LOST_THROTTLED], 20);
	end();
}

/* The table is full: who finds no row there is counted. */
static void test_dropped(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true, .rows = 16,
					 .ring_bytes = 65536});
	for (unsigned i = 0; i < 500; i++)
		synthring_count(core.ring, 0, FAULTS, 7, 1, 0x1000 + i, 0);
	look(0);
	assert_in_range(sums(0, 0)->attributed, 1, 16);
	assert_int_equal(sums(0, 0)->attributed + sums(0, 0)->lost[LOST_DROPPED], 500);
	end();
}

/* What the counters of a CPU had counted stays, with the period that they did not end. */
static void test_offline(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 2, .events = 1, .period = 10, .overwrite = true});
	synthring_count(core.ring, 1, FAULTS, 7, 25, 0x1000, 0);
	synthring_online(core.ring, 1, false);
	synthcore_do(&core, 1, READER_OFFLINE | ALL);
	synthcore_tick(&core);
	assert_int_equal(report(1)->state, RING_OFFLINE);
	assert_int_equal(report(1)->gauge.state, RING_OFFLINE);
	assert_int_equal(sums(1, 0)->attributed, 20);
	assert_int_equal(sums(1, 0)->pending, 5);
	synthring_online(core.ring, 1, true);
	synthcore_do(&core, 1, READER_ONLINE | ALL);
	assert_int_equal(report(1)->reopened, 2);
	synthring_count(core.ring, 1, FAULTS, 7, 25, 0x1000, 0);
	look(1);
	assert_int_equal(sums(1, 0)->counted, 50);
	assert_int_equal(sums(1, 0)->attributed, 40);
	assert_int_equal(sums(1, 0)->pending, 10);
	end();
}

/* A waking of any task makes no row; the event ends with its CPU, and comes again with it. */
static void check_all_wakings(bool by_task)
{
	const struct loss_input *in = &core.reader[1].input[1];

	begin(&(struct synthcore_config){.cpus = 2, .events = 2, .period = 1, .overwrite = true, .tasks = 2, .inherit = by_task,
					 .by_task = by_task, .all_wakings = true});
	synthring_count(core.ring, 1, FAULTS, SYNTHCORE_TASK, 3, 0x1000, 0);
	synthring_count(core.ring, 1, FAULTS, 7, 5, 0x1000, 0);
	synthring_count(core.ring, 1, SWITCHES, SYNTHCORE_TASK + 1, 2, 0x1000, 0);
	synthring_count(core.ring, 1, SWITCHES, 7, 4, 0x1000, 0);
	look(1);
	assert_int_equal(sums(1, 0)->attributed, 3);
	assert_int_equal(core.reader[1].rows[1].samples, 0);
	assert_int_equal(in->counted, 6);
	assert_int_equal(in->taken, 6);
	synthring_online(core.ring, 1, false);
	synthcore_do(&core, 1, READER_OFFLINE | ALL);
	synthring_online(core.ring, 1, true);
	synthcore_do(&core, 1, READER_ONLINE | ALL);
	synthring_count(core.ring, 1, FAULTS, SYNTHCORE_TASK, 1, 0x1000, 0);
	synthring_count(core.ring, 1, SWITCHES, 7, 4, 0x1000, 0);
	look(1);
	assert_int_equal(in->counted, 10);
	assert_int_equal(in->taken, 10);
	assert_int_equal(sums(1, 0)->attributed, 4);
	/* It went and came between two looks. */
	synthring_online(core.ring, 1, false);
	synthring_online(core.ring, 1, true);
	for (unsigned i = 0; i < 3; i++)
		look(1);
	synthring_count(core.ring, 1, SWITCHES, 7, 2, 0x1000, 0);
	look(1);
	assert_int_equal(in->counted, 12);
	assert_int_equal(in->taken, 12);
	end();
}

static void test_all_wakings(void **state)
{
	(void)state;
	check_all_wakings(false);
	check_all_wakings(true);
}

/* Nobody saw that the CPU was gone: its events' time stands still. */
static void test_revived(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 3, 0x1000, 0);
	look(0);
	synthring_online(core.ring, 0, false);
	synthring_online(core.ring, 0, true);
	for (unsigned i = 0; i < 3; i++)
		look(0);
	assert_int_equal(report(0)->reopened, 2);
	synthring_count(core.ring, 0, FAULTS, 7, 4, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 7);
	end();
}

/* Opened while the CPU came and went: time goes on, and nothing is counted. */
static void test_never_runs(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 3, 0x1000, 0);
	look(0);
	synthring_starve(core.ring, 0, true);
	synthring_online(core.ring, 0, false);
	synthcore_do(&core, 0, READER_OFFLINE | ALL);
	synthring_online(core.ring, 0, true);
	synthcore_do(&core, 0, READER_ONLINE | ALL);
	synthring_starve(core.ring, 0, false);
	assert_int_equal(report(0)->reopened, 2);
	for (unsigned i = 0; i < 3; i++)
		look(0);
	assert_int_equal(report(0)->reopened, 3);
	synthring_count(core.ring, 0, FAULTS, 7, 4, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 7);
	end();
}

/* Others take the counter for two of three stretches, of the same length: a third of the time is what it counted. */
static void test_evicted(void **state)
{
	const struct loss_input *in;

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 2, .period = 1, .overwrite = true, .hardware = true});
	in = &report(0)->input[0];
	for (unsigned i = 0; i < 9; i++) {
		synthring_evict(core.ring, 0, FAULTS, i % 3 > 0);
		synthring_count(core.ring, 0, FAULTS, 7, 1, 0x1000, 0);
		synthring_pass(core.ring, 1000000);
		look(0);
	}
	assert_int_equal(sums(0, 0)->attributed, 3);
	assert_in_range(in[0].enabled, 9000000, 9000500);
	assert_in_range(in[0].running, 3000000, 3000500);
	assert_in_range(in[1].running, 9000000, 9000500);
	assert_int_equal(in[1].enabled, in[1].running);
	assert_in_range(sums(0, 0)->starved, 6000000, 6000500);
	assert_int_equal(sums(0, 1)->starved, 0);
	end();
}

/* A pinned event whose counter others have cannot be read any more: time passes without one, and is no count of 0. */
static void test_pinned(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 2, .period = 1, .overwrite = true, .hardware = true,
					 .pinned = true});
	synthring_evict(core.ring, 0, FAULTS, true);
	for (unsigned i = 0; i < 4; i++) {
		synthring_count(core.ring, 0, FAULTS, 7, 1, 0x1000, 0);
		synthring_count(core.ring, 0, SWITCHES, 7, 1, 0x1000, 0);
		synthring_pass(core.ring, 1000000);
		look(0);
	}
	assert_int_equal(sums(0, 0)->counted, 0);
	assert_in_range(sums(0, 0)->enabled, 4000000, 4000500);
	assert_int_equal(sums(0, 0)->starved, sums(0, 0)->enabled);
	assert_int_equal(sums(0, 1)->counted, 4);
	assert_int_equal(sums(0, 1)->starved, 0);
	assert_in_range(sums(0, 1)->enabled, 4000000, 4000500);
	end();
}

/* Samples of a group's leader are missing: by the ring where that lost something, else nobody knows why. */
static void test_gap_in_group(void **state)
{
	(void)state;
	for (int silent = 0; silent < 2; silent++) {
		begin(&(struct synthcore_config){.cpus = 1, .events = 2, .period = 10, .overwrite = true, .hardware = true, .reads = true});
		for (unsigned i = 0; i < 4; i++) {
			synthring_count(core.ring, 0, SWITCHES, 7, 5, 0x1000, 0);
			synthring_count(core.ring, 0, FAULTS, 7, 10, 0x1000, 0);
		}
		look(0);
		assert_int_equal(sums(0, 1)->attributed, 20);
		synthring_miss(core.ring, 0, silent);
		for (unsigned i = 0; i < 100; i++) {
			synthring_count(core.ring, 0, SWITCHES, 7, 5, 0x1000, 0);
			synthring_count(core.ring, 0, FAULTS, 7, 10, 0x1000, 0);
		}
		synthring_miss(core.ring, 0, false);
		synthring_count(core.ring, 0, FAULTS, 7, 10, 0x1000, 0);
		look(0);
		assert_true(sums(0, 1)->lost[silent ? LOST_UNKNOWN : LOST_OVERWRITTEN] >= 100);
		assert_int_equal(sums(0, 1)->lost[silent ? LOST_OVERWRITTEN : LOST_UNKNOWN], 0);
		end();
	}
}

/* While the events do not count their time stands still, too. */
static void test_stopped(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthcore_do(&core, 0, READER_DISABLE);
	for (unsigned i = 0; i < 5; i++)
		look(0);
	assert_int_equal(report(0)->reopened, 1);
	synthring_count(core.ring, 0, FAULTS, 7, 4, 0x1000, 0);
	synthcore_do(&core, 0, READER_ENABLE);
	synthring_count(core.ring, 0, FAULTS, 7, 2, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->counted, 2);
	end();
}

/* The CPU is back, and its events cannot be had yet: tried again, and said. */
static void test_fails_to_open(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 2, .period = 1, .overwrite = true});
	synthring_online(core.ring, 0, false);
	synthcore_do(&core, 0, READER_OFFLINE | ALL);
	synthring_online(core.ring, 0, true);
	for (unsigned i = 0; i < 3; i++) { /* the sideband's, the first and the second event */
		synthring_fail_open(core.ring, i, -EMFILE);
		synthcore_do(&core, 0, READER_ONLINE | ALL);
		assert_int_equal(report(0)->failed, i + 1);
		assert_int_equal(report(0)->failure.code, EMFILE);
		assert_int_equal(synthring_open_count(core.ring), 0);
	}
	synthring_fail_open(core.ring, 0, 0);
	synthcore_do(&core, 0, READER_ONLINE | ALL);
	assert_int_equal(report(0)->reopened, 2);
	synthring_count(core.ring, 0, FAULTS, 7, 4, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 4);
	end();
}

/* For a recording: forward, and back again.  Nothing is missed or counted twice on the way. */
static void test_reopened(void **state)
{
	struct ringset_config forward;

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 10, .overwrite = true});
	forward = core.rings;
	forward.overwrite = false;
	synthring_count(core.ring, 0, FAULTS, 7, 25, 0x1000, 0);
	reader_reopen(core.reader[0].reader, &forward, NULL);
	synthcore_do(&core, 0, READER_REOPEN | ALL);
	assert_int_equal(report(0)->reopen_error, 0);
	assert_non_null(reader_before(core.reader[0].reader)->sideband.page);
	synthcore_tick(&core);
	assert_int_equal(report(0)->gauge.mode, RING_FORWARD);
	synthring_count(core.ring, 0, FAULTS, 7, 25, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->counted, 50);
	assert_int_equal(sums(0, 0)->attributed, 40);
	assert_int_equal(sums(0, 0)->pending, 10);
	assert_true(reader_set(core.reader[0].reader)->sample.overwrite == false);
	end();
}

/* No room for the new rings beside the old: it stays closed until the owner has closed what is left. */
static void test_reopen_fails(void **state)
{
	struct ringset_config forward;
	struct ringset *before;

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	forward = core.rings;
	forward.overwrite = false;
	reader_reopen(core.reader[0].reader, &forward, NULL);
	synthring_fail_map(core.ring, 0, -EPERM);
	synthcore_do(&core, 0, READER_REOPEN | ALL);
	assert_int_equal(report(0)->reopen_error, -EPERM);
	assert_true(report(0)->shut);
	before = reader_before(core.reader[0].reader);
	sidequeue_close(reader_sideband(core.reader[0].reader), &before->sideband);
	ringset_close(before);
	assert_int_equal(synthring_open_count(core.ring), 0);
	/* Again, where only the first map fails: as they were. */
	synthring_fail_map(core.ring, 0, 0);
	synthcore_do(&core, 0, READER_REOPEN | ALL);
	assert_false(report(0)->shut);
	assert_int_equal(report(0)->reopen_error, 0);
	synthring_count(core.ring, 0, FAULTS, 7, 4, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 4);
	end();
}

/* Of tasks, with nothing open: the CPU is online all the time, and yet there is no ring to open others into. */
static void test_open_new_without_a_ring(void **state)
{
	const pid_t tid = SYNTHCORE_TASK;
	const struct reader_tasks tasks = {.watch = &tid, .nwatch = 1, .count = &tid, .ncount = 1};
	struct ringset_config forward;

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true, .tasks = 1,
					 .by_task = true});
	forward = core.rings;
	forward.overwrite = false;
	reader_reopen(core.reader[0].reader, &forward, NULL);
	synthring_fail_map(core.ring, 0, -EPERM);
	synthcore_do(&core, 0, READER_REOPEN | ALL);
	synthring_fail_map(core.ring, 0, 0);
	assert_int_equal(reader_open_new(core.reader[0].reader, &tasks), 0);
	synthcore_do(&core, 0, READER_ONLINE | READER_OPEN_NEW);
	assert_int_equal(report(0)->state, RING_OFFLINE);
	assert_int_equal(reader_set(core.reader[0].reader)->ncounters, 0);
	sidequeue_close(reader_sideband(core.reader[0].reader), &reader_before(core.reader[0].reader)->sideband);
	ringset_close(reader_before(core.reader[0].reader));
	synthcore_do(&core, 0, READER_REOPEN | READER_ONLINE | ALL);
	assert_int_equal(report(0)->state, RING_LIVE);
	end(); /* all that was opened is closed */
}

/* Each thread's counter has a period under way: together they may be several, and none is lost. */
static void test_tasks(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 10, .overwrite = true, .tasks = 3});
	for (unsigned i = 0; i < 3; i++)
		synthring_count(core.ring, 0, FAULTS, SYNTHCORE_TASK + (pid_t)i, 9, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->counted, 27);
	assert_int_equal(sums(0, 0)->pending, 27);
	synthring_count(core.ring, 0, FAULTS, SYNTHCORE_TASK, 12, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 20);
	assert_int_equal(sums(0, 0)->pending, 19);
	end();
}

/* Its event's task has ended: polled no more, and what it counted is there. */
static void test_task_ends(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true, .tasks = 1});
	synthring_count(core.ring, 0, FAULTS, SYNTHCORE_TASK, 3, 0x1000, 0);
	synthring_count(core.ring, 0, FAULTS, 7, 30, 0x1000, 0); /* another's */
	synthring_exit(core.ring, SYNTHCORE_TASK);
	synthcore_turn(&core, 0);
	synthcore_turn(&core, 0);
	look(0);
	assert_int_equal(sums(0, 0)->counted, 3);
	assert_int_equal(sums(0, 0)->attributed, 3);
	end();
}

/* Bytes that are no record end the batch; what was counted is all still accounted for. */
static void test_garbage(void **state)
{
	const uint64_t tiny[2] = {0}; /* a record of size 0 */

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1});
	synthring_count(core.ring, 0, FAULTS, 7, 3, 0x1000, 0);
	synthring_garble(core.ring, 0, tiny, sizeof(tiny));
	synthring_count(core.ring, 0, FAULTS, 7, 3, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 3);
	assert_int_equal(sums(0, 0)->counted, 6);
	synthring_count(core.ring, 0, FAULTS, 7, 2, 0x1000, 0);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 5);
	assert_int_equal(sums(0, 0)->counted, 8);
	end();
}

/* A copy of all that the ring holds takes nothing from it. */
static void test_held(void **state)
{
	static _Alignas(8) char copy[4096];
	const struct ring_batch *b;

	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 3, 0x1000, 0);
	look(0);
	synthring_count(core.ring, 0, FAULTS, 7, 2, 0x1000, 0);
	reader_copy_ring(core.reader[0].reader, copy);
	synthcore_do(&core, 0, READER_COPY_RING);
	b = reader_copied(core.reader[0].reader);
	assert_ptr_equal(b->data, copy);
	assert_int_equal(b->len, 5 * 32);
	look(0);
	assert_int_equal(sums(0, 0)->attributed, 5);
	end();
}

/* Time may jump: a gauge says nothing that cannot be, and no count is lost. */
static void test_time_jumps(void **state)
{
	(void)state;
	begin(&(struct synthcore_config){.cpus = 1, .events = 1, .period = 1, .overwrite = true});
	synthring_count(core.ring, 0, FAULTS, 7, 50, 0x1000, 0);
	synthring_jump(core.ring, -900000);
	synthring_count(core.ring, 0, FAULTS, 7, 50, 0x1000, 0);
	look(0);
	assert_int_equal(report(0)->gauge.oldest_ns, 0);
	assert_true(report(0)->gauge.late_ns == GAUGE_UNKNOWN);
	assert_int_equal(report(0)->reopened, 1);
	assert_int_equal(sums(0, 0)->attributed, 100);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts), cmocka_unit_test(test_woken),
		cmocka_unit_test(test_overrun), cmocka_unit_test(test_full),
		cmocka_unit_test(test_unpinned), cmocka_unit_test(test_throttled),
		cmocka_unit_test(test_dropped), cmocka_unit_test(test_offline), cmocka_unit_test(test_all_wakings),
		cmocka_unit_test(test_revived),
		cmocka_unit_test(test_never_runs),
		cmocka_unit_test(test_evicted),
		cmocka_unit_test(test_pinned), cmocka_unit_test(test_gap_in_group), cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_fails_to_open), cmocka_unit_test(test_reopened),
		cmocka_unit_test(test_reopen_fails), cmocka_unit_test(test_open_new_without_a_ring),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_task_ends),
		cmocka_unit_test(test_garbage), cmocka_unit_test(test_held),
		cmocka_unit_test(test_time_jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
