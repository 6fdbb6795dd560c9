/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "front/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/heap.h"
#include "base/io.h"
#include "base/text.h"
#include "front/export_folded.h"
#include "front/json_counters.h"
#include "front/jsonout.h"
#include "front/report_fields.h"
#include "front/report_latency.h"
#include "front/report_log.h"
#include "front/report_groups.h"
#include "front/report_wakers.h"
#include "control/control.h"
#include "model/alerts.h"
#include "model/marks.h"
#include "model/rates.h"
#include "model/tree.h"

#define SNAPSHOTS 64 /* in one report */

/* --- parts ------------------------------------------------------------------------------ */

static void put_causes(struct out *o, const char *name, const uint64_t *n, const char *const *causes,
		       int nr)
{
	out_text(o, name);
	for (int c = 0; c < nr; c++) {
		out_printf(o, "%s\"%s\":", c ? "," : "{", causes[c]);
		out_number(o, n[c]);
	}
	out_text(o, "}");
}

/* Not of rows that weigh something else than what the event counts. */
static void put_busy(struct out *o, const struct account *a)
{
	const struct busy *b = &a->busy;

	if (b->user + b->kernel + b->idle != a->attributed) {
		out_text(o, ",\"ran\":null");
		return;
	}
	jsonout_number(o, ",\"ran\":{\"user\":", b->user);
	jsonout_number(o, ",\"kernel\":", b->kernel);
	jsonout_number(o, ",\"idle\":", b->idle);
	out_text(o, "}");
}

/* What the CPUs did, by /proc/stat; an older ringtop on the other side does not tell user and kernel apart. */
static void put_stat(struct out *o, const struct account *a)
{
	double all = (double)a->stat_ns;

	jsonout_share(o, ",\"stat_busy\":", model_stat_busy(a));
	if (a->stat_user || a->stat_kernel) {
		jsonout_share(o, ",\"stat_user\":", fmin((double)a->stat_user / all, 1));
		jsonout_share(o, ",\"stat_kernel\":", fmin((double)a->stat_kernel / all, 1));
	}
	jsonout_share(o, ",\"stat_steal\":", fmin((double)a->stat_stolen / all, 1));
}

static void put_account(struct out *o, const struct account *a)
{
	jsonout_number(o, "\"counted\":", a->counted);
	jsonout_number(o, ",\"attributed\":", a->attributed);
	if (isnan(a->attributed_share))
		out_text(o, ",\"attributed_share\":null");
	else
		jsonout_share(o, ",\"attributed_share\":", a->attributed_share);
	put_busy(o, a);
	if (a->stat_ns)
		put_stat(o, a);
	jsonout_number(o, ",\"pending\":", a->pending);
	jsonout_number(o, ",\"unsampled\":", a->unsampled);
	put_causes(o, ",\"unsampled_why\":", a->unsampled_why, unsampled_why_names, UNSAMPLED_NR);
	jsonout_number(o, ",\"samples\":", a->samples);
	put_causes(o, ",\"lost\":", a->lost, lost_cause_names, LOST_NR);
	put_causes(o, ",\"lost_samples\":", a->lost_samples, lost_cause_names, LOST_NR);
	out_printf(o, ",\"lost_exact\":%s", a->exact ? "true" : "false");
	jsonout_number(o, ",\"throttles\":", a->throttles);
}

static void put_rate(struct out *o, const char *name, uint64_t n)
{
	jsonout_known(o, name, n ? n : GAUGE_UNKNOWN);
}

/* Which counts were under which period: since the start, whatever the report's window. */
static void put_rates(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct rate *r = model_next_rate(v->model, event, NULL);

	if (!r)
		return;
	out_text(o, ",\"rates\":[");
	for (bool first = true; r; r = model_next_rate(v->model, event, r), first = false) {
		out_printf(o, "%s{\"from\":%.3f,\"on\":%s", first ? "" : ",", (double)r->from / 1e9, r->on ? "true" : "false");
		put_rate(o, ",\"period\":", r->period);
		put_rate(o, ",\"frequency\":", r->frequency);
		jsonout_number(o, ",\"counted\":", r->counted);
		jsonout_number(o, ",\"attributed\":", r->attributed);
		jsonout_number(o, ",\"samples\":", r->samples);
		jsonout_number(o, ",\"lost\":", r->lost);
		out_text(o, "}");
	}
	out_text(o, "]");
}

