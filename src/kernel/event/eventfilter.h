/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eventfilter - conditions on an event's hits, evaluated by the kernel: the text goes to it as it
 * was written (PERF_EVENT_IOC_SET_FILTER); kernel/capture/open.h sets it on every descriptor of the
 * event.
 *
 * Tracepoints and probes take conditions on their fields, PMUs with an AUX area may take ranges of
 * addresses.
 * Source: Documentation/trace/events.rst, "Event filtering"; kernel/events/core.c,
 * perf_event_set_filter.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_EVENTFILTER_H
#define RINGTOP_KERNEL_EVENT_EVENTFILTER_H

#include <stdbool.h>

#include "base/err.h"
#include "kernel/event/event.h"

#define EVENTFILTER_MOST 4094 /* bytes: the kernel copies a page, with its NUL */

/* Return true if the kernel takes filters for the event, right or wrong. */
bool eventfilter_may(const struct event *e);

/*
 * Set the filter on all events from index `first` on that take one; if an event has a filter, it
 * gets both. Return 0, -EINVAL (no event takes one, or the text is empty or too long), -ENOMEM.
 */
int eventfilter_add(struct event_list *list, unsigned first, const char *text, struct err *err);

/* Set, or add, the filter of one event. Errors as above. */
int eventfilter_add_one(struct event *e, const char *text, struct err *err);

/*
 * Fill err for a filter that the kernel refused with `code` (positive): the field and the reason in
 * the kernel's own words, if tracefs provides them. For that an instance of tracefs is made and
 * removed, so no other filters change. Return -EINVAL.
 */
int eventfilter_explain(const struct event *e, int code, struct err *err);

/*
 * Parse the kernel's error text: the filter, a line with a caret, and "parse_error: WHY". at: place
 * of the error in the filter (from 0; of an unknown field, its start); why: the reason; field: the
 * name at the start of the condition there ("": none). Return false if the text is not of this
 * form.
 */
struct eventfilter_answer {
	unsigned at;
	char field[64], why[128];
};
bool eventfilter_parse_answer(const char *text, struct eventfilter_answer *a);

#endif
