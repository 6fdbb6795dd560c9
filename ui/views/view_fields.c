/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first row is for pairs (--between), the others are keys of the event shown.  Columns about
 * weights are left out if all samples weigh the same.
 */
#include "ui/views/view_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "model/fields/fieldhists.h"
#include "model/fields/fieldpaths.h"
#include "model/fields/fieldquery.h"
#include "ui/app/app.h"
#include "ui/parts/details.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/widget.h"

#define KEY_PAIRS UINT64_MAX

struct fields_state {
	bool open; /* the selected row's histogram is shown */
};

static struct fields_state *fields_state(const struct app *a)
{
	return a->state[VIEW_FIELDS];
}

/* Input of a draw or of the selected row's details. */
struct page {
	struct app *app;
	const struct session_event *event; /* NULL: the event shown is not summed up by fields */
	const struct field_rows *rows;     /* borrowed from the model; NULL: none */
	struct slice_latency pairs;
	bool between, time; /* pairs are measured; the event's weight is time in ns */
	double seconds;
	size_t nr; /* lines */
};

static bool is_keyed(const struct session_event *e)
{
	return e && *e->by;
}

static bool fields_wanted(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	for (unsigned i = 0; i < info->nevents; i++)
		if (is_keyed(&info->events[i]))
			return true;
	return info->between.wanted;
}

/* Collect the window's rows.  False: out of memory. */
static bool make_fields_page(struct app *a, struct page *p)
{
	const struct table_state *t = &a->table[VIEW_FIELDS];
	const struct field_query q = {.event = a->event,
				      .by = FIELDS_NEWEST,
				      .sort = t->sort,
				      .reverse = t->reverse,
				      .filter = a->filter};
	struct head head;

	*p = (struct page){
		.app = a, .event = app_event(a), .between = model_info(a->model)->between.wanted};
	model_head(a->model, a->event, app_window(a), &head);
	p->seconds = head.seconds;
	if (p->between)
		model_latency(a->model, app_window(a), &p->pairs);
	if (!is_keyed(p->event)) {
		p->event = NULL;
	} else {
		p->time = !strcmp(p->event->unit, "ns") && !*p->event->weight;
		p->rows = model_fields(a->model, &q, app_window(a));
		if (!p->rows)
			return false;
	}
	p->nr = p->between + (p->rows ? p->rows->nr : 0);
	return true;
}

/* Return the row of a line; NULL: the line is for pairs. */
static const struct field_row *field_row_at(const struct page *p, size_t i)
{
	return i < p->between ? NULL : &p->rows->row[i - p->between];
}

static uint64_t field_key_at(const void *page, size_t i)
{
	const struct field_row *r = field_row_at(page, i);

	return !r ? KEY_PAIRS : (uint64_t)r->rest << 32 | r->key;
}

/* --- cells -------------------------------------------------------------------------------- */

/* A line of the page, for pairs (row NULL) or a key. */
struct line {
	const struct page *page;
	const struct field_row *row;
	uint64_t count, sum, min, max;
	bool time;
	bool in_kernel; /* min and max are not known */
};

static struct line field_line_at(const struct page *p, size_t i)
{
	const struct field_row *r = field_row_at(p, i);
	const struct slice_latency *l = &p->pairs;

	if (r)
		return (struct line){p,	     r,	     r->count, r->sum,
				     r->min, r->max, p->time,  p->event->in_kernel};
	return (struct line){p, NULL, l->count, l->sum, l->min, l->max, true, false};
}

static enum role put_weight(const struct line *l, bool known, double value, char *buf, size_t size)
{
	char n[UNITS_LEN];

	known = known && l->count;
	if (!known)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%s",
			 l->time ? units_span(n, (uint64_t)llround(value)) : units_count(n, value));
	return known ? ROLE_TEXT : ROLE_DIM;
}

WIDGET_CELL(text_field_count, count, struct line, count)

static enum role text_field_rate(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;
	char n[UNITS_LEN];

	snprintf(buf, size, "%s",
		 l->page->seconds > 0 ? units_count(n, (double)l->count / l->page->seconds) : "-");
	return ROLE_TEXT;
}

