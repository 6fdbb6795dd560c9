/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "report/export/export_folded.h"
#include "report/json_counters.h"
#include "report/json_rings.h"
#include "report/json_self.h"
#include "report/json_snapshots.h"
#include "report/jsonout.h"
#include "report/report_fields.h"
#include "report/report_latency.h"
#include "report/report_log.h"
#include "report/report_groups.h"
#include "report/report_wakers.h"
#include "control/control.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"
#include "model/core/rates.h"
#include "model/tree/tree.h"
#include "core/slice/several.h"

/* --- parts ------------------------------------------------------------------------------ */

static void put_causes(struct out *o, const char *name, const uint64_t *n,
		       const char *const *causes, int nr)
{
	out_text(o, name);
	for (int c = 0; c < nr; c++) {
		out_printf(o, "%s\"%s\":", c ? "," : "{", causes[c]);
		if (n[c] == GAUGE_UNKNOWN)
			out_text(o, "null");
		else
			out_number(o, n[c]);
	}
	out_text(o, "}");
}

/* Put the losses by cause; multiplexed is null where the event never had a counter. */
static void put_json_lost(struct out *o, const char *name, const struct account *a,
			  const uint64_t lost[LOST_CAUSES])
{
	uint64_t n[LOST_CAUSES];

	memcpy(n, lost, sizeof(n));
	n[LOST_MULTIPLEXED] = a->unknown ? GAUGE_UNKNOWN : n[LOST_MULTIPLEXED];
	put_causes(o, name, n, lost_cause_names, LOST_CAUSES);
}

/* Put attributed by where it ran; null where rows weigh something else than the event counts. */
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

/* Put the CPUs' times by /proc/stat; slices of an older ringtop lack those of user and kernel. */
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

static void put_json_account(struct out *o, const struct account *a)
{
	jsonout_known(o, "\"counted\":", a->unknown ? GAUGE_UNKNOWN : a->counted);
	if (a->others)
		jsonout_number(o, ",\"others\":", a->others);
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
	if (a->left_out)
		jsonout_number(o, ",\"folded\":", a->left_out);
	put_json_lost(o, ",\"lost\":", a, a->lost);
	put_json_lost(o, ",\"lost_samples\":", a, a->lost_samples);
	out_printf(o, ",\"lost_exact\":%s", a->exact ? "true" : "false");
	jsonout_number(o, ",\"throttles\":", a->throttles);
	jsonout_known(o, ",\"enabled\":", a->enabled ? a->enabled : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"running\":", a->enabled ? a->enabled - a->starved : GAUGE_UNKNOWN);
}

static void put_json_rate(struct out *o, const char *name, uint64_t n)
{
	jsonout_known(o, name, n ? n : GAUGE_UNKNOWN);
}

/* Put the counts under each period, since the session's start, whatever the report's window. */
static void put_rates(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct rate *r = model_next_rate(v->model, event, NULL);

	if (!r)
		return;
	out_text(o, ",\"rates\":[");
	for (bool first = true; r; r = model_next_rate(v->model, event, r), first = false) {
		out_printf(o, "%s{\"from\":%.3f,\"on\":%s", first ? "" : ",", (double)r->from / 1e9,
			   r->on ? "true" : "false");
		put_json_rate(o, ",\"period\":", r->period);
		put_json_rate(o, ",\"frequency\":", r->frequency);
		jsonout_number(o, ",\"counted\":", r->counted + rate_multiplexed(r));
		jsonout_number(o, ",\"attributed\":", r->attributed);
		jsonout_number(o, ",\"samples\":", r->samples);
		jsonout_number(o, ",\"lost\":", r->lost + rate_multiplexed(r));
		jsonout_known(o, ",\"enabled\":", r->enabled ? r->enabled : GAUGE_UNKNOWN);
		jsonout_known(
			o, ",\"running\":", r->enabled ? r->enabled - r->starved : GAUGE_UNKNOWN);
		out_text(o, "}");
	}
	out_text(o, "]");
}

