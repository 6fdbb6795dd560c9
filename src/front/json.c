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
#include "model/tree.h"

#define SNAPSHOTS 64 /* in one report */

void json_name(struct out *o, const char *text)
{
	size_t len = strlen(text), max = len * 4 + 1, from = 0;
	char small[512], *escaped;

	if (text_plain(text, len) == len && !memchr(text, '"', len) && !memchr(text, '\\', len)) {
		out_bytes(o, "\"", 1);
		out_bytes(o, text, len);
		out_bytes(o, "\"", 1);
		return;
	}
	escaped = max <= sizeof(small) ? small : malloc(max);
	if (!escaped) {
		out_text(o, "null");
		return;
	}
	len = text_escape(escaped, max, text);
	out_bytes(o, "\"", 1);
	for (size_t i = 0; i <= len; i++) {
		if (i < len && escaped[i] != '"' && escaped[i] != '\\')
			continue;
		out_bytes(o, escaped + from, i - from);
		if (i < len)
			out_bytes(o, "\\", 1);
		from = i;
	}
	out_bytes(o, "\"", 1);
	if (escaped != small)
		free(escaped);
}

/* Members: the name comes with its punctuation, `,"name":`. */
static void put_string(struct out *o, const char *name, const char *text)
{
	out_text(o, name);
	json_name(o, text);
}

static void put_number(struct out *o, const char *name, uint64_t n)
{
	out_text(o, name);
	out_number(o, n);
}

static void put_known(struct out *o, const char *name, uint64_t n)
{
	if (n == GAUGE_UNKNOWN)
		out_printf(o, "%snull", name);
	else
		put_number(o, name, n);
}

/* What is counted from 1: 0 means not known, and -1 too. */
static void put_id(struct out *o, const char *name, int32_t id)
{
	if (id < 0)
		out_printf(o, "%snull", name);
	else
		put_number(o, name, (uint64_t)id);
}

/* A share with six decimals; printf takes ten times as long. */
static void put_share(struct out *o, const char *name, double share)
{
	char digits[] = ".000000";
	uint64_t n = (uint64_t)llround(share * 1e6), rest = n % 1000000;

	put_number(o, name, n / 1000000);
	for (int i = 6; i > 0; i--, rest /= 10)
		digits[i] = (char)('0' + rest % 10);
	out_bytes(o, digits, 7);
}

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

static void put_account(struct out *o, const struct account *a)
{
	put_number(o, "\"counted\":", a->counted);
	put_number(o, ",\"attributed\":", a->attributed);
	if (isnan(a->attributed_share))
		out_text(o, ",\"attributed_share\":null");
	else
		put_share(o, ",\"attributed_share\":", a->attributed_share);
	put_number(o, ",\"pending\":", a->pending);
	put_number(o, ",\"unsampled\":", a->unsampled);
	put_causes(o, ",\"unsampled_why\":", a->unsampled_why, unsampled_why_names, UNSAMPLED_NR);
	put_number(o, ",\"samples\":", a->samples);
	put_causes(o, ",\"lost\":", a->lost, lost_cause_names, LOST_NR);
	put_causes(o, ",\"lost_samples\":", a->lost_samples, lost_cause_names, LOST_NR);
	out_printf(o, ",\"lost_exact\":%s", a->exact ? "true" : "false");
	put_number(o, ",\"throttles\":", a->throttles);
}

static void put_event(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct session_event *e = &model_info(v->model)->events[event];
	size_t nr = model_account_cpus(v->model, event, NULL, 0);
	int *cpus = malloc((nr + 1) * sizeof(*cpus));
	struct account a;

	put_string(o, event ? ",{\"name\":" : "{\"name\":", e->name);
	put_string(o, ",\"unit\":", e->unit ? e->unit : "");
	model_account(v->model, event, ALL_CPUS, v->window, &a);
	out_text(o, ",");
	put_account(o, &a);
	out_text(o, ",\"cpus\":[");
	nr = cpus ? model_account_cpus(v->model, event, cpus, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		model_account(v->model, event, cpus[i], v->window, &a);
		out_text(o, i ? ",{" : "{");
		put_id(o, "\"cpu\":", cpus[i]);
		out_text(o, ",");
		put_account(o, &a);
		out_text(o, "}");
	}
	out_text(o, "]}");
	free(cpus);
}

