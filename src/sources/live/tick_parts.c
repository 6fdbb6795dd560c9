/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/tick_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sources/live/gauges.h"

#define NAMES_NS    (500 * NSEC_PER_MSEC) /* how long the last tick waits for names */
#define SNAPSHOT_NS (10 * NSEC_PER_SEC) /* how long it waits for a snapshot's file */

/* --- parts whose file does not know the tick ----------------------------------------------- */

/* Log readers that are late at the end: their records have no next slice to wait for. */
static void log_late_readers(const struct readers *rs, struct slice *s)
{
	for (unsigned i = 0; i < rs->nr; i++)
		if (rs->reader[i].late)
			slice_log(s, SLICE_WARNING, "the reader of cpu %d did not answer within "
						    "%u s: its counts and samples since its last "
						    "answer are missing",
				  rs->reader[i].cpu, (unsigned)(TICK_LAST_NS / NSEC_PER_SEC));
}

static void wait_for_names(void *part, struct tick_now *n)
{
	if (n->last)
		resolver_last(part, NAMES_NS);
}

static void report_snapshots(void *part, struct tick_now *n)
{
	if (n->last)
		snapshots_stop(part, SNAPSHOT_NS, false);
	snapshots_report(part, n->s);
}

static void switch_consumers(void *part, struct tick_now *n)
{
	struct readers *rs = part;

	if (rs->offcpu && !rs->off)
		offcpu_resume(rs->offcpu);
	if (rs->offcpu && n->paused)
		offcpu_stop(rs->offcpu, clock_ns());
	if (rs->between && !rs->off)
		between_resume(rs->between);
}

static void take_consumers(void *part, struct tick_now *n)
{
	struct readers *rs = part;

	if (rs->offcpu)
		offcpu_step(rs->offcpu, rs->off ? 0 : n->horizon, rs->off ? 0 : n->seen, false);
	if (rs->between)
		between_step(rs->between, n->horizon, n->last);
}

static void tell_consumers(void *part, struct tick_now *n)
{
	struct readers *rs = part;

	if (rs->between)
		between_tell(rs->between, n->s);
	if (n->last)
		log_late_readers(rs, n->s);
	if (n->last && rs->offcpu)
		offcpu_say(rs->offcpu, n->s);
}

static void gauge_unwinding(void *part, struct tick_now *n)
{
	struct readers *rs = part;

	if (!rs->unwinding)
		return;
	unwinding_gauge(rs->unwinding, &n->s->self.unwind);
	/* Since the unwinders came, other events may have brought other copies. */
	if (rs->scope->now->most_stack)
		n->s->self.unwind.stack_bytes = rs->scope->now->most_stack;
}

/* --- the table ----------------------------------------------------------------------------- */

#define PART		&(const struct tick_part)
#define IN(member)	.at = offsetof(struct tick_parts, member)
#define IN_ITS_FILE(name) &tick_part_##name,

/* In each phase they work from the top down.  A part of NULL is not in the session. */
static const struct tick_part *const rows[] = {
	/* Pairs and waits begin anew before ftrace's events count: none of theirs is broken. */
	PART{IN(readers), .work = {[TICK_SWITCH] = switch_consumers}},
	PART{IN(accounting), .work = {[TICK_TELL] = accounting_tell}},
	PART{IN(hotplug), .work = {[TICK_CHANGE] = hotplug_follow, [TICK_TELL] = hotplug_tell}},
	PART{IN(taking), .work = {[TICK_PLAN] = snapshot_take_plan,
				  [TICK_TELL] = snapshot_take_tell}},
	PART{IN(resolver), .work = {[TICK_TELL] = wait_for_names}},
	PART{IN(recording), .work = {[TICK_CHANGE] = recording_step, [TICK_TELL] = recording_tell}},
	PART{IN(eventchange), .work = {[TICK_CHANGE] = eventchange_step,
				       [TICK_PLAN] = eventchange_end}},
	PART{IN(counting), .work = {[TICK_SWITCH] = counting_switch, [TICK_TELL] = counting_tell}},
	PART{IN(throttling), .work = {[TICK_TELL] = throttling_tell}},
	PART{IN(tracing), .work = {[TICK_SWITCH] = ftracing_switch, [TICK_CHANGE] = ftracing_step,
				   [TICK_TELL] = ftracing_tell}},
	PART{gauges_create, .work = {[TICK_TELL] = gauges_tell}},
	PART{IN(inkernel), .work = {[TICK_SWITCH] = inkernel_switch, [TICK_TELL] = inkernel_tell}},
	PART{IN(logging), .work = {[TICK_TELL] = logevents_tell}},
	PART{IN(readers), .work = {[TICK_TAKE] = take_consumers, [TICK_TELL] = tell_consumers,
				   [TICK_END] = gauge_unwinding}},
	TICK_PARTS(IN_ITS_FILE)
	PART{IN(attach), .work = {[TICK_SWITCH] = attach_switch, [TICK_CHANGE] = attach_find,
				  [TICK_PLAN] = attach_plan, [TICK_END] = attach_tell}},
	PART{IN(snapshots), .work = {[TICK_END] = report_snapshots}},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

void **tick_parts_create(const struct tick_parts *p)
{
	void **parts = calloc(ROWS, sizeof(*parts));

	for (size_t i = 0; parts && i < ROWS; i++) {
		if (!rows[i]->create) {
			memcpy(&parts[i], (const char *)p + rows[i]->at, sizeof(parts[i]));
		} else if (!(parts[i] = rows[i]->create(p))) {
			tick_parts_free(parts);
			return NULL;
		}
	}
	return parts;
}

void tick_parts_free(void **parts)
{
	for (size_t i = 0; parts && i < ROWS; i++)
		if (rows[i]->create)
			free(parts[i]);
	free(parts);
}

void tick_parts_walk(void **parts, enum tick_phase phase, struct tick_now *n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (parts[i] && rows[i]->work[phase])
			rows[i]->work[phase](parts[i], n);
}