static void put_json_event(struct out *o, const struct headless_view *v, unsigned event)
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
	put_json_account(o, &a);
	put_rates(o, v, event);
	out_text(o, ",\"cpus\":[");
	nr = cpus ? model_account_cpus(v->model, event, cpus, nr) : 0;
	for (size_t i = 0; i < nr; i++) {
		model_account(v->model, event, cpus[i], v->window, &a);
		jsonout_place(o, v, !i, cpus[i]);
		out_text(o, ",");
		put_json_account(o, &a);
		out_text(o, "}");
	}
	out_text(o, "]}");
	free(cpus);
}

static const struct rows *query_json_rows(const struct headless_view *v, unsigned event,
					  enum group_by group)
{
	struct query q = {.event = event, .group = group, .sort = v->sort,
			  .show_self = v->show_self, .filter = v->filter, .limit = v->top,
			  .by_host = true};

	return model_rows(v->model, &q, v->window);
}

/* Put the other names of a function's address, if it has any. */
static void put_several(struct out *o, const char *also)
{
	struct several s;

	several_get(&s, also ? also : "");
	if (s.names < 2)
		return;
	jsonout_number(o, ",\"names_at_address\":", s.names);
	out_text(o, ",\"other_names\":[");
	for (unsigned i = 0; i < s.nr; i++)
		jsonout_string(o, i ? "," : "", s.other[i]);
	out_text(o, "]");
}

static void put_json_function(struct out *o, const struct row *r)
{
	jsonout_string(o, ",\"function\":", r->name);
	if (*r->object && !(r->flags & ROW_UNMAPPED))
		jsonout_string(o, ",\"object\":", r->object);
	else
		out_text(o, ",\"object\":null");
	put_several(o, r->also);
	if (*r->why)
		jsonout_string(o, r->flags & ROW_DOUBT ? ",\"doubt\":" : ",\"nameless\":", r->why);
	jsonout_share(o, ",\"self\":", r->self_share);
	jsonout_share(o, ",\"total\":", r->total_share);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"weight\":", r->self);
	if (r->flags & ROW_LOADING)
		out_text(o, ",\"loading\":true");
}

static void put_json_task(struct out *o, const struct row *r)
{
	jsonout_id(o, ",\"pid\":", r->pid);
	jsonout_id(o, ",\"tid\":", r->tid);
	jsonout_string(o, ",\"comm\":", r->name);
	json_owner(o, r);
	jsonout_share(o, ",\"share\":", r->self_share);
	jsonout_number(o, ",\"samples\":", r->samples);
	jsonout_number(o, ",\"weight\":", r->self);
}

