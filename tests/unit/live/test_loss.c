/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loss as arithmetic, against a machine made up here: events happen, some become samples, some of
 * these are lost in ways that we know and account must find out.  At every step, in running sums:
 * counted = attributed + lost + unsampled + pending, counted is the counter's own value unless
 * samples came after it was read, and no sum but unsampled ever falls.
 */
#include "sources/live/loss.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct books {
	struct loss_state st;
	uint64_t counted, attributed, samples, lost_all, throttles;
	int64_t unsampled, why[UNSAMPLED_NR];
	uint64_t lost[LOST_NR], lost_samples[LOST_NR], pending;
};

/* What may be idle time, or not. */
static uint64_t doubt_of(const struct loss_input *in)
{
	return in->idle_most - in->idle_least + in->idle_irq;
}

static void step(struct books *b, const struct loss_input *in)
{
	struct slice_account out = {.event = 3, .cpu = 5};
	uint64_t known, sum, waiting = 0;

	loss_step(&b->st, in, &out);
	assert_int_equal(out.event, 3); /* not its business */
	assert_int_equal(out.cpu, 5);
	b->counted += out.counted;
	b->attributed += out.attributed;
	b->samples += out.samples;
	b->unsampled += out.unsampled;
	for (int i = 0; i < UNSAMPLED_NR; i++) {
		b->why[i] += out.unsampled_why[i];
		assert_true(b->why[i] >= 0);
	}
	assert_int_equal(b->unsampled, b->why[UNSAMPLED_IDLE] + b->why[UNSAMPLED_STOLEN] +
					       b->why[UNSAMPLED_EXCLUDED]);
	b->throttles += out.throttles;
	b->pending = out.pending;
	assert_true((int64_t)out.counted >= 0 && (int64_t)out.attributed >= 0);
	sum = b->attributed + (uint64_t)b->unsampled + b->pending;
	b->lost_all = 0;
	for (int c = 0; c < LOST_NR; c++) {
		assert_true((int64_t)out.lost[c] >= 0 && (int64_t)out.lost_samples[c] >= 0);
		b->lost[c] += out.lost[c];
		b->lost_samples[c] += out.lost_samples[c];
		b->lost_all += b->lost[c];
		sum += b->lost[c];
		if (in->period && c != LOST_DROPPED)
			assert_int_equal(b->lost[c], b->lost_samples[c] * in->period);
	}
	assert_true(b->unsampled >= 0);
	assert_int_equal(b->counted, sum);
	assert_int_equal(b->attributed, in->attributed);
	assert_int_equal(b->samples, in->samples);
	assert_int_equal(b->lost[LOST_DROPPED], in->dropped);
	/* The counter's value, unless more than that is known to have been counted. */
	known = b->attributed + b->lost_all;
	if (in->taken > b->attributed + b->lost[LOST_DROPPED])
		waiting = in->taken - b->attributed - b->lost[LOST_DROPPED];
	known += waiting;
	assert_int_equal(b->counted, in->counted > known ? in->counted : known);
	if (in->period)
		assert_true(b->pending - waiting <
			    (in->clock || in->elsewhere ? 3 + in->open + in->forks : 1 + in->forks) * in->period + in->cut +
				    doubt_of(in));
}

/* Each hit is a sample of what it counts: what is missing is lost, to the unit, and nothing is pending. */
static void whole_hits(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.whole = true, .counted = 1000, .attributed = 900, .samples = 9};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.pending, 0);
	assert_int_equal(b.lost[LOST_UNKNOWN], 100);
	assert_int_equal(b.lost_samples[LOST_UNKNOWN], 1);
	in.counted = 2000;
	in.attributed = 1400;
	in.samples = 14;
	in.overwritten_samples = 7;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 500);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 7);
	in.lost_samples = 2; /* nothing is missing: they were others */
	step(&b, &in);
	assert_int_equal(b.lost[LOST_FULL], 0);
	in.counted = 3000;
	in.lost_samples = 3;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_FULL], 1000);
	assert_int_equal(b.pending, 0);
}

