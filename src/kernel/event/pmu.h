/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu - the performance monitoring units of /sys/bus/event_source/devices, and events by their
 * terms: pmu/term=value,term,.../
 *
 * A term is a field that the PMU's format/ directory defines in the words of perf_event_attr, one
 * of the PMU's events/ (which stands for terms), or one of a few names that perf has for every PMU
 * (config=, period=, name= ...). A field without a value is 1.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-*, perf-list(1).
 *
 * Threads: one owner; pmu_set_root before any other call.
 */
#ifndef RINGTOP_KERNEL_EVENT_PMU_H
#define RINGTOP_KERNEL_EVENT_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "kernel/event/event.h"

#define PMU_NAME_LEN 64
#define PMU_TEXT_LEN 4096 /* maximum read from one file of sysfs: a page */

/* Bits of a word of the attribute that hold a term's value, lowest first. */
struct pmu_field {
	uint8_t word; /* 0: config, 1: config1, 2: config2, 3: config3 */
	uint64_t bits;
};

/* Parse "config:0-7,21" as in format/. Return false if it is not of that form. */
bool pmu_parse_field(const char *text, struct pmu_field *f);

/* Store `value` in the field's bits of *word. Return false if it has too many bits. */
bool pmu_place(const struct pmu_field *f, uint64_t value, uint64_t *word);

/*
 * Fill e->attr for the PMU's terms ("" for none), and e->name if they have name=. e->attr.size is
 * set already. Return 0, or -EINVAL for an unknown PMU or term, with the known ones in err, or for
 * a value out of range.
 */
int pmu_event(struct event *e, const char *pmu, const char *terms, struct err *err);

/* Apply terms that any event may have: period=, name=, aux-action= ... Return 0 or -EINVAL. */
int pmu_general_terms(struct event *e, const char *terms, struct err *err);

/*
 * Fill e->attr for a name from any PMU's events/, given without its PMU. Return -ENOENT if no PMU
 * has it, else as pmu_event.
 */
int pmu_symbolic(struct event *e, const char *name, struct err *err);

/*
 * Make a trace event without any terms decodable: if the PMU has fields named pt, tsc, mtc ...
 * (Intel PT) or contextid (CoreSight), set the same as perf. Return 0 or -EINVAL.
 */
int pmu_trace_defaults(struct event *e, struct err *err);

/* Write the PMUs' names, sorted, separated by ", ", cut at the end of buf. */
void pmu_names(char *buf, size_t size);

/*
 * Call `take` for each name in each PMU's events/, sorted. Return 0, or the first value other than
 * 0 that take returns.
 */
int pmu_events(int (*take)(void *arg, const char *pmu, const char *name), void *arg);

/* Get the list of CPUs of a PMU that measures only on some of them, each for many; else "". */
void pmu_cpumask(const char *pmu, char *buf, size_t size);

/* Read DIR/NAME of the PMU's directory, such as format/tsc, as one line. Return 0 or -errno. */
int pmu_file(const char *pmu, const char *dir, const char *name, char *buf, size_t size);

/* Use another directory instead of sysfs's; borrowed. NULL: sysfs. */
void pmu_set_root(const char *dir);

/* --- missing in 6.1's header ----------------------------------------------------------------- */

/* perf_event_attr.aux_action, 6.13: effect of this event's samples on its group's AUX event. */
enum pmu_aux_action { PMU_AUX_START_PAUSED = 1, PMU_AUX_PAUSE = 2, PMU_AUX_RESUME = 4 };

uint32_t pmu_aux_action(const struct perf_event_attr *a);
void pmu_set_aux_action(struct perf_event_attr *a, uint32_t action);

#endif