static void put_ring(struct out *o, const struct headless_view *v, size_t i)
{
	static const char *const states[] = {[RING_LIVE] = "live", [RING_OFFLINE] = "offline",
					     [RING_PAUSING] = "pausing"};
	struct gauge g;

	model_gauge(v->model, i, v->window, &g);
	put_id(o, i ? ",{\"cpu\":" : "{\"cpu\":", g.now.cpu);
	if (g.now.cpu < 0)
		put_number(o, ",\"tid\":", (uint64_t)g.now.tid);
	put_string(o, ",\"kind\":", ring_kind_names[g.now.kind]);
	put_string(o, ",\"mode\":", ring_mode_names[g.now.mode]);
	put_string(o, ",\"state\":", states[g.now.state]);
	put_number(o, ",\"size\":", g.now.size);
	if (g.now.unread == GAUGE_UNKNOWN)
		out_text(o, ",\"fill\":null");
	else
		put_share(o, ",\"fill\":", g.fill);
	/* Nobody reads an area that runs over itself: it has no fill. */
	if (g.now.kind == RING_AUX && g.now.mode == RING_OVERWRITE)
		out_text(o, ",\"fill_max\":null");
	else
		put_share(o, ",\"fill_max\":", g.fill_max);
	put_known(o, ",\"bytes\":", g.bytes);
	put_known(o, ",\"records\":", g.records);
	put_known(o, ",\"lost\":", g.lost);
	put_known(o, ",\"overwritten_bytes\":", g.overwritten_bytes);
	put_known(o, ",\"wakeups\":", g.wakeups);
	put_known(o, ",\"oldest_ns\":", g.now.oldest_ns);
	put_known(o, ",\"late_ns\":", g.now.late_ns);
	out_text(o, "}");
}

static const struct rows *rows_of(const struct headless_view *v, unsigned event, enum group_by group)
{
	struct query q = {.event = event, .group = group, .sort = SORT_SELF,
			  .show_self = v->show_self, .filter = v->filter, .limit = v->top};

	return model_rows(v->model, &q, v->window);
}

static void put_function(struct out *o, const struct row *r)
{
	put_string(o, ",\"function\":", r->name);
	if (*r->object && !(r->flags & ROW_UNMAPPED))
		put_string(o, ",\"object\":", r->object);
	else
		out_text(o, ",\"object\":null");
	if (*r->why)
		put_string(o, r->flags & ROW_DOUBT ? ",\"doubt\":" : ",\"nameless\":", r->why);
	put_share(o, ",\"self\":", r->self_share);
	put_share(o, ",\"total\":", r->total_share);
	put_number(o, ",\"samples\":", r->samples);
	put_number(o, ",\"weight\":", r->self);
	if (r->flags & ROW_LOADING)
		out_text(o, ",\"loading\":true");
}

static void put_task(struct out *o, const struct row *r)
{
	put_id(o, ",\"pid\":", r->pid);
	put_id(o, ",\"tid\":", r->tid);
	put_string(o, ",\"comm\":", r->name);
	put_share(o, ",\"share\":", r->self_share);
	put_number(o, ",\"samples\":", r->samples);
	put_number(o, ",\"weight\":", r->self);
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
			put_string(o, first ? "{\"event\":" : ",{\"event\":", info->events[e].name);
			put_row(o, &rows->row[i]);
			if (rows->row[i].flags & ROW_FOLDED && rows->row[i].folded)
				put_number(o, ",\"folded\":", rows->row[i].folded);
			out_text(o, "}");
			first = false;
		}
	}
}

static void put_path(struct out *o, const struct session_event *e, const char *path,
		     const struct tree_node *n)
{
	put_string(o, "{\"event\":", e->name);
	put_string(o, ",\"path\":", path);
	put_number(o, ",\"weight\":", n->self);
	put_number(o, ",\"samples\":", n->self_samples);
	out_text(o, "}");
}

static void put_event_paths(struct out *o, const struct headless_view *v, unsigned event, bool *first)
{
	struct tree_query q = {.q = {.event = event, .show_self = v->show_self, .filter = v->filter}};
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
		put_path(o, &model_info(v->model)->events[event], path, &t->node[node]);
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
		put_id(o, i ? ",{\"cpu\":" : "{\"cpu\":", c[i].cpu);
		put_number(o, ",\"samples\":", c[i].samples);
		out_text(o, "}");
	}
}

