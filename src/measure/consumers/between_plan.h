/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between_plan - parsed --between: two tracepoints, and the fields of each whose values pair a hit
 * of one with a hit of the other; without fields hits are paired by thread.
 *
 * Threads: one owner; between_plan_half() any.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_BETWEEN_PLAN_H
#define RINGTOP_MEASURE_CONSUMERS_BETWEEN_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "files/decode/record.h"
#include "kernel/event/event.h"
#include "measure/trace/format.h"
#include "measure/consumers/between_pairs.h"
#include "measure/trace/tracefields.h"

enum between_side { BETWEEN_FROM, BETWEEN_TO, BETWEEN_SIDES };

struct between_plan {
	bool wanted; /* --between was given */
	unsigned event[BETWEEN_SIDES]; /* indices in the event list */
	unsigned nfields; /* of the key; 0: the thread is the key */
	char name[BETWEEN_SIDES][PAIRS_WORDS][FORMAT_NAME];
	struct trace_value field[BETWEEN_SIDES][PAIRS_WORDS];
	char key[320]; /* the fields' names, ", " between them */
	uint16_t nr; /* slice_between.nr */
};

/* Find the event of this name (SUBSYSTEM:NAME).  0; -EINVAL, -EACCES, -ENOMEM with err. */
typedef int between_plan_find_event(void *arg, const char *name, unsigned *event, struct err *err);

/* Find the event in `list`, a struct event_list; append it if it is not there.  Errors as above. */
int between_plan_event(void *list, const char *name, unsigned *event, struct err *err);

/*
 * Parse A,B[:FIELD[=FIELD][+...]], or the name of a well-known plan ("syscalls").  `find` gets
 * `arg`.  0; -EINVAL: no such text, or A and B are one event; else `find`'s error.
 */
int between_plan_parse(struct between_plan *plan, const char *text, between_plan_find_event *find,
		       void *arg, struct err *err);

/*
 * Locate the fields in the records, once the events' rates are set.  0; -EINVAL: no such field, or
 * not every hit is sampled; -EACCES, -ENOMEM.
 */
int between_plan_find(struct between_plan *plan, struct event_list *list,
		      const struct tracefields_source *source, struct err *err);

/*
 * Make the half of a pair (measure/consumers/between_pairs.h) from a sample of an event; room for 1 +
 * PAIRS_WORDS words.  `cpu` distinguishes the CPUs' idle threads, which all have number 0.  1; 0:
 * the event is not in the plan; -EINVAL: the record lacks a field, and only half[0] is valid.
 */
int between_plan_half(const struct between_plan *plan, unsigned cpu, unsigned event,
		      const struct sample *s, uint64_t *half);

#endif
