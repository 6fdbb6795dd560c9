/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page in one file: for each event its counts and losses, in words and numbers, a
 * flame graph with zoom and search, the functions and tasks.
 *
 * The page loads nothing from outside and cannot: its policy (CSP) allows one script and one style,
 * by their hashes.  Without the script everything but zoom and search works.
 */
#include "report/export/export_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/sha256.h"
#include "report/column.h"
#include "report/export/flamesvg.h"
#include "report/export/html_parts.h"
#include "report/export/markup.h"
#include "report/words.h"

#define FUNCTIONS 500 /* rows of functions at most */
#define TASKS	  100
#define LOGS	  64

static const char *const lost_words[LOST_CAUSES] = {
	[LOST_OVERWRITTEN] = "the ring was overwritten before it was read",
	[LOST_FULL] = "the ring, or a buffer after it, was full",
	[LOST_PAUSED] = "the ring was paused to be read",
	[LOST_THROTTLED] = "the kernel throttled the event",
	[LOST_DROPPED] = "ringtop's own tables were full",
	[LOST_LATE] = "the timer fired late on a busy CPU",
	[LOST_UNKNOWN] = "counted, not sampled, cause unknown",
	[LOST_MULTIPLEXED] = "other events had the hardware counters (estimate)",
};

static const char *const unsampled_words[UNSAMPLED_NR] = {
	[UNSAMPLED_IDLE] = "the CPU was idle",
	[UNSAMPLED_STOLEN] = "the host of the virtual machine ran something else",
	[UNSAMPLED_EXCLUDED] = "the event excludes it",
};

/* --- head ------------------------------------------------------------------------------- */

/* Put the hash of a text in the form of a policy: 'sha256-BASE64'. */
static void put_hash(struct out *o, const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint8_t hash[SHA256_BYTES + 1] = {0}; /* a multiple of three */
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, text, strlen(text));
	sha256_end(&s, hash);
	out_text(o, "'sha256-");
	for (size_t i = 0; i < sizeof(hash); i += 3) {
		uint32_t n = (uint32_t)hash[i] << 16 | (uint32_t)hash[i + 1] << 8 | hash[i + 2];
		char four[4] = {digits[n >> 18], digits[n >> 12 & 63], digits[n >> 6 & 63],
				digits[n & 63]};

		if (i + 3 == sizeof(hash))
			four[3] = '=';
		out_bytes(o, four, sizeof(four));
	}
	out_text(o, "'");
}

static void put_html_head(struct out *o, const struct session_info *info)
{
	out_text(o, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "script-src ");
	put_hash(o, html_script);
	out_text(o, "; style-src ");
	put_hash(o, html_style);
	out_text(
		o,
		"; base-uri 'none'; form-action 'none'\">\n<meta name=\"referrer\" "
		"content=\"no-referrer\">\n"
		"<meta name=\"viewport\" content=\"width=device-width\">\n<title>ringtop: ");
	markup_text(o, info->host);
	out_text(o, ", ");
	markup_text(o, info->target);
	out_text(o, "</title>\n<style>");
	out_text(o, html_style);
	out_text(o, "</style>\n</head>\n");
}

static void put_fact(struct out *o, const char *name, const char *text)
{
	if (!*text)
		return;
	out_printf(o, "<tr><th>%s</th><td class=\"name\">", name);
	markup_text(o, text);
	out_text(o, "</td></tr>\n");
}

