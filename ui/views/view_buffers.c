/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/views/view_buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "base/vec.h"
#include "ui/parts/details.h"
#include "ui/views/bufferaccounts.h"
#include "ui/app/app.h"
#include "ui/parts/cpuuse.h"
#include "ui/parts/hosttexts.h"
#include "ui/parts/widget.h"

#define LATE_NS   5000000u /* a reader later than this gets a note */

/* --- cells ------------------------------------------------------------------------------ */

static const char *rate_text(char buf[UNITS_LEN], uint64_t n, double seconds,
			     const char *(*units)(char buf[UNITS_LEN], double n))
{
	if (n == GAUGE_UNKNOWN || !(seconds > 0))
		return "-";
	return units(buf, (double)n / seconds);
}

static enum role text_ring_host(const struct widget_cell *cell, char *buf, size_t size)
{
	hosttexts_cell(cell->ctx, ((const struct gauge *)cell->row)->now.cpu, buf, size);
	return ROLE_TEXT;
}

static enum role text_ring_cpu(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct gauge *g = cell->row;
	int cpu = session_place(model_info(a->model), g->now.cpu).cpu;

	if (cpu >= 0)
		snprintf(buf, size, "%d", cpu);
	else
		snprintf(buf, size, "t%d", g->now.tid);
	return ROLE_TEXT;
}

static enum role text_ring(const struct widget_cell *cell, char *buf, size_t size)
{
	snprintf(buf, size, "%s", ring_kind_names[((const struct gauge *)cell->row)->now.kind]);
	return ROLE_STRONG;
}

static enum role text_mode(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;

	if (g->now.kind == RING_AUX)
		snprintf(buf, size, "%s", g->now.mode == RING_FORWARD ? "full" : "snapshot");
	else
		snprintf(buf, size, "%s", ring_mode_names[g->now.mode]);
	return ROLE_TEXT;
}

WIDGET_CELL(text_size, bytes, struct gauge, now.size)

static enum role fill_role(double fill)
{
	return fill >= 1 ? ROLE_BAD : fill >= 0.75 ? ROLE_WARN : ROLE_GAUGE;
}

/* Format the fill as a bar and in percent. */
static enum role text_fill(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct gauge *g = cell->row;
	size_t pos;

	if (g->now.state == RING_OFFLINE) {
		snprintf(buf, size, "cpu is offline");
		return ROLE_DIM;
	}
	/* An AUX area in snapshot mode is not read, so it is neither full nor empty. */
	if (g->now.kind == RING_AUX && g->now.mode == RING_OVERWRITE) {
		snprintf(buf, size, "overwrites");
		return ROLE_DIM;
	}
	if (isnan(g->fill)) {
		snprintf(buf, size, "-");
		return ROLE_DIM;
	}
	widget_gauge(buf, size, cell->width > 9 ? cell->width - 5 : 0, g->fill, a->scene.ascii);
	pos = strlen(buf);
	text_append(buf, size, pos, "%4.0f%%", fmin(g->fill, 9.99) * 100);
	return fill_role(g->fill);
}

