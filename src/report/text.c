/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "base/units.h"
#include "report/report_fields.h"
#include "report/report_groups.h"
#include "report/report_latency.h"
#include "report/report_log.h"
#include "report/report_wakers.h"
#include "report/text_counters.h"
#include "report/words.h"
#include "control/control.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"

#define WIDTH_FUNCTION 44
#define WIDTH_OBJECT   24
#define WIDTH_HOST     16
#define SHARE_SECONDS  0.01 /* in less time a share of a CPU means nothing */

static const char *plural_ending(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_text_lost(struct out *o, const struct session_event *e, const struct account *a)
{
	const char *separator = " (";

	out_text(o, ", lost ");
	words_amount(o, e, a->lost_all);
	for (int c = 0; c < LOST_CAUSES; c++) {
		if (!a->lost[c])
			continue;
		out_printf(o, "%s%s%s ", separator, a->exact ? "" : "~", lost_cause_names[c]);
		words_amount(o, e, a->lost[c]);
		separator = ", ";
	}
	if (a->lost_all)
		out_text(o, ")");
}

/* Put the part of pending in which there was nothing to sample, by cause. */
static void put_unsampled(struct out *o, const struct session_event *e, const struct account *a)
{
	const char *separator = " (";

	for (int i = 0; i < UNSAMPLED_NR; i++) {
		if (!a->unsampled_why[i])
			continue;
		out_printf(o, "%s%s ", separator, unsampled_why_names[i]);
		words_amount(o, e, a->unsampled_why[i]);
		separator = ", ";
	}
	out_text(o, separator[0] == ',' ? ")" : "");
}

/* Put the hits of unmeasured tasks that the kernel adds to the counter. */
static void put_others(struct out *o, const struct session_event *e, const struct account *a)
{
	if (!a->others)
		return;
	out_text(o, ", not counted: ");
	words_amount(o, e, a->others);
	out_text(o, " of other tasks");
}

static void put_text_event(struct out *o, const struct headless_view *v, unsigned event)
{
	const struct session_event *e = &model_info(v->model)->events[event];
	struct account a;

	model_account(v->model, event, ALL_CPUS, v->window, &a);
	out_text(o, "  ");
	out_name(o, e->name, 0);
	out_printf(o, ": %llu sample%s, counted ", (unsigned long long)a.samples,
		   plural_ending(a.samples));
	if (a.unknown) {
		out_text(o, "-, attributed -, lost -, pending -, it never had a counter\n");
		return;
	}
	out_text(o, a.lost[LOST_MULTIPLEXED] ? "~" : "");
	words_amount(o, e, a.counted);
	out_text(o, ", attributed ");
	words_percent(o, a.attributed, a.attributed + a.lost_all);
	put_text_lost(o, e, &a);
	out_text(o, ", pending ");
	words_amount(o, e, a.pending);
	put_unsampled(o, e, &a);
	put_others(o, e, &a);
	if (a.throttles)
		out_printf(o, ", throttled %llu times", (unsigned long long)a.throttles);
	if (a.left_out) {
		out_text(o, ", [folded] ");
		words_percent(o, a.left_out, a.samples);
	}
	if (a.starved)
		out_printf(o, ", it counted %.2f%% of the time", model_counter_share(&a) * 100);
	out_text(o, "\n");
}

static double percent_full(double fill)
{
	return fill > 1 ? 100 : fill * 100;
}

/* Put " cpu3", " web02 cpu3" or " thread 42". */
static void put_cpu_or_thread(struct out *o, const struct session_info *info, int cpu, int tid)
{
	const char *host = session_place_name(info, cpu);
	int number = session_place(info, cpu).cpu;

	if (*host) {
		out_text(o, " ");
		out_name(o, host, 0);
	}
	if (number >= 0)
		out_printf(o, " cpu%d", number);
	else
		out_printf(o, " thread %d", tid);
}

/* Put "9%^31": fill when last read and at most; "-" if the ring was not read last, or never. */
static void put_text_fill(struct out *o, const struct gauge *g)
{
	if (isnan(g->fill))
		out_text(o, "-");
	else
		out_printf(o, "%.0f%%", percent_full(g->fill));
	if (!isnan(g->fill_max))
		out_printf(o, "^%.0f", percent_full(g->fill_max));
}

/* Put a CPU's rings side by side: sample 9%^31 means 9 % full when last read, 31 % at most. */
static void put_text_rings(struct out *o, const struct headless_view *v)
{
	size_t nr = model_ngauges(v->model);
	const struct session_info *info = model_info(v->model);
	int cpu = -2, tid = 0;

	for (size_t i = 0; i < nr; i++) {
		struct gauge g;

		model_gauge(v->model, i, v->window, &g);
		if (g.now.kind == RING_AUX)
			continue; /* put_aux() shows it */
		if (g.now.cpu != cpu || g.now.tid != tid) {
			cpu = g.now.cpu;
			tid = g.now.tid;
			out_text(o, i ? " |" : "  rings:");
			put_cpu_or_thread(o, info, cpu, tid);
		}
		out_printf(o, " %s ", ring_kind_names[g.now.kind]);
		put_text_fill(o, &g);
		if (g.now.state == RING_OFFLINE)
			out_text(o, " offline");
		if (g.now.state == RING_PAUSING)
			out_text(o, " paused to read");
	}
	if (nr)
		out_text(o, "\n");
}

/* Put an area's counts of losses, restarts and snapshots that are not 0. */
static void put_area_flags(struct out *o, const struct slice_aux *a)
{
	const struct {
		const char *name;
		uint64_t n;
	} flags[] = {
		{"truncated", a->truncated}, {"collision", a->collision},
		{"partial", a->partial},     {"gaps", a->gaps},
		{"restarted", a->restarts},  {"records lost", a->lost_records},
		{"snapshots", a->snapshots},
	};

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
		if (flags[i].n && flags[i].n != GAUGE_UNKNOWN)
			out_printf(o, " %s %llu", flags[i].name, (unsigned long long)flags[i].n);
}

static void put_text_area(struct out *o, const struct session_info *info, const struct aux *a)
{
	char n[UNITS_LEN];

	put_cpu_or_thread(o, info, a->now.cpu, a->now.tid);
	if (a->now.state == RING_OFFLINE)
		out_text(o, " offline");
	if (a->rate < 0)
		out_text(o, " -");
	else
		out_printf(o, " %s/s%s", units_bytes(n, a->rate), a->measured ? "~" : "");
	if (a->held_ns != GAUGE_UNKNOWN)
		out_printf(o, " holds %s", units_span(n, a->held_ns));
	put_area_flags(o, &a->sum);
}

/* Put all areas in a line, then the first reason why a rate is not known. */
static void put_aux(struct out *o, const struct headless_view *v)
{
	size_t nr = model_naux(v->model);
	const char *why = NULL;
	char size[UNITS_LEN];
	struct aux a;

	for (size_t i = 0; i < nr; i++) {
		model_aux(v->model, i, v->window, &a);
		if (!i) {
			out_text(o, "  aux ");
			out_name(o, model_info(v->model)->aux_event, 0);
			out_printf(o, ", %s, %s:", aux_mode_names[a.now.mode],
				   units_bytes(size, (double)a.now.size));
		}
		out_text(o, i ? " |" : "");
		put_text_area(o, model_info(v->model), &a);
		why = why ? why : a.why;
	}
	if (nr)
		out_text(o, "\n");
	if (why)
		out_printf(o, "  aux -: %s\n", why);
}

/* Put the troubles of helpers that ended or refused requests. */
static void put_helper_troubles(struct out *o, const struct headless_view *v)
{
	const struct fence_figures *f = model_helpers(v->model);
	char trouble[FIGURES_TEXT];

	for (unsigned i = 0; i < FENCE_PROCESSES; i++)
		if (f[i].ends || f[i].refused)
			out_printf(o, "    its helper for %s: %s\n", f[i].name,
				   figures_trouble(trouble, &f[i]));
}

static void put_text_self(struct out *o, const struct headless_view *v)
{
	char rss[UNITS_LEN];
	struct head h;

	model_head(v->model, 0, v->window, &h);
	/* a share of hardly any time means nothing */
	if (h.seconds >= SHARE_SECONDS)
		out_printf(o, "  ringtop itself: %.2f%% of a CPU, ", h.self_cpu * 100);
	else
		out_printf(o, "  ringtop itself: %.3f s of CPU time, ",
			   (double)h.self_cpu_ns / 1e9);
	out_text(o, units_bytes(rss, (double)h.self.rss_bytes));
	if (h.self.cpu_limit && h.self_cpu * 100 > h.self.cpu_limit && h.self.cause)
		out_printf(o, ", most of it for %s", self_cause_names[h.self.cause]);
	if (h.self.rate_divisor > 1)
		out_printf(o, ", sampling at 1/%u of the rate asked for (--max-cpu)",
			   h.self.rate_divisor);
	if (h.self.loading)
		out_printf(o, ", loading symbols of %u object%s", h.self.loading,
			   plural_ending(h.self.loading));
	out_text(o, "\n");
	put_helper_troubles(o, v);
}

static void put_text_recording(struct out *o, const struct slice_recording *r)
{
	char bytes[UNITS_LEN];

	if (!r || r->state == RECORDING_NONE)
		return;
	out_text(o, "  recording ");
	out_name(o, r->file, 0);
	out_printf(o, ": %s, %s, %llu sample%s, %llu lost\n", recording_state_names[r->state],
		   units_bytes(bytes, (double)r->bytes), (unsigned long long)r->samples,
		   plural_ending(r->samples), (unsigned long long)r->lost);
	if (r->lost_sideband)
		out_printf(o, "    of maps, names and switches %llu record%s lost\n",
			   (unsigned long long)r->lost_sideband, plural_ending(r->lost_sideband));
	if (r->lost_aux)
		out_printf(o, "    of the trace %s taken and lost\n",
			   units_bytes(bytes, (double)r->lost_aux));
}

static void put_byte_rate(struct out *o, const char *what, double bytes, double seconds)
{
	char n[UNITS_LEN];

	out_printf(o, ", %s/s %s", seconds > 0 ? units_bytes(n, bytes / seconds) : "-", what);
}

static void put_text_link(struct out *o, const struct host *h)
{
	char n[UNITS_LEN], error[UNITS_LEN];

	put_byte_rate(o, "in", (double)h->link.bytes_in, h->seconds);
	put_byte_rate(o, "out", (double)h->link.bytes_out, h->seconds);
	if (h->now.behind_ns != GAUGE_UNKNOWN)
		out_printf(o, ", %s behind", units_span(n, h->now.behind_ns));
	if (h->now.round_trip_ns != GAUGE_UNKNOWN)
		out_printf(o, ", round trip %s", units_span(n, h->now.round_trip_ns));
	if (h->now.round_trip_ns != GAUGE_UNKNOWN && h->now.error_ns != GAUGE_UNKNOWN)
		out_printf(o, ", clock %s%s +-%s", h->now.offset_ns < 0 ? "-" : "+",
			   units_span(n, (uint64_t)llabs(h->now.offset_ns)),
			   units_span(error, h->now.error_ns));
	if (h->link.merged)
		out_printf(o, ", %llu slice%s merged", (unsigned long long)h->link.merged,
			   plural_ending(h->link.merged));
	if (h->link.folded_samples)
		out_printf(o, ", %llu sample%s folded", (unsigned long long)h->link.folded_samples,
			   plural_ending(h->link.folded_samples));
}

static void put_text_marks(struct out *o, const struct headless_view *v)
{
	const struct mark *marks;
	size_t nr = model_marks(v->model, &marks);

	for (size_t i = 0; i < nr; i++) {
		if (marks[i].time <= v->window.from || marks[i].time > v->window.to)
			continue;
		out_printf(o, "  mark at %.3f s: ", (double)marks[i].time / 1e9);
		out_name(o, marks[i].name, 0);
		out_text(o, "\n");
	}
}

/* Put the alerts that were active in the window. */
static void put_text_alerts(struct out *o, const struct headless_view *v)
{
	const struct alerts *all = model_alerts(v->model);

	for (size_t i = 0; i < all->nr; i++) {
		const struct alert *a = &all->alert[i];

		if (!alerts_in(a, v->window.from, v->window.to))
			continue;
		out_printf(o, "  ALERT at %.3f s", (double)a->time / 1e9);
		if (a->until)
			out_printf(o, ", until %.3f s", (double)a->until / 1e9);
		out_text(o, ": ");
		out_name(o, a->reason, 0);
		if (*a->command)
			out_printf(o, " [--on-alert: %s]", a->command);
		out_text(o, "\n");
	}
}

/* Put the other machines that slices come from. */
static void put_text_hosts(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (size_t i = 0; i < model_nhosts(v->model) && i < info->nhosts; i++) {
		struct host h;

		model_host(v->model, i, v->window, &h);
		out_text(o, "  host ");
		out_name(o, info->hosts[i].name, 0);
		out_printf(o, ": %s", host_state_names[h.now.state]);
		put_text_link(o, &h);
		if (*h.now.why) {
			out_text(o, ": ");
			out_name(o, h.now.why, 0);
		}
		out_text(o, "\n");
		if (info->nhosts > 1)
			put_text_recording(o, &h.now.recording);
	}
}

/* --- rows ------------------------------------------------------------------------------- */

static void put_host(struct out *o, const struct row *r)
{
	char many[16] = "";

	if (r->nhosts > 1)
		snprintf(many, sizeof(many), "(%u)", r->nhosts);
	out_name(o, *r->host ? r->host : many, WIDTH_HOST);
}

static void put_text_function(struct out *o, const struct row *r, bool hosts)
{
	char task[64];

	out_printf(o, "  %6.2f %6.2f  %s", r->self_share * 100, r->total_share * 100,
		   r->flags & ROW_KERNEL ? "[k] " : "");
	out_function(o, r->name, r->flags & ROW_KERNEL ? WIDTH_FUNCTION - 4 : WIDTH_FUNCTION);
	out_text(o, "  ");
	if (r->flags & ROW_DOUBT) /* before the name: a long one leaves no room */
		out_text(o, "? ");
	out_name(o, text_base(r->object),
		 r->flags & ROW_DOUBT ? WIDTH_OBJECT - 2 : WIDTH_OBJECT);
	out_text(o, hosts ? "  " : "");
	if (hosts)
		put_host(o, r);
	model_row_task(r, task, sizeof(task));
	out_text(o, *task ? "  " : "");
	out_name(o, task, 0);
	if (r->flags & ROW_LOADING)
		out_text(o, "  loading");
	if (r->folded)
		out_printf(o, "  (%llu addresses)", (unsigned long long)r->folded);
	out_text(o, "\n");
}

static void put_text_task(struct out *o, const struct row *r, bool hosts)
{
	out_printf(o, "  %6.2f  ", r->self_share * 100);
	if (r->pid < 0)
		out_printf(o, "%8s %8s  ", "-", "-");
	else
		out_printf(o, "%8d %8d  ", r->pid, r->tid);
	if (hosts)
		put_host(o, r);
	out_text(o, hosts ? "  " : "");
	out_name(o, r->name, 0);
	if (r->folded)
		out_printf(o, "  (%llu exited)", (unsigned long long)r->folded);
	else if (r->flags & ROW_FOLDED)
		out_text(o, "  (exited ones)");
	out_text(o, "\n");
}

static const struct section {
	enum group_by group;
	const char *what;
	void (*put)(struct out *o, const struct row *r, bool hosts);
} sections[] = {
	{GROUP_FUNCTION, "function", put_text_function},
	{GROUP_THREAD, "task", put_text_task},
};

static void put_rows_left(struct out *o, const struct section *s, const struct rows *rows)
{
	uint64_t listed = 0;

	for (size_t i = 0; i < rows->nr; i++)
		listed += rows->row[i].self;
	out_printf(o, "  %6.2f  in %zu more %s%s\n",
		   rows->attributed
			   ? 100 * (double)(rows->shown - listed) / (double)rows->attributed
			   : 0,
		   rows->all - rows->nr, s->what, plural_ending(rows->all - rows->nr));
}

static void put_section(struct out *o, const struct headless_view *v, unsigned event,
			const struct section *s)
{
	size_t top = v->top || v->end ? v->top : TEXT_TOP;
	struct query q = {.event = event,
			  .group = s->group,
			  .sort = v->sort,
			  .show_self = v->show_self,
			  .hide_kernel = v->hide_kernel,
			  .hide_user = v->hide_user,
			  .filter = v->filter,
			  .limit = top};
	const struct rows *rows = model_rows(v->model, &q, v->window);
	bool hosts = model_info(v->model)->nhosts > 1;
	char host[WIDTH_HOST + 3] = "";

	if (!rows) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	if (!rows->nr)
		return;
	if (hosts)
		snprintf(host, sizeof(host), "%-*s  ", WIDTH_HOST, "HOST");
	if (s->group == GROUP_FUNCTION)
		out_printf(o, "   SELF%%  TOTAL%%  %-*s  %-*s  %sTASK\n", WIDTH_FUNCTION,
			   "FUNCTION", WIDTH_OBJECT, "OBJECT", host);
	else
		out_printf(o, "       %%       PID      TID  %sCOMM\n", host);
	for (size_t i = 0; i < rows->nr; i++)
		s->put(o, &rows->row[i], hosts);
	if (rows->all > rows->nr)
		put_rows_left(o, s, rows);
}

static void put_text_call_paths(struct out *o, const struct slice_self *self)
{
	const struct slice_unwind *u = &self->unwind;
	char rate[UNITS_LEN], budget[UNITS_LEN];

	if (!u->auto_budget)
		return;
	out_text(o, "  call graph auto: ");
	if (u->auto_stack)
		out_printf(o, "%u bytes of stacks are copied", u->auto_stack);
	else
		out_text(o, "frame pointers alone");
	if (self->shallow[0]) {
		out_text(o, ", which end after one function, or lead to no code, in ");
		out_name(o, self->shallow, 0);
	}
	out_printf(o, "; samples take %s/s of %s/s", units_bytes(rate, (double)u->auto_rate),
		   units_bytes(budget, (double)u->auto_budget));
	if (u->crowded)
		out_printf(o, "; no room for the copies of %llu", (unsigned long long)u->crowded);
	out_text(o, "\n");
}

static void put_text_unwind(struct out *o, const struct headless_view *v)
{
	const struct slice_unwind *u;
	char capacity[UNITS_LEN];
	struct head h;

	model_head(v->model, 0, v->window, &h);
	u = &h.self.unwind;
	put_text_call_paths(o, &h.self);
	if (!u->stack_bytes)
		return;
	out_printf(o, "  unwinding: %llu sample%s", (unsigned long long)u->samples,
		   plural_ending(u->samples));
	for (int i = 0; i < SLICE_UNWIND_ENDS && u->samples; i++)
		out_printf(o, ", %s %.1f%%", slice_unwind_end_names[i],
			   100 * (double)u->ends[i] / (double)u->samples);
	if (u->capacity)
		out_printf(o, "; backlog %.0f%%^%.0f of %s, dropped %llu",
			   100 * (double)u->bytes / (double)u->capacity,
			   100 * (double)u->bytes_max / (double)u->capacity,
			   units_bytes(capacity, (double)u->capacity),
			   (unsigned long long)u->dropped);
	if (u->compat)
		out_printf(o, "; of 32-bit code, not unwound: %llu", (unsigned long long)u->compat);
	out_text(o, "\n");
}

static void put_text_rows(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	for (unsigned e = 0; e < info->nevents; e++) {
		if (info->nevents > 1) {
			out_text(o, "  -- ");
			out_name(o, info->events[e].name, 0);
			out_text(o, "\n");
		}
		for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
			put_section(o, v, e, &sections[i]);
		text_groups(o, v, e);
	}
}

/* --- reports ---------------------------------------------------------------------------- */

static void put_text_report(struct out *o, const struct headless_view *v)
{
	const char *advice;

	for (unsigned e = 0; e < model_info(v->model)->nevents; e++)
		put_text_event(o, v, e);
	text_counters(o, v);
	text_fields(o, v);
	text_latency(o, v);
	text_wakers(o, v);
	text_logging(o, v);
	put_text_rings(o, v);
	put_aux(o, v);
	put_text_self(o, v);
	put_text_unwind(o, v);
	put_text_recording(o, model_recording(v->model));
	put_text_hosts(o, v);
	put_text_marks(o, v);
	put_text_alerts(o, v);
	for (size_t i = v->nlogs; i-- > 0;) {
		out_text(o, v->logs[i]->level == SLICE_WARNING ? "  warning: " : "  note: ");
		out_name(o, v->logs[i]->text, 0);
		out_text(o, "\n");
	}
	advice = model_advice(v->model, 0, v->window);
	if (advice) {
		out_text(o, "  advice: ");
		out_name(o, advice, 0);
		out_text(o, "\n");
	}
	put_text_rows(o, v);
	out_text(o, "\n");
}

#define HEAD_EVENTS 16u /* events named in the header; each has a line of its own in the report */

/* Put the event as it was requested. */
static void put_event_asked(struct out *o, const struct session_event *event)
{
	out_name(o, event->name, 0);
	if (event->frequency) {
		out_printf(o, " at %u Hz", event->frequency);
	} else if (event->period) {
		out_text(o, " every ");
		if (!strcmp(event->unit ? event->unit : "", "ns"))
			out_printf(o, "%.3f ms", (double)event->period / 1e6);
		else
			out_number(o, event->period);
	}
	if (session_skid(event))
		out_printf(o, " (skid: %s)", session_skid(event));
	if (*event->weight) {
		out_text(o, " by ");
		out_name(o, event->weight, 0);
	}
	if (*event->filter) {
		out_text(o, " where ");
		out_name(o, event->filter, 0);
	}
}

static void text_header(struct out *o, const struct headless_view *v)
{
	const struct session_info *info = model_info(v->model);

	out_printf(o, "ringtop %s  ", v->version ? v->version : "");
	out_name(o, info->host, 0);
	out_text(o, "  ");
	out_name(o, info->target, 0);
	for (unsigned e = 0; e < info->nevents && e < HEAD_EVENTS; e++) {
		out_text(o, e ? ", " : "  ");
		put_event_asked(o, &info->events[e]);
	}
	if (info->nevents > HEAD_EVENTS)
		out_printf(o, " and %u more", info->nevents - HEAD_EVENTS);
	if (info->call_graph[0])
		out_printf(o, "  call graph: %s", info->call_graph);
	out_text(o, "\n");
	if (info->note[0]) {
		out_text(o, "  note: ");
		out_name(o, info->note, 0);
		out_text(o, "\n");
	}
	out_text(o, "\n");
}

static void text_interval(struct out *o, const struct headless_view *v)
{
	out_printf(o, "at %.3f s, for %.3f s\n", v->time, v->seconds);
	put_text_report(o, v);
}

static void text_report_total(struct out *o, const struct headless_view *v)
{
	const struct session_end *end = v->end;
	int status = end->command_status;

	out_printf(o, "total of %.3f s\n", v->seconds);
	if (end->command && WIFSIGNALED(status))
		out_printf(o, "  the command was killed by signal %d\n", WTERMSIG(status));
	else if (end->command)
		out_printf(o, "  the command exited with %d\n", WEXITSTATUS(status));
	if (v->control)
		out_printf(
			o,
			"  --control: %llu orders, %llu unknown, %llu too long, %llu not answered\n",
			(unsigned long long)v->control->orders,
			(unsigned long long)v->control->unknown,
			(unsigned long long)v->control->too_long,
			(unsigned long long)v->control->unanswered);
	if (end->text[0]) {
		out_text(o, "  ended: ");
		out_name(o, end->text, 0);
		out_text(o, "\n");
	}
	put_text_report(o, v);
}

const struct headless_format text_format = {
	.name = "text",
	.header = text_header,
	.logged = text_logged,
	.interval = text_interval,
	.total = text_report_total,
};