static void put_facts(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);
	struct window kept = model_kept(src->model, src->window);
	time_t start = (time_t)((info->start_wall + kept.from) / NSEC_PER_SEC);
	const char *advice = model_advice(src->model, 0, src->window);
	char when[64] = "", seconds[32], by[64];
	struct head head;
	struct tm tm;

	model_head(src->model, 0, src->window, &head);
	if (info->start_wall && gmtime_r(&start, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S UTC", &tm);
	snprintf(seconds, sizeof(seconds), "%.3f s", head.seconds);
	snprintf(by, sizeof(by), "ringtop %s", src->version ? src->version : "");
	out_text(o, "<h1>");
	markup_text(o, info->host);
	out_text(o, ": ");
	markup_text(o, info->target);
	out_text(o, "</h1>\n<table class=\"facts\">\n");
	put_fact(o, "from", when);
	put_fact(o, "for", seconds);
	put_fact(o, "call graph", info->call_graph);
	put_fact(o, "note", info->note);
	put_fact(o, "ended", src->end ? src->end->text : "");
	put_fact(o, "advice", advice ? advice : "");
	put_fact(o, "by", by);
	out_text(o, "</table>\n");
}

/* --- accounts --------------------------------------------------------------------------- */

/* Put how far the event's figures can be trusted, in one sentence or two. */
static void put_verdict(struct out *o, const struct session_event *e, const struct account *a)
{
	uint64_t all = a->attributed + a->lost_all;

	out_printf(o, "<p class=\"%s\">", a->lost_all ? "some" : "all");
	if (a->unknown) {
		out_text(
			o,
			"Other events held the hardware counters: this event never had one, so "
			"its total is unknown.");
	} else if (!all) {
		out_text(o, "Nothing was sampled of this event.");
	} else if (!a->lost_all) {
		out_printf(
			o,
			"Nothing was lost: all %llu samples are included and represent everything "
			"that was counted and could be sampled (", (unsigned long long)a->samples);
		words_amount(o, e, a->attributed);
		out_text(o, ").");
	} else {
		words_percent(o, a->attributed, all);
		out_printf(o, " of what could be sampled is included (%llu samples, ",
			   (unsigned long long)a->samples);
		words_amount(o, e, a->attributed);
		out_printf(o, ").  Lost %s ", a->exact ? "were" : "were about");
		words_amount(o, e, a->lost_all);
		out_printf(
			o,
			" (%llu samples), of unknown functions: any share here may be wrong by as "
			"much.", (unsigned long long)a->lost_samples_all);
	}
	out_text(o, "</p>\n");
}

static void put_account_row(struct out *o, const struct session_event *e, const char *name,
			    uint64_t n, uint64_t of, const char *words)
{
	out_printf(o, "<tr><td>%s</td><td class=\"n\">", name);
	words_amount(o, e, n);
	out_text(o, "</td><td class=\"n\">");
	words_percent(o, n, of);
	out_printf(o, "</td><td>%s</td></tr>\n", words);
}

static void put_html_account(struct out *o, const struct session_event *e, const struct account *a)
{
	uint64_t known = 0;

	out_text(
		o,
		"<table class=\"account\">\n<tr><th></th><th class=\"n\">amount</th><th "
		"class=\"n\">of counted</th><th></th></tr>\n");
	put_account_row(o, e, "counted", a->counted, a->counted,
			a->lost[LOST_MULTIPLEXED]
				? "estimated, by the kernel's counters during part of the time"
				: "by the kernel's counters");
	put_account_row(o, e, "attributed", a->attributed, a->counted, "to functions, by samples");
	put_account_row(o, e, "lost", a->lost_all, a->counted,
			a->exact ? "by these causes:" : "about, by these causes:");
	for (int c = 0; c < LOST_CAUSES; c++)
		if (a->lost[c])
			put_account_row(o, e, lost_cause_names[c], a->lost[c], a->counted,
					lost_words[c]);
	put_account_row(o, e, "pending", a->pending, a->counted, "not sampled and not lost:");
	for (int i = 0; i < UNSAMPLED_NR; i++) {
		known += a->unsampled_why[i];
		if (a->unsampled_why[i])
			put_account_row(o, e, unsampled_why_names[i], a->unsampled_why[i],
					a->counted, unsampled_words[i]);
	}
	if (a->pending > known)
		put_account_row(o, e, "under way", a->pending - known, a->counted,
				"periods that had not ended");
	if (a->others)
		put_account_row(o, e, "others", a->others, a->counted,
			"in addition: hits in other tasks, which the kernel adds to the counter");
	out_text(o, "</table>\n");
	if (a->throttles)
		out_printf(o, "<p>The kernel throttled the event %llu times.</p>\n",
			   (unsigned long long)a->throttles);
}

/* Put the CPUs with losses, and the part lost on each. */
static void put_places(struct out *o, const struct export_source *src, unsigned event)
{
	const struct session_info *info = model_info(src->model);
	int cpus[4096];
	size_t nr = model_account_cpus(src->model, event, cpus, sizeof(cpus) / sizeof(*cpus));
	bool any = false;

	nr = nr < sizeof(cpus) / sizeof(*cpus) ? nr : sizeof(cpus) / sizeof(*cpus);
	for (size_t i = 0; i < nr; i++) {
		const char *host = session_place_name(info, cpus[i]);
		struct account a;

		model_account(src->model, event, cpus[i], src->window, &a);
		if (!a.lost_all)
			continue;
		out_text(o, any ? ", " : "<p>Lost on ");
		any = true;
		markup_text(o, host);
		if (session_place(info, cpus[i]).cpu >= 0)
			out_printf(o, "%scpu%d: ", *host ? " " : "",
				   session_place(info, cpus[i]).cpu);
		else
			out_printf(o, "%sthreads' rings: ", *host ? " " : "");
		words_percent(o, a.lost_all, a.attributed + a.lost_all);
	}
	out_text(o, any ? " of what could be sampled there.</p>\n" : "");
}

/* --- rows ------------------------------------------------------------------------------- */

struct html_row {
	struct row r;
	const struct session_event *e;
};

static void html_self(struct out *o, const void *row)
{
	words_amount(o, ((const struct html_row *)row)->e, ((const struct html_row *)row)->r.self);
}

#define HTML_ROW(member) COLUMN_OF(struct html_row, r.member)

static const struct column html_functions[] = {
	{"self%", COLUMN_SHARE, HTML_ROW(self_share)},
	{"total%", COLUMN_SHARE, HTML_ROW(total_share)}, {"self", COLUMN_OWN, .own = html_self},
	{"samples", COLUMN_NUMBER, HTML_ROW(samples)}, {"function", COLUMN_NAME, HTML_ROW(name)},
	{"object", COLUMN_NAME, HTML_ROW(object)}, {"task", COLUMN_NAME, HTML_ROW(task)},
	{"note", COLUMN_NAME, HTML_ROW(why)},
	{0},
};

static const struct column html_tasks[] = {
	{"%", COLUMN_SHARE, HTML_ROW(self_share)}, {"self", COLUMN_OWN, .own = html_self},
	{"samples", COLUMN_NUMBER, HTML_ROW(samples)}, {"pid", COLUMN_ID, HTML_ROW(pid)},
	{"tid", COLUMN_ID, HTML_ROW(tid)}, {"comm", COLUMN_NAME, HTML_ROW(name)},
	{"host", COLUMN_NAME, HTML_ROW(host)},
	{0},
};

static const struct table {
	enum group_by group;
	size_t limit;
	const char *title;
	const struct column *columns;
} tables[] = {
	{GROUP_FUNCTION, FUNCTIONS, "Functions", html_functions},
	{GROUP_THREAD, TASKS, "Tasks", html_tasks},
};

/* Begin a table, with its head. */
static void put_table_head(struct out *o, const struct column *columns)
{
	out_text(o, "<table class=\"rows\">\n");
	column_html_head(o, columns);
}

static void put_html_table(struct out *o, const struct export_source *src, unsigned event,
			   const struct table *t)
{
	struct query q = *src->query;
	const struct rows *rows;

	q.event = event;
	q.group = t->group;
	q.sort = SORT_SELF;
	q.reverse = q.trend = false;
	q.limit = t->limit;
	rows = model_rows(src->model, &q, src->window);
	if (!rows) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	if (!rows->nr)
		return;
	out_printf(o, "<h3>%s</h3>\n", t->title);
	put_table_head(o, t->columns);
	for (size_t i = 0; i < rows->nr; i++) {
		struct html_row row = {rows->row[i], &model_info(src->model)->events[event]};

		row.r.tid = row.r.pid < 0 ? -1 : row.r.tid;
		column_html(o, t->columns, &row);
	}
	out_text(o, "</table>\n");
	if (rows->all > rows->nr)
		out_printf(o, "<p>%zu smaller rows are not listed.</p>\n", rows->all - rows->nr);
	export_breathe(o);
}

/* --- page ------------------------------------------------------------------------------- */

static void put_changed(struct out *o, const struct export_source *src, const struct diffed *d,
			const char *what)
{
	char text[512];

	exportdiff_words(src, d, what, text, sizeof(text));
	if (!*text)
		return;
	out_text(o, "<p class=\"some\">");
	markup_text(o, text);
	out_text(o, "</p>\n");
}

static void put_graph(struct out *o, const struct export_source *src, unsigned event,
		      const struct tree *t, const struct diffed *d)
{
	char missing[256] = "";

	if (!t->node[0].total)
		return;
	if (event == src->query->event)
		export_missing(src, t->missing, missing, sizeof(missing));
	out_text(o, "<h3>Flame graph</h3>\n<div class=\"controls\" hidden>"
		    "<input type=\"search\" aria-label=\"search\" placeholder=\"search ( / )\"> "
		    "<button type=\"button\">whole (Esc)</button> <output></output></div>\n");
	if (*missing) {
		out_text(o, "<p class=\"some\">");
		markup_text(o, missing);
		out_text(o, "</p>\n");
	}
	put_changed(o, src, d, "place");
	out_printf(o, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\">\n",
		   FLAMESVG_WIDTH, 24 + flamesvg_height(t));
	flamesvg_legend(o, d, 14);
	flamesvg_frames(o, t, &model_info(src->model)->events[event], d, 24);
	out_text(o, "</svg>\n");
}

static void put_flame(struct out *o, const struct export_source *src, unsigned event)
{
	struct diffed d;
	const struct tree *t = flamesvg_tree(o, src, event, &d);

	if (t)
		put_graph(o, src, event, t, &d);
	exportdiff_clear(&d);
}

/*
 * Put the differences from the baseline: significant changes, then the largest that may be chance.
 */
static void put_changes(struct out *o, const struct export_source *src, unsigned event)
{
	const struct session_event *e = &model_info(src->model)->events[event];
	struct changes_row row;
	struct diffed d;

	if (exportdiff_functions(src, event, &d))
		o->error = o->error ? o->error : -ENOMEM;
	if (!o->error && src->baseline) {
		out_text(o, "<h3>Changes</h3>\n");
		put_changed(o, src, &d, "function");
	}
	if (!o->error && d.c.nr) {
		put_table_head(o, changes_html);
		for (size_t i = 0; i < d.c.nr && i < FUNCTIONS; i++) {
			changes_row(&row, e->name, "", e->unit && !strcmp(e->unit, "ns"),
				    compare_row(&d.c, i));
			column_html(o, changes_html, &row);
		}
		out_text(o, "</table>\n");
		if (d.c.nr > FUNCTIONS)
			out_printf(o, "<p>%zu rows with smaller changes are not listed.</p>\n",
				   d.c.nr - FUNCTIONS);
	}
	exportdiff_clear(&d);
	export_breathe(o);
}

static void put_html_event(struct out *o, const struct export_source *src, unsigned event)
{
	const struct session_event *e = &model_info(src->model)->events[event];
	struct account a;

	model_account(src->model, event, ALL_CPUS, src->window, &a);
	out_text(o, "<section class=\"event\">\n<h2>");
	markup_text(o, e->name);
	if (*e->weight) {
		out_text(o, " by ");
		markup_text(o, e->weight);
	}
	if (*e->filter) {
		out_text(o, " where ");
		markup_text(o, e->filter);
	}
	out_text(o, "</h2>\n");
	put_verdict(o, e, &a);
	put_html_account(o, e, &a);
	put_places(o, src, event);
	put_changes(o, src, event);
	put_flame(o, src, event);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		put_html_table(o, src, event, &tables[i]);
	out_text(o, "</section>\n");
}

static void put_html_logs(struct out *o, const struct export_source *src)
{
	const struct slice_log *logs[LOGS];
	size_t nr = model_logs(src->model, logs, LOGS);

	if (!nr)
		return;
	out_text(o, "<h2>Log of ringtop</h2>\n<ul>\n");
	while (nr-- > 0) {
		out_text(o, logs[nr]->level == SLICE_WARNING ? "<li>warning: " : "<li>");
		markup_text(o, logs[nr]->text);
		out_text(o, "</li>\n");
	}
	out_text(o, "</ul>\n");
}

static void put_html_marks(struct out *o, const struct export_source *src)
{
	char text[4096];

	export_marks(src, text, sizeof(text));
	if (!*text)
		return;
	out_text(o, "<p class=\"some\">");
	markup_text(o, text);
	out_text(o, "</p>\n");
}

static void html_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);

	put_html_head(o, info);
	out_text(o, "<body>\n");
	put_facts(o, src);
	put_html_marks(o, src);
	for (unsigned e = 0; e < info->nevents; e++)
		put_html_event(o, src, e);
	put_html_logs(o, src);
	out_text(o, "<script>");
	out_text(o, html_script);
	out_text(o, "</script>\n</body>\n</html>\n");
}

const struct export_format export_html = {
	.name = "html",
	.suffix = ".html",
	.compares = true,
	.write = html_write,
};