static enum role text_field_share(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;

	*buf = '\0';
	if (l->row)
		widget_percent(buf, size,
			       l->page->rows->count
				       ? (double)l->count / (double)l->page->rows->count
				       : NAN);
	return ROLE_TEXT;
}

static enum role text_sum(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;

	return put_weight(l, true, (double)l->sum, buf, size);
}

static enum role text_average(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;

	return put_weight(l, true, l->count ? (double)l->sum / (double)l->count : 0, buf, size);
}

static enum role text_min(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;

	return put_weight(l, !l->in_kernel, (double)l->min, buf, size);
}

static enum role text_max(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;

	return put_weight(l, !l->in_kernel, (double)l->max, buf, size);
}

/* Format "sched:sched_waking to sched:sched_switch". */
static void pairs_name(const struct app *a, char *buf, size_t size)
{
	const struct session_info *info = model_info(a->model);
	size_t pos = text_escape(buf, size, info->events[info->between.from].name);

	pos = text_append(buf, size, pos, " to ");
	text_escape(buf + pos, size - pos, info->events[info->between.to].name);
}

/* True if field i is the call path. */
static bool is_path(const struct page *p, unsigned i)
{
	return i < SLICE_FIELD_KINDS && strnlen(p->rows->kinds, i + 1) > i &&
	       p->rows->kinds[i] == SLICE_FIELD_PATH;
}

static bool has_call_path(const struct page *p)
{
	return strchr(p->rows->kinds, SLICE_FIELD_PATH) != NULL;
}

/* Append "leaf < caller < ...", or "-". */
static size_t path_name(const struct page *p, const struct field_row *r, char *buf, size_t size,
			size_t pos)
{
	struct fieldpaths_at at = {.path = r->path};
	char address[32], text[NAMES_BYTES];
	const char *name, *before = "";

	for (; pos + 1 < size && (name = model_field_frame(p->app->model, &at, address));
	     before = " < ") {
		text_escape(text, sizeof(text), name);
		pos = text_append(buf, size, pos, "%s%s", before, text);
	}
	return *before ? pos : text_append(buf, size, pos, "-");
}

/* Format the key's values; a call path stands last, as it may be longer than the room. */
static void key_name(const struct page *p, const struct field_row *r, char *buf, size_t size)
{
	char value[SLICE_FIELD_KEY], text[4 * SLICE_FIELD_KEY];
	const char *at, *before = "";
	size_t pos = text_append(buf, size, 0, "%s", r->rest ? "all others: no room for keys" : ""),
	       len;

	for (unsigned i = 0; !r->rest && (at = fields_value(r->text, i, &len)); i++) {
		if (is_path(p, i))
			continue;
		text_append(value, sizeof(value), 0, "%.*s", (int)len, at);
		text_escape(text, sizeof(text), value);
		pos = text_append(buf, size, pos, "%s%s", before, text);
		before = ", ";
	}
	if (!r->rest && has_call_path(p))
		path_name(p, r, buf, size, text_append(buf, size, pos, "%s", before));
}

/* Format the names of the key's fields, in the order of key_name. */
static void key_title(const struct page *p, char *buf, size_t size)
{
	char name[SLICE_FIELD_NAMES], text[2 * SLICE_FIELD_NAMES];
	const char *at;
	size_t pos = text_append(buf, size, 0, "%s", ""), len;

	for (int last = 0; last <= has_call_path(p); last++)
		for (unsigned i = 0; (at = fields_name(p->rows->names, i, &len)); i++) {
			if (is_path(p, i) != last)
				continue;
			text_append(name, sizeof(name), 0, "%.*s", (int)len, at);
			text_escape(text, sizeof(text), name);
			pos = text_append(buf, size, pos, "%s%s", pos ? ", " : "", text);
		}
}

/* True if the search text is in the key, also in functions for which there is no room. */
static bool key_found(const struct page *p, const struct field_row *r, const char *search)
{
	struct fieldpaths_at at = {.path = r->path};
	char address[32], text[NAMES_BYTES];
	const char *name;

	key_name(p, r, text, sizeof(text));
	if (rowlist_found(text, search))
		return true;
	while ((name = model_field_frame(p->app->model, &at, address))) {
		text_escape(text, sizeof(text), name);
		if (rowlist_found(text, search))
			return true;
	}
	return false;
}

