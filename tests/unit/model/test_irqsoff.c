/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that allow interrupts again, by their names; events that a timer samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/rows/irqsoff.h"

static void test_names(void **state)
{
	(void)state;
	assert_true(irqsoff_ends("_raw_spin_unlock_irqrestore"));
	assert_true(irqsoff_ends("finish_task_switch.isra.0"));
	assert_true(irqsoff_ends("handle_softirqs"));
	assert_false(irqsoff_ends("_raw_spin_unlock"));
	assert_false(irqsoff_ends("_raw_spin_unlock_irqrestored"));
	assert_false(irqsoff_ends("_raw_spin_unlock_irqsave"));
	assert_false(irqsoff_ends("do_syscall_6"));
	assert_false(irqsoff_ends(""));
	assert_false(irqsoff_ends(".isra.0"));
}

static void test_events(void **state)
{
	(void)state;
	assert_true(irqsoff_sampled(&(struct session_event){.name = "cpu-clock", .unit = "ns"}));
	assert_true(irqsoff_sampled(&(struct session_event){.name = "task-clock:u", .unit = "ns"}));
	assert_true(irqsoff_sampled(
		&(struct session_event){.name = "cpu-clock/call-graph=dwarf/", .unit = "ns"}));
	assert_false(irqsoff_sampled(&(struct session_event){.name = "cycles", .unit = ""}));
	assert_false(irqsoff_sampled(&(struct session_event){.name = "off-cpu", .unit = "ns"}));
	assert_false(irqsoff_sampled(&(struct session_event){.name = "page-faults", .unit = ""}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_events)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
