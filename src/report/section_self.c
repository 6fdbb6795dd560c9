/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run itself: ringtop's own cost, its helpers, unwinding, its recording, orders. */
#include "report/section_parts.h"

#include "base/heap.h"
#include "base/io.h"
#include "control/control.h"

#define SHARE_SECONDS 0.01 /* in less time a share of a CPU means nothing */

struct self_row {
	const struct headless_view *v;
	struct head h;
	const char *cause, *most; /* NULL: none; most: where it takes more than the limit */
	uint32_t divisor;	  /* of the rate; 0: none */
	uint64_t failed_allocations, failed_reads;
};

static const struct column helper[] = {
#define HELPER(member) COLUMN_OF(struct sandbox_figures, member)
	{"name", COLUMN_NAME, HELPER(name)}, {"pid", COLUMN_NONZERO, HELPER(pid)},
	{"uid", COLUMN_NUMBER, HELPER(uid)},
	{"cpu_seconds", COLUMN_TIME, HELPER(cpu_ns), .format = "%.6f"},
	{"rss_bytes", COLUMN_NUMBER, HELPER(resident)},
	{"peak_bytes", COLUMN_NONZERO, HELPER(peak)}, {"calls", COLUMN_NUMBER, HELPER(calls)},
	{"starts", COLUMN_NUMBER, HELPER(starts)}, {"ends", COLUMN_NUMBER, HELPER(ends)},
	{"refused", COLUMN_NUMBER, HELPER(refused)}, {"why", COLUMN_TEXT, HELPER(why)},
	{"rights_kept", COLUMN_TEXT, HELPER(missing)},
	{0},
};

static void json_helpers(struct out *o, const void *row)
{
	const struct sandbox_figures *f = model_helpers(((const struct self_row *)row)->v->model);

	out_text(o, "[");
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		if (f[i].starts || f[i].ends)
			column_json_object(o, helper, &f[i], 0);
	out_text(o, "]");
}

/* Put the troubles of helpers that ended or refused requests. */
static void text_helpers(struct out *o, const void *row)
{
	const struct sandbox_figures *f = model_helpers(((const struct self_row *)row)->v->model);
	char trouble[FIGURES_TEXT];

	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++)
		if (f[i].ends || f[i].refused)
			out_printf(o, "\n    its helper for %s: %s", f[i].name,
				   figures_trouble(trouble, &f[i]));
}

static void text_self_cpu(struct out *o, const void *row)
{
	const struct head *h = &((const struct self_row *)row)->h;

	if (h->seconds >= SHARE_SECONDS)
		out_printf(o, "%.2f%% of a CPU", h->self_cpu * 100);
	else
		out_printf(o, "%.3f s of CPU time", (double)h->self_cpu_ns / 1e9);
}

static const struct column self[] = {
#define HEAD(member) COLUMN_OF(struct self_row, h.member)
#define SELF(member) COLUMN_OF(struct self_row, h.self.member)
	{"cpu_seconds", COLUMN_TIME, HEAD(self_cpu_ns), "  ringtop itself: {}", .format = "%.6f",
	 .own = text_self_cpu},
	{"rss_bytes", COLUMN_NUMBER, SELF(rss_bytes), ", {}", .unit = COLUMN_BYTES},
	{"table_rows", COLUMN_NUMBER, SELF(table_rows)},
	{"table_capacity", COLUMN_NUMBER, SELF(table_capacity)},
	{"unresolved", COLUMN_NUMBER, SELF(unresolved)}, {"loading", COLUMN_NUMBER, SELF(loading)},
	{"queued", COLUMN_NUMBER, SELF(queued)}, {"merged", COLUMN_NUMBER, SELF(merged)},
	{"maps_forgotten", COLUMN_NUMBER, SELF(maps_forgotten)},
	{"switches_forgotten", COLUMN_NUMBER, SELF(switches_forgotten)},
	{"process_maps_forgotten", COLUMN_NUMBER, SELF(process_maps_forgotten)},
	{"names_given_up", COLUMN_NUMBER, SELF(names_given_up)},
	{"births_unsure", COLUMN_NUMBER, SELF(births_unsure)},
	{"budget_bytes", COLUMN_NUMBER, SELF(budget_bytes)},
	{"budget_limit", COLUMN_NUMBER, SELF(budget_limit)},
	{"budget_refusals", COLUMN_NUMBER, SELF(budget_refusals)},
	{"cause", COLUMN_TEXT, COLUMN_OF(struct self_row, cause)},
	{NULL, COLUMN_NAME, COLUMN_OF(struct self_row, most), ", most of it for {}", COLUMN_OMIT},
	{"memory_cause", COLUMN_TEXT, SELF(memory)}, {"cpu_limit", COLUMN_NONZERO, SELF(cpu_limit)},
	{"rate_divisor", COLUMN_NUMBER, SELF(rate_divisor)},
	{NULL, COLUMN_NUMBER, COLUMN_OF(struct self_row, divisor),
	 ", sampling at 1/{} of the rate asked for (--max-cpu)", COLUMN_OMIT},
	{"failed_allocations", COLUMN_NUMBER, COLUMN_OF(struct self_row, failed_allocations)},
	{"failed_reads", COLUMN_NUMBER, COLUMN_OF(struct self_row, failed_reads)},
	{NULL, COLUMN_NUMBER, SELF(loading), ", loading symbols of {} object(s)", COLUMN_OMIT},
	{"helpers", COLUMN_OWN, .json = json_helpers, .own = text_helpers, .text = "{}"},
	{0},
};