/* Read from another CPU, a hit may be counted before its sample is there.  It comes, or is lost by the next read. */
static void counted_elsewhere(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 1, .elsewhere = true, .open = 1, .counted = 100, .attributed = 99,
				   .samples = 99};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.pending, 1);
	step(&b, &in); /* its reader was late: nothing new is known */
	assert_int_equal(b.pending, 1);
	in.counted_before = in.counted;
	in.attributed = in.samples = 100;
	step(&b, &in);
	assert_int_equal(b.counted, 100);
	assert_int_equal(b.lost_all + b.pending, 0);
	/* More than one of a counter are not under way. */
	in.counted = 200;
	in.attributed = in.samples = 197;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 2);
	assert_int_equal(b.pending, 1);
	in.counted_before = in.counted;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 3);
	assert_int_equal(b.pending, 0);
	/* Nor is it overwritten before it was written. */
	in.overwritten_samples = 10;
	in.counted = 300;
	in.attributed = in.samples = 290;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 6);
	in.counted_before = in.counted;
	in.attributed = in.samples = 291;
	step(&b, &in);
	assert_int_equal(b.lost_all, 9);
	assert_int_equal(b.counted, 300);
	/* On the same CPU nothing comes between. */
	in.elsewhere = false;
	in.counted = 301;
	step(&b, &in);
	assert_int_equal(b.lost_all, 10);
}

/* The same where hits count as much as they like: what was counted since waits for the next read. */
static void whole_elsewhere(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.whole = true, .elsewhere = true, .open = 1, .counted = 1000, .attributed = 900,
				   .samples = 9};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.pending, 100);
	in.counted_before = in.counted;
	in.counted = 2000;
	in.attributed = 1950;
	in.samples = 19;
	step(&b, &in);
	assert_int_equal(b.pending, 50);
	in.counted_before = in.counted;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 50);
	assert_int_equal(b.pending, 0);
}

/* Rows of weighed events are no part of the account: samples times the period are. */
static void weighed_rows(void **state)
{
	const struct combine_total rows = {.samples = 7, .weight = 123456};

	(void)state;
	assert_int_equal(loss_amount(&(struct loss_input){.period = 3, .weighed = true}, &rows), 21);
	assert_int_equal(loss_amount(&(struct loss_input){.period = 3}, &rows), 123456);
}

/* --- causes, one after the other ------------------------------------------------------------ */

static void test_nothing_lost(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10};

	(void)state;
	for (uint64_t n = 0; n < 1000; n += 7) {
		in.counted = n;
		in.samples = n / 10;
		in.attributed = n / 10 * 10;
		step(&b, &in);
		assert_int_equal(b.counted, n);
		assert_int_equal(b.pending, n % 10);
		assert_int_equal(b.lost_all, 0);
	}
}

static void test_causes(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .counted = 1004, .samples = 100, .attributed = 1000};

	(void)state;
	step(&b, &in);
	in.counted += 500; /* 50 samples: 20 refused, 12 overwritten, 8 dropped by us, 10 in vain */
	in.lost_samples = 20;
	in.overwritten_samples = 12;
	in.dropped_samples = 8;
	in.dropped = 80;
	step(&b, &in);
	assert_int_equal(b.counted, in.counted);
	assert_int_equal(b.lost_samples[LOST_FULL], 20);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 12);
	assert_int_equal(b.lost_samples[LOST_DROPPED], 8);
	assert_int_equal(b.lost_samples[LOST_UNKNOWN], 10);
	assert_int_equal(b.pending, 4);
	/* The bound from the bytes may be too high: no more than is missing. */
	in.counted += 30;
	in.overwritten_samples += 1000;
	step(&b, &in);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 15);
	assert_int_equal(b.counted, in.counted);
}