static void put_self(struct out *o, const struct headless_view *v)
{
	struct head h;

	model_head(v->model, 0, v->window, &h);
	out_printf(o, ",\"self\":{\"cpu_seconds\":%.6f", (double)h.self_cpu_ns / 1e9);
	put_number(o, ",\"rss_bytes\":", h.self.rss_bytes);
	put_number(o, ",\"table_rows\":", h.self.table_rows);
	put_number(o, ",\"table_capacity\":", h.self.table_capacity);
	put_number(o, ",\"unresolved\":", h.self.unresolved);
	put_number(o, ",\"loading\":", h.self.loading);
	put_number(o, ",\"queued\":", h.self.queued);
	put_number(o, ",\"merged\":", h.self.merged);
	put_number(o, ",\"maps_forgotten\":", h.self.maps_forgotten);
	put_number(o, ",\"switches_forgotten\":", h.self.switches_forgotten);
	put_number(o, ",\"process_maps_forgotten\":", h.self.process_maps_forgotten);
	put_number(o, ",\"births_unsure\":", h.self.births_unsure);
	put_number(o, ",\"budget_bytes\":", h.self.budget_bytes);
	put_number(o, ",\"budget_limit\":", h.self.budget_limit);
	put_number(o, ",\"budget_refusals\":", h.self.budget_refusals);
	put_number(o, ",\"failed_allocations\":", heap_failures());
	put_number(o, ",\"failed_reads\":", io_failures());
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
	put_number(o, ",\"unwind\":{\"stack_bytes\":", u->stack_bytes);
	put_number(o, ",\"samples\":", u->samples);
	put_number(o, ",\"frames\":", u->frames);
	put_number(o, ",\"guessed\":", u->guessed);
	put_number(o, ",\"slow\":", u->slow);
	out_text(o, ",\"ends\":{");
	for (int i = 0; i < SLICE_UNWIND_ENDS; i++) {
		out_printf(o, "%s\"%s\":", i ? "," : "", slice_unwind_end_names[i]);
		put_number(o, "", u->ends[i]);
	}
	put_number(o, "},\"compat\":", u->compat);
	put_known(o, ",\"dropped\":", u->capacity ? u->dropped : GAUGE_UNKNOWN);
	put_known(o, ",\"waiting\":", u->capacity ? u->waiting : GAUGE_UNKNOWN);
	put_known(o, ",\"bytes\":", u->capacity ? u->bytes : GAUGE_UNKNOWN);
	put_known(o, ",\"bytes_max\":", u->capacity ? u->bytes_max : GAUGE_UNKNOWN);
	put_known(o, ",\"capacity\":", u->capacity ? u->capacity : GAUGE_UNKNOWN);
	out_text(o, "}");
}

static void put_recording(struct out *o, const struct headless_view *v)
{
	const struct slice_recording *r = model_recording(v->model);

	if (!r) {
		out_text(o, ",\"recording\":null");
		return;
	}
	put_string(o, ",\"recording\":{\"file\":", r->file);
	put_string(o, ",\"state\":", recording_state_names[r->state]);
	put_number(o, ",\"bytes\":", r->bytes);
	put_number(o, ",\"samples\":", r->samples);
	put_number(o, ",\"lost\":", r->lost);
	put_number(o, ",\"lost_sideband\":", r->lost_sideband);
	put_number(o, ",\"lost_aux_bytes\":", r->lost_aux);
	out_printf(o, ",\"since\":%.3f}", (double)r->since / 1e9);
}

static void put_text(struct out *o, const char *name, const char *text)
{
	if (text)
		put_string(o, name, text);
	else
		out_printf(o, "%snull", name);
}

