/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a thread that was switched out: by kernels' formats of prev_state, and by the scheduler's callers. */
#include "measure/consumers/waitstate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER   ((uint64_t)PERF_CONTEXT_USER)

/* Print formats as kernels have them: 6.18; 3.16 of a machine of 32 bits, whose longs have 4 bytes; and none. */
#define FIELD_8 "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
#define FIELD_4 "\tfield:long prev_state;\toffset:32;\tsize:4;\tsigned:1;\n"
#define PRINT_6_18 \
	"print fmt: \"%s%s\", __print_flags(REC->prev_state & 255, \"|\", { 0x00000001, \"S\" }, { 0x00000002, \"D\" }, " \
	"{ 0x00000004, \"T\" }, { 0x00000008, \"t\" }, { 0x00000010, \"X\" }, { 0x00000020, \"Z\" }, { 0x00000040, \"P\" }, " \
	"{ 0x00000080, \"I\" }) : \"R\", REC->prev_state & (((0x00000000 | 0x00000001 | 0x00000002 | " \
	"0x00000004 | 0x00000008 | 0x00000010 | 0x00000020 | 0x00000040) + 1) << 1) ? \"+\" : \"\"\n"
#define PRINT_3_16 \
	"print fmt: \"%s%s\", __print_flags(REC->prev_state & (1024-1), \"|\", { 1, \"S\"} , { 2, \"D\" }, { 4, \"T\" }, " \
	"{ 8, \"t\" }, { 16, \"Z\" }, { 32, \"X\" }, { 64, \"x\" }, { 128, \"K\"}, { 256, \"W\" }, { 512, \"P\" }, " \
	"{ 1024, \"N\" }) : \"R\", REC->prev_state & 4096 ? \"+\" : \"\"\n"

/* Letters, and no bit that is told from them by a plus, or one that is not said as kernels say it. */
#define PRINT_NONE "{ 1, \"S\" }\n"
#define PRINT_CUT  "{ 1, \"S\" } prev_state & ((0x7f + 2) << 1) ? \"+\" : \"\"\n"

static void test_states(void **state)
{
	static const struct {
		const char *format;
		uint64_t bits;
		uint8_t size, state;
		bool ended;
	} known[] = {
		{FIELD_8 PRINT_6_18, 0, 8, WAIT_RUNNABLE, false}, {FIELD_8 PRINT_6_18, 0x100, 8, WAIT_PREEMPTED, false},
		{FIELD_8 PRINT_6_18, 0x1, 8, WAIT_SLEEPING, false}, {FIELD_8 PRINT_6_18, 0x2, 8, WAIT_DISK, false},
		{FIELD_8 PRINT_6_18, 0x4, 8, WAIT_STOPPED, false}, {FIELD_8 PRINT_6_18, 0x8, 8, WAIT_STOPPED, false},
		{FIELD_8 PRINT_6_18, 0x10, 8, WAIT_UNKNOWN, true}, {FIELD_8 PRINT_6_18, 0x20, 8, WAIT_UNKNOWN, true},
		{FIELD_8 PRINT_6_18, 0x40, 8, WAIT_IDLE, false}, {FIELD_8 PRINT_6_18, 0x80, 8, WAIT_IDLE, false},
		{FIELD_4 PRINT_3_16, 0, 4, WAIT_RUNNABLE, false}, {FIELD_4 PRINT_3_16, 0x1, 4, WAIT_SLEEPING, false},
		{FIELD_4 PRINT_3_16, 0x82, 4, WAIT_DISK, false}, {FIELD_4 PRINT_3_16, 0x84, 4, WAIT_STOPPED, false},
		{FIELD_4 PRINT_3_16, 0x40, 4, WAIT_UNKNOWN, true}, {FIELD_4 PRINT_3_16, 0x10, 4, WAIT_UNKNOWN, true},
		{FIELD_4 PRINT_3_16, 0x100, 4, WAIT_RUNNABLE, false}, {FIELD_4 PRINT_3_16, 0x1000, 4, WAIT_PREEMPTED, false},
		{FIELD_4 PRINT_3_16, 0x1001, 4, WAIT_PREEMPTED, false}, {FIELD_8, 0x100, 8, WAIT_PREEMPTED, false},
		{FIELD_8 PRINT_NONE, 0x100, 8, WAIT_RUNNABLE, false}, {FIELD_8 PRINT_CUT, 0x100, 8, WAIT_RUNNABLE, false}, {FIELD_4 PRINT_3_16, 0x200, 4, WAIT_IDLE, false},
		{FIELD_4 PRINT_3_16, 0x402, 4, WAIT_IDLE, false}, {FIELD_8, 0x40, 8, WAIT_IDLE, false},
		{FIELD_8, 0x20, 8, WAIT_UNKNOWN, true}, {FIELD_8, 0x1, 8, WAIT_SLEEPING, false},
	};
	struct switches sw;
	bool ended;

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_true(waitstate_take_format(&sw, known[i].format));
		assert_int_equal(sw.prev_state, 32);
		assert_int_equal(sw.state_size, known[i].size);
		assert_int_equal(waitstate_of(&sw.states, known[i].bits, &ended), known[i].state);
		assert_int_equal(ended, known[i].ended);
	}
	assert_false(waitstate_take_format(&sw, PRINT_6_18));
	assert_false(waitstate_take_format(&sw, "\tfield:short prev_state;\toffset:32;\tsize:2;\tsigned:1;\n"));
}