/* Samples that wait to be unwound are pending, whatever else is missing, and are lost only when dropped. */
static void test_waiting(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .counted = 1004, .taken = 1000, .samples = 30,
				   .attributed = 300};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.pending, 704);
	assert_int_equal(b.lost_all, 0);
	in.counted += 500; /* 50 samples: 20 were overwritten, 25 taken, 5 are nowhere */
	in.taken += 250;
	in.overwritten_samples = 20;
	in.samples = 100;
	in.attributed = 1000;
	step(&b, &in);
	assert_int_equal(b.pending, 254);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 20);
	assert_int_equal(b.lost_samples[LOST_UNKNOWN], 5);
	/* The backlog drops some of what it took, the rest becomes rows. */
	in.dropped_samples = in.backlog_samples = 7;
	in.dropped = in.backlog = 70;
	in.samples += 18;
	in.attributed += 180;
	step(&b, &in);
	assert_int_equal(b.pending, 4);
	assert_int_equal(b.lost_samples[LOST_DROPPED], 7);
	assert_int_equal(b.lost_samples[LOST_UNKNOWN], 5);
	/* Rows of what was taken since the counter was read come early: counted is raised. */
	in.taken += 100;
	step(&b, &in);
	assert_int_equal(b.pending, 100);
	in.samples += 10;
	in.attributed += 100;
	in.counted += 100;
	step(&b, &in);
	assert_int_equal(b.counted, in.counted);
	assert_int_equal(b.lost_samples[LOST_UNKNOWN], 5);
}

/* What is lost keeps the cause that it had when it was lost, and is lost once. */
static void test_cause_changes(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .pausing = true, .counted = 100,
				   .lost_samples = 10};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_PAUSED], 100);
	in.pausing = false; /* the CPU may be had again */
	in.counted = 150;
	in.lost_samples = 15;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_PAUSED], 100);
	assert_int_equal(b.lost[LOST_FULL], 50);
	assert_int_equal(b.counted, 150);

	in.counted = 250;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 100);
	in.throttles = 1;
	in.counted = 270;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 100);
	assert_int_equal(b.lost[LOST_THROTTLED], 20);
	assert_int_equal(b.throttles, 1);
	/* An upper bound that rises, for another event's sake, does not explain it a second time. */
	in.overwritten_samples = 30;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 0);
	assert_int_equal(b.counted, 270);
	in.counted = 290;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 20);
	assert_int_equal(b.counted, 290);
}

/* Samples that came after the counter was read: counted catches up, and nothing is lost by it. */
static void test_late(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .counted = 105, .samples = 13, .attributed = 130};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.counted, 130);
	assert_int_equal(b.pending, 0);
	in.counted = 137;
	step(&b, &in);
	assert_int_equal(b.counted, 137);
	in.counted = 160;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 30);
	assert_int_equal(b.counted, 160);
}

/* --- clocks --------------------------------------------------------------------------------- */

/* Times that disagree by less than they can be read apart are no stretch without a counter. */
static void test_times(void **state)
{
	struct loss_state st = {.counted = 0};
	struct loss_input in = {.period = 10, .enabled = 1000000, .running = 999500};
	struct slice_account out;

	(void)state;
	loss_step(&st, &in, &out);
	assert_int_equal(out.enabled, 1000000);
	assert_int_equal(out.starved, 0);
	in.enabled = 2000000;
	in.running = 1500000;
	loss_step(&st, &in, &out);
	assert_int_equal(out.enabled, 1000000);
	assert_int_equal(out.starved, 500000);
	in.running = 2000100; /* read before what it ran for */
	loss_step(&st, &in, &out);
	assert_int_equal(out.enabled, 100);
	assert_int_equal(out.starved, 0);
	in.enabled = 3000000;
	loss_step(&st, &in, &out);
	assert_int_equal(st.enabled, 3000000);
	assert_int_equal(st.starved, 999900);
	assert_true(out.starved <= out.enabled);
}

