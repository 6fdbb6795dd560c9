/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/meters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/numanodes.h"
#include "base/text.h"
#include "ui/app/app.h"
#include "ui/parts/cpuuse.h"
#include "ui/parts/hosttexts.h"

static const int bars[] = {0, 6, 10}; /* columns of a bar, by form: 0 is a single cell */

static void meter_place_name(const struct app *a, int cpu, int32_t tid, char *buf, size_t size)
{
	int number = session_place(model_info(a->model), cpu).cpu;
	char host[400];

	hosttexts_cell(a, cpu, host, sizeof(host));
	snprintf(buf, size, "%.24s%s%s%d", host, host[0] ? " " : "", number >= 0 ? "cpu" : "tid",
		 number >= 0 ? number : tid);
}

/* Fill of a ring, or use of a CPU. */
struct meter {
	int cpu;
	int32_t tid;
	double fill;
	double peak; /* of a ring, in the window; below 0: a CPU */
	unsigned host;
	int node; /* NUMA node of a CPU; -1: unknown */
};

#define METERS_MAX  1024
#define RINGS_SHOWN 16
#define RING_HIGH   0.5 /* least fill of a ring that is shown */

/*
 * Collect the sample rings that were read in the window, by CPU; returns their number, at most
 * METERS_MAX.
 */
static size_t sample_rings(const struct app *a, struct meter *rings)
{
	struct window w = app_window(a);
	size_t n = 0;

	for (size_t i = 0; i < model_ngauges(a->model) && n < METERS_MAX; i++) {
		struct gauge g;

		model_gauge(a->model, i, w, &g);
		if (g.now.kind == RING_SAMPLE && g.now.state != RING_OFFLINE && !isnan(g.fill_max))
			rings[n++] =
				(struct meter){g.now.cpu, g.now.tid, g.fill, g.fill_max, 0, -1};
	}
	return n;
}

static int by_node(const void *x, const void *y)
{
	const struct meter *a = x, *b = y;

	/* CPUs without a node are last. */
	return COMPARE(a->host, b->host) ?: COMPARE((unsigned)a->node, (unsigned)b->node) ?:
	       COMPARE(a->cpu, b->cpu);
}

static bool same_node(const struct meter *a, const struct meter *b)
{
	return a->host == b->host && a->node == b->node;
}

/*
 * Find the CPUs' hosts and NUMA nodes, and sort them by these; returns the number of nodes, where a
 * host with unknown nodes counts as one.  0: no nodes are known, and the order is unchanged.
 */
static size_t place_nodes(const struct app *a, struct meter *cpus, size_t n)
{
	const struct session_info *info = model_info(a->model);
	int16_t node[NUMANODES_CPUS];
	size_t nodes = 1;

	if (!n || (!numanodes_parse(info->nodes, node, NUMANODES_CPUS) && info->nhosts < 2))
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct session_place place = session_place(info, cpus[i].cpu);

		cpus[i].host = place.host;
		cpus[i].node = info->nhosts < 2 && cpus[i].cpu >= 0 && cpus[i].cpu < NUMANODES_CPUS
				       ? node[cpus[i].cpu]
				       : place.node;
	}
	qsort(cpus, n, sizeof(*cpus), by_node);
	for (size_t i = 1; i < n; i++)
		nodes += !same_node(&cpus[i], &cpus[i - 1]);
	return nodes;
}

/*
 * Collect the CPUs' use in the window, by a clock or (*stat) /proc/stat; returns their number, 0:
 * unknown.
 */
static size_t busy_cpus(const struct app *a, struct meter *cpus, bool *stat)
{
	int event = cpuuse_event(a, stat), cpu[METERS_MAX];
	struct cpuuse_split split;
	size_t nr, n = 0;

	if (event < 0)
		return 0;
	nr = model_account_cpus(a->model, (unsigned)event, cpu, METERS_MAX);
	for (size_t i = 0; i < nr && i < METERS_MAX; i++)
		if (cpuuse_split(a, cpu[i], &split))
			cpus[n++] = (struct meter){cpu[i], 0, split.busy, -1, 0, -1};
	return n;
}