static void put_snapshot(struct out *o, const struct slice_snapshot *s)
{
	bool written = s->state == SNAPSHOT_WRITTEN;

	put_number(o, "{\"number\":", s->nr);
	put_string(o, ",\"kind\":", snapshot_kind_names[s->kind]);
	put_string(o, ",\"state\":", snapshot_state_names[s->state]);
	out_printf(o, ",\"time\":%.3f", (double)s->time / 1e9);
	put_text(o, ",\"reason\":", s->reason);
	put_number(o, ",\"bytes\":", s->bytes);
	put_known(o, ",\"shared_bytes\":", s->shared);
	put_known(o, ",\"samples\":", written ? s->samples : GAUGE_UNKNOWN);
	put_known(o, ",\"dropped\":", written ? s->dropped : GAUGE_UNKNOWN);
	put_known(o, ",\"file_bytes\":", written ? s->file_bytes : GAUGE_UNKNOWN);
	put_number(o, ",\"stopped_ns\":", s->stopped_ns);
	put_known(o, ",\"written_ns\":", written ? s->written_ns : GAUGE_UNKNOWN);
	put_text(o, ",\"file\":", s->file);
	put_text(o, ",\"error\":", s->error);
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
		put_snapshot(o, list[n]);
		first = false;
	}
	out_text(o, "]");
}

static void put_pt_row(struct out *o, const struct slice_pt_row *r)
{
	put_text(o, "{\"function\":", r->function);
	put_text(o, ",\"object\":", r->object);
	put_text(o, ",\"comm\":", r->comm);
	put_id(o, ",\"pid\":", r->pid);
	put_known(o, ",\"ns\":", r->ns);
	put_number(o, ",\"instructions\":", r->insns);
	put_number(o, ",\"calls\":", r->calls);
	out_text(o, "}");
}

static void put_pt_stretch(struct out *o, const struct slice_pt_stretch *s)
{
	put_id(o, "{\"cpu\":", s->cpu);
	put_string(o, ",\"cause\":", pt_lost_names[s->cause]);
	put_number(o, ",\"offset\":", s->offset);
	put_known(o, ",\"bytes\":", s->bytes);
	put_known(o, ",\"ns\":", s->ns);
	put_text(o, ",\"why\":", s->why);
	out_text(o, "}");
}

static void put_pt_lost(struct out *o, const char *name, const uint64_t *lost)
{
	out_text(o, name);
	for (int i = 0; i < PT_LOST_NR; i++) {
		out_printf(o, "%s\"%s\":", i ? "," : "", pt_lost_names[i]);
		put_number(o, "", lost[i]);
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
	put_number(o, ",\"pt\":{\"snapshot\":", pt->snapshot);
	put_text(o, ",\"error\":", pt->error);
	put_number(o, ",\"bytes\":", pt->bytes);
	put_number(o, ",\"decoded\":", pt->decoded);
	put_number(o, ",\"instructions\":", pt->insns);
	put_number(o, ",\"untimed_instructions\":", pt->untimed_insns);
	put_known(o, ",\"ns\":", pt->ns);
	put_known(o, ",\"span_ns\":", pt->span_ns);
	put_number(o, ",\"branches\":", pt->branches);
	put_number(o, ",\"overflows\":", pt->overflows);
	put_number(o, ",\"took_ns\":", pt->took_ns);
	put_pt_lost(o, ",\"lost\":{", pt->lost);
	put_pt_lost(o, ",\"lost_bytes\":{", pt->lost_bytes);
	put_number(o, ",\"more_functions\":", pt->more_rows);
	put_number(o, ",\"more_instructions\":", pt->more_insns);
	out_text(o, ",\"functions\":[");
	for (size_t i = 0; i < pt->nrows; i++) {
		out_text(o, i ? "," : "");
		put_pt_row(o, &pt->rows[i]);
	}
	put_number(o, "],\"more_stretches\":", pt->more_stretches);
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

		put_string(o, "{\"level\":", l->level == SLICE_WARNING ? "warning" : "info");
		put_string(o, ",\"text\":", l->text);
		out_text(o, i ? "}," : "}");
	}
	out_text(o, "]");
}

