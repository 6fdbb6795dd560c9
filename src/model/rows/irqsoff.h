/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqsoff - the part of a profile that stands where the kernel allows interrupts again.
 *
 * cpu-clock and task-clock are sampled by a timer's interrupt. While interrupts are off it cannot
 * come: it comes as soon as they are allowed, so the whole stretch counts for the instruction after
 * that one, in the few functions that allow them. A counter of the hardware with an NMI looks
 * everywhere.
 *
 * Functions are known by their names, of x86-64's kernels.  All of a function's own samples count:
 * these functions do next to nothing else.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_ROWS_IRQSOFF_H
#define RINGTOP_MODEL_ROWS_IRQSOFF_H

#include "model/core/model.h"

/* Return true if a timer samples the event. */
bool irqsoff_sampled(const struct session_event *e);

/* Return true if a kernel's function of that name mainly allows interrupts again. */
bool irqsoff_ends(const char *function);

struct irqsoff {
	uint64_t weight, samples; /* of rows with ROW_IRQS_OFF */
	double share;	 /* of all that is attributed; NAN: no timer samples the event */
};

/* Sum up the rows of functions; no memory: share is NAN. */
struct irqsoff irqsoff_sum(struct model *m, unsigned event, struct window w);

#endif
