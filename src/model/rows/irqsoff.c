/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Seen with cpu-clock at 1999 Hz on 6.18 in a virtual machine: a third of the kernel's own time was
 * that of exc_page_fault, _raw_spin_unlock_irqrestore, do_syscall_64, finish_task_switch,
 * handle_softirqs, _raw_spin_unlock_irq and irqentry_exit_to_user_mode, and 96 to 100 of 100 own
 * samples of each of them, of do_syscall_64 90, had one address: by the source the one behind the
 * instruction that allows interrupts; /proc/kcore was not there to prove it. Functions that halt
 * the CPU are idle time (kernel_halts), which counts apart.
 */
#include "model/rows/irqsoff.h"

#include <math.h>
#include <string.h>

bool irqsoff_sampled(const struct session_event *e)
{
	return !strcmp(e->unit, "ns") &&
	       (!strncmp(e->name, "cpu-clock", 9) || !strncmp(e->name, "task-clock", 10));
}

bool irqsoff_ends(const char *function)
{
	static const char *const names[] = {
		"_raw_spin_unlock_irqrestore", "_raw_spin_unlock_irq",
		"_raw_read_unlock_irqrestore", "_raw_read_unlock_irq",
		"_raw_write_unlock_irqrestore", "_raw_write_unlock_irq",
		"finish_task_switch", "handle_softirqs", "__do_softirq", "exc_page_fault",
		"do_syscall_64", "irqentry_exit_to_user_mode", "syscall_exit_to_user_mode",
	};
	size_t len = strcspn(function, "."); /* .isra.0, .constprop.0 */

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(function, names[i], len) && !names[i][len])
			return true;
	return false;
}

struct irqsoff irqsoff_sum(struct model *m, unsigned event, struct window w)
{
	const struct query q = {.event = event, .group = GROUP_FUNCTION, .sort = SORT_SELF};
	struct irqsoff sum = {.share = NAN};
	const struct rows *rows = irqsoff_sampled(&model_info(m)->events[event])
					  ? model_rows(m, &q, w) : NULL;

	if (!rows)
		return sum;
	sum.share = 0;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		if (!(r->flags & ROW_IRQS_OFF))
			continue;
		sum.weight += r->self;
		sum.samples += r->samples;
		sum.share += r->self_share;
	}
	return sum;
}