static enum role meter_role(const struct meter *m)
{
	return m->peak >= 1 ? ROLE_BAD : m->peak >= 0.75 ? ROLE_WARN : ROLE_GAUGE;
}

static void meter_text(const struct app *a, const struct meter *m, int form, char *buf, size_t size)
{
	int level = m->fill > 0 ? (int)lround(fmin(m->fill, 1) * 8) : 0;
	char bar[40], name[48];

	meter_place_name(a, m->cpu, m->tid, name, sizeof(name));
	if (isnan(m->fill))
		*bar = '\0';
	else if (bars[form])
		widget_gauge(bar, sizeof(bar), bars[form], m->fill, a->scene.ascii);
	else
		snprintf(bar, sizeof(bar), "%s", widget_level(level ? level : 1, a->scene.ascii));
	if (isnan(m->fill))
		snprintf(buf, size, "%s -", name);
	else
		snprintf(buf, size, "%s %s%3.0f%%", name, bar, fmin(m->fill, 9.99) * 100);
	if (m->peak >= 0)
		text_append(buf, size, strlen(buf), "↑%.0f", fmin(m->peak, 9.99) * 100);
}

static int by_peak(const void *x, const void *y)
{
	const struct meter *a = x, *b = y;

	return a->peak != b->peak ? (a->peak < b->peak ? 1 : -1) : a->cpu - b->cpu;
}

static int meters_width(const struct app *a, const struct meter *m, size_t n, int form)
{
	char text[128];
	int width = 0;

	for (size_t i = 0; i < n; i++) {
		meter_text(a, &m[i], form, text, sizeof(text));
		width += scene_width(&a->scene, text) + 2;
	}
	return width;
}

/* Write a strip of cells, each for one meter or for the mean of neighbours. */
static void strip_text(const struct app *a, const struct meter *m, size_t n, size_t cells,
		       char *strip, size_t size)
{
	size_t pos = 0;

	*strip = '\0';
	for (size_t c = 0, i = 0; c < cells; c++) {
		size_t first = i;
		double sum = 0;

		for (; i < n && i * cells < (c + 1) * n; i++)
			sum += m[i].fill;
		sum = i > first ? sum / (double)(i - first) : 0;
		pos = text_append(
			strip, size, pos, "%s",
			widget_level(sum > 0 ? (int)fmax(lround(sum * 8), 1) : 0, a->scene.ascii));
	}
}

static size_t node_end(const struct meter *m, size_t n, size_t i)
{
	size_t end = i;

	while (end < n && same_node(&m[end], &m[i]))
		end++;
	return end;
}

static size_t host_end(const struct meter *m, size_t n, size_t i)
{
	size_t end = i;

	while (end < n && m[end].host == m[i].host)
		end++;
	return end;
}

#define STRIP_CELLS 48
#define NODES_NAMED 12 /* most nodes with names, which take a segment each */
#define HOST_BYTES  16

/* Write "web01 ", without the user of user@host, if there are several hosts; else nothing. */
static size_t meter_host_name(const struct app *a, char *buf, size_t size, const struct meter *m)
{
	char host[400], *at;

	*buf = '\0';
	if (model_info(a->model)->nhosts < 2)
		return 0;
	hosttexts_cell(a, m->cpu, host, sizeof(host));
	at = strchr(host, '@');
	return text_append(buf, size, 0, "%.*s ", HOST_BYTES, at && at[1] ? at + 1 : host);
}

/*
 * Write the name of the node that begins at i, "n0 " or "n? ", preceded by its host's name if it is
 * the first of one of several hosts.  A host's only node has no name.
 */
static size_t node_name(const struct app *a, char *buf, size_t size, const struct meter *m,
			size_t n, size_t i)
{
	bool first = !i || m[i - 1].host != m[i].host,
	     alone = first && node_end(m, n, i) == host_end(m, n, i);
	size_t pos = 0;

	*buf = '\0';
	if (first)
		pos = meter_host_name(a, buf, size, &m[i]);
	if (alone)
		return pos;
	return m[i].node < 0 ? text_append(buf, size, pos, "n? ")
			     : text_append(buf, size, pos, "n%d ", m[i].node);
}