static void test_idle_clock(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .counted = 1000, .samples = 100,
				   .attributed = 1000};

	(void)state;
	step(&b, &in);
	in.counted = 5003; /* 400 periods idle */
	in.idle_least = in.idle_most = 4003;
	step(&b, &in);
	assert_int_equal(b.lost_all, 0);
	assert_int_equal(b.unsampled, 3990);
	assert_int_equal(b.pending, 13); /* the latest may yet come */
	assert_int_equal(b.counted, 5003);
	in.counted = 5050; /* one was only late; then it runs again */
	in.samples = 105;
	in.attributed = 1050;
	step(&b, &in);
	assert_int_equal(b.lost_all, 0);
	assert_int_equal((uint64_t)b.unsampled + b.pending, 4000);
	assert_int_equal(b.counted, 5050);
}

/* A timer that fires late: what stood as unsampled becomes a sample, and no sum is raised by it. */
static void test_late_sample(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .idle_most = UINT64_MAX / 2};

	(void)state;
	srandom(5);
	for (uint64_t now = 1; now < 20000; now += (uint64_t)random() % 25) {
		uint64_t late = (uint64_t)random() % 4, due = now / 10;

		in.counted = now;
		if (due > late && due - late > in.samples)
			in.samples = due - late;
		in.attributed = in.samples * 10;
		step(&b, &in);
		assert_int_equal(b.counted, now);
		assert_int_equal(b.lost_all, 0);
	}
}

/* A busy CPU whose timer skips every fifth period: nobody idled. */
static void test_late_timer(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true};

	(void)state;
	for (unsigned i = 0; i < 50; i++) {
		in.counted += 1000;
		in.samples += 80;
		in.attributed += 800;
		step(&b, &in);
	}
	assert_int_equal(b.why[UNSAMPLED_IDLE], 0);
	assert_int_equal(b.lost[LOST_LATE], 50 * 200 - 10); /* the latest may yet come */
	assert_int_equal(b.lost[LOST_UNKNOWN], 0);
	assert_int_equal(b.pending, 10);
}

/* Half of the time idle, where the timer sleeps, and a tenth of the other half late. */
static void test_half_idle(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true};

	(void)state;
	for (unsigned i = 1; i <= 100; i++) {
		in.counted += 1000;
		in.samples += 45;
		in.attributed += 450;
		in.idle_least = i * 500 - 40; /* as roughly as the kernel tells it */
		in.idle_most = i * 500 + 60;
		step(&b, &in);
	}
	assert_int_equal(b.why[UNSAMPLED_IDLE], 100 * 500 - 40);
	assert_in_range(b.lost[LOST_LATE], 100 * 50 - 80, 100 * 50);
	assert_true(b.pending <= 40 + 80);
}

/* Where the idle task is sampled its time is not what is missing, but for that in interrupts. */
static void test_idle_sampled(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .counted = 10000, .samples = 900,
				   .attributed = 9000, .idle_least = 5000, .idle_most = 5000,
				   .idle_sampled = 5000};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_IDLE], 0);
	assert_int_equal(b.lost[LOST_LATE], 990);
	/* Of 700 it is not known whether they were sampled as idle: neither is said. */
	memset(&b, 0, sizeof(b));
	in.idle_irq = 700;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_IDLE], 0);
	assert_int_equal(b.lost[LOST_LATE], 290);
	assert_int_equal(b.pending, 710);
}

/* What the kernel cannot tell stays open until it can. */
static void test_idle_unknown(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .counted = 1000, .idle_most = 5000};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.unsampled, 0);
	assert_int_equal(b.lost_all, 0);
	assert_int_equal(b.pending, 1000);
	in.idle_least = in.idle_most = 700;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_IDLE], 700);
	assert_int_equal(b.lost[LOST_LATE], 290);
}