static void put_event(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct session_event *e = &model_info(v->model)->events[event];
	size_t nr = model_account_cpus(v->model, event, NULL, 0);
	int *cpus = malloc((nr + 1) * sizeof(*cpus));
	struct account a;

	jsonout_string(o, event ? ",{\"name\":" : "{\"name\":", e->name);
	jsonout_string(o, ",\"unit\":", e->unit ? e->unit : "");
	if (*e->weight)
		jsonout_string(o, ",\"weight\":", e->weight);
	if (*e->filter)
		jsonout_string(o, ",\"filter\":", e->filter);
	model_account(v->model, event, ALL_CPUS, v->window, &a);
	out_text(o, ",");
	put_account(o, &a);
	put_rates(o, v, event);
	out_text(o, ",\"cpus\":[");
	nr = cpus ? model_account_cpus(v->model, event, cpus, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		model_account(v->model, event, cpus[i], v->window, &a);
		jsonout_place(o, v, !i, cpus[i]);
		out_text(o, ",");
		put_account(o, &a);
		out_text(o, "}");
	}
	out_text(o, "]}");
	free(cpus);
}

static void put_ftrace(struct out *o, const struct slice_ftrace *f)
{
	jsonout_number(o, ",\"entries\":", f->entries);
	jsonout_number(o, ",\"overrun\":", f->overrun);
	jsonout_number(o, ",\"commit_overrun\":", f->commit_overrun);
	jsonout_number(o, ",\"dropped_events\":", f->dropped);
	jsonout_number(o, ",\"read_events\":", f->read);
}

static void put_ring(struct out *o, const struct headless_view *v, size_t i)
{
	static const char *const states[] = {[RING_LIVE] = "live", [RING_OFFLINE] = "offline",
					     [RING_PAUSING] = "pausing"};
	struct gauge g;

	model_gauge(v->model, i, v->window, &g);
	jsonout_place(o, v, !i, g.now.cpu);
	if (session_place(model_info(v->model), g.now.cpu).cpu < 0)
		jsonout_number(o, ",\"tid\":", (uint64_t)g.now.tid);
	jsonout_string(o, ",\"kind\":", ring_kind_names[g.now.kind]);
	jsonout_string(o, ",\"mode\":", ring_mode_names[g.now.mode]);
	jsonout_string(o, ",\"state\":", states[g.now.state]);
	jsonout_number(o, ",\"size\":", g.now.size);
	if (g.now.unread == GAUGE_UNKNOWN)
		out_text(o, ",\"fill\":null");
	else
		jsonout_share(o, ",\"fill\":", g.fill);
	/* Nobody reads an area that runs over itself: it has no fill. */
	if (g.now.kind == RING_AUX && g.now.mode == RING_OVERWRITE)
		out_text(o, ",\"fill_max\":null");
	else
		jsonout_share(o, ",\"fill_max\":", g.fill_max);
	jsonout_known(o, ",\"bytes\":", g.bytes);
	jsonout_known(o, ",\"records\":", g.records);
	jsonout_known(o, ",\"lost\":", g.lost);
	jsonout_known(o, ",\"overwritten_bytes\":", g.overwritten_bytes);
	jsonout_known(o, ",\"wakeups\":", g.wakeups);
	jsonout_known(o, ",\"oldest_ns\":", g.now.oldest_ns);
	jsonout_known(o, ",\"late_ns\":", g.now.late_ns);
	if (g.now.kind == RING_FTRACE)
		put_ftrace(o, &g.now.ftrace);
	out_text(o, "}");
}

static const struct rows *rows_of(const struct headless_view *v, unsigned event, enum group_by group)
{
	struct query q = {.event = event, .group = group, .sort = v->sort,
			  .show_self = v->show_self, .filter = v->filter, .limit = v->top,
			  .by_host = true};

	return model_rows(v->model, &q, v->window);
}

static void put_function(struct out *o, const struct row *r)
{
	jsonout_string(o, ",\"function\":", r->name);
	if (*r->object && !(r->flags & ROW_UNMAPPED))
		jsonout_string(o, ",\"object\":", r->object);
	else
		out_text(o, ",\"object\":null");
	if (*r->why)
		jsonout_string(o, r->flags & ROW_DOUBT ? ",\"doubt\":" : ",\"nameless\":", r->why);
	jsonout_share(o, ",\"self\":", r->self_share);
	jsonout_share(o, ",\"total\":", r->total_share);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"weight\":", r->self);
	if (r->flags & ROW_LOADING)
		out_text(o, ",\"loading\":true");
}

