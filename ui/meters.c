/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/meters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ui/app.h"
#include "ui/hosts.h"
#include "ui/timeline.h"

static const int bars[] = {0, 6, 10}; /* how long they are in the forms: 2 a long one, 1 a short one, 0 one cell */

static void place_name(const struct app *a, int cpu, int32_t tid, char *buf, size_t size)
{
	int number = session_place(model_info(a->model), cpu).cpu;
	char host[400];

	hosts_cell(a, cpu, host, sizeof(host));
	snprintf(buf, size, "%.24s%s%s%d", host, host[0] ? " " : "", number >= 0 ? "cpu" : "tid",
		 number >= 0 ? number : tid);
}

/* Of a ring: how full; of a CPU: how busy. */
struct meter {
	int cpu;
	int32_t tid;
	double fill;
	double peak; /* a ring's, since the start */
};

#define METERS_MAX  1024
#define RINGS_SHOWN 16
#define RING_HIGH   0.5 /* from there on rings are worth a look */

/* The sample rings, by CPU; returns how many, at most METERS_MAX. */
static size_t sample_rings(const struct app *a, struct meter *rings)
{
	struct window w = app_window(a);
	size_t n = 0;

	for (size_t i = 0; i < model_ngauges(a->model) && n < METERS_MAX; i++) {
		struct gauge g;

		model_gauge(a->model, i, w, &g);
		if (g.now.kind == RING_SAMPLE && g.now.state != RING_OFFLINE)
			rings[n++] = (struct meter){g.now.cpu, g.now.tid, g.fill, g.fill_peak};
	}
	return n;
}

/*
 * A clock that runs on whole CPUs tells what they did; the number of its event, or -1.  Others, and clocks of
 * processes, do not.
 */
static int clock_event(const struct app *a)
{
	const struct session_info *info = model_info(a->model);

	if (!timeline_whole(a))
		return -1;
	for (unsigned e = 0; e < info->nevents; e++)
		if (callpaths_same(info->events[e].name, "cpu-clock") && !info->events[e].off)
			return (int)e;
	return -1;
}

/* How busy each CPU was in the window, by a clock or (*stat) by /proc/stat; 0: that is not known. */
static size_t busy_cpus(const struct app *a, struct meter *cpus, bool *stat)
{
	int event = clock_event(a), cpu[METERS_MAX];
	struct account acc;
	size_t nr, n = 0;
	double busy;

	*stat = event < 0;
	event = *stat ? 0 : event;
	if (!model_info(a->model)->nevents)
		return 0;
	nr = model_account_cpus(a->model, (unsigned)event, cpu, METERS_MAX);
	for (size_t i = 0; i < nr && i < METERS_MAX; i++) {
		model_account(a->model, (unsigned)event, cpu[i], app_window(a), &acc);
		/* By its own count, which stands still where the CPU was offline or the counters were stopped. */
		busy = (double)acc.busy.user + (double)acc.busy.kernel + (double)acc.lost_all;
		if (*stat && model_stat_busy(&acc) >= 0)
			cpus[n++] = (struct meter){cpu[i], 0, model_stat_busy(&acc), -1};
		else if (!*stat && acc.counted)
			cpus[n++] = (struct meter){cpu[i], 0, fmin(busy / (double)acc.counted, 1), -1};
	}
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

	place_name(a, m->cpu, m->tid, name, sizeof(name));
	if (bars[form])
		widget_gauge(bar, sizeof(bar), bars[form], m->fill, a->scene.ascii);
	else
		snprintf(bar, sizeof(bar), "%s", widget_level(level ? level : 1, a->scene.ascii));
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

/* Of more CPUs than have room: a cell for each, or for as many neighbours together, and all of them in words. */
static bool strip_segments(const struct app *a, struct widget_line *l, const struct meter *m, size_t n, int room, const char *what)
{
	size_t cells = room > 24 ? (size_t)room - 24 : 0;
	double all = 0;
	char strip[sizeof(l->seg[0].text)] = "";
	size_t pos = 0;

	cells = cells < n ? cells : n;
	cells = cells < 48 ? cells : 48;
	if (!cells)
		return false;
	for (size_t c = 0, i = 0; c < cells; c++) {
		size_t first = i;
		double sum = 0;

		for (; i < n && i * cells < (c + 1) * n; i++)
			sum += m[i].fill;
		all += sum;
		sum = i > first ? sum / (double)(i - first) : 0;
		pos = text_append(strip, sizeof(strip), pos, "%s",
				  widget_level(sum > 0 ? (int)fmax(lround(sum * 8), 1) : 0, a->scene.ascii));
	}
	widget_segment(l, ROLE_DIM, 5, 2, "│ %s", what);
	widget_segment(l, ROLE_GAUGE, 5, 1, "%s", strip);
	widget_segment(l, ROLE_GAUGE, 5, 1, "%.0f%% of %zu CPUs", all / (double)n * 100, n);
	return true;
}

/*
 * All in the widest form that fits into `room`, or else, unless all are wanted, of rings the fullest few and how many
 * more there are.  False: nothing added.
 */
static bool meter_segments(const struct app *a, struct widget_line *l, struct meter *m, size_t n, int room, bool all, bool stat)
{
	bool rings = n && m[0].peak >= 0, narrow = a->scene.cols < 100 && !rings; /* a ring's 0 % is not a CPU's */
	const char *what = rings ? "rings" : stat ? "/proc/stat" : "busy";
	size_t shown = n;
	char text[128];
	int form = 2;

	what = narrow ? (stat ? "stat" : "") : what;
	room -= (narrow ? 3 : 9) + (stat ? 6 : 0); /* what stands before them */
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

/* A ring was half full, or something was lost there: that matters more than how busy a CPU is. */
static bool rings_matter(const struct meter *rings, size_t n, const struct account *acc)
{
	bool lost = acc->lost[LOST_OVERWRITTEN] || acc->lost[LOST_FULL];

	for (size_t i = 0; i < n && !lost; i++)
		lost = rings[i].peak >= RING_HIGH;
	return lost;
}

/*
 * They matter more than words, and more than what we use ourselves, but where that is too much: what gives
 * way in turn.
 */
void meters_add(const struct app *a, const struct account *acc, struct widget_line *line, struct widget_line *self)
{
	static const struct {
		bool brief, self, all;
	} tries[] = {{false, true, true}, {true, true, true}, {true, false, true},
		     {true, true, false}, {true, false, false}};
	const struct scene *s = &a->scene;
	bool alarm = self->nr && self->seg[0].role != ROLE_DIM;
	bool stat = false;
	struct meter rings[METERS_MAX], cpus[METERS_MAX], *m = rings;
	size_t n = sample_rings(a, rings), ncpus = rings_matter(rings, n, acc) ? 0 : busy_cpus(a, cpus, &stat);

	stat = stat && ncpus;
	if (ncpus) {
		m = cpus;
		n = ncpus;
	}
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		int room = s->cols - 2 - widget_line_width(s, line, tries[i].brief);

		if (alarm && !tries[i].self)
			continue;
		if (tries[i].self && self->nr)
			room -= widget_line_width(s, self, false) + 2;
		if (!meter_segments(a, line, m, n, room, tries[i].all, stat))
			continue;
		if (!tries[i].self)
			self->nr = 0;
		return;
	}
}
