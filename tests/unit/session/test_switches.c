/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel's records say of switches, as bytes made by hand and as this machine's format files have it. */
#include "measure/consumers/switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/event/tracepoint.h"
#include "../../skip.h"

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

static const char format[] =
	"name: sched_switch\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:pid_t xpid;\toffset:48;\tsize:4;\tsigned:1;\n"
	"print fmt: \"prev_pid=%d prev_state=%s\", REC->prev_pid, REC->prev_state\n";

static void test_fields(void **state)
{
	(void)state;
	assert_int_equal(switches_field(format, "prev_pid", 4), 24);
	assert_int_equal(switches_field(format, "prev_state", 8), 32);
	assert_int_equal(switches_field(format, "prev_state", 4), 0);
	assert_int_equal(switches_field(format, "pid", 4), 0); /* a part of another's name */
	assert_int_equal(switches_field(format, "prev_comm", 16), 0); /* an array's name ends elsewhere */
	assert_int_equal(switches_field("", "pid", 4), 0);
	assert_int_equal(switches_field(" pid;", "pid", 4), 0);
	assert_int_equal(switches_field(" pid; offset:70000; size:4;", "pid", 4), 0);
}

static const struct switches made = {.prev_pid = 24, .prev_state = 32, .state_size = 8, .woken = 24, .sched_from = 0x1000,
				     .sched_to = 0x2000, .states = {.ended = 0x30, .sleeping = 0x01}};

/* A record with a tracepoint's bytes behind its header. */
struct raw_record {
	struct perf_event_header h;
	unsigned char bytes[64];
};

static struct sample sample_of(struct raw_record *r, uint32_t tid, uint16_t len)
{
	struct sample s = {.h = &r->h, .pid = tid, .tid = tid};

	s.span[SAMPLE_RAW] = (struct sample_span){sizeof(r->h), len};
	return s;
}

static void test_samples(void **state)
{
	struct raw_record r = {.bytes = {0}};
	const uint64_t sleeps = 1, dead = 0x10;
	const uint32_t pid = 77;
	struct switches of_32_bits = made;
	struct switch_said said;
	struct sample s = sample_of(&r, 7, 64);

	(void)state;
	of_32_bits.state_size = 4;
	memcpy(r.bytes + 24, &pid, 4);
	memcpy(r.bytes + 32, &sleeps, 8);
	assert_true(switches_sample(&made, EVENT_SWITCH, &s, &said));
	assert_int_equal(said.kind, SWITCH_OUT);
	assert_int_equal(said.thread, 7); /* as samples number it */
	assert_int_equal(said.state, WAIT_SLEEPING);
	memcpy(r.bytes + 32, &dead, 8);
	s.tid = (uint32_t)-1;
	assert_true(switches_sample(&made, EVENT_SWITCH, &s, &said));
	assert_true(said.ended);
	assert_int_equal(said.thread, 77);
	s = sample_of(&r, 9, 64);
	assert_true(switches_sample(&made, EVENT_WAKING, &s, &said));
	assert_int_equal(said.kind, SWITCH_WAKING);
	assert_int_equal(said.thread, 77);
	assert_false(said.interrupt);
	r.bytes[2] = 0x08; /* in a hard interrupt, that task was there by chance */
	assert_true(switches_sample(&made, EVENT_WAKING, &s, &said));
	assert_true(said.interrupt);
	r.bytes[2] = 0;
	s.tid = 0; /* who idles wakes nobody by itself */
	assert_true(switches_sample(&made, EVENT_WAKING, &s, &said));
	assert_true(said.interrupt);
	s = sample_of(&r, 7, 39);
	assert_false(switches_sample(&made, EVENT_SWITCH, &s, &said));
	assert_true(switches_sample(&of_32_bits, EVENT_SWITCH, &s, &said));
	assert_true(said.ended);
	memset(r.bytes + 36, 0xff, 4); /* the bytes behind a long of 4 bytes are not its */
	memcpy(r.bytes + 32, &sleeps, 4);
	assert_true(switches_sample(&of_32_bits, EVENT_SWITCH, &s, &said));
	assert_int_equal(said.state, WAIT_SLEEPING);
	assert_false(said.ended);
	s = sample_of(&r, 7, 35);
	assert_false(switches_sample(&of_32_bits, EVENT_SWITCH, &s, &said));
	s = sample_of(&r, 7, 27);
	assert_false(switches_sample(&made, EVENT_WAKING, &s, &said));
	s.span[SAMPLE_RAW].offset = 0;
	assert_false(switches_sample(&made, EVENT_WAKING, &s, &said));
}