static void put_task(struct out *o, const struct row *r)
{
	jsonout_id(o, ",\"pid\":", r->pid);
	jsonout_id(o, ",\"tid\":", r->tid);
	jsonout_string(o, ",\"comm\":", r->name);
	json_owner(o, r);
	jsonout_share(o, ",\"share\":", r->self_share);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"weight\":", r->self);
}

/* The rows of every event; a row that stands for many says how many, where that is known. */
static void put_rows(struct out *o, const struct headless_view *v, enum group_by group,
		     void (*put_row)(struct out *o, const struct row *r))
{
	const struct session_info *info = model_info(v->model);
	bool first = true;

	for (unsigned e = 0; e < info->nevents; e++) {
		const struct rows *rows = rows_of(v, e, group);

		if (!rows) {
			o->error = o->error ? o->error : -ENOMEM;
			return;
		}
		for (size_t i = 0; i < rows->nr; i++) {
			jsonout_string(o, first ? "{\"event\":" : ",{\"event\":", info->events[e].name);
			if (*rows->row[i].host)
				jsonout_string(o, ",\"host\":", rows->row[i].host);
			put_row(o, &rows->row[i]);
			if (rows->row[i].flags & ROW_FOLDED && rows->row[i].folded)
				jsonout_number(o, ",\"folded\":", rows->row[i].folded);
			out_text(o, "}");
			first = false;
		}
	}
}

static void put_path(struct out *o, const struct session_event *e, const char *path, const struct tree *t,
		     const struct tree_node *n)
{
	const struct tree_node *top = n;

	while (top->depth > 1)
		top = &t->node[top->parent];
	jsonout_string(o, "{\"event\":", e->name);
	if (top->flags & TREE_HOST) {
		jsonout_string(o, ",\"host\":", top->name);
		path += strcspn(path, ";"); /* names have none */
		path += *path == ';';
	}
	jsonout_string(o, ",\"path\":", path);
	jsonout_number(o, ",\"weight\":", n->self);
	jsonout_number(o, ",\"samples\":", n->self_samples);
	out_text(o, "}");
}

static void put_event_paths(struct out *o, const struct headless_view *v, unsigned event, bool *first)
{
	struct tree_query q = {.q = {.event = event, .show_self = v->show_self, .filter = v->filter},
			       .hosts = true};
	const struct tree *t = model_tree(v->model, &q, v->window);
	const char *path;
	uint32_t node = 0;
	struct out text;

	if (!t) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	out_init(&text, -1, -1);
	while (!o->error && (path = folded_next(&text, t, &node))) {
		out_text(o, *first ? "" : ",");
		put_path(o, &model_info(v->model)->events[event], path, t, &t->node[node]);
		*first = false;
	}
	if (text.error)
		o->error = text.error;
	out_clear(&text);
}

static void put_paths(struct out *o, const struct headless_view *v)
{
	bool first = true;

	out_text(o, ",\"paths\":[");
	for (unsigned e = 0; e < model_info(v->model)->nevents; e++)
		put_event_paths(o, v, e, &first);
	out_text(o, "]");
}

static void put_cpus(struct out *o, const struct headless_view *v)
{
	size_t nr;
	const struct cpu_load *c = model_cpus(v->model, v->window, &nr);

	for (size_t i = 0; i < nr; i++) {
		jsonout_place(o, v, !i, c[i].cpu);
		jsonout_number(o, ",\"samples\":", c[i].samples);
		out_text(o, "}");
	}
}

static void put_helpers(struct out *o, const struct headless_view *v)
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