static enum role text_peak(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;

	if (isnan(g->fill_peak)) {
		snprintf(buf, size, "-");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%.0f%%", fmin(g->fill_peak, 9.99) * 100);
	return g->fill_peak >= 0.75 ? fill_role(g->fill_peak) : ROLE_TEXT;
}

static enum role text_records(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	snprintf(buf, size, "%s", rate_text(n, g->records, g->seconds, units_count));
	return ROLE_TEXT;
}

static enum role text_ring_bytes(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	snprintf(buf, size, "%s", rate_text(n, g->bytes, g->seconds, units_bytes));
	return ROLE_TEXT;
}

static enum role text_overwritten(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	if (g->overwritten_bytes == 0 || g->overwritten_bytes == GAUGE_UNKNOWN) {
		snprintf(buf, size, "%s", g->overwritten_bytes ? "-" : "0");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%s/s", rate_text(n, g->overwritten_bytes, g->seconds, units_bytes));
	return ROLE_BAD;
}

static enum role text_lost(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	if (g->lost == GAUGE_UNKNOWN) {
		snprintf(buf, size, "-");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%s", units_count(n, (double)g->lost));
	return g->lost ? ROLE_BAD : ROLE_TEXT;
}

static enum role text_oldest(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	snprintf(buf, size, "%s",
		 g->now.oldest_ns == GAUGE_UNKNOWN ? "-" : units_span(n, g->now.oldest_ns));
	return ROLE_TEXT;
}

/* Format the CPU's load beside its sample ring. */
static enum role text_busy(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	struct cpuuse_split split;

	*buf = '\0';
	if (g->now.kind == RING_SAMPLE && g->now.cpu >= 0 &&
	    cpuuse_split(cell->ctx, g->now.cpu, &split))
		cpuuse_text(&split, buf, size);
	return ROLE_TEXT;
}

/* Format the ring's current problem. */
static enum role text_ring_note(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct gauge *g = cell->row;
	char n[UNITS_LEN];

	if (g->now.state == RING_OFFLINE)
		snprintf(buf, size, "offline");
	else if (g->fill_max >= 1)
		snprintf(buf, size, "← OVERFLOWED");
	else if (g->now.late_ns != GAUGE_UNKNOWN && g->now.late_ns > LATE_NS)
		snprintf(buf, size, "← reader late %s", units_span(n, g->now.late_ns));
	else if (g->now.state == RING_PAUSING)
		snprintf(buf, size, "paused to read");
	return ROLE_WARN;
}

static const struct widget_column columns[] = {
	{"HOST", 8, 1, 24, 0, false, -1, text_ring_host, NULL},
	{"CPU", 4, 0, 0, 0, true, -1, text_ring_cpu, NULL},
	{"RING", 8, 0, 0, 0, false, -1, text_ring,
	 "contents: samples, side (maps, names, forks), or one thread's"},
	{"MODE", 9, 0, 0, 7, false, -1, text_mode,
	 "if the kernel overwrites the oldest data, or waits for room"},
	{"SIZE", 5, 0, 0, 5, true, -1, text_size, NULL},
	{"FILL", 14, 2, 40, 0, false, -1, text_fill,
	 "bytes unread at the last read, as a share of its size"},
	{"↑", 5, 0, 0, 0, true, -1, text_peak, "maximum fill since the start, or since z"},
	{"REC/s", 6, 0, 11, 3, true, -1, text_records, "records per second"},
	{"BYTES/s", 7, 0, 11, 4, true, -1, text_ring_bytes, "bytes per second"},
	{"OVERWRTN", 8, 0, 0, 2, true, -1, text_overwritten,
	 "bytes overwritten before they were read: lost, a larger -m helps"},
	{"LOST", 5, 0, 0, 1, true, -1, text_lost, "records that the kernel had no room for"},
	{"OLDEST", 8, 0, 0, 8, true, -1, text_oldest, "time span in the ring"},
	{"CPU BUSY", 28, 0, 0, 10, false, -1, text_busy,
	 "CPU time: u user mode, k kernel, lost if a clock missed it, st stolen by a hypervisor"},
	{"", 20, 1, 30, 9, false, -1, text_ring_note, NULL},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* --- the view --------------------------------------------------------------------------- */

/* Row of the page: a piece of a line, the head of the table, or a ring. */
struct page_row {
	enum { PAGE_TEXT, PAGE_HEAD, PAGE_RING } kind;
	enum role role;
	int indent;
	size_t ring; /* index of the ring in slices */
	char text[512];
};

struct page {
	struct page_row *row;
	size_t nr, cap;
};

/* Append a row, owned by p.  NULL: out of memory. */
static struct page_row *page_add(struct page *p, int kind)
{
	if (!vec_reserve(&p->row, &p->cap, p->nr + 1, sizeof(*p->row)))
		return NULL;
	p->row[p->nr] = (struct page_row){.kind = kind, .role = ROLE_TEXT};
	return &p->row[p->nr++];
}

static void page_line(const struct app *a, struct page *p, enum role role, const char *text,
		      int cols)
{
	int indent = 0;

	while (*text) {
		size_t len = widget_wrap(&a->scene, text, cols - indent);
		struct page_row *r = len ? page_add(p, PAGE_TEXT) : NULL;

		if (!r)
			return;
		r->role = role;
		r->indent = indent;
		snprintf(r->text, sizeof(r->text), "%.*s", (int)len, text);
		text += len;
		text += strspn(text, " ");
		indent = cols > 30 ? 4 : 0;
	}
}

static void page_lines(const struct app *a, struct page *p, const struct bufferaccounts *l,
		       int cols)
{
	for (int i = 0; i < l->nr; i++)
		page_line(a, p, l->line[i].role, l->line[i].text, cols);
}

/* Append the host's rings, in the order of slices. */
static void page_host_rings(const struct app *a, struct page *p, unsigned host)
{
	for (size_t i = 0; i < model_ngauges(a->model); i++) {
		struct page_row *r;
		struct gauge g;

		model_gauge(a->model, i, WINDOW_ALL, &g);
		if (session_place(model_info(a->model), g.now.cpu).host == host &&
		    (r = page_add(p, PAGE_RING)))
			r->ring = i;
	}
}

/* Append all rings, those of the host with the most losses first. */
static void page_rings(const struct app *a, struct page *p)
{
	unsigned hosts = model_info(a->model)->nhosts, *order = calloc(hosts + 1, sizeof(*order));
	struct page_row *r;

	page_add(p, PAGE_HEAD);
	if (order && hosts > 1)
		hosttexts_worst(a, order, hosts);
	for (unsigned i = 0; order && i < (hosts ? hosts : 1); i++)
		page_host_rings(a, p, order[i]);
	free(order);
	if (!model_ngauges(a->model) && (r = page_add(p, PAGE_TEXT))) {
		snprintf(r->text, sizeof(r->text), "  no ring was read yet");
		r->role = ROLE_DIM;
	}
}

/*
 * Make the page: advice first, then rings and accounts; accounts come before rings that take more
 * than half of the view.  The caller frees its rows.
 */
static struct page make_buffers_page(struct app *a, struct rect area)
{
	bool many = model_ngauges(a->model) + 1 > (size_t)area.rows / 2;
	struct bufferaccounts *l = calloc(1, sizeof(*l));
	struct page p = {.row = NULL};

	if (l) {
		bufferaccounts_advice(a, l);
		page_lines(a, &p, l, area.cols);
		l->nr = 0;
		bufferaccounts_add(a, l);
	}
	if (!many)
		page_rings(a, &p);
	if (l)
		page_lines(a, &p, l, area.cols);
	if (many)
		page_rings(a, &p);
	free(l);
	return p;
}

/* A ring is identified by its index in slices, a line by its index on the page. */
static uint64_t page_row_key(const void *rows, size_t i)
{
	const struct page_row *r = &((const struct page *)rows)->row[i];

	return r->kind == PAGE_RING ? r->ring + 1 : 1ull << 32 | i;
}

static void draw_row(struct app *a, const struct widget_table *t, const struct page_row *r, int y,
		     int cols, bool selected)
{
	struct gauge g;

	if (r->kind == PAGE_HEAD) {
		widget_table_head(&a->scene, y, cols, t, NULL, -1, false);
		return;
	}
	if (r->kind == PAGE_RING) {
		model_gauge(a->model, r->ring, app_window(a), &g);
		widget_table_row(&a->scene, y, cols, t, a, &g, selected);
		return;
	}
	scene_fit(&a->scene, y, r->indent, cols - r->indent, r->role, r->text);
	if (selected) {
		scene_role(&a->scene, (struct rect){y, 0, 1, cols}, ROLE_SELECTED);
		scene_text(&a->scene, y, 0, 1, ROLE_SELECTED, "▌");
	}
}

/* Start a moving selection at the first ring, as the lines above it come and go. */
static void begin_at_ring(struct list *list, const struct page *p)
{
	for (size_t i = 0; !list->touched && list->move && i < p->nr; i++)
		if (p->row[i].kind == PAGE_RING) {
			list->key = page_row_key(p, i);
			list->touched = true;
		}
}

static void draw_buffers(struct app *a, struct rect area)
{
	struct widget_table t = {.columns = columns, .nr = COLUMNS};
	struct list *list = &a->table[a->view].list;
	struct page p = make_buffers_page(a, area);

	widget_table_layout(&t, 1, area.cols, model_info(a->model)->nhosts > 1 ? 0 : 1);
	begin_at_ring(list, &p);
	list_sync(list, &(struct list_rows){&p, p.nr, page_row_key, NULL, NULL}, (size_t)area.rows);
	for (size_t i = list->top; i < p.nr && (int)(i - list->top) < area.rows; i++) {
		int y = area.y + (int)(i - list->top);

		draw_row(a, &t, &p.row[i], y, area.cols, list->touched && i == list->index);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, i, NULL);
	}
	free(p.row);
}

/* Find the selected ring, the first one if none is selected.  False: there are no rings. */
static bool selected_ring(const struct app *a, size_t *ring)
{
	const struct list *list = &a->table[a->view].list;
	struct page p = {.row = NULL};

	page_rings(a, &p); /* row 0 is the table's head */
	*ring = list->touched && list->key < 1ull << 32 ? list->key - 1
		: p.nr > 1				? p.row[1].ring
							: 0;
	free(p.row);
	return *ring < model_ngauges(a->model);
}

/* Append the kernel's counts of an ftrace ring, in events. */
static void details_ftrace(const struct slice_ftrace *f, struct details *d)
{
	details_count(d, "entries", f->entries);
	details_count(d, "read", f->read);
	details_add(d, ROLE_TEXT, "overrun", "%llu, commit overrun %llu, dropped %llu",
		    (unsigned long long)f->overrun, (unsigned long long)f->commit_overrun,
		    (unsigned long long)f->dropped);
}

/* Append the CPU's load; parts that are 0 are left out, but for user and kernel. */
static void details_busy(const struct app *a, const struct gauge *g, struct details *d)
{
	struct cpuuse_split s;
	char text[160];
	size_t pos;

	if (g->now.cpu < 0 || !cpuuse_split(a, g->now.cpu, &s))
		return;
	pos = text_append(text, sizeof(text), 0, "%.1f%% busy by %s", s.busy * 100,
			  s.stat ? "/proc/stat" : "samples");
	if (s.parts)
		pos = text_append(text, sizeof(text), pos, ": user %.1f%%, kernel %.1f%%",
				  s.user * 100, s.kernel * 100);
	if (s.lost >= 0.0005)
		pos = text_append(text, sizeof(text), pos, ", lost %.1f%%", s.lost * 100);
	if (s.steal >= 0.0005)
		text_append(text, sizeof(text), pos, "; steal %.1f%%", s.steal * 100);
	details_add(d, ROLE_TEXT, "cpu", "%s", text);
}

#define PERCENT 16

static const char *percent(char buf[PERCENT], double share)
{
	if (isnan(share))
		return "-";
	snprintf(buf, PERCENT, "%.1f%%", fmin(share, 1e6) * 100);
	return buf;
}

static void ring_details(struct app *a, struct details *d)
{
	static const char *const states[] = {"live", "offline", "paused while it is read"};
	char size[UNITS_LEN], late[UNITS_LEN], host[400], now[PERCENT], most[PERCENT],
		peak[PERCENT];
	struct gauge g;
	size_t ring;
	int cpu;

	if (!selected_ring(a, &ring)) {
		details_add(d, ROLE_DIM, "", "no ring is selected");
		return;
	}
	model_gauge(a->model, ring, app_window(a), &g);
	hosttexts_cell(a, g.now.cpu, host, sizeof(host));
	cpu = session_place(model_info(a->model), g.now.cpu).cpu;
	details_add(d, ROLE_STRONG, "ring", "%s of %s%s%s %d, %s, %s, %s",
		    ring_kind_names[g.now.kind], host, host[0] ? " " : "",
		    cpu >= 0 ? "cpu" : "thread", cpu >= 0 ? cpu : g.now.tid,
		    ring_mode_names[g.now.mode], units_bytes(size, (double)g.now.size),
		    states[g.now.state % 3]);
	details_busy(a, &g, d);
	details_add(d, fill_role(g.fill_peak), "fill",
		    "%s at last read, at most %s in window, %s since 'z'",
		    percent(now, g.fill), percent(most, g.fill_max), percent(peak, g.fill_peak));
	details_count(d, "records", g.records);
	details_count(d, "bytes", g.bytes);
	details_count(d, "overwritten", g.overwritten_bytes);
	details_count(d, "lost", g.lost);
	details_count(d, "wake-ups", g.wakeups);
	if (g.now.kind == RING_FTRACE)
		details_ftrace(&g.now.ftrace, d);
	details_add(d, ROLE_TEXT, "reader late", "%s",
		    g.now.late_ns == GAUGE_UNKNOWN ? "- (not known)"
						   : units_span(late, g.now.late_ns));
}

const struct view_ops view_buffers = {
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.keys = "help open freeze wider narrower earlier later zero pause quit",
	.draw = draw_buffers,
	.details = ring_details,
};