static bool fill_self(struct section_rows *to)
{
	struct self_row r = {.v = to->v, .failed_allocations = heap_failures(),
			     .failed_reads = io_failures()};
	struct slice_self *s = &r.h.self;

	model_head(to->v->model, 0, to->v->window, &r.h);
	r.cause = s->cause ? self_cause_names[s->cause] : NULL;
	r.most = s->cpu_limit && r.h.self_cpu * 100 > s->cpu_limit ? r.cause : NULL;
	s->rate_divisor = s->rate_divisor ? s->rate_divisor : 1;
	r.divisor = s->rate_divisor > 1 ? s->rate_divisor : 0;
	section_row(to, &r);
	return true;
}

const struct section section_self = {.name = "self", .columns = self, .object = true,
	.fill = fill_self};

/* --- unwinding -------------------------------------------------------------------------- */

static void text_ends(struct out *o, const void *row)
{
	const struct slice_unwind *u = row;

	for (int i = 0; i < SLICE_UNWIND_ENDS && u->samples; i++)
		out_printf(o, ", %s %.1f%%", slice_unwind_end_names[i],
			   100 * (double)u->ends[i] / (double)u->samples);
}

static void text_bytes_waiting(struct out *o, const void *row)
{
	const struct slice_unwind *u = row;

	out_printf(o, "%.0f%%^%.0f", 100 * (double)u->bytes / (double)u->capacity,
		   100 * (double)u->bytes_max / (double)u->capacity);
}

static const struct column unwind[] = {
#define UNWIND(member) COLUMN_OF(struct slice_unwind, member)
	{"stack_bytes", COLUMN_NUMBER, UNWIND(stack_bytes), "  unwinding"},
	{"samples", COLUMN_NUMBER, UNWIND(samples), ": {} sample(s)", COLUMN_OMIT_TEXT},
	{"frames", COLUMN_NUMBER, UNWIND(frames)}, {"guessed", COLUMN_NUMBER, UNWIND(guessed)},
	{"slow", COLUMN_NUMBER, UNWIND(slow)},
	{"ends", COLUMN_COUNTS, UNWIND(ends), "{}", .names = slice_unwind_end_names,
	 .nr = SLICE_UNWIND_ENDS, .own = text_ends},
	{NULL, COLUMN_KNOWN, UNWIND(bytes), "; backlog {}", COLUMN_OMIT_UNKNOWN,
	 .own = text_bytes_waiting},
	{NULL, COLUMN_KNOWN, UNWIND(capacity), " of {}", COLUMN_OMIT, .unit = COLUMN_BYTES},
	{NULL, COLUMN_KNOWN, UNWIND(dropped), ", dropped {}", COLUMN_OMIT_UNKNOWN},
	{"compat", COLUMN_NUMBER, UNWIND(compat), "; of 32-bit code, not unwound: {}",
	 COLUMN_OMIT_TEXT},
	{"dropped", COLUMN_KNOWN, UNWIND(dropped)}, {"waiting", COLUMN_KNOWN, UNWIND(waiting)},
	{"bytes", COLUMN_KNOWN, UNWIND(bytes)}, {"bytes_max", COLUMN_KNOWN, UNWIND(bytes_max)},
	{"capacity", COLUMN_KNOWN, UNWIND(capacity)},
	{"proved", COLUMN_NUMBER, UNWIND(proved),
	 "; by frame pointers: {} with first callers proved", COLUMN_OMIT_TEXT},
	{"inserted", COLUMN_NUMBER, UNWIND(inserted), ", of {} some were skipped",
	 COLUMN_OMIT_TEXT},
	{"unproved", COLUMN_NUMBER, UNWIND(unproved), "; {} with first callers not proved",
	 COLUMN_OMIT_TEXT},
	{0},
};