static void put_self(struct out *o, const struct headless_view *v)
{
	struct head h;

	model_head(v->model, 0, v->window, &h);
	out_printf(o, ",\"self\":{\"cpu_seconds\":%.6f", (double)h.self_cpu_ns / 1e9);
	jsonout_number(o, ",\"rss_bytes\":", h.self.rss_bytes);
	jsonout_number(o, ",\"table_rows\":", h.self.table_rows);
	jsonout_number(o, ",\"table_capacity\":", h.self.table_capacity);
	jsonout_number(o, ",\"unresolved\":", h.self.unresolved);
	jsonout_number(o, ",\"loading\":", h.self.loading);
	jsonout_number(o, ",\"queued\":", h.self.queued);
	jsonout_number(o, ",\"merged\":", h.self.merged);
	jsonout_number(o, ",\"maps_forgotten\":", h.self.maps_forgotten);
	jsonout_number(o, ",\"switches_forgotten\":", h.self.switches_forgotten);
	jsonout_number(o, ",\"process_maps_forgotten\":", h.self.process_maps_forgotten);
	jsonout_number(o, ",\"births_unsure\":", h.self.births_unsure);
	jsonout_number(o, ",\"budget_bytes\":", h.self.budget_bytes);
	jsonout_number(o, ",\"budget_limit\":", h.self.budget_limit);
	jsonout_number(o, ",\"budget_refusals\":", h.self.budget_refusals);
	jsonout_text(o, ",\"cause\":", h.self.cause ? self_cause_names[h.self.cause] : NULL);
	jsonout_text(o, ",\"memory_cause\":", h.self.memory[0] ? h.self.memory : NULL);
	jsonout_known(o, ",\"cpu_limit\":", h.self.cpu_limit ? h.self.cpu_limit : GAUGE_UNKNOWN);
	jsonout_number(o, ",\"rate_divisor\":", h.self.rate_divisor ? h.self.rate_divisor : 1);
	jsonout_number(o, ",\"failed_allocations\":", heap_failures());
	jsonout_number(o, ",\"failed_reads\":", io_failures());
	out_text(o, ",\"helpers\":[");
	put_helpers(o, v);
	out_text(o, "]}");
}

/* Null where no event is auto: while some are, what is copied now, for whom, and what samples take of what they may. */
static void put_call_paths(struct out *o, const struct headless_view *v)
{
	const struct slice_unwind *u;
	struct head h;

	model_head(v->model, 0, v->window, &h);
	u = &h.self.unwind;
	if (!u->auto_budget) {
		out_text(o, ",\"call_paths\":null");
		return;
	}
	jsonout_number(o, ",\"call_paths\":{\"stack_bytes\":", u->auto_stack);
	jsonout_string(o, ",\"shallow\":", h.self.shallow);
	jsonout_number(o, ",\"bytes_per_second\":", u->auto_rate);
	jsonout_number(o, ",\"budget\":", u->auto_budget);
	jsonout_number(o, ",\"chained\":", u->chained);
	jsonout_number(o, ",\"crowded\":", u->crowded);
	out_text(o, "}");
}

/* Null where no stacks are copied. */
static void put_unwind(struct out *o, const struct headless_view *v)
{
	const struct slice_unwind *u;
	struct head h;

	model_head(v->model, 0, v->window, &h);
	u = &h.self.unwind;
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

static void put_recording(struct out *o, const struct slice_recording *r)
{
	if (!r || r->state == RECORDING_NONE) {
		out_text(o, ",\"recording\":null");
		return;
	}
	jsonout_string(o, ",\"recording\":{\"file\":", r->file);
	jsonout_string(o, ",\"state\":", recording_state_names[r->state]);
	jsonout_number(o, ",\"bytes\":", r->bytes);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"lost\":", r->lost);
	jsonout_number(o, ",\"lost_sideband\":", r->lost_sideband);
	jsonout_number(o, ",\"lost_aux_bytes\":", r->lost_aux);
	out_printf(o, ",\"since\":%.3f}", (double)r->since / 1e9);
}

static void put_snapshot(struct out *o, const struct session_info *info, const struct slice_snapshot *s)
{
	bool written = s->state == SNAPSHOT_WRITTEN;

	jsonout_number(o, "{\"number\":", s->nr);
	if (info->nhosts > 1 && s->host < info->nhosts)
		jsonout_string(o, ",\"host\":", info->hosts[s->host].name);
	jsonout_string(o, ",\"kind\":", snapshot_kind_names[s->kind]);
	jsonout_string(o, ",\"state\":", snapshot_state_names[s->state]);
	out_printf(o, ",\"time\":%.3f", (double)s->time / 1e9);
	jsonout_text(o, ",\"reason\":", s->reason);
	jsonout_number(o, ",\"bytes\":", s->bytes);
	jsonout_known(o, ",\"shared_bytes\":", s->shared);
	jsonout_known(o, ",\"samples\":", written ? s->samples : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"dropped\":", written ? s->dropped : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"file_bytes\":", written ? s->file_bytes : GAUGE_UNKNOWN);
	jsonout_number(o, ",\"stopped_ns\":", s->stopped_ns);
	jsonout_known(o, ",\"written_ns\":", written ? s->written_ns : GAUGE_UNKNOWN);
	jsonout_text(o, ",\"file\":", s->file);
	jsonout_text(o, ",\"error\":", s->error);
	out_text(o, "}");
}