static void put_advice(struct out *o, const struct headless_view *v)
{
	const char *advice = model_advice(v->model, 0, v->window);

	if (advice)
		put_string(o, ",\"advice\":", advice);
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
	put_id(o, i ? ",{\"cpu\":" : "{\"cpu\":", a.now.cpu);
	if (a.now.cpu < 0)
		put_number(o, ",\"tid\":", (uint64_t)a.now.tid);
	put_string(o, ",\"event\":", model_info(v->model)->aux_event);
	put_string(o, ",\"mode\":", aux_mode_names[a.now.mode]);
	put_string(o, ",\"state\":", a.now.state == RING_OFFLINE ? "offline" : "live");
	put_number(o, ",\"size\":", a.now.size);
	put_known(o, ",\"unread\":", a.now.unread);
	put_known(o, ",\"bytes\":", a.sum.bytes);
	put_known_rate(o, ",\"rate\":", a.rate);
	out_printf(o, ",\"rate_measured\":%s", a.measured ? "true" : "false");
	if (a.why)
		put_string(o, ",\"rate_why\":", a.why);
	else
		out_text(o, ",\"rate_why\":null");
	put_known(o, ",\"held_ns\":", a.held_ns);
	put_string(o, ",\"head\":", aux_head_names[a.now.head]);
	put_number(o, ",\"consumed\":", a.sum.consumed);
	put_known(o, ",\"lost_bytes\":", a.sum.lost_bytes);
	put_number(o, ",\"records\":", a.sum.records);
	put_number(o, ",\"truncated\":", a.sum.truncated);
	put_number(o, ",\"collision\":", a.sum.collision);
	put_number(o, ",\"partial\":", a.sum.partial);
	put_number(o, ",\"overwrite\":", a.sum.overwrite);
	put_number(o, ",\"gap\":", a.sum.gaps);
	put_number(o, ",\"starts\":", a.sum.starts);
	put_number(o, ",\"restarts\":", a.sum.restarts);
	put_number(o, ",\"lost_records\":", a.sum.lost_records);
	put_known(o, ",\"last_record_ns\":", a.now.age_ns);
	put_number(o, ",\"snapshots\":", a.sum.snapshots);
	put_number(o, ",\"samples\":", a.sum.samples);
	put_number(o, ",\"sample_bytes\":", a.sum.sample_bytes);
	out_text(o, "}");
}

static void put_aux(struct out *o, const struct headless_view *v)
{
	out_text(o, "],\"aux\":[");
	for (size_t i = 0; i < model_naux(v->model); i++)
		put_area(o, v, i);
	out_text(o, "]");
}

static void put_report(struct out *o, const struct headless_view *v, const char *type)
{
	out_printf(o, "{\"type\":\"%s\",\"time\":%.3f,\"seconds\":%.3f,\"events\":[", type, v->time,
		   v->seconds);
	for (unsigned e = 0; e < model_info(v->model)->nevents; e++)
		put_event(o, v, e);
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
	put_pt(o, v);
	if (v->paths)
		put_paths(o, v);
	put_self(o, v);
	put_unwind(o, v);
	put_recording(o, v);
	put_advice(o, v);
	put_logs(o, v);
}

/* --- the three lines -------------------------------------------------------------------- */

static void put_rate(struct out *o, const char *name, uint64_t n)
{
	put_known(o, name, n ? n : GAUGE_UNKNOWN);
}

static void json_header(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	out_printf(o, "{\"type\":\"header\",\"schema\":%d", JSON_SCHEMA);
	put_string(o, ",\"version\":", v->version ? v->version : "");
	put_string(o, ",\"host\":", info->host);
	put_number(o, ",\"cpus\":", info->cpus);
	out_text(o, ",\"events\":[");
	for (unsigned e = 0; e < info->nevents; e++) {
		put_string(o, e ? ",{\"name\":" : "{\"name\":", info->events[e].name);
		put_string(o, ",\"unit\":", info->events[e].unit ? info->events[e].unit : "");
		put_rate(o, ",\"period\":", info->events[e].period);
		put_rate(o, ",\"frequency\":", info->events[e].frequency);
		out_text(o, "}");
	}
	put_string(o, "],\"target\":", info->target);
	put_string(o, ",\"call_graph\":", info->call_graph);
	if (info->note[0])
		put_string(o, ",\"note\":", info->note);
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

static void json_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	put_report(o, v, "total");
	if (!end->command)
		out_text(o, ",\"command\":null");
	else if (WIFSIGNALED(status))
		out_printf(o, ",\"command\":{\"signal\":%d}", WTERMSIG(status));
	else
		out_printf(o, ",\"command\":{\"exit\":%d}", WEXITSTATUS(status));
	if (end->error)
		put_string(o, ",\"error\":", end->text[0] ? end->text : strerror(-end->error));
	else
		out_text(o, ",\"error\":null");
	out_text(o, "}\n");
}

const struct headless_format json_format = {
	.name = "json",
	.header = json_header,
	.interval = json_interval,
	.total = json_total,
};