/* Fill in unwinding, if stacks, or pieces of them, are copied. */
static bool fill_unwind(struct section_rows *to)
{
	struct head h;
	struct slice_unwind *u = &h.self.unwind;

	model_head(to->v->model, 0, to->v->window, &h);
	if (!u->capacity) /* nothing waits: a file is read */
		u->dropped = u->waiting = u->bytes = u->bytes_max = u->capacity = GAUGE_UNKNOWN;
	if (u->stack_bytes || u->proved || u->unproved)
		section_row(to, u);
	return true;
}

const struct section section_unwind = {.name = "unwind", .columns = unwind, .object = true,
	.fill = fill_unwind};

/*
 * Bytes copied of a stack now, the files that need copies, and bytes a second of samples with their
 * limit.
 */
static const struct column call_paths[] = {
#define PATHS(member) COLUMN_OF(struct slice_self, unwind.member)
	{"stack_bytes", COLUMN_NUMBER, PATHS(auto_stack),
	 "  call graph auto: {} bytes of stacks are copied", COLUMN_OMIT_TEXT,
	 .none = "  call graph auto: frame pointers alone"},
	{"shallow", COLUMN_NAME, COLUMN_OF(struct slice_self, shallow),
	 ", which end after one function, or lead to no code, in {}", COLUMN_OMIT_TEXT},
	{"bytes_per_second", COLUMN_NUMBER, PATHS(auto_rate), "; samples take {}/s",
	 .unit = COLUMN_BYTES},
	{"budget", COLUMN_NUMBER, PATHS(auto_budget), " of {}/s", .unit = COLUMN_BYTES},
	{"chained", COLUMN_NUMBER, PATHS(chained)},
	{"crowded", COLUMN_NUMBER, PATHS(crowded), "; no room for the copies of {}",
	 COLUMN_OMIT_TEXT},
	{0},
};

/* Fill in the budget of events that are auto, if there are any. */
static bool fill_call_paths(struct section_rows *to)
{
	struct head h;

	model_head(to->v->model, 0, to->v->window, &h);
	if (h.self.unwind.auto_budget)
		section_row(to, &h.self);
	return true;
}

const struct section section_call_paths = {.name = "call_paths", .columns = call_paths,
	.object = true, .fill = fill_call_paths};

/* --- recording and orders --------------------------------------------------------------- */

static const struct column recording[] = {
#define RECORDING(member) COLUMN_OF(struct slice_recording, member)
	{"file", COLUMN_NAME, RECORDING(file), "  recording {}"},
	{"state", COLUMN_WORD, RECORDING(state), ": {}", .names = recording_state_names},
	{"bytes", COLUMN_NUMBER, RECORDING(bytes), ", {}", .unit = COLUMN_BYTES},
	{"samples", COLUMN_NUMBER, RECORDING(samples), ", {} sample(s)"},
	{"lost", COLUMN_NUMBER, RECORDING(lost), ", {} lost"},
	{"lost_sideband", COLUMN_NUMBER, RECORDING(lost_sideband),
	 "\n    of maps, names and switches {} record(s) lost", COLUMN_OMIT_TEXT},
	{"lost_aux_bytes", COLUMN_NUMBER, RECORDING(lost_aux),
	 "\n    of the trace {} taken and lost", COLUMN_OMIT_TEXT, .unit = COLUMN_BYTES},
	{"since", COLUMN_TIME, RECORDING(since)},
	{0},
};

void section_recording_json(struct out *o, const void *row)
{
	if (((const struct slice_recording *)row)->state == RECORDING_NONE)
		out_text(o, "null");
	else
		column_json_object(o, recording, row, 0);
}

void section_recording_text(struct out *o, const struct slice_recording *r)
{
	if (r->state == RECORDING_NONE)
		return;
	column_text(o, recording, r, 0);
	out_text(o, "\n");
}

static bool fill_recording(struct section_rows *to)
{
	const struct slice_recording *r = model_recording(to->v->model);

	if (r && r->state != RECORDING_NONE)
		section_row(to, r);
	return true;
}

const struct section section_recording = {.name = "recording", .columns = recording, .object = true,
	.fill = fill_recording};

static const struct column control[] = {
#define CONTROL(member) COLUMN_OF(struct control_counts, member)
	{"orders", COLUMN_NUMBER, CONTROL(orders), "  --control: {} orders"},
	{"unknown", COLUMN_NUMBER, CONTROL(unknown), ", {} unknown"},
	{"too_long", COLUMN_NUMBER, CONTROL(too_long), ", {} too long"},
	{"unanswered", COLUMN_NUMBER, CONTROL(unanswered), ", {} not answered"},
	{0},
};

static bool fill_control(struct section_rows *to)
{
	if (to->v->control)
		section_row(to, to->v->control);
	return to->v->control;
}

const struct section section_control = {.name = "control", .columns = control, .object = true,
	.fill = fill_control};