/* Those of which something new was said in the window, the oldest first. */
static void put_snapshots(struct out *o, const struct headless_view *v)
{
	const struct slice_snapshot *list[SNAPSHOTS];
	size_t n = model_snapshots(v->model, list, SNAPSHOTS);
	bool first = true;

	out_text(o, ",\"snapshots\":[");
	while (n--) {
		if (list[n]->changed <= v->window.from || list[n]->changed > v->window.to)
			continue;
		out_text(o, first ? "" : ",");
		put_snapshot(o, model_info(v->model), list[n]);
		first = false;
	}
	out_text(o, "]");
}

/* Only where somebody has set one in the window. */
static void put_marks(struct out *o, const struct headless_view *v)
{
	const struct mark *marks;
	size_t nr = model_marks(v->model, &marks);
	bool some = false;

	for (size_t i = 0; i < nr; i++) {
		if (marks[i].time <= v->window.from || marks[i].time > v->window.to)
			continue;
		out_printf(o, "%s{\"time\":%.3f", some ? "," : ",\"marks\":[", (double)marks[i].time / 1e9);
		jsonout_string(o, ",\"name\":", marks[i].name);
		out_text(o, "}");
		some = true;
	}
	out_text(o, some ? "]" : "");
}

static void put_alert(struct out *o, const struct alert *a)
{
	out_printf(o, "{\"number\":%u,\"time\":%.3f,\"until\":", a->nr, (double)a->time / 1e9);
	if (a->until)
		out_printf(o, "%.3f", (double)a->until / 1e9);
	else
		out_text(o, "null");
	jsonout_string(o, ",\"condition\":", a->condition);
	jsonout_string(o, ",\"reason\":", a->reason);
	if (*a->command)
		jsonout_string(o, ",\"command\":", a->command);
	out_text(o, "}");
}

/* Those that stood in the window, only where there are some. */
static void put_alerts(struct out *o, const struct headless_view *v)
{
	const struct alerts *all = model_alerts(v->model);
	bool some = false;

	for (size_t i = 0; i < all->nr; i++) {
		if (!alerts_in(&all->alert[i], v->window.from, v->window.to))
			continue;
		out_text(o, some ? "," : ",\"alerts\":[");
		put_alert(o, &all->alert[i]);
		some = true;
	}
	out_text(o, some ? "]" : "");
}

static void put_pt_row(struct out *o, const struct slice_pt_row *r)
{
	jsonout_text(o, "{\"function\":", r->function);
	jsonout_text(o, ",\"object\":", r->object);
	jsonout_text(o, ",\"comm\":", r->comm);
	jsonout_id(o, ",\"pid\":", r->pid);
	jsonout_known(o, ",\"ns\":", r->ns);
	jsonout_number(o, ",\"instructions\":", r->insns);
	jsonout_number(o, ",\"calls\":", r->calls);
	out_text(o, "}");
}

static void put_pt_stretch(struct out *o, const struct slice_pt_stretch *s)
{
	jsonout_id(o, "{\"cpu\":", s->cpu);
	jsonout_string(o, ",\"cause\":", pt_lost_names[s->cause]);
	jsonout_number(o, ",\"offset\":", s->offset);
	jsonout_known(o, ",\"bytes\":", s->bytes);
	jsonout_known(o, ",\"ns\":", s->ns);
	jsonout_text(o, ",\"why\":", s->why);
	out_text(o, "}");
}

static void put_pt_lost(struct out *o, const char *name, const uint64_t *lost)
{
	out_text(o, name);
	for (int i = 0; i < PT_LOST_NR; i++) {
		out_printf(o, "%s\"%s\":", i ? "," : "", pt_lost_names[i]);
		jsonout_number(o, "", lost[i]);
	}
	out_text(o, "}");
}