/* A virtual machine whose host took the CPU away: nobody's time, but not idle either. */
static void test_stolen(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .counted = 10000, .samples = 600,
				   .attributed = 6000, .idle_least = 1000, .idle_most = 1000,
				   .stolen = 2000};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_IDLE], 1000);
	assert_int_equal(b.why[UNSAMPLED_STOLEN], 2000);
	assert_int_equal(b.lost[LOST_LATE], 990);
	/* More was stolen than is missing: while the CPU idled. */
	memset(&b, 0, sizeof(b));
	in.stolen = 9000;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_STOLEN], 2990);
	assert_int_equal(b.lost_all, 0);
}

/* :u: what the kernel's code took is neither idle nor lost. */
static void test_excluded(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 10, .clock = true, .excludes = true, .counted = 10000,
				   .samples = 300, .attributed = 3000, .idle_least = 4000,
				   .idle_most = 4200, .stolen = 100};

	(void)state;
	step(&b, &in);
	assert_int_equal(b.why[UNSAMPLED_IDLE], 4000);
	assert_int_equal(b.why[UNSAMPLED_STOLEN], 100);
	assert_int_equal(b.why[UNSAMPLED_EXCLUDED], 6990 - 4200 - 100);
	assert_int_equal(b.lost_all, 0);
}

/* The same of events that are counted one by one: what their sum has beyond that is lost. */
static void test_short_lives(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 1000, .task = true, .open = 1};

	(void)state;
	for (unsigned i = 1; i <= 100; i++) {
		in.counted += 400;
		in.cut = in.counted % 1000; /* as the counter of all of them has it */
		in.forks = i;
		step(&b, &in);
		assert_int_equal(b.lost_all, 0);
		assert_int_equal(b.pending, i * 400);
	}
	in.counted += 500000;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_UNKNOWN], 440000);
}

/* Tasks that live for less than a period: none of theirs ended, and no timer was late. */
static void test_short_tasks(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.period = 1000, .clock = true, .task = true};

	(void)state;
	for (unsigned i = 1; i <= 100; i++) {
		in.counted += 400;
		in.open = 1;
		in.forks = i;
		step(&b, &in);
		assert_int_equal(b.lost_all, 0);
		assert_int_equal(b.pending, i * 400);
	}
	in.counted += 500000; /* one that was not sampled for long */
	step(&b, &in);
	assert_int_equal(b.lost[LOST_LATE], 540000 - 101000);
}

/* --- a machine ------------------------------------------------------------------------------- */

struct machine {
	struct loss_input in;
	uint64_t events, periods;	 /* that happened; that ended */
	uint64_t ring, ring_cap;	 /* samples waiting, and how many fit */
	uint64_t overwritten, full, table; /* truth */
	bool forward;
};

static uint64_t chance(uint64_t below)
{
	return (uint64_t)random() % below;
}

/* n events; each period that ends writes a sample into the ring. */
static void happen(struct machine *m, uint64_t n)
{
	uint64_t samples;

	m->events += n;
	samples = m->events / m->in.period - m->periods;
	m->periods += samples;
	m->ring += samples;
	if (m->ring > m->ring_cap) {
		*(m->forward ? &m->full : &m->overwritten) += m->ring - m->ring_cap;
		m->ring = m->ring_cap;
	}
}

static void drain(struct machine *m)
{
	uint64_t refused = m->table && !chance(10) ? chance(m->ring + 1) : 0;

	m->in.samples += m->ring - refused;
	m->in.attributed += (m->ring - refused) * m->in.period;
	m->in.dropped_samples += refused;
	m->in.dropped += refused * m->in.period;
	m->in.overwritten_samples = m->overwritten;
	m->ring = 0;
}

/* As the reader does it: the counters first, then the ring, while events go on. */
static void look(struct machine *m)
{
	m->in.counted = m->events;
	m->in.lost_samples = m->full;
	happen(m, chance(50) * m->in.period / 4);
	drain(m);
}

