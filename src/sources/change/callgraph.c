/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/callgraph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "base/units.h"
#include "core/table/table.h"
#include "files/unwind/proof.h"

#define RING_MOST    (16u << 20)
#define HEAD_BYTES   512u  /* average bytes of a sample beside its stack */
#define RATE_UNKNOWN 4000u /* samples a second with a fixed period */
#define RATE_MOST    1000000u

static int parse_dwarf(struct callgraph *cg, const char *size, struct err *err)
{
	uint64_t bytes = CALLGRAPH_STACK_DEFAULT;

	if (size && (units_parse(size, "kmg", 1024, &bytes) || !bytes || bytes > UINT16_MAX))
		return err_set(err, EINVAL, "--call-graph dwarf,%s: 8 to %u bytes can be copied",
			       size, CALLGRAPH_STACK_MAX);
	bytes = (bytes + 7) / 8 * 8;
	cg->mode = CALLGRAPH_DWARF;
	cg->stack_bytes = bytes < CALLGRAPH_STACK_MAX ? (uint32_t)bytes : CALLGRAPH_STACK_MAX;
	snprintf(cg->text, sizeof(cg->text), "dwarf, %u bytes", cg->stack_bytes);
	return 0;
}

static int parse_auto(struct callgraph *cg, const char *budget, struct err *err)
{
	if (budget && (units_parse(budget, "kmg", 1024, &cg->budget) || !cg->budget))
		return err_set(err, EINVAL,
			       "--call-graph auto,%s: invalid number of bytes a second", budget);
	cg->mode = CALLGRAPH_AUTO;
	snprintf(cg->text, sizeof(cg->text), "auto");
	return 0;
}

int callgraph_parse(struct callgraph *cg, const char *text, struct err *err)
{
	*cg = (struct callgraph){.mode = CALLGRAPH_NONE};
	if (!text)
		return 0;
	if (!strcmp(text, "auto") || !strncmp(text, "auto,", 5))
		return parse_auto(cg, text[4] ? text + 5 : NULL, err);
	if (!strcmp(text, "fp")) {
		cg->mode = CALLGRAPH_FP;
		snprintf(cg->text, sizeof(cg->text), "fp");
		return 0;
	}
	if (!strcmp(text, "dwarf") || !strncmp(text, "dwarf,", 6))
		return parse_dwarf(cg, text[5] ? text + 6 : NULL, err);
	if (strcmp(text, "lbr") != 0)
		return err_set(
			err, EINVAL,
			"--call-graph %s: there is auto, auto,BYTES, fp, dwarf, dwarf,BYTES, lbr",
			text);
	cg->mode = CALLGRAPH_LBR;
	snprintf(cg->text, sizeof(cg->text), "lbr");
	return 0;
}