/* The answer to a snapshot of Intel PT, in the report of the window that brought it. */
static void put_pt(struct out *o, const struct headless_view *v)
{
	const struct slice_pt *pt = model_pt(v->model);

	if (!pt || pt->changed <= v->window.from || pt->changed > v->window.to) {
		out_text(o, ",\"pt\":null");
		return;
	}
	jsonout_number(o, ",\"pt\":{\"snapshot\":", pt->snapshot);
	jsonout_text(o, ",\"error\":", pt->error);
	jsonout_number(o, ",\"bytes\":", pt->bytes);
	jsonout_number(o, ",\"decoded\":", pt->decoded);
	jsonout_number(o, ",\"instructions\":", pt->insns);
	jsonout_number(o, ",\"untimed_instructions\":", pt->untimed_insns);
	jsonout_known(o, ",\"ns\":", pt->ns);
	jsonout_known(o, ",\"span_ns\":", pt->span_ns);
	jsonout_number(o, ",\"branches\":", pt->branches);
	jsonout_number(o, ",\"overflows\":", pt->overflows);
	jsonout_number(o, ",\"took_ns\":", pt->took_ns);
	put_pt_lost(o, ",\"lost\":{", pt->lost);
	put_pt_lost(o, ",\"lost_bytes\":{", pt->lost_bytes);
	jsonout_number(o, ",\"more_functions\":", pt->more_rows);
	jsonout_number(o, ",\"more_instructions\":", pt->more_insns);
	out_text(o, ",\"functions\":[");
	for (size_t i = 0; i < pt->nrows; i++) {
		out_text(o, i ? "," : "");
		put_pt_row(o, &pt->rows[i]);
	}
	jsonout_number(o, "],\"more_stretches\":", pt->more_stretches);
	out_text(o, ",\"stretches\":[");
	for (size_t i = 0; i < pt->nstretches; i++) {
		out_text(o, i ? "," : "");
		put_pt_stretch(o, &pt->stretches[i]);
	}
	out_text(o, "]}");
}

static void put_logs(struct out *o, const struct headless_view *v)
{
	out_text(o, ",\"log\":[");
	for (size_t i = v->nlogs; i-- > 0;) {
		const struct slice_log *l = v->logs[i];

		jsonout_string(o, "{\"level\":", l->level == SLICE_WARNING ? "warning" : "info");
		jsonout_string(o, ",\"text\":", l->text);
		out_text(o, i ? "}," : "}");
	}
	out_text(o, "]");
}

static void put_advice(struct out *o, const struct headless_view *v)
{
	const char *advice = model_advice(v->model, 0, v->window);

	if (advice)
		jsonout_string(o, ",\"advice\":", advice);
	else
		out_text(o, ",\"advice\":null");
}

static void put_known_rate(struct out *o, const char *name, double rate)
{
	if (rate < 0)
		out_printf(o, "%snull", name);
	else
		out_printf(o, "%s%.0f", name, rate);
}

static void put_area(struct out *o, const struct headless_view *v, size_t i)
{
	struct aux a;

	model_aux(v->model, i, v->window, &a);
	jsonout_place(o, v, !i, a.now.cpu);
	if (session_place(model_info(v->model), a.now.cpu).cpu < 0)
		jsonout_number(o, ",\"tid\":", (uint64_t)a.now.tid);
	jsonout_string(o, ",\"event\":", model_info(v->model)->aux_event);
	jsonout_string(o, ",\"mode\":", aux_mode_names[a.now.mode]);
	jsonout_string(o, ",\"state\":", a.now.state == RING_OFFLINE ? "offline" : "live");
	jsonout_number(o, ",\"size\":", a.now.size);
	jsonout_known(o, ",\"unread\":", a.now.unread);
	jsonout_known(o, ",\"bytes\":", a.sum.bytes);
	put_known_rate(o, ",\"rate\":", a.rate);
	out_printf(o, ",\"rate_measured\":%s", a.measured ? "true" : "false");
	if (a.why)
		jsonout_string(o, ",\"rate_why\":", a.why);
	else
		out_text(o, ",\"rate_why\":null");
	jsonout_known(o, ",\"held_ns\":", a.held_ns);
	jsonout_string(o, ",\"head\":", aux_head_names[a.now.head]);
	jsonout_number(o, ",\"consumed\":", a.sum.consumed);
	jsonout_known(o, ",\"lost_bytes\":", a.sum.lost_bytes);
	jsonout_number(o, ",\"records\":", a.sum.records);
	jsonout_number(o, ",\"truncated\":", a.sum.truncated);
	jsonout_number(o, ",\"collision\":", a.sum.collision);
	jsonout_number(o, ",\"partial\":", a.sum.partial);
	jsonout_number(o, ",\"overwrite\":", a.sum.overwrite);
	jsonout_number(o, ",\"gap\":", a.sum.gaps);
	jsonout_number(o, ",\"starts\":", a.sum.starts);
	jsonout_number(o, ",\"restarts\":", a.sum.restarts);
	jsonout_number(o, ",\"lost_records\":", a.sum.lost_records);
	jsonout_known(o, ",\"last_record_ns\":", a.now.age_ns);
	jsonout_number(o, ",\"snapshots\":", a.sum.snapshots);
	jsonout_number(o, ",\"samples\":", a.sum.samples);
	jsonout_number(o, ",\"sample_bytes\":", a.sum.sample_bytes);
	out_text(o, "}");
}