static void run_machine(uint64_t period, bool forward, bool table)
{
	struct machine m = {.in = {.period = period}, .ring_cap = 40, .forward = forward,
			    .table = table};
	struct books b = {.counted = 0};

	for (unsigned i = 0; i < 2000; i++) {
		happen(&m, chance(i % 7 ? 20 : 200) * period + chance(period));
		if (!chance(3))
			drain(&m); /* woken by its watermark */
		look(&m);
		step(&b, &m.in);
	}
	/* Stopped: the last sums are exact. */
	m.in.counted = m.events;
	m.in.lost_samples = m.full;
	drain(&m);
	step(&b, &m.in);
	assert_int_equal(b.counted, m.events);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], m.overwritten);
	assert_int_equal(b.lost_samples[LOST_FULL], m.full);
	assert_int_equal(b.lost_samples[LOST_DROPPED], m.in.dropped_samples);
	assert_int_equal(b.lost[LOST_UNKNOWN] + b.lost[LOST_THROTTLED] + b.lost[LOST_PAUSED], 0);
	assert_int_equal(b.pending, m.events % period);
	assert_true(m.overwritten + m.full > 0); /* or the test shows nothing */
}

static void test_machine(void **state)
{
	static const uint64_t periods[] = {1, 2, 7, 1000, 1001001};

	(void)state;
	srandom(7);
	for (size_t i = 0; i < sizeof(periods) / sizeof(*periods); i++)
		for (int mode = 0; mode < 4; mode++)
			run_machine(periods[i], mode & 1, mode & 2);
}

/* Anything at all as long as it does not fall; the sums must hold. */
static void test_random(void **state)
{
	(void)state;
	srandom(11);
	for (unsigned round = 0; round < 300; round++) {
		struct loss_input in = {.period = round % 3 ? 1 + chance(20) : 0,
					   .clock = round % 3 == 1};
		struct books b = {.counted = 0};

		for (unsigned i = 0; i < 200; i++) {
			uint64_t n = chance(5);

			in.counted += chance(200);
			in.samples += n;
			in.attributed += n * (in.period ? in.period : 1 + chance(30));
			if (!chance(4)) {
				n = chance(5);
				in.dropped_samples += n;
				in.dropped += n * (in.period ? in.period : chance(30));
			}
			in.lost_samples += chance(4) ? 0 : chance(5);
			in.overwritten_samples += chance(4) ? 0 : chance(5);
			in.throttles += !chance(20);
			in.pausing ^= !chance(20);
			n = chance(100);
			in.idle_least += n;
			in.idle_most = in.idle_least + chance(40);
			in.idle_sampled += chance(60);
			in.stolen += chance(4) ? 0 : chance(20);
			step(&b, &in);
		}
	}
}

/* --- by frequency ----------------------------------------------------------------------------- */

static void test_varying(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.counted = 10500, .samples = 100, .attributed = 10000};
	struct slice_account out;
	struct loss_state st = {.counted = 0};

	(void)state;
	loss_step(&st, &in, &out);
	assert_true(out.exact); /* nothing to estimate */
	step(&b, &in);
	assert_int_equal(b.pending, 500);
	in.counted = 15500; /* 40 overwritten, of 100 on average */
	in.overwritten_samples = 40;
	loss_step(&st, &in, &out);
	assert_false(out.exact);
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 4000);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 40);
	assert_int_equal(b.pending, 1500);
	assert_int_equal(b.counted, 15500);
	/* Never more than was counted. */
	in.overwritten_samples = 4000;
	step(&b, &in);
	assert_int_equal(b.counted, 15500);
	assert_int_equal(b.pending, 0);
	/* No sample yet: no average, no guess. */
	memset(&b, 0, sizeof(b));
	in = (struct loss_input){.counted = 50, .overwritten_samples = 3};
	step(&b, &in);
	assert_int_equal(b.pending, 50);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 3);
}