static uint8_t state_from(const struct switches *sw, uint64_t caller, uint8_t state)
{
	const uint64_t ips[] = {KERNEL, 0x1100, 0x1200, caller, 0x3000, USER, 0x400000};
	struct switch_said said = {.kind = SWITCH_OUT, .state = state};

	waitstate_tell_path(sw, &(struct path){ips, 7}, &said);
	return said.state;
}

/* Who called the scheduler tells what the kernel's flag does not. */
static void test_callers(void **state)
{
	static const char *const lines[] = {
		"0000000000000800 t do_sched_yield\n", "0000000000000900 T __do_sys_sched_yield\n",
		"0000000000000900 T __x64_sys_sched_yield\n", "00000000000009a0 d another_sched_yield\n",
		"0000000000000a00 T next\n", "0000000000000b00 t exit_to_user_mode_loop\n",
		"0000000000000c00 t pci_exit_to_user_mode_loop\n", "0000000000001000 T __sched_text_start\n",
		"0000000000001100 T __schedule\n", "0000000000002000 T __sched_text_end\n",
		"0000000000002100 t irqentry_exit_to_user_mode\n", "0000000000002200 T last\n",
	};
	struct switches sw = {.prev_pid = 24}, many = {.prev_pid = 24};
	const uint64_t asleep[] = {KERNEL, 0x1100, USER, 0x801};
	struct switch_said said = {.kind = SWITCH_OUT, .state = WAIT_RUNNABLE};
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_true(waitstate_take_line(&sw, lines[i]));
	assert_false(waitstate_take_line(&sw, "0000000000002300 T _etext\n"));
	assert_int_equal(sw.ncallers, 4);
	assert_int_equal(sw.sched_to, 0x2000);
	assert_int_equal(state_from(&sw, 0x810, WAIT_RUNNABLE), WAIT_YIELDED);
	assert_int_equal(state_from(&sw, 0x900, WAIT_RUNNABLE), WAIT_YIELDED); /* what the last call of it returns to */
	assert_int_equal(state_from(&sw, 0x9ff, WAIT_RUNNABLE), WAIT_YIELDED);
	assert_int_equal(state_from(&sw, 0xa10, WAIT_RUNNABLE), WAIT_RUNNABLE); /* woken before it slept */
	assert_int_equal(state_from(&sw, 0xb10, WAIT_RUNNABLE), WAIT_PREEMPTED);
	assert_int_equal(state_from(&sw, 0xc10, WAIT_RUNNABLE), WAIT_RUNNABLE);
	assert_int_equal(state_from(&sw, 0x2110, WAIT_RUNNABLE), WAIT_PREEMPTED);
	assert_int_equal(state_from(&sw, 0x810, WAIT_SLEEPING), WAIT_SLEEPING);
	assert_int_equal(state_from(&sw, 0x810, WAIT_PREEMPTED), WAIT_PREEMPTED);
	waitstate_tell_path(&sw, &(struct path){asleep, 4}, &said);
	assert_int_equal(said.state, WAIT_RUNNABLE);
	/* Addresses that are hidden, more of them than there is room for, and lines that are none. */
	assert_true(waitstate_take_line(&many, "0000000000000000 T do_sched_yield\n"));
	assert_true(waitstate_take_line(&many, ""));
	assert_true(waitstate_take_line(&many, "5 T"));
	assert_int_equal(many.ncallers, 0);
	for (unsigned i = 1; i < 100; i++) {
		snprintf(line, sizeof(line), "%x T do_sched_yield\n", i * 16);
		assert_true(waitstate_take_line(&many, line));
	}
	assert_int_equal(many.ncallers, SWITCHES_CALLERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states), cmocka_unit_test(test_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