static void test_records(void **state)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		uint64_t time, id;
	} r = {.h = {.type = PERF_RECORD_SWITCH, .size = sizeof(r)}, .pid = 5, .tid = 6, .time = 7};
	struct record_layout l;
	struct switch_said said;

	(void)state;
	record_layout_init(&l, PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER);
	assert_true(switches_record(&l, &r.h, &said));
	assert_int_equal(said.kind, SWITCH_IN);
	assert_int_equal(said.thread, 6);
	r.h.misc = PERF_RECORD_MISC_SWITCH_OUT;
	assert_true(switches_record(&l, &r.h, &said));
	assert_int_equal(said.kind, SWITCH_OUT);
	assert_int_equal(said.state, WAIT_UNKNOWN);
	r.h.misc |= PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
	assert_true(switches_record(&l, &r.h, &said));
	assert_int_equal(said.state, WAIT_RUNNABLE);
	r.h.size = sizeof(r.h);
	assert_false(switches_record(&l, &r.h, &said));
}

/* From where the scheduler was entered, as wchan has it. */
static void test_paths(void **state)
{
	const uint64_t inside[] = {KERNEL, 0x1100, 0x1fff, 0x2000, 0x3000, USER, 0x400000};
	const uint64_t only[] = {KERNEL, 0x1100, 0x1200, USER, 0x400000};
	const uint64_t outside[] = {KERNEL, 0x5000, 0x1100};
	uint64_t ips[TABLE_PATH_MAX];
	struct path p = {inside, 7}, got = switches_path(&made, &p, ips);

	(void)state;
	assert_int_equal(got.nr, 5);
	assert_int_equal(got.ips[0], KERNEL);
	assert_int_equal(got.ips[1], 0x1fff); /* in the call that returns to 0x2000 */
	assert_int_equal(got.ips[2], 0x3000);
	assert_int_equal(got.ips[4], 0x400000);
	p = (struct path){inside, 7};
	assert_int_equal(switches_interrupt(&p).nr, 5);
	p = (struct path){only, 5};
	assert_ptr_equal(switches_path(&made, &p, ips).ips, only);
	p = (struct path){outside, 3};
	assert_ptr_equal(switches_path(&made, &p, ips).ips, outside);
	p = (struct path){inside + 5, 2};
	assert_ptr_equal(switches_path(&made, &p, ips).ips, inside + 5);
	p = (struct path){inside, 7};
	assert_ptr_equal(switches_path(&(struct switches){.prev_pid = 24}, &p, ips).ips, inside);
}

/* Where the tracepoint has more than one who listens, what calls them is no part of the wait either. */
static void test_called_by_more(void **state)
{
	const uint64_t more[] = {KERNEL, 0x5000, 0x1100, 0x2000, 0x3000, USER, 0x400000};
	const uint64_t other[] = {KERNEL, 0x5000, USER, 0x1100, 0x400000};
	uint64_t ips[TABLE_PATH_MAX];
	struct path p = {more, 7}, got = switches_path(&made, &p, ips);

	(void)state;
	assert_int_equal(got.nr, 5);
	assert_int_equal(got.ips[0], KERNEL);
	assert_int_equal(got.ips[1], 0x1fff);
	assert_int_equal(got.ips[2], 0x3000);
	p = (struct path){other, 5};
	assert_ptr_equal(switches_path(&made, &p, ips).ips, other);
}

/* This kernel's formats have what we take. */
static void test_here(void **state)
{
	struct event_list list = {.nr = 0};
	struct switches sw;
	struct err err = {.code = 0};
	char text[64];

	(void)state;
	if (tracepoint_format("sched:sched_switch", text, sizeof(text)))
		SKIP("the formats of tracepoints cannot be read here");
	assert_int_equal(switches_events(&list, true, &err), 0);
	assert_int_equal(list.nr, 15);
	assert_int_equal(list.events[0].attr.context_switch, 1);
	assert_false(event_is_made(&list.events[1]));
	assert_string_equal(list.events[3].name, "off-cpu");
	assert_string_equal(list.events[3].unit, "ns");
	assert_true(event_is_made(&list.events[3]));
	assert_int_equal(switches_open(&sw, &list, &err), 0);
	assert_true(sw.prev_pid && sw.prev_state && sw.woken);
	assert_true(sw.sched_from <= sw.sched_to);
	assert_true(!sw.sched_from || sw.ncallers > 1);
	assert_true(sw.states.preempted);
	event_list_clear(&list);
	/* Without tracepoints nothing is to be read. */
	assert_int_equal(switches_events(&list, false, &err), 0);
	assert_int_equal(list.nr, 5); /* of states only what it can tell */
	assert_int_equal(switches_open(&sw, &list, &err), 0);
	assert_int_equal(sw.prev_pid, 0);
	event_list_clear(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields), cmocka_unit_test(test_samples),
		cmocka_unit_test(test_records), cmocka_unit_test(test_paths),
		cmocka_unit_test(test_called_by_more), cmocka_unit_test(test_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
