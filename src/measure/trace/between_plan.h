/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between_plan - what --between wants: two tracepoints, and the fields of each by which a hit of one belongs to a hit of
 * the other; without any their thread.
 *
 * Threads: one owner; between_plan_half any.
 */
#ifndef RINGTOP_MEASURE_TRACE_BETWEEN_PLAN_H
#define RINGTOP_MEASURE_TRACE_BETWEEN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "kernel/event/event.h"
#include "measure/trace/format.h"
#include "measure/trace/pairs.h"
#include "measure/trace/tracefields.h"

enum between_side { BETWEEN_FROM, BETWEEN_TO, BETWEEN_SIDES };

/* What is wanted. */
struct between_plan {
	bool wanted;
	unsigned event[BETWEEN_SIDES]; /* in the list */
	unsigned nfields; /* of the key; 0: the thread */
	char name[BETWEEN_SIDES][PAIRS_WORDS][FORMAT_NAME];
	struct trace_value field[BETWEEN_SIDES][PAIRS_WORDS];
	char key[320]; /* the fields' names, ", " between them */
	uint16_t nr; /* slice_between.nr */
};

/* Which event is of this name (SUBSYSTEM:NAME)?  0; -EINVAL, -EACCES, -ENOMEM with err. */
typedef int between_plan_find_event(void *arg, const char *name, unsigned *event, struct err *err);

/* Of a struct event_list: one that is not there yet is appended. */
int between_plan_event(void *list, const char *name, unsigned *event, struct err *err);

/* Of A,B[:FIELD[=FIELD][+...]], or a name for one that is well known.  -EINVAL: it is no such text; else as `find`. */
int between_plan_parse(struct between_plan *plan, const char *text, between_plan_find_event *find, void *arg,
		       struct err *err);

/* Once rates are set: where the fields are.  -EINVAL: no such field, or not every hit is a sample; -EACCES, -ENOMEM. */
int between_plan_find(struct between_plan *plan, struct event_list *list, const struct tracefields_source *source,
		      struct err *err);

/*
 * The half of a pair that a sample of an event is (measure/trace/pairs.h), of 1 + PAIRS_WORDS words; the idle threads of all
 * `cpu`s have one number.  1; 0: the event is neither; -EINVAL: its record lacks a field, only half[0] holds.
 */
int between_plan_half(const struct between_plan *plan, unsigned cpu, unsigned event, const struct sample *s,
		      uint64_t *half);

#endif