static enum role text_key(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct line *l = cell->row;
	const struct slice_latency *pairs = &l->page->pairs;
	const struct app *a = cell->ctx;
	char p50[UNITS_LEN], p99[UNITS_LEN];
	size_t pos;

	if (l->row) {
		key_name(l->page, l->row, buf, size);
		return *a->search && key_found(l->page, l->row, a->search) ? ROLE_MATCH
		       : l->row->rest					   ? ROLE_DIM
									   : ROLE_TEXT;
	}
	pos = text_append(buf, size, 0, "p50 %s  p99 %s  ",
			  units_span(p50, slice_latency_part(pairs, 0.5)),
			  units_span(p99, slice_latency_part(pairs, 0.99)));
	pairs_name(a, buf + pos, size - pos);
	return ROLE_STRONG;
}

enum { COL_COUNT, COL_RATE, COL_SHARE, COL_SUM, COL_AVERAGE, COL_MIN, COL_MAX, COL_KEY, COL_NR };

static const struct widget_column columns[COL_NR] = {
	[COL_COUNT] = {"COUNT", 8, 0, 0, 0, true, SORT_COUNT, text_field_count, NULL},
	[COL_RATE] = {"PER SEC", 8, 0, 0, 4, true, -1, text_field_rate, NULL},
	[COL_SHARE] = {"SHARE%", 6, 0, 0, 3, true, -1, text_field_share,
	 "the key's share of the event's total"},
	[COL_SUM] = {"SUM", 8, 0, 0, 2, true, SORT_SUM, text_sum,
	 "of the weight, or time between"},
	[COL_AVERAGE] = {"AVERAGE", 8, 0, 0, 0, true, SORT_AVERAGE, text_average, "SUM by COUNT"},
	[COL_MIN] = {"MIN", 8, 0, 0, 2, true, SORT_MINIMUM, text_min, "minimum"},
	[COL_MAX] = {"MAX", 8, 0, 0, 1, true, SORT_MAXIMUM, text_max, "maximum"},
	[COL_KEY] = {"KEY", 16, 1, 0, 0, false, SORT_KEY, text_key,
	 "values of the fields that make a row; a call path comes last, its leaf first"},
};

/* True if columns of weights are needed: for pairs, or weights other than 1. */
static bool is_weighed(const struct page *p)
{
	return p->between || (p->event && (*p->event->weight || p->time));
}

/* --- a histogram -------------------------------------------------------------------------- */

struct hist {
	uint64_t of[SLICE_FIELD_BINS];
	uint64_t from[SLICE_FIELD_BINS], to[SLICE_FIELD_BINS];
	unsigned nr;
	bool time;
};

/* Merge the pairs' bins, of which there are eight between two powers of two. */
static void hist_pairs(const struct page *p, struct hist *h)
{
	h->nr = SLICE_LATENCY_BINS / 8;
	h->time = true;
	for (unsigned i = 0; i < SLICE_LATENCY_BINS; i++)
		h->of[i / 8] += p->pairs.hist[i];
	for (unsigned i = 0; i < h->nr; i++) {
		h->from[i] = slice_latency_from(8 * i);
		h->to[i] = slice_latency_to(8 * i + 7);
	}
}

static bool hist_row(const struct page *p, const struct field_row *r, struct hist *h)
{
	uint64_t hist[1][SLICE_FIELD_BINS];

	if (model_field_hists(p->app->model, app_window(p->app), r, 1, hist))
		return false;
	h->nr = SLICE_FIELD_BINS;
	h->time = p->time;
	memcpy(h->of, hist[0], sizeof(h->of));
	for (unsigned i = 1; i < h->nr; i++) {
		h->from[i] = 1ull << (i - 1);
		h->to[i] = h->from[i] + (h->from[i] - 1);
	}
	return true;
}