static void put_aux(struct out *o, const struct headless_view *v)
{
	out_text(o, "],\"aux\":[");
	for (size_t i = 0; i < model_naux(v->model); i++)
		put_area(o, v, i);
	out_text(o, "]");
}

/* The link to a host, over the window; its self and recording as they stand. */
static void put_link(struct out *o, const struct host *h)
{
	bool known = h->now.round_trip_ns != GAUGE_UNKNOWN;

	jsonout_string(o, ",\"state\":", host_state_names[h->now.state]);
	out_printf(o, ",\"since\":%.3f", (double)h->now.since / 1e9);
	jsonout_text(o, ",\"why\":", *h->now.why ? h->now.why : NULL);
	jsonout_number(o, ",\"bytes_in\":", h->link.bytes_in);
	jsonout_number(o, ",\"bytes_out\":", h->link.bytes_out);
	jsonout_known(o, ",\"round_trip_ns\":", h->now.round_trip_ns);
	if (known)
		out_printf(o, ",\"offset_ns\":%lld", (long long)h->now.offset_ns);
	else
		out_text(o, ",\"offset_ns\":null");
	jsonout_known(o, ",\"error_ns\":", h->now.error_ns);
	jsonout_known(o, ",\"behind_ns\":", h->now.behind_ns);
	jsonout_number(o, ",\"beat_ms\":", h->now.beat_ms);
	jsonout_number(o, ",\"merged\":", h->link.merged);
	jsonout_number(o, ",\"folded_samples\":", h->link.folded_samples);
	jsonout_number(o, ",\"folded_rows\":", h->link.folded_rows);
	out_printf(o, ",\"self\":{\"cpu_seconds\":%.6f", (double)h->now.self.cpu_ns / 1e9);
	jsonout_number(o, ",\"rss_bytes\":", h->now.self.rss_bytes);
	out_text(o, "}");
	put_recording(o, &h->now.recording);
}

static void put_who(struct out *o, const struct session_host *h, bool first)
{
	jsonout_string(o, first ? "{\"name\":" : ",{\"name\":", h->name);
	jsonout_text(o, ",\"host\":", *h->host ? h->host : NULL);
	jsonout_known(o, ",\"cpus\":", h->cpus ? h->cpus : GAUGE_UNKNOWN);
	jsonout_text(o, ",\"note\":", *h->note ? h->note : NULL);
}

/* Only where slices come from other machines. */
static void put_hosts(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned i = 0; i < info->nhosts; i++) {
		struct host h;

		if (!i)
			out_text(o, ",\"hosts\":[");
		put_who(o, &info->hosts[i], !i);
		model_host(v->model, i, v->window, &h);
		put_link(o, &h);
		out_text(o, i + 1 < info->nhosts ? "}" : "}]");
	}
}