/* Put the rows of every event; rows that stand for several with their number, if it is known. */
static void put_json_rows(struct out *o, const struct headless_view *v, enum group_by group,
			  void (*put_row)(struct out *o, const struct row *r))
{
	const struct session_info *info = model_info(v->model);
	bool first = true;

	for (unsigned e = 0; e < info->nevents; e++) {
		const struct rows *rows = query_json_rows(v, e, group);

		if (!rows) {
			o->error = o->error ? o->error : -ENOMEM;
			return;
		}
		for (size_t i = 0; i < rows->nr; i++) {
			jsonout_string(
				o, first ? "{\"event\":" : ",{\"event\":", info->events[e].name);
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

static void put_json_path(struct out *o, const struct session_event *e, const char *path,
			  const struct tree *t, const struct tree_node *n)
{
	const struct tree_node *top = n;

	while (top->depth > 1)
		top = &t->node[top->parent];
	jsonout_string(o, "{\"event\":", e->name);
	if (top->flags & TREE_HOST) {
		jsonout_string(o, ",\"host\":", top->name);
		path += strcspn(path, ";"); /* names in a path contain none */
		path += *path == ';';
	}
	jsonout_string(o, ",\"path\":", path);
	jsonout_number(o, ",\"weight\":", n->self);
	jsonout_number(o, ",\"samples\":", n->self_samples);
	out_text(o, "}");
}

static void put_event_paths(struct out *o, const struct headless_view *v, unsigned event,
			    bool *first)
{
	struct tree_query q = {
		.q = {.event = event, .show_self = v->show_self, .filter = v->filter},
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
		put_json_path(o, &model_info(v->model)->events[event], path, t, &t->node[node]);
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

static void put_json_cpus(struct out *o, const struct headless_view *v)
{
	size_t nr;
	const struct cpu_load *c = model_cpus(v->model, v->window, &nr);

	for (size_t i = 0; i < nr; i++) {
		jsonout_place(o, v, !i, c[i].cpu);
		jsonout_number(o, ",\"samples\":", c[i].samples);
		out_text(o, "}");
	}
}

static void put_json_recording(struct out *o, const struct slice_recording *r)
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

/* Put the marks in the window, if there are any. */
static void put_json_marks(struct out *o, const struct headless_view *v)
{
	const struct mark *marks;
	size_t nr = model_marks(v->model, &marks);
	bool some = false;

	for (size_t i = 0; i < nr; i++) {
		if (marks[i].time <= v->window.from || marks[i].time > v->window.to)
			continue;
		out_printf(o, "%s{\"time\":%.3f", some ? "," : ",\"marks\":[",
			   (double)marks[i].time / 1e9);
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

/* Put the alerts that were active in the window, if there are any. */
static void put_json_alerts(struct out *o, const struct headless_view *v)
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

static void put_json_logs(struct out *o, const struct headless_view *v)
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

/* Put the link to a host: counts over the window; self and recording as of now. */
static void put_json_link(struct out *o, const struct host *h)
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
	put_json_recording(o, &h->now.recording);
}

static void put_who(struct out *o, const struct session_host *h, bool first)
{
	jsonout_string(o, first ? "{\"name\":" : ",{\"name\":", h->name);
	jsonout_text(o, ",\"host\":", *h->host ? h->host : NULL);
	jsonout_known(o, ",\"cpus\":", h->cpus ? h->cpus : GAUGE_UNKNOWN);
	jsonout_text(o, ",\"note\":", *h->note ? h->note : NULL);
}

/* Put the hosts, if slices come from other machines. */
static void put_json_hosts(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned i = 0; i < info->nhosts; i++) {
		struct host h;

		if (!i)
			out_text(o, ",\"hosts\":[");
		put_who(o, &info->hosts[i], !i);
		model_host(v->model, i, v->window, &h);
		put_json_link(o, &h);
		out_text(o, i + 1 < info->nhosts ? "}" : "}]");
	}
}

static void put_json_report(struct out *o, const struct headless_view *v, const char *type)
{
	out_printf(o, "{\"type\":\"%s\",\"time\":%.3f,\"seconds\":%.3f,\"events\":[", type, v->time,
		   v->seconds);
	for (unsigned e = 0; e < model_info(v->model)->nevents; e++)
		put_json_event(o, v, e);
	out_text(o, "],\"counters\":[");
	json_counters(o, v);
	out_text(o, "],\"ratios\":[");
	json_ratios(o, v);
	out_text(o, "],\"rings\":[");
	json_rings(o, v);
	out_text(o, "],\"functions\":[");
	put_json_rows(o, v, GROUP_FUNCTION, put_json_function);
	out_text(o, "],\"tasks\":[");
	put_json_rows(o, v, GROUP_THREAD, put_json_task);
	out_text(o, "],\"cpus\":[");
	put_json_cpus(o, v);
	out_text(o, "],\"aux\":[");
	json_aux(o, v);
	out_text(o, "]");
	json_snapshots(o, v);
	put_json_marks(o, v);
	put_json_alerts(o, v);
	json_pt(o, v);
	json_groups(o, v);
	if (v->paths)
		put_paths(o, v);
	json_fields(o, v);
	json_latency(o, v);
	json_wakers(o, v);
	json_logging(o, v);
	json_self(o, v);
	put_json_recording(o, model_recording(v->model));
	put_advice(o, v);
	put_json_logs(o, v);
	put_json_hosts(o, v);
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
		put_json_rate(o, ",\"period\":", info->events[e].period);
		put_json_rate(o, ",\"frequency\":", info->events[e].frequency);
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
	put_json_report(o, v, "interval");
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

static void json_report_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	put_json_report(o, v, "total");
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
	.total = json_report_total,
};