/*
 * Add "n0 ▁▃█ n1 ▁▃▂": cells per node in proportion to its CPUs, equally many for equal nodes.
 * False: too narrow, nothing added.
 */
static bool strip_nodes(const struct app *a, struct widget_line *l, const struct meter *m, size_t n,
			size_t nodes, size_t cols)
{
	size_t names = 0, more;
	char strip[sizeof(l->seg[0].text)];

	for (size_t i = 0; i < n; i = node_end(m, n, i)) {
		node_name(a, strip, sizeof(strip), m, n, i);
		names += 1 + (size_t)scene_width(&a->scene, strip);
	}
	if (nodes > NODES_NAMED || cols < names + nodes)
		return false;
	more = cols - names < STRIP_CELLS ? cols - names - nodes : STRIP_CELLS - nodes;
	more -= more % nodes;
	for (size_t i = 0, end; i < n; i = end) {
		size_t pos = node_name(a, strip, sizeof(strip), m, n, i), cells;

		end = node_end(m, n, i);
		cells = 1 + end * more / n - i * more / n;
		strip_text(a, m + i, end - i, cells < end - i ? cells : end - i, strip + pos,
			   sizeof(strip) - pos);
		widget_segment(l, ROLE_GAUGE, 5, 1, "%s", strip);
	}
	return true;
}

/* Write a strip with a cell for each node. */
static void node_cells(const struct app *a, const struct meter *m, size_t n, char *strip,
		       size_t size)
{
	char cell[8];
	size_t pos = 0;

	*strip = '\0';
	for (size_t i = 0, end; i < n; i = end) {
		end = node_end(m, n, i);
		strip_text(a, m + i, end - i, 1, cell, sizeof(cell));
		pos = text_append(strip, size, pos, "%s", cell);
	}
}

static size_t count_hosts(const struct meter *m, size_t n)
{
	size_t hosts = 0;

	for (size_t i = 0; i < n; i = host_end(m, n, i))
		hosts++;
	return hosts;
}

/* Add "web01 ▆▃ web02 ▇▁": a cell for each node of each host.  False: too narrow, nothing added. */
static bool strip_hosts(const struct app *a, struct widget_line *l, const struct meter *m, size_t n,
			size_t nodes, size_t cols)
{
	size_t names = 0;
	char strip[sizeof(l->seg[0].text)];

	if (count_hosts(m, n) > NODES_NAMED)
		return false;
	for (size_t i = 0; i < n; i = host_end(m, n, i)) {
		meter_host_name(a, strip, sizeof(strip), &m[i]);
		names += 1 + (size_t)scene_width(&a->scene, strip);
	}
	if (cols < names + nodes)
		return false;
	for (size_t i = 0, end; i < n; i = end) {
		size_t pos = meter_host_name(a, strip, sizeof(strip), &m[i]);

		end = host_end(m, n, i);
		node_cells(a, m + i, end - i, strip + pos, sizeof(strip) - pos);
		widget_segment(l, ROLE_GAUGE, 5, 1, "%s", strip);
	}
	return true;
}

/* Replace a host's meters by one, their mean; returns the number of hosts. */
static size_t fold_hosts(struct meter *m, size_t n)
{
	size_t hosts = 0;

	for (size_t i = 0, end; i < n; i = end) {
		struct meter host = m[i];

		end = host_end(m, n, i);
		host.fill = 0;
		for (size_t k = i; k < end; k++)
			host.fill += m[k].fill / (double)(end - i);
		m[hosts++] = host;
	}
	return hosts;
}

/*
 * Add a strip for many nodes or little room: a cell for each node, else for each host, else for
 * neighbouring CPUs.  Returns the unit of the cells, "": CPUs.
 */