static void put_report(struct out *o, const struct headless_view *v, const char *type)
{
	out_printf(o, "{\"type\":\"%s\",\"time\":%.3f,\"seconds\":%.3f,\"events\":[", type, v->time,
		   v->seconds);
	for (unsigned e = 0; e < model_info(v->model)->nevents; e++)
		put_event(o, v, e);
	out_text(o, "],\"counters\":[");
	json_counters(o, v);
	out_text(o, "],\"ratios\":[");
	json_ratios(o, v);
	out_text(o, "],\"rings\":[");
	for (size_t i = 0; i < model_ngauges(v->model); i++)
		put_ring(o, v, i);
	out_text(o, "],\"functions\":[");
	put_rows(o, v, GROUP_FUNCTION, put_function);
	out_text(o, "],\"tasks\":[");
	put_rows(o, v, GROUP_THREAD, put_task);
	out_text(o, "],\"cpus\":[");
	put_cpus(o, v);
	put_aux(o, v);
	put_snapshots(o, v);
	put_marks(o, v);
	put_alerts(o, v);
	put_pt(o, v);
	json_groups(o, v);
	if (v->paths)
		put_paths(o, v);
	json_fields(o, v);
	json_latency(o, v);
	json_wakers(o, v);
	json_logging(o, v);
	put_self(o, v);
	put_unwind(o, v);
	put_call_paths(o, v);
	put_recording(o, model_recording(v->model));
	put_advice(o, v);
	put_logs(o, v);
	put_hosts(o, v);
}

/* --- the three lines -------------------------------------------------------------------- */

static void json_header(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	out_printf(o, "{\"type\":\"header\",\"schema\":%d", JSON_SCHEMA);
	jsonout_string(o, ",\"version\":", v->version ? v->version : "");
	jsonout_string(o, ",\"host\":", info->host);
	for (unsigned i = 0; i < info->nhosts; i++) {
		out_text(o, i ? "" : ",\"hosts\":[");
		put_who(o, &info->hosts[i], !i);
		out_text(o, i + 1 < info->nhosts ? "}" : "}]");
	}
	jsonout_number(o, ",\"cpus\":", info->cpus);
	out_text(o, ",\"events\":[");
	for (unsigned e = 0; e < info->nevents; e++) {
		jsonout_string(o, e ? ",{\"name\":" : "{\"name\":", info->events[e].name);
		jsonout_string(o, ",\"unit\":", info->events[e].unit ? info->events[e].unit : "");
		put_rate(o, ",\"period\":", info->events[e].period);
		put_rate(o, ",\"frequency\":", info->events[e].frequency);
		if (session_skid(&info->events[e])) {
			jsonout_number(o, ",\"precise_ip\":", info->events[e].precise - 1);
			jsonout_string(o, ",\"skid\":", session_skid(&info->events[e]));
		}
		if (*info->events[e].weight)
			jsonout_string(o, ",\"weight\":", info->events[e].weight);
		if (*info->events[e].by)
			jsonout_string(o, ",\"by\":", info->events[e].by);
		if (info->events[e].in_kernel)
			out_text(o, ",\"in_kernel\":true");
		if (*info->events[e].filter)
			jsonout_string(o, ",\"filter\":", info->events[e].filter);
		out_text(o, "}");
	}
	jsonout_string(o, "],\"target\":", info->target);
	jsonout_string(o, ",\"call_graph\":", info->call_graph);
	if (info->note[0])
		jsonout_string(o, ",\"note\":", info->note);
	else
		out_text(o, ",\"note\":null");
	out_printf(o, ",\"start\":%.3f,\"interval\":%.3f,\"live\":%s}\n",
		   (double)info->start_wall / 1e9, v->delay, info->live ? "true" : "false");
}

static void json_interval(struct out *o, const struct headless_view *v)
{
	put_report(o, v, "interval");
	out_text(o, "}\n");
}

static void put_control(struct out *o, const struct control_counts *c)
{
	if (!c)
		return;
	jsonout_number(o, ",\"control\":{\"orders\":", c->orders);
	jsonout_number(o, ",\"unknown\":", c->unknown);
	jsonout_number(o, ",\"too_long\":", c->too_long);
	jsonout_number(o, ",\"unanswered\":", c->unanswered);
	out_text(o, "}");
}

static void json_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	put_report(o, v, "total");
	put_control(o, v->control);
	if (!end->command)
		out_text(o, ",\"command\":null");
	else if (WIFSIGNALED(status))
		out_printf(o, ",\"command\":{\"signal\":%d}", WTERMSIG(status));
	else
		out_printf(o, ",\"command\":{\"exit\":%d}", WEXITSTATUS(status));
	if (end->error)
		jsonout_string(o, ",\"error\":", end->text[0] ? end->text : strerror(-end->error));
	else
		out_text(o, ",\"error\":null");
	out_text(o, "}\n");
}

const struct headless_format json_format = {
	.name = "json",
	.header = json_header,
	.logged = json_logged,
	.interval = json_interval,
	.total = json_total,
};