static int try_branches(const struct event *e)
{
	struct perf_event_attr a = e->attr;
	int fd;

	a.size = sizeof(a);
	a.disabled = 1;
	a.exclude_kernel = a.exclude_hv = 1;
	a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	a.branch_sample_type = RINGSET_CALL_BRANCHES;
	fd = perf_open(&a, 0, -1);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

int callgraph_check_copies(const struct event *e, enum callgraph_mode mode, bool here,
			   struct err *err)
{
	bool own = e->paths != EVENT_PATHS_SESSION;

	if (here || (own ? e->paths != EVENT_PATHS_DWARF : mode != CALLGRAPH_DWARF))
		return 0;
	err_set(err, EINVAL,
		"%s%s: copies of stacks are unwound on x86-64, aarch64 and riscv64 only, and this "
		"is another processor",
		own ? e->name : "--call-graph dwarf", own ? ": call-graph=dwarf" : "");
	return err_advise(err, "--call-graph fp follows frame pointers on this machine");
}

int callgraph_check(const struct callgraph *cg, const struct event_list *events, struct err *err)
{
	for (unsigned i = 0; i < events->nr; i++) {
		const struct event *e = &events->events[i];
		bool lbr = e->paths == EVENT_PATHS_SESSION ? cg->mode == CALLGRAPH_LBR
							   : e->paths == EVENT_PATHS_LBR;
		int ret = lbr ? try_branches(e) : 0;

		if (callgraph_check_copies(e, cg->mode, cfi_arch_here(), err))
			return -EINVAL;

		/* Missing rights are reported when it is opened. */
		if (!ret || ret == -EACCES || ret == -EPERM)
			continue;
		err_set(err, EOPNOTSUPP,
			"--call-graph lbr: %s has no branch records that keep a stack of "
			"calls here (%s)", events->events[i].name, strerror(-ret));
		return err_advise(
			err,
			"it needs a hardware event on an Intel processor from Haswell on, and "
			"rarely works in a virtual machine; --call-graph %s needs no hardware",
			cfi_arch_here() ? "dwarf" : "fp");
	}
	return 0;
}

/*
 * Return the limit of frames with which the chain and its marks fit a path of the table, and one
 * mark of ringtop's.
 */
static uint16_t max_stack(unsigned room)
{
	unsigned limit = (unsigned)io_read_number("/proc/sys/kernel/perf_event_max_stack", 127);

	return (uint16_t)(limit < room ? limit : room);
}

void callgraph_complete(struct event_list *events)
{
	for (unsigned i = 0; i < events->nr; i++)
		if (events->events[i].paths == EVENT_PATHS_DWARF && !events->events[i].stack_bytes)
			events->events[i].stack_bytes = CALLGRAPH_STACK_DEFAULT;
}

void callgraph_follow(struct event_list *list)
{
	const struct event *with = &list->events[list->nr - 1];

	for (unsigned i = 0; with->paths != EVENT_PATHS_SESSION && i < list->nr; i++) {
		struct event *e = &list->events[i];

		if ((e->role != EVENT_SWITCH && e->role != EVENT_WAKING) ||
		    e->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		e->paths = with->paths == EVENT_PATHS_NONE ? EVENT_PATHS_FP : with->paths;
		e->stack_bytes = with->stack_bytes;
	}
}

void callgraph_of_events(struct callgraph *cg, struct event_list *events)
{
	callgraph_complete(events);
	for (unsigned i = 0; i < events->nr; i++) {
		const struct event *e = &events->events[i];

		if (e->paths > EVENT_PATHS_NONE && cg->mode == CALLGRAPH_NONE)
			strcpy(cg->text, "by event");
	}
}

int callgraph_check_whole(void *callgraph, const struct event *e, struct err *err)
{
	const struct callgraph *cg = callgraph;
	bool own = e->paths != EVENT_PATHS_SESSION;

	if (e->role == EVENT_FTRACE) {
		err_set(err, EINVAL, "stack: ftrace's records of %s have no call paths", e->name);
		return err_advise(err, "a tracepoint of -e, with -g");
	}
	if (own ? e->paths == EVENT_PATHS_DWARF : cg->mode == CALLGRAPH_DWARF) {
		err_set(err, EINVAL,
			"stack: %s copies stacks (call-graph dwarf), which are unwound after its "
			"records are summed up",
			e->name);
		return err_advise(err,
				  "--call-graph fp, or lbr; or record it, and sum up with -i FILE");
	}
	if (own ? e->paths == EVENT_PATHS_NONE : cg->mode == CALLGRAPH_NONE) {
		err_set(err, EINVAL, "stack: %s is sampled without call paths", e->name);
		return err_advise(err, "-g, or the event's term call-graph=fp");
	}
	return 0;
}

static bool has_auto_paths(const struct event *e, enum callgraph_mode mode)
{
	return e->role <= EVENT_WAKING && event_is_opened(e) && !e->by_path &&
	       (e->paths == EVENT_PATHS_SESSION ? mode == CALLGRAPH_AUTO
						: e->paths == EVENT_PATHS_AUTO);
}

bool callgraph_any_auto(const struct callgraph *cg, const struct event_list *events)
{
	for (unsigned i = 0; i < events->nr; i++)
		if (has_auto_paths(&events->events[i], cg->mode))
			return true;
	return false;
}

static bool follows_frames(const struct event *e, enum callgraph_mode mode)
{
	return e->paths == EVENT_PATHS_SESSION
		       ? mode == CALLGRAPH_FP || mode == CALLGRAPH_AUTO
		       : e->paths == EVENT_PATHS_FP || e->paths == EVENT_PATHS_AUTO;
}

bool callgraph_pieces(const struct callgraph *cg, const struct event_list *events)
{
	for (unsigned i = 0; i < events->nr; i++)
		if (PROOF_HERE && event_is_opened(&events->events[i]) &&
		    follows_frames(&events->events[i], cg->mode))
			return true;
	return false;
}

void callgraph_apply_events(const struct callgraph *cg, struct ringset_config *rings)
{
	rings->auto_stack = callgraph_any_auto(cg, rings->events) ? cg->copies : 0;
	rings->most_stack =
		rings->user_stack > rings->auto_stack ? rings->user_stack : rings->auto_stack;
	for (unsigned i = 0; i < rings->events->nr; i++) {
		const struct event *e = &rings->events->events[i];

		if (e->paths == EVENT_PATHS_DWARF && !e->off && e->stack_bytes > rings->most_stack)
			rings->most_stack = e->stack_bytes;
	}
	rings->piece = callgraph_pieces(cg, rings->events) ? PROOF_STACK : 0;
	rings->piece_regs = PROOF_REGS_MASK;
	rings->user_regs = rings->most_stack ? UNWIND_REGS_MASK : 0;
}

void callgraph_apply(const struct callgraph *cg, struct ringset_config *rings)
{
	rings->callchain = cg->mode != CALLGRAPH_NONE;
	rings->user_stack = cg->mode == CALLGRAPH_DWARF ? cg->stack_bytes : 0;
	rings->auto_paths = cg->mode == CALLGRAPH_AUTO;
	rings->call_branches = cg->mode == CALLGRAPH_LBR;
	rings->max_stack = *cg->text ? max_stack(TABLE_PATH_MAX - 5) : 0;
	callgraph_apply_events(cg, rings);
}

static uint64_t sampling_rate(const struct event *e)
{
	uint64_t period = event_fixed_period(e);

	if (e->attr.freq)
		return e->attr.sample_freq;
	if (e->clock && period)
		return 1000000000 / period;
	return RATE_UNKNOWN;
}

/* Return the bytes that an event copies in a second on one CPU, at most. */
static uint64_t copied_bytes(const struct event *e, uint32_t stack)
{
	uint64_t rate = sampling_rate(e);

	return stack ? (rate < RATE_MOST ? rate : RATE_MOST) * (stack + HEAD_BYTES) : 0;
}

uint32_t callgraph_copies(const struct event_list *events)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < events->nr; i++) {
		const struct event *e = &events->events[i];

		if (e->paths == EVENT_PATHS_DWARF && event_is_opened(e) && e->stack_bytes > most)
			most = e->stack_bytes;
	}
	return most;
}

void callgraph_note(const struct event_list *events, unsigned from, char *buf, size_t size)
{
	char bytes[UNITS_LEN];

	for (unsigned i = from; i < events->nr; i++) {
		const struct event *e = &events->events[i];

		if (e->paths == EVENT_PATHS_DWARF)
			text_append(buf, size, strlen(buf),
				    "; %s: up to %s of stacks are copied a second on each CPU",
				    e->name,
				    units_bytes(bytes, (double)copied_bytes(e, e->stack_bytes)));
	}
}

uint64_t callgraph_ring_bytes(const struct callgraph *cg, const struct event_list *events,
			      uint64_t least)
{
	uint64_t want = 0;

	for (unsigned i = 0; i < events->nr; i++) {
		const struct event *e = &events->events[i];
		uint32_t stack = e->paths == EVENT_PATHS_SESSION && cg->mode == CALLGRAPH_DWARF
					 ? cg->stack_bytes
				 : e->paths == EVENT_PATHS_DWARF ? e->stack_bytes
								 : 0;

		want += copied_bytes(e, stack) / 6;
	}
	want = want < RING_MOST ? want : RING_MOST;
	return want > least ? want : least;
}
