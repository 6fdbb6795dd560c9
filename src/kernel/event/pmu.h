/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pmu - the performance monitoring units of /sys/bus/event_source/devices, and events in their words:
 * pmu/term=value,term,.../
 *
 * A term is a field that the PMU's format/ directory lays over the words of perf_event_attr, one of the
 * PMU's events/ (which stands for terms), or one of a few names that perf has for every PMU (config=,
 * period=, name= ...).  A field without a value is 1.
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
#define PMU_TEXT_LEN 4096 /* the most that is read of one file of sysfs: a page */

/* Which bits of which word of the attribute a term's value goes to, lowest first. */
struct pmu_field {
	uint8_t word; /* 0: config, 1: config1, 2: config2, 3: config3 */
	uint64_t bits;
};

/* "config:0-7,21" as in format/.  False: it is not of that form. */
bool pmu_parse_field(const char *text, struct pmu_field *f);

/* `value` laid into the field of a word that was `word`.  False: it has too many bits. */
bool pmu_place(const struct pmu_field *f, uint64_t value, uint64_t *word);

/*
 * Fill e->attr for the PMU's terms ("" for none) and e->name where they have name=.  e->attr.size is
 * set before.  -EINVAL with what there is where the PMU or a term is not known or a value does not fit.
 */
int pmu_event(struct event *e, const char *pmu, const char *terms, struct err *err);

/* Terms that events of every kind may have: period=, name=, aux-action= ...  -EINVAL. */
int pmu_general_terms(struct event *e, const char *terms, struct err *err);

/* The same for a name of any PMU's events/, without its PMU.  -ENOENT where no PMU has it. */
int pmu_symbolic(struct event *e, const char *name, struct err *err);

/*
 * A trace that is asked for without any term shall be one that can be read: where the PMU has fields
 * named pt, tsc, mtc ... (Intel PT) or contextid (CoreSight), set those that perf sets.  0 or -EINVAL.
 */
int pmu_trace_defaults(struct event *e, struct err *err);

/* Their names, sorted, separated by ", ", cut at the end of buf. */
void pmu_names(char *buf, size_t size);

/* Tell `take` of each name in each PMU's events/, sorted; ends where it returns other than 0, with that. */
int pmu_events(int (*take)(void *arg, const char *pmu, const char *name), void *arg);

/* Does this PMU measure only on some CPUs, each for many?  Their list as in sysfs, or "". */
void pmu_cpumask(const char *pmu, char *buf, size_t size);

/* What DIR/NAME of the PMU's directory says, such as format/tsc, in one line.  0 or -errno. */
int pmu_file(const char *pmu, const char *dir, const char *name, char *buf, size_t size);

/* Another directory instead of sysfs's; borrowed.  NULL: sysfs. */
void pmu_set_root(const char *dir);

/* --- what 6.1's header does not have ------------------------------------------------------ */

/* perf_event_attr.aux_action, 6.13: what a sample of this event does to its group's AUX event. */
enum pmu_aux_action { PMU_AUX_START_PAUSED = 1, PMU_AUX_PAUSE = 2, PMU_AUX_RESUME = 4 };

uint32_t pmu_aux_action(const struct perf_event_attr *a);
void pmu_set_aux_action(struct perf_event_attr *a, uint32_t action);

#endif