static const char *strip_folded(const struct app *a, struct widget_line *l, struct meter *m,
				size_t n, size_t nodes, size_t cells)
{
	size_t hosts = nodes ? count_hosts(m, n) : 1;
	char strip[sizeof(l->seg[0].text)];
	const char *what = "";

	cells = cells < STRIP_CELLS ? cells : STRIP_CELLS;
	if (hosts < 2 && nodes >= 2 && nodes <= cells) {
		node_cells(a, m, n, strip, sizeof(strip));
		what = "nodes ";
	} else {
		if (hosts >= 2) {
			n = fold_hosts(m, n);
			what = "hosts ";
		}
		strip_text(a, m, n, cells < n ? cells : n, strip, sizeof(strip));
	}
	widget_segment(l, ROLE_GAUGE, 5, 1, "%s", strip);
	return what;
}

/*
 * Add a strip for more CPUs than there is room for: cells by host and node, or by neighbours if
 * these are unknown, and the mean of all in figures.
 */
static bool strip_segments(const struct app *a, struct widget_line *l, struct meter *m, size_t n,
			   int room, const char *what)
{
	size_t cells = room > 24 ? (size_t)room - 24 : 0, nodes = place_nodes(a, m, n);
	const char *folded = "";
	double all = 0;

	if (!cells || !n)
		return false;
	for (size_t i = 0; i < n; i++)
		all += m[i].fill;
	widget_segment(l, ROLE_DIM, 5, 2, "│ %s", what);
	if (nodes < 2 || !(strip_nodes(a, l, m, n, nodes, cells) ||
			   (m[0].host != m[n - 1].host && strip_hosts(a, l, m, n, nodes, cells))))
		folded = strip_folded(a, l, m, n, nodes, cells);
	widget_segment(l, ROLE_GAUGE, 5, 1, "%s%.0f%% of %zu CPUs", folded, all / (double)n * 100,
		       n);
	return true;
}

/*
 * Add all meters in the widest form that fits into `room`.  If they do not fit and `all` is not
 * set: the fullest rings and the number of the others, or a strip of CPUs.  False: nothing added.
 */
static bool meter_segments(const struct app *a, struct widget_line *l, struct meter *m, size_t n,
			   int room, bool all, bool stat)
{
	bool rings = n && m[0].peak >= 0, narrow = a->scene.cols < 100 && !rings; /* label rings */
	const char *what = rings ? "rings" : stat ? "/proc/stat" : "busy";
	size_t shown = n;
	char text[128];
	int form = 2;

	what = narrow ? (stat ? "stat" : "") : what;
	room -= (narrow ? 3 : 9) + (stat ? 6 : 0); /* the label before them */
	while (form > 0 && meters_width(a, m, n, form) > room)
		form--;
	if (meters_width(a, m, n, form) > room || n > RINGS_SHOWN) {
		if (all)
			return false;
		if (!rings)
			return strip_segments(a, l, m, n, room, stat ? "/proc/stat" : "busy");
		qsort(m, n, sizeof(*m), by_peak);
		shown = n < RINGS_SHOWN ? n : RINGS_SHOWN;
		while (shown && meters_width(a, m, shown, form) + 7 > room)
			shown--;
	}
	if (!shown)
		return false;
	widget_segment(l, ROLE_DIM, 5, 2, "│%s%s", *what ? " " : "", what);
	for (size_t i = 0; i < shown; i++) {
		meter_text(a, &m[i], form, text, sizeof(text));
		widget_segment(l, meter_role(&m[i]), 5, i ? 2 : 1, "%s", text);
	}
	if (shown < n)
		widget_segment(l, ROLE_DIM, 5, 2, "+%zu", n - shown);
	return true;
}

/*
 * Write the fullest ring of the window, "ring cpu0 ↑65%", if it was half full or rings lost
 * something, else "".
 */