static void draw_bin(struct scene *s, int y, int cols, const struct hist *h, unsigned i,
		     uint64_t most)
{
	char from[UNITS_LEN], to[UNITS_LEN], n[UNITS_LEN], bar[4 * 80 + 1];
	int width = cols - 42 < 60 ? cols - 42 : 60, x = 2;
	char text[64];

	if (h->time) {
		units_span(from, h->from[i]);
		units_span(to, h->to[i]);
	} else {
		units_count(from, (double)h->from[i]);
		units_count(to, (double)h->to[i]);
	}
	snprintf(text, sizeof(text), "%10s to %10s  %10s ", from, to,
		 units_count(n, (double)h->of[i]));
	x += scene_text(s, y, x, -1, ROLE_TEXT, text);
	if (width < 4)
		return;
	widget_gauge(bar, sizeof(bar), width, (double)h->of[i] / (double)most, s->ascii);
	scene_text(s, y, x, -1, ROLE_GAUGE, bar);
}

/* Draw the bins that are not empty, and the number of bins for which there are no lines. */
static void draw_hist(struct app *a, struct rect at, const struct hist *h)
{
	unsigned left = 0;
	uint64_t most = 0;
	char text[64];
	int y = at.y;

	for (unsigned i = 0; i < h->nr; i++) {
		most = h->of[i] > most ? h->of[i] : most;
		left += h->of[i] != 0;
	}
	if (!left) {
		scene_fit(&a->scene, y, 2, at.cols - 2, ROLE_DIM, "no data in this window");
		return;
	}
	for (unsigned i = 0; i < h->nr && y < at.y + at.rows; i++) {
		if (!h->of[i])
			continue;
		if (y + 1 == at.y + at.rows && left > 1)
			break;
		draw_bin(&a->scene, y++, at.cols, h, i, most);
		left--;
	}
	if (left) {
		snprintf(text, sizeof(text), "and %u more: enlarge the terminal", left);
		scene_fit(&a->scene, y, 2, at.cols - 2, ROLE_DIM, text);
	}
}

static void open_hist(struct page *p, struct rect at, size_t index)
{
	const struct field_row *r = field_row_at(p, index);
	struct app *a = p->app;
	struct hist h = {.nr = 0};
	char name[NAMES_BYTES], text[NAMES_BYTES + 80];

	if (r)
		key_name(p, r, name, sizeof(name));
	else
		pairs_name(a, name, sizeof(name));
	if (r && p->event->in_kernel) {
		snprintf(text, sizeof(text),
			 "%s: the kernel's own sums (--in-kernel) have no histogram (Esc closes)",
			 name);
		scene_fit(&a->scene, at.y, 1, at.cols - 1, ROLE_STRONG, text);
		return;
	}
	if (!r)
		hist_pairs(p, &h);
	else if (!hist_row(p, r, &h)) {
		scene_fit(&a->scene, at.y, 1, -1, ROLE_BAD, "out of memory: no histogram");
		return;
	}
	snprintf(text, sizeof(text), "%s: %s (Esc closes)", name,
		 !r ? "pairs by duration" : "samples by weight");
	scene_fit(&a->scene, at.y, 1, at.cols - 1, ROLE_STRONG, text);
	draw_hist(a, (struct rect){at.y + 1, at.x, at.rows - 1, at.cols}, &h);
}

/* --- the list ----------------------------------------------------------------------------- */

static bool field_line_matches(const void *page, size_t i, const char *search)
{
	const struct page *p = page;
	const struct field_row *r = field_row_at(p, i);
	char name[NAMES_BYTES];

	if (r)
		return key_found(p, r, search);
	pairs_name(p->app, name, sizeof(name));
	return rowlist_found(name, search);
}

static void draw_fields_head(struct page *p, struct rect at, struct widget_table *t)
{
	struct app *a = p->app;
	const char *titles[COL_NR] = {NULL};
	char names[2 * sizeof(p->event->by)];
	uint32_t hidden = 0;

	*t = (struct widget_table){.columns = columns, .nr = COL_NR};
	if (!is_weighed(p))
		hidden = 1u << COL_SUM | 1u << COL_AVERAGE | 1u << COL_MIN | 1u << COL_MAX;
	if (p->event) {
		key_title(p, names, sizeof(names));
		titles[COL_KEY] = names;
	}
	widget_table_layout(t, at.cols > 20 ? 2 : 1, at.cols, hidden);
	widget_table_head(&a->scene, at.y, at.cols, t, titles, (int)a->table[a->view].sort,
			  rowlist_rising(&a->table[a->view]));
	for (unsigned i = 0; i < t->nr; i++)
		if (t->width[i] && columns[i].sort >= 0)
			app_zone(a, (struct rect){at.y, t->x[i], 1, t->width[i]}, ZONE_SORT,
				 (uint64_t)columns[i].sort, NULL);
}

