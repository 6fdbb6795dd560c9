/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/tickparts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sources/change/autopaths.h"
#include "sources/change/cpulimit.h"
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

struct tick_part {
	/* Makes the part, which free() frees; NULL: its pointer is in struct tick_parts, at `at`. */
	void *(*create)(const struct tick_parts *p);
	size_t at;
	tick_work *work[TICK_PHASES];
};

#define IN(member) .at = offsetof(struct tick_parts, member)

/* In each phase they work from the top down.  A part of NULL is not in the session. */
static const struct tick_part rows[] = {
	/* Pairs and waits begin anew before ftrace's events count: none of theirs is broken. */
	{IN(readers), .work = {[TICK_SWITCH] = switch_consumers}},
	{IN(accounting), .work = {[TICK_TELL] = accounting_tell}},
	{IN(hotplug), .work = {[TICK_CHANGE] = hotplug_follow, [TICK_TELL] = hotplug_tell}},
	{IN(taking), .work = {[TICK_PLAN] = snapshot_take_plan, [TICK_TELL] = snapshot_take_tell}},
	{IN(resolver), .work = {[TICK_TELL] = wait_for_names}},
	{IN(recording), .work = {[TICK_CHANGE] = recording_step, [TICK_TELL] = recording_tell}},
	{IN(eventchange), .work = {[TICK_CHANGE] = eventchange_step,
				   [TICK_PLAN] = eventchange_end}},
	{IN(counting), .work = {[TICK_SWITCH] = counting_switch, [TICK_TELL] = counting_tell}},
	{IN(throttling), .work = {[TICK_TELL] = throttling_tell}},
	{IN(tracing), .work = {[TICK_SWITCH] = ftracing_switch, [TICK_CHANGE] = ftracing_step,
			       [TICK_TELL] = ftracing_tell}},
	{gauges_create, .work = {[TICK_TELL] = gauges_tell}},
	{IN(inkernel), .work = {[TICK_SWITCH] = inkernel_switch, [TICK_TELL] = inkernel_tell}},
	{IN(logging), .work = {[TICK_TELL] = logevents_tell}},
	{IN(readers), .work = {[TICK_TAKE] = take_consumers, [TICK_TELL] = tell_consumers,
			       [TICK_END] = gauge_unwinding}},
	{pace_create, .work = {[TICK_CHANGE] = cpulimit_step, [TICK_END] = cpulimit_tell}},
	{autopaths_create, .work = {[TICK_CHANGE] = autopaths_step, [TICK_END] = autopaths_tell}},
	{IN(attach), .work = {[TICK_SWITCH] = attach_switch, [TICK_CHANGE] = attach_find,
			      [TICK_PLAN] = attach_plan, [TICK_END] = attach_tell}},
	{IN(snapshots), .work = {[TICK_END] = report_snapshots}},
};

#define ROWS (sizeof(rows) / sizeof(*rows))

void **tickparts_create(const struct tick_parts *p)
{
	void **parts = calloc(ROWS, sizeof(*parts));

	for (size_t i = 0; parts && i < ROWS; i++) {
		if (!rows[i].create) {
			memcpy(&parts[i], (const char *)p + rows[i].at, sizeof(parts[i]));
		} else if (!(parts[i] = rows[i].create(p))) {
			tickparts_free(parts);
			return NULL;
		}
	}
	return parts;
}

void tickparts_free(void **parts)
{
	for (size_t i = 0; parts && i < ROWS; i++)
		if (rows[i].create)
			free(parts[i]);
	free(parts);
}

void tickparts_walk(void **parts, enum tick_phase phase, struct tick_now *n)
{
	for (size_t i = 0; i < ROWS; i++)
		if (parts[i] && rows[i].work[phase])
			rows[i].work[phase](parts[i], n);
}