/* An event that another one's samples count: what stood for lost ones too is lost, to the event. */
static void test_missed(void **state)
{
	struct books b = {.counted = 0};
	struct loss_input in = {.counted = 1000, .samples = 30, .attributed = 700};
	struct slice_account out;
	struct loss_state st = {.counted = 0};

	(void)state;
	in.missed[LOST_OVERWRITTEN] = 200;
	in.missed_samples[LOST_OVERWRITTEN] = 3;
	loss_step(&st, &in, &out);
	assert_true(out.exact);
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 200);
	assert_int_equal(b.lost_samples[LOST_OVERWRITTEN], 3);
	assert_int_equal(b.pending, 100);
	in.missed[LOST_THROTTLED] = 60;
	in.missed_samples[LOST_THROTTLED] = 1;
	step(&b, &in);
	assert_int_equal(b.lost[LOST_OVERWRITTEN], 200);
	assert_int_equal(b.lost[LOST_THROTTLED], 60);
	assert_int_equal(b.pending, 40);
	assert_int_equal(b.counted, 1000);
}

static void test_exact(void **state)
{
	struct loss_input in = {.period = 10, .counted = 1000, .lost_samples = 50,
				   .overwritten_samples = 50};
	struct loss_state st = {.counted = 0};
	struct slice_account out;

	(void)state;
	loss_step(&st, &in, &out);
	assert_true(out.exact); /* a fixed period: all are of one size */
}

/* The kernel adds other tasks' hits, which have no sample: they are beside what is counted, and no loss. */
static void test_targeted(void **state)
{
	struct loss_input in = {.period = 1, .targeted = true, .counted = 87, .samples = 14, .attributed = 14};
	struct loss_state st = {.counted = 0};
	struct slice_account out;

	(void)state;
	loss_step(&st, &in, &out);
	assert_int_equal(out.counted, 14);
	assert_int_equal(out.others, 73);
	assert_int_equal(st.lost_samples[LOST_UNKNOWN], 0);
	/* A loss that has a cause stays one. */
	in.counted = 100;
	in.samples = in.attributed = 20;
	in.lost_samples = 3;
	loss_step(&st, &in, &out);
	assert_int_equal(out.counted, 9);
	assert_int_equal(out.lost[LOST_FULL], 3);
	assert_int_equal(out.others, 4);
	assert_int_equal(st.counted, st.attributed + st.lost[LOST_FULL]);
	/* A hit that counts ns is treated alike. */
	in = (struct loss_input){.whole = true, .targeted = true, .counted = 5000, .samples = 1, .attributed = 1200};
	st = (struct loss_state){.counted = 0};
	loss_step(&st, &in, &out);
	assert_int_equal(out.counted, 1200);
	assert_int_equal(out.others, 3800);
	/* Hits that are known to be others' come in beside. */
	in = (struct loss_input){.period = 1, .counted = 10, .samples = 10, .attributed = 10, .others = 30};
	st = (struct loss_state){.counted = 0};
	loss_step(&st, &in, &out);
	assert_int_equal(out.counted, 10);
	assert_int_equal(out.others, 30);
	loss_step(&st, &in, &out);
	assert_int_equal(out.others, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_targeted),
		cmocka_unit_test(whole_hits), cmocka_unit_test(counted_elsewhere), cmocka_unit_test(whole_elsewhere),
		cmocka_unit_test(weighed_rows),
		cmocka_unit_test(test_nothing_lost),  cmocka_unit_test(test_short_lives),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_waiting),
		cmocka_unit_test(test_cause_changes), cmocka_unit_test(test_late),
		cmocka_unit_test(test_times), cmocka_unit_test(test_idle_clock),    cmocka_unit_test(test_late_sample),
		cmocka_unit_test(test_late_timer),   cmocka_unit_test(test_half_idle),
		cmocka_unit_test(test_idle_sampled), cmocka_unit_test(test_idle_unknown),
		cmocka_unit_test(test_stolen),	      cmocka_unit_test(test_excluded),
		cmocka_unit_test(test_short_tasks),   cmocka_unit_test(test_missed),
		cmocka_unit_test(test_machine),	      cmocka_unit_test(test_random),
		cmocka_unit_test(test_varying),	      cmocka_unit_test(test_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
