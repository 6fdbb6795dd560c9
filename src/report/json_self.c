/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_self.h"

#include "base/heap.h"
#include "base/io.h"
#include "report/jsonout.h"

static void put_json_helpers(struct out *o, const struct headless_view *v)
{
	const struct fence_figures *f = model_helpers(v->model);
	bool first = true;

	for (unsigned i = 0; i < FENCE_PROCESSES; i++, f++) {
		if (!f->starts && !f->ends)
			continue;
		jsonout_string(o, first ? "{\"name\":" : ",{\"name\":", f->name);
		jsonout_id(o, ",\"pid\":", f->pid ? f->pid : -1);
		jsonout_number(o, ",\"uid\":", f->uid);
		out_printf(o, ",\"cpu_seconds\":%.6f", (double)f->cpu_ns / 1e9);
		jsonout_number(o, ",\"rss_bytes\":", f->resident);
		jsonout_known(o, ",\"peak_bytes\":", f->peak ? f->peak : GAUGE_UNKNOWN);
		jsonout_number(o, ",\"calls\":", f->calls);
		jsonout_number(o, ",\"starts\":", f->starts);
		jsonout_number(o, ",\"ends\":", f->ends);
		jsonout_number(o, ",\"refused\":", f->refused);
		jsonout_text(o, ",\"why\":", *f->why ? f->why : NULL);
		jsonout_text(o, ",\"rights_kept\":", *f->missing ? f->missing : NULL);
		out_text(o, "}");
		first = false;
	}
}

static void put_json_self(struct out *o, const struct headless_view *v, const struct head *h)
{
	out_printf(o, ",\"self\":{\"cpu_seconds\":%.6f", (double)h->self_cpu_ns / 1e9);
	jsonout_number(o, ",\"rss_bytes\":", h->self.rss_bytes);
	jsonout_number(o, ",\"table_rows\":", h->self.table_rows);
	jsonout_number(o, ",\"table_capacity\":", h->self.table_capacity);
	jsonout_number(o, ",\"unresolved\":", h->self.unresolved);
	jsonout_number(o, ",\"loading\":", h->self.loading);
	jsonout_number(o, ",\"queued\":", h->self.queued);
	jsonout_number(o, ",\"merged\":", h->self.merged);
	jsonout_number(o, ",\"maps_forgotten\":", h->self.maps_forgotten);
	jsonout_number(o, ",\"switches_forgotten\":", h->self.switches_forgotten);
	jsonout_number(o, ",\"process_maps_forgotten\":", h->self.process_maps_forgotten);
	jsonout_number(o, ",\"names_given_up\":", h->self.names_given_up);
	jsonout_number(o, ",\"births_unsure\":", h->self.births_unsure);
	jsonout_number(o, ",\"budget_bytes\":", h->self.budget_bytes);
	jsonout_number(o, ",\"budget_limit\":", h->self.budget_limit);
	jsonout_number(o, ",\"budget_refusals\":", h->self.budget_refusals);
	jsonout_text(o, ",\"cause\":", h->self.cause ? self_cause_names[h->self.cause] : NULL);
	jsonout_text(o, ",\"memory_cause\":", h->self.memory[0] ? h->self.memory : NULL);
	jsonout_known(o, ",\"cpu_limit\":", h->self.cpu_limit ? h->self.cpu_limit : GAUGE_UNKNOWN);
	jsonout_number(o, ",\"rate_divisor\":", h->self.rate_divisor ? h->self.rate_divisor : 1);
	jsonout_number(o, ",\"failed_allocations\":", heap_failures());
	jsonout_number(o, ",\"failed_reads\":", io_failures());
	out_text(o, ",\"helpers\":[");
	put_json_helpers(o, v);
	out_text(o, "]}");
}

/*
 * Put `call_paths`: bytes copied of a stack now, the files that need copies, and bytes a second of
 * samples with their limit.  null if no event is auto.
 */
static void put_json_call_paths(struct out *o, const struct head *h)
{
	const struct slice_unwind *u = &h->self.unwind;

	if (!u->auto_budget) {
		out_text(o, ",\"call_paths\":null");
		return;
	}
	jsonout_number(o, ",\"call_paths\":{\"stack_bytes\":", u->auto_stack);
	jsonout_string(o, ",\"shallow\":", h->self.shallow);
	jsonout_number(o, ",\"bytes_per_second\":", u->auto_rate);
	jsonout_number(o, ",\"budget\":", u->auto_budget);
	jsonout_number(o, ",\"chained\":", u->chained);
	jsonout_number(o, ",\"crowded\":", u->crowded);
	out_text(o, "}");
}

/* Put `unwind`, null if no stacks are copied. */
static void put_json_unwind(struct out *o, const struct head *h)
{
	const struct slice_unwind *u = &h->self.unwind;

	if (!u->stack_bytes) {
		out_text(o, ",\"unwind\":null");
		return;
	}
	jsonout_number(o, ",\"unwind\":{\"stack_bytes\":", u->stack_bytes);
	jsonout_number(o, ",\"samples\":", u->samples);
	jsonout_number(o, ",\"frames\":", u->frames);
	jsonout_number(o, ",\"guessed\":", u->guessed);
	jsonout_number(o, ",\"slow\":", u->slow);
	out_text(o, ",\"ends\":{");
	for (int i = 0; i < SLICE_UNWIND_ENDS; i++) {
		out_printf(o, "%s\"%s\":", i ? "," : "", slice_unwind_end_names[i]);
		jsonout_number(o, "", u->ends[i]);
	}
	jsonout_number(o, "},\"compat\":", u->compat);
	jsonout_known(o, ",\"dropped\":", u->capacity ? u->dropped : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"waiting\":", u->capacity ? u->waiting : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"bytes\":", u->capacity ? u->bytes : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"bytes_max\":", u->capacity ? u->bytes_max : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"capacity\":", u->capacity ? u->capacity : GAUGE_UNKNOWN);
	out_text(o, "}");
}

void json_self(struct out *o, const struct headless_view *v)
{
	struct head h;

	model_head(v->model, 0, v->window, &h);
	put_json_self(o, v, &h);
	put_json_unwind(o, &h);
	put_json_call_paths(o, &h);
}