static enum role ring_mark(const struct app *a, const struct meter *rings, size_t n,
			   const struct account *acc, char *buf, size_t size)
{
	bool lost = acc->lost[LOST_OVERWRITTEN] || acc->lost[LOST_FULL];
	const struct meter *fullest = n ? rings : NULL;
	char name[48];

	*buf = '\0';
	for (size_t i = 1; i < n; i++)
		fullest = rings[i].peak > fullest->peak ? &rings[i] : fullest;
	if (!fullest || (!lost && !(fullest->peak >= RING_HIGH)))
		return ROLE_DIM;
	meter_place_name(a, fullest->cpu, fullest->tid, name, sizeof(name));
	snprintf(buf, size, "ring %s ↑%.0f%%", name, fmin(fullest->peak, 9.99) * 100);
	return meter_role(fullest);
}

/* Write the steal time of a virtual machine, "steal 6%", from half a per cent on. */
static void steal_text(const struct app *a, char *buf, size_t size)
{
	struct cpuuse_split all;

	*buf = '\0';
	if (cpuuse_split(a, ALL_CPUS, &all) && all.steal >= 0.005)
		snprintf(buf, size, "steal %.0f%%", all.steal * 100);
}

/*
 * Columns of the words before the meters, with a loss, "1.97k samples/s attributed 99.16% lost
 * 1.23k~ LOSS 1.0%", and of the words behind them.
 */
#define WORDS_COLS 62
#define SELF_COLS  20

/*
 * Return true if full words have room beside the meters.  Only the screen's width and the number of
 * CPUs decide, not the words: else the line would change its form with every loss.
 */
static bool line_has_room(const struct app *a, const struct meter *m, size_t n)
{
	return a->scene.cols - 2 >=
	       WORDS_COLS + SELF_COLS + 9 +
		       meters_width(a, m, n < RINGS_SHOWN ? n : RINGS_SHOWN, 0);
}

static void shorten_words(struct widget_line *l)
{
	for (unsigned i = 0; i < l->nr; i++)
		if (l->seg[i].brief[0])
			memcpy(l->seg[i].text, l->seg[i].brief, sizeof(l->seg[i].brief));
}

/* Add the meters and the segments of `more` in the widest form that fits.  False: nothing added. */
static bool add_fitting(const struct app *a, struct meter *m, size_t n, bool stat,
			const struct widget_line *more, struct widget_line *line,
			struct widget_line *self)
{
	static const struct {
		bool self, all;
	} tries[] = {{true, true}, {false, true}, {true, false}, {false, false}};
	const struct scene *s = &a->scene;
	bool alarm = self->nr && self->seg[0].role != ROLE_DIM;

	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		int room = s->cols - 2 - widget_line_width(s, line, false) -
			   (more->nr ? widget_line_width(s, more, false) + 2 : 0);

		if (alarm && !tries[i].self)
			continue;
		if (tries[i].self && self->nr)
			room -= widget_line_width(s, self, false) + 2;
		if (!meter_segments(a, line, m, n, room, tries[i].all, stat))
			continue;
		for (unsigned k = 0; k < more->nr; k++)
			widget_segment(line, more->seg[k].role, 5, 2, "%s", more->seg[k].text);
		if (!tries[i].self)
			self->nr = 0;
		return true;
	}
	return false;
}

/*
 * Meters matter more than words, and more than ringtop's own use unless that is too high: these are
 * shortened or dropped in turn.
 */
void meters_add(const struct app *a, const struct account *acc, struct widget_line *line,
		struct widget_line *self)
{
	struct widget_line more = {.nr = 0};
	struct meter rings[METERS_MAX], cpus[METERS_MAX], *m = rings;
	bool stat = false;
	size_t n = sample_rings(a, rings), ncpus = busy_cpus(a, cpus, &stat);
	enum role role;
	char text[80];

	stat = stat && ncpus;
	if (ncpus) {
		role = ring_mark(a, rings, n, acc, text, sizeof(text));
		if (*text)
			widget_segment(&more, role, 5, 2, "%s", text);
		steal_text(a, text, sizeof(text));
		if (*text)
			widget_segment(&more, ROLE_WARN, 5, 2, "%s", text);
		m = cpus;
		n = ncpus;
	}
	if (!line_has_room(a, m, n)) {
		shorten_words(line);
		shorten_words(self);
	}
	while (!add_fitting(a, m, n, stat, &more, line, self) && more.nr)
		more.nr--;
}