static void draw_no_fields(struct page *p, struct rect at)
{
	static const char *const never[] = {
		"no sums by fields of tracepoints and no pairs are measured: start with",
		"-e sched:sched_switch --by next_comm     by one field, or several: FIELD,FIELD",
		"-e raw_syscalls:sys_enter --by id,comm   also cpu, pid, tid, comm, stack",
		"--between syscalls                       time between two tracepoints",
		"While it runs: g or :by FIELD,FIELD for the event shown, :between A,B for pairs.",
	};
	struct app *a = p->app;
	struct widget_table t;
	bool fields = p->event && at.rows > 1;

	list_sync(&a->table[a->view].list, &(struct list_rows){p, 0, field_key_at, NULL, NULL}, 0);
	if (fields_wanted(a)) {
		if (fields)
			draw_fields_head(p, at, &t);
		widget_text(
			&a->scene,
			(struct rect){at.y + fields, at.x + 2, at.rows - fields, at.cols - 2},
			ROLE_TEXT,
			p->event
				? "no sample in this window"
				: "the event shown has no sums by fields: g chooses some, e "
				  "another event");
		return;
	}
	widget_hints(&a->scene, (struct rect){at.y, at.x + 2, at.rows, at.cols - 2}, never,
		     sizeof(never) / sizeof(never[0]));
}

static void draw_field_rows(struct page *p, struct rect at)
{
	struct app *a = p->app;
	const struct list *list = &a->table[a->view].list;
	struct widget_table t;

	draw_fields_head(p, at, &t);
	for (size_t i = list->top; i < p->nr && (int)(i - list->top) < at.rows - 1; i++) {
		struct line l = field_line_at(p, i);
		int y = at.y + 1 + (int)(i - list->top);

		widget_table_row(&a->scene, y, at.cols, &t, a, &l, i == list->index);
		app_zone(a, (struct rect){y, 0, 1, at.cols}, ZONE_ROW, i, NULL);
	}
}

static void draw_fields(struct app *a, struct rect at)
{
	struct list *list = &a->table[a->view].list;
	struct page p;

	if (!make_fields_page(a, &p)) {
		scene_fit(&a->scene, at.y, 1, -1, ROLE_BAD, "out of memory: no sums by fields");
		return;
	}
	if (!p.nr) {
		draw_no_fields(&p, at);
		return;
	}
	list_sync(list, &(struct list_rows){&p, p.nr, field_key_at, field_line_matches, a->search},
		  (size_t)(at.rows > 1 ? at.rows - 1 : 1));
	if (fields_state(a)->open)
		open_hist(&p, at, list->index);
	else
		draw_field_rows(&p, at);
}

/* --- the selected row --------------------------------------------------------------------- */

static bool step_fields(struct app *a, enum view_step step)
{
	struct fields_state *s = fields_state(a);

	if (step == STEP_OPEN && a->table[a->view].list.count)
		s->open = !s->open;
	else if (step == STEP_BACK && s->open)
		s->open = false;
	else
		return false;
	return true;
}

static void details_key(const struct page *p, const struct field_row *r, struct details *d)
{
	char text[NAMES_BYTES], label[sizeof(d->line[0].label)], value[SLICE_FIELD_KEY];
	const char *name, *at;
	size_t len, nlen;

	for (unsigned i = 0; !r->rest && (at = fields_value(r->text, i, &len)); i++) {
		if (is_path(p, i))
			continue;
		name = fields_name(p->rows->names, i, &nlen);
		text_append(label, sizeof(label), 0, "%.*s", name ? (int)nlen : 0,
			    name ? name : "");
		text_append(value, sizeof(value), 0, "%.*s", (int)len, at);
		text_escape(text, sizeof(text), value);
		details_add(d, ROLE_STRONG, label, "%s", text);
	}
	if (r->rest)
		details_add(d, ROLE_WARN, "others",
			    "%llu keys had no room: enlarge --history",
			    (unsigned long long)model_fields_folded(p->app->model));
	if (p->rows->others)
		details_add(d, ROLE_DIM, "elsewhere",
			    "%llu samples of the window were summed by other fields",
			    (unsigned long long)p->rows->others);
}

