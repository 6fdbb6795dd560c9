/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter - which of an event's hits count, decided by the kernel: its own words go to it as they were written
 * (PERF_EVENT_IOC_SET_FILTER), kernel/capture/open.h gives them to every descriptor of the event.
 *
 * Tracepoints and probes take conditions on their fields, PMUs with an AUX area may take ranges of addresses.
 * Source: Documentation/trace/events.rst, "Event filtering"; kernel/events/core.c, perf_event_set_filter.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_FILTER_H
#define RINGTOP_KERNEL_EVENT_FILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"

#define FILTER_MOST 4094 /* bytes: the kernel copies a page, with its end */

/* Does the kernel take filters for it?  Not whether this one is right. */
bool filter_may(const struct event *e);

/*
 * Of the events from `first` on, those that take one get it; one that has one gets both.  0; -EINVAL: none of them takes
 * one, or it is empty or too long; -ENOMEM.
 */
int filter_add(struct event_list *list, unsigned first, const char *text, struct err *err);

/* The same of one event. */
int filter_add_one(struct event *e, const char *text, struct err *err);

/*
 * The kernel refused (`code`, positive) the event's filter: say which field and why, in its own words where tracefs
 * tells them.  For that an instance of tracefs is made and removed: nobody's filters change.  Returns -EINVAL.
 */
int filter_explain(const struct event *e, int code, struct err *err);

/*
 * In the kernel's answer, which is the filter, a line with a caret, and "parse_error: WHY": where (from 0; of a field
 * that is unknown, where its name begins), why, and the name that the condition there begins with (field, "" where it has
 * none).  False: it is no such answer.
 */
struct filter_answer {
	unsigned at;
	char field[64], why[128];
};
bool filter_parse_answer(const char *text, struct filter_answer *a);

#endif