/* Append the call path, a line for each function, the leaf first. */
static void details_path(const struct page *p, const struct field_row *r, struct details *d)
{
	const unsigned most = sizeof(d->line) / sizeof(*d->line);
	struct fieldpaths_at at = {.path = r->path};
	char address[32], text[NAMES_BYTES];
	const char *name, *label = "stack";
	unsigned left = 0;

	if (r->rest || !has_call_path(p))
		return;
	if (!r->path)
		details_add(d, ROLE_DIM, label, "not known");
	for (; (name = model_field_frame(p->app->model, &at, address)); label = "") {
		text_escape(text, sizeof(text), name);
		if (d->nr + 1 < most)
			details_add(d, ROLE_TEXT, label, "%s", text);
		else
			left++;
	}
	if (left)
		details_add(d, ROLE_DIM, "", "and %u callers more", left);
}

static void details_pairs(const struct page *p, struct details *d)
{
	static const double parts[] = {0.5, 0.9, 0.99, 0.999};
	const struct session_info *info = model_info(p->app->model);
	const struct slice_latency *l = &p->pairs;
	char text[NAMES_BYTES], n[UNITS_LEN], label[16];

	pairs_name(p->app, text, sizeof(text));
	details_add(d, ROLE_STRONG, "from, to", "%s", text);
	text_escape(text, sizeof(text), *info->between.key ? info->between.key : "thread");
	details_add(d, ROLE_TEXT, "by", "%s", text);
	for (size_t i = 0; l->count && i < sizeof(parts) / sizeof(*parts); i++) {
		snprintf(label, sizeof(label), "p%g", parts[i] * 100);
		details_add(d, ROLE_TEXT, label, "%s at most",
			    units_span(n, slice_latency_part(l, parts[i])));
	}
	details_add(d, l->unpaired_from + l->unpaired_to ? ROLE_WARN : ROLE_TEXT, "unpaired",
		    "%llu from, %llu to", (unsigned long long)l->unpaired_from,
		    (unsigned long long)l->unpaired_to);
	details_add(d, l->lost ? ROLE_WARN : ROLE_TEXT, "lost", "%llu halves",
		    (unsigned long long)l->lost);
}

static void details_weights(const struct page *p, const struct line *l, struct details *d)
{
	details_add(d, ROLE_TEXT, "count", "%llu", (unsigned long long)l->count);
	if (!is_weighed(p) || !l->count)
		return;
	details_add(d, ROLE_TEXT, "sum", "%llu%s", (unsigned long long)l->sum,
		    l->time ? " ns" : "");
	if (l->in_kernel)
		details_add(d, ROLE_TEXT, "average",
			    "%.1f%s; no minimum or maximum (--in-kernel)",
			    (double)l->sum / (double)l->count, l->time ? " ns" : "");
	else
		details_add(d, ROLE_TEXT, "average", "%.1f%s, from %llu to %llu",
			    (double)l->sum / (double)l->count, l->time ? " ns" : "",
			    (unsigned long long)l->min, (unsigned long long)l->max);
}

static void field_details(struct app *a, struct details *d)
{
	size_t i = a->table[a->view].list.index;
	struct page p;
	struct line l;

	if (!make_fields_page(a, &p) || i >= p.nr) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	l = field_line_at(&p, i);
	if (l.row)
		details_key(&p, l.row, d);
	else
		details_pairs(&p, d);
	details_weights(&p, &l, d);
	if (l.row)
		details_path(&p, l.row, d);
}

const struct view_ops view_fields = {
	.state_size = sizeof(struct fields_state),
	.columns = columns,
	.ncolumns = COL_NR,
	.wanted = fields_wanted,
	.sort = SORT_COUNT,
	.keys = "help search filter group sort open details freeze event wider narrower reverse "
		"quit",
	.draw = draw_fields,
	.details = field_details,
	.step = step_fields,
};
