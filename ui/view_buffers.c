/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view_buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "model/rates.h"
#include "ui/app.h"
#include "ui/busy.h"
#include "ui/hosts.h"
#include "ui/widget.h"

#define LATE_NS   5000000u /* a reader later than this is told of */
#define LINES_MAX 64

/* --- cells ------------------------------------------------------------------------------ */

static const char *rate(char buf[UNITS_LEN], uint64_t n, double seconds,
			const char *(*units)(char buf[UNITS_LEN], double n))
{
	if (n == GAUGE_UNKNOWN || !(seconds > 0))
		return "-";
	return units(buf, (double)n / seconds);
}

static enum role text_host(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	(void)width;
	hosts_cell(ctx, ((const struct gauge *)row)->now.cpu, buf, size);
	return ROLE_TEXT;
}

static enum role text_cpu(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct gauge *g = row;
	int cpu = session_place(model_info(a->model), g->now.cpu).cpu;

	(void)width;
	if (cpu >= 0)
		snprintf(buf, size, "%d", cpu);
	else
		snprintf(buf, size, "t%d", g->now.tid);
	return ROLE_TEXT;
}

static enum role text_ring(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", ring_kind_names[((const struct gauge *)row)->now.kind]);
	return ROLE_STRONG;
}

static enum role text_mode(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;

	(void)ctx;
	(void)width;
	if (g->now.kind == RING_AUX)
		snprintf(buf, size, "%s", g->now.mode == RING_FORWARD ? "full" : "snapshot");
	else
		snprintf(buf, size, "%s", ring_mode_names[g->now.mode]);
	return ROLE_TEXT;
}

static enum role text_size(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", units_bytes(n, (double)((const struct gauge *)row)->now.size));
	return ROLE_TEXT;
}

static enum role fill_role(double fill)
{
	return fill >= 1 ? ROLE_BAD : fill >= 0.75 ? ROLE_WARN : ROLE_GAUGE;
}

/* An AUX area in snapshot mode: nobody reads it, so it is neither full nor empty. */
static bool runs_free(const struct gauge *g)
{
	return g->now.kind == RING_AUX && g->now.mode == RING_OVERWRITE;
}

/* The bar of the highest fill in the window, and its number. */
static enum role text_fill(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct app *a = ctx;
	const struct gauge *g = row;
	size_t pos;

	if (g->now.state == RING_OFFLINE) {
		snprintf(buf, size, "cpu is offline");
		return ROLE_DIM;
	}
	if (runs_free(g)) {
		snprintf(buf, size, "runs over itself");
		return ROLE_DIM;
	}
	widget_gauge(buf, size, width > 9 ? width - 5 : 0, g->fill, a->scene.ascii);
	pos = strlen(buf);
	text_append(buf, size, pos, "%4.0f%%", fmin(g->fill, 9.99) * 100);
	return fill_role(g->fill);
}

static enum role text_peak(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;

	(void)ctx;
	(void)width;
	if (runs_free(g)) {
		snprintf(buf, size, "-");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%.0f%%", fmin(g->fill_peak, 9.99) * 100);
	return g->fill_peak >= 0.75 ? fill_role(g->fill_peak) : ROLE_TEXT;
}

static enum role text_records(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", rate(n, g->records, g->seconds, units_count));
	return ROLE_TEXT;
}

static enum role text_bytes(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s", rate(n, g->bytes, g->seconds, units_bytes));
	return ROLE_TEXT;
}

static enum role text_overwritten(const void *ctx, const void *row, char *buf, size_t size,
				  int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	if (g->overwritten_bytes == 0 || g->overwritten_bytes == GAUGE_UNKNOWN) {
		snprintf(buf, size, "%s", g->overwritten_bytes ? "-" : "0");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%s/s", rate(n, g->overwritten_bytes, g->seconds, units_bytes));
	return ROLE_BAD;
}

static enum role text_lost(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	if (g->lost == GAUGE_UNKNOWN) {
		snprintf(buf, size, "-");
		return ROLE_TEXT;
	}
	snprintf(buf, size, "%s", units_count(n, (double)g->lost));
	return g->lost ? ROLE_BAD : ROLE_TEXT;
}

static enum role text_oldest(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
	snprintf(buf, size, "%s",
		 g->now.oldest_ns == GAUGE_UNKNOWN ? "-" : units_span(n, g->now.oldest_ns));
	return ROLE_TEXT;
}

/* What the CPU did, beside its samples. */
static enum role text_busy(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	struct busy_split split;

	(void)width;
	*buf = '\0';
	if (g->now.kind == RING_SAMPLE && g->now.cpu >= 0 && busy_split(ctx, g->now.cpu, &split))
		busy_text(&split, buf, size);
	return ROLE_TEXT;
}

/* What is wrong with the ring, in words. */
static enum role text_note(const void *ctx, const void *row, char *buf, size_t size, int width)
{
	const struct gauge *g = row;
	char n[UNITS_LEN];

	(void)ctx;
	(void)width;
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
	{"HOST", 8, 1, 24, 0, false, -1, text_host},
	{"CPU", 4, 0, 0, 0, true, -1, text_cpu},
	{"RING", 8, 0, 0, 0, false, -1, text_ring},
	{"MODE", 9, 0, 0, 7, false, -1, text_mode},
	{"SIZE", 5, 0, 0, 5, true, -1, text_size},
	{"FILL", 14, 2, 40, 0, false, -1, text_fill},
	{"↑", 5, 0, 0, 0, true, -1, text_peak},
	{"REC/s", 6, 0, 11, 3, true, -1, text_records},
	{"BYTES/s", 7, 0, 11, 4, true, -1, text_bytes},
	{"OVERWRTN", 8, 0, 0, 2, true, -1, text_overwritten},
	{"LOST", 5, 0, 0, 1, true, -1, text_lost},
	{"OLDEST", 8, 0, 0, 8, true, -1, text_oldest},
	{"CPU BUSY", 28, 0, 0, 10, false, -1, text_busy},
	{"", 20, 1, 30, 9, false, -1, text_note},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* --- the account ------------------------------------------------------------------------ */

struct lines {
	struct {
		char text[512];
		enum role role;
	} line[LINES_MAX];
	int nr;
};

static char *line_add(struct lines *l, enum role role)
{
	static char spare[512];

	if (l->nr == LINES_MAX)
		return spare;
	l->line[l->nr].role = role;
	l->line[l->nr].text[0] = '\0';
	return l->line[l->nr++].text;
}

#define LINE sizeof(((struct lines *)0)->line[0].text)

static const char *amount(char buf[UNITS_LEN], const struct session_event *e, uint64_t n)
{
	return strcmp(e->unit, "ns") ? units_count(buf, (double)n) : units_span(buf, n);
}

/* " (idle 1.2 s, stolen 30 ms)" */
static size_t add_unsampled(char *text, size_t pos, const struct session_event *e,
			    const struct account *acc)
{
	char n[UNITS_LEN];
	bool any = false;

	for (int i = 0; i < UNSAMPLED_NR; i++) {
		if (!acc->unsampled_why[i])
			continue;
		pos = text_append(text, LINE, pos, "%s%s %s", any ? ", " : " (", unsampled_why_names[i],
				  amount(n, e, acc->unsampled_why[i]));
		any = true;
	}
	return any ? text_append(text, LINE, pos, ")") : pos;
}

/* What the kernel's counter has beside, of tasks that are not measured. */
static void add_others(char *text, size_t pos, const struct session_event *e, const struct account *acc)
{
	char n[UNITS_LEN];

	if (acc->others)
		text_append(text, LINE, pos, "  not counted: %s of other tasks", amount(n, e, acc->others));
}

static void add_event(const struct app *a, struct lines *l, unsigned event)
{
	const struct session_event *e = &model_info(a->model)->events[event];
	struct account acc;
	char name[140], counted[UNITS_LEN], attributed[UNITS_LEN], pending[UNITS_LEN], *text;
	size_t pos;

	model_account(a->model, event, ALL_CPUS, WINDOW_ALL, &acc);
	text_escape(name, sizeof(name), e->name);
	text = line_add(l, theme_loss(1 - acc.attributed_share));
	if (!acc.counted) {
		pos = text_append(text, LINE, 0, " %-14s counted -  attributed -%s", name,
				  acc.unknown ? "  it never had a counter: other events hold the hardware" : "");
		add_others(text, pos, e, &acc);
		return;
	}
	pos = text_append(text, LINE, 0, " %-14s counted %s%s  attributed %s  ", name,
			  acc.lost[LOST_MULTIPLEXED] ? "~" : "", amount(counted, e, acc.counted), amount(attributed, e, acc.attributed));
	if (isnan(acc.attributed_share))
		pos = text_append(text, LINE, pos, "-");
	else
		pos = text_append(text, LINE, pos, "%.2f%%", floor(acc.attributed_share * 10000) / 100);
	pos = text_append(text, LINE, pos, "  pending %s", amount(pending, e, acc.pending));
	pos = add_unsampled(text, pos, e, &acc);
	if (1 - acc.attributed_share > 0.10)
		text_append(text, LINE, pos, "  HEAVY LOSS");
	else if (1 - acc.attributed_share > 0.01)
		text_append(text, LINE, pos, "  LOSS");
	text = line_add(l, ROLE_TEXT);
	pos = text_append(text, LINE, 0, "   lost:");
	for (int c = 0; c < LOST_CAUSES; c++) {
		char n[UNITS_LEN];

		if (c == LOST_MULTIPLEXED && !acc.lost[c])
			continue;
		pos = text_append(text, LINE, pos, "%s %s %s%s", c ? " " : "", lost_cause_names[c],
				  units_count(n, (double)acc.lost_samples[c]),
				  acc.lost_samples[c] && !acc.exact ? "~" : "");
	}
	if (acc.throttles)
		pos = text_append(text, LINE, pos, "  throttled %llu times",
				  (unsigned long long)acc.throttles);
	if (acc.starved)
		pos = text_append(text, LINE, pos, "  it counted %.2f%% of the time", model_counter_share(&acc) * 100);
	add_others(text, pos, e, &acc);
}

/* Nothing where it always was as it is. */
static void add_rates(const struct app *a, struct lines *l, unsigned event)
{
	const struct session_event *e = &model_info(a->model)->events[event];
	const struct rate *r = model_next_rate(a->model, event, NULL);

	for (; r && l->nr < LINES_MAX / 2; r = model_next_rate(a->model, event, r)) {
		char counted[UNITS_LEN], samples[UNITS_LEN], how[64], *text = line_add(l, ROLE_DIM);

		if (!r->on)
			snprintf(how, sizeof(how), "off");
		else if (r->frequency)
			snprintf(how, sizeof(how), "%u Hz", r->frequency);
		else
			snprintf(how, sizeof(how), "every %llu", (unsigned long long)r->period);
		snprintf(text, LINE, "   from %llu s: %s: counted %s, %s samples", (unsigned long long)(r->from / NSEC_PER_SEC),
			 how, amount(counted, e, r->counted + rate_multiplexed(r)), units_count(samples, (double)r->samples));
	}
}

/* Nothing where no event is auto. */
static void add_auto(const struct slice_self *self, struct lines *l)
{
	const struct slice_unwind *u = &self->unwind;
	char rate[UNITS_LEN], budget[UNITS_LEN], names[sizeof(self->shallow)], *text;
	size_t pos;

	if (!u->auto_budget)
		return;
	text_escape(names, sizeof(names), self->shallow);
	text = line_add(l, self->shallow[0] && !u->auto_stack ? ROLE_WARN : ROLE_TEXT);
	pos = text_append(text, LINE, 0, " Call paths     auto: ");
	if (u->auto_stack)
		pos = text_append(text, LINE, pos, "copies of %u bytes of stacks%s%s", u->auto_stack, names[0] ? " for " : "", names);
	else if (names[0])
		pos = text_append(text, LINE, pos, "frame pointers alone, though they end after one function, or lead to no code, in %s", names);
	else
		pos = text_append(text, LINE, pos, "frame pointers, which lead far enough");
	pos = text_append(text, LINE, pos, ": samples take %s/s of %s/s", units_bytes(rate, (double)u->auto_rate),
			  units_bytes(budget, (double)u->auto_budget));
	if (u->crowded)
		text_append(text, LINE, pos, "  no room for %llu copies", (unsigned long long)u->crowded);
}

/* Nothing where no stacks are copied. */
static void add_unwind(const struct app *a, struct lines *l)
{
	const struct slice_unwind *u;
	char capacity[UNITS_LEN], n[UNITS_LEN], *text;
	struct head h;
	size_t pos;

	model_head(a->model, a->event, app_window(a), &h);
	u = &h.self.unwind;
	add_auto(&h.self, l);
	if (!u->stack_bytes)
		return;
	text = line_add(l, u->dropped ? ROLE_BAD : ROLE_TEXT);
	pos = text_append(text, LINE, 0, " Unwinding      %s samples",
			  units_count(n, (double)u->samples));
	for (int i = 0; i < SLICE_UNWIND_ENDS && u->samples; i++)
		pos = text_append(text, LINE, pos, "  %s %.1f%%", slice_unwind_end_names[i],
				  100 * (double)u->ends[i] / (double)u->samples);
	if (!u->capacity)
		return; /* a file */
	text_append(text, LINE, pos, "  backlog %.0f%% of %s (%.0f%% at most)  dropped %s",
		    100 * (double)u->bytes / (double)u->capacity,
		    units_bytes(capacity, (double)u->capacity),
		    100 * (double)u->bytes_max / (double)u->capacity,
		    units_count(n, (double)u->dropped));
}

/* Nothing where nothing was recorded. */
static void add_recording(const struct app *a, struct lines *l)
{
	const struct slice_recording *r = model_recording(a->model);
	char file[300], bytes[UNITS_LEN], samples[UNITS_LEN], lost[UNITS_LEN];

	if (!r)
		return;
	text_escape(file, sizeof(file), r->file);
	snprintf(line_add(l, r->state == RECORDING_FAILED ? ROLE_BAD : ROLE_TEXT), LINE,
		 " Recording      %s: %s, %s, %s samples, %s lost", file,
		 recording_state_names[r->state], units_bytes(bytes, (double)r->bytes),
		 units_count(samples, (double)r->samples), units_count(lost, (double)r->lost));
	if (r->lost_sideband)
		snprintf(line_add(l, ROLE_BAD), LINE,
			 "                of maps, names and switches %s records lost on the way to the disk",
			 units_count(lost, (double)r->lost_sideband));
	if (r->lost_aux)
		snprintf(line_add(l, ROLE_BAD), LINE, "                of the trace %s taken and lost",
			 units_bytes(bytes, (double)r->lost_aux));
}

/* Nothing where it is known of all threads whether they are measured. */
static void add_unsure(const struct app *a, struct lines *l)
{
	char n[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.births_unsure)
		snprintf(line_add(l, ROLE_WARN), LINE,
			 " Forks unsure   %s: forked while their parents' events were opened, measured or not",
			 units_count(n, (double)h.self.births_unsure));
}

/* Nothing where all that was to be read of files found room. */
static void add_refused(const struct app *a, struct lines *l)
{
	char taken[UNITS_LEN], limit[UNITS_LEN], n[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.budget_refusals)
		snprintf(line_add(l, ROLE_WARN), LINE,
			 " Memory refused %s times: symbols and lines have %s, --max-memory is %s",
			 units_count(n, (double)h.self.budget_refusals),
			 units_bytes(taken, (double)h.self.budget_bytes),
			 units_bytes(limit, (double)h.self.budget_limit));
}

/* Nothing where none was needed. */
static void add_helpers(const struct app *a, struct lines *l)
{
	const struct fence_figures *f = model_helpers(a->model);
	char text[FIGURES_TEXT];

	for (unsigned i = 0; i < FENCE_PROCESSES; i++, f++) {
		if (f->starts || f->ends)
			snprintf(line_add(l, ROLE_TEXT), LINE, " Helper for     %s", figures_text(text, f));
		if (*figures_trouble(text, f))
			snprintf(line_add(l, ROLE_WARN), LINE, "                %s", text);
	}
}

/* Nothing where all sideband that there was is still kept, for snapshots and for names, and all names came in time. */
static void add_forgotten(const struct app *a, struct lines *l)
{
	char maps[UNITS_LEN], switches[UNITS_LEN], names[UNITS_LEN];
	struct head h;

	model_head(a->model, a->event, WINDOW_ALL, &h);
	if (h.self.maps_forgotten || h.self.switches_forgotten)
		snprintf(line_add(l, ROLE_TEXT), LINE,
			 " For snapshots  too old to be kept: %s maps and names, %s switches",
			 units_count(maps, (double)h.self.maps_forgotten),
			 units_count(switches, (double)h.self.switches_forgotten));
	if (h.self.process_maps_forgotten)
		snprintf(line_add(l, ROLE_WARN), LINE,
			 " Maps forgotten %s: of processes that have more than is kept; samples there are [unknown]",
			 units_count(maps, (double)h.self.process_maps_forgotten));
	if (h.self.names_given_up)
		snprintf(line_add(l, ROLE_WARN), LINE, " Names given up  %s: addresses whose files took too long to read stay without",
			 units_count(names, (double)h.self.names_given_up));
}

#define HOSTS_SHOWN 4

/* Nothing where there is one machine, this one. */
static void add_hosts(const struct app *a, struct lines *l)
{
	unsigned order[HOSTS_SHOWN];
	size_t nr = hosts_worst(a, order, HOSTS_SHOWN);

	for (size_t i = 0; i < nr && i < HOSTS_SHOWN; i++) {
		char *text = line_add(l, ROLE_TEXT);

		text_append(text, LINE, 0, i ? "               " : nr > 1 ? " Worst hosts   " : " Host          ");
		l->line[l->nr - 1].role = hosts_line(a, order[i], text + strlen(text), LINE - strlen(text));
	}
	if (nr > HOSTS_SHOWN)
		text_append(line_add(l, ROLE_DIM), LINE, 0, "                and %zu more: 1, g, host", nr - HOSTS_SHOWN);
}

static void build_account(struct app *a, struct lines *l)
{
	const struct session_info *info = model_info(a->model);
	const char *advice = model_advice(a->model, a->event, app_window(a));
	const struct slice_log *logs[3];
	size_t nlogs;

	snprintf(line_add(l, ROLE_STRONG), LINE,
		 " Loss since start or 'z', by cause (samples; ~ is an estimate)");
	for (unsigned e = 0; e < info->nevents && l->nr < LINES_MAX / 2; e++) {
		add_event(a, l, e);
		add_rates(a, l, e);
	}
	add_hosts(a, l);
	add_unwind(a, l);
	add_recording(a, l);
	add_forgotten(a, l);
	add_unsure(a, l);
	add_refused(a, l);
	add_helpers(a, l);
	if (advice) {
		char *text = line_add(l, ROLE_WARN);
		size_t pos = text_append(text, LINE, 0, " Advice: ");

		text_escape(text + pos, LINE - pos, advice);
	}
	if (info->note[0]) {
		char *text = line_add(l, ROLE_TEXT);

		text[0] = ' ';
		text_escape(text + 1, LINE - 1, info->note);
	}
	nlogs = model_logs(a->model, logs, 3);
	for (size_t i = 0; i < nlogs; i++) {
		char *text;

		if (!strcmp(logs[i]->text, info->note))
			continue; /* said above */
		text = line_add(l, logs[i]->level == SLICE_WARNING ? ROLE_WARN : ROLE_DIM);

		text[0] = ' ';
		text_escape(text + 1, LINE - 1, logs[i]->text);
	}
}

/* Break at blanks; returns the lines used, at most `rows`, drawing only where s is not NULL. */
static int draw_wrapped(struct scene *s, bool draw, struct rect at, enum role role,
			const char *text)
{
	char piece[512];
	int used = 0, indent = 0;

	while (*text && used < at.rows) {
		size_t best = 0, n = 0;

		for (size_t i = 1; text[n] && i < sizeof(piece); i++) {
			n = i;
			memcpy(piece, text, n);
			piece[n] = '\0';
			if (scene_width(s, piece) > at.cols - indent)
				break;
			if (text[n] == ' ' || !text[n])
				best = n;
		}
		if (!best) /* one word longer than the line */
			best = n > 1 ? n - (text[n] != '\0') : n;
		if (!best)
			break;
		memcpy(piece, text, best);
		piece[best] = '\0';
		if (draw)
			scene_fit(s, at.y + used, at.x + indent, at.cols - indent, role, piece);
		used++;
		text += best;
		text += strspn(text, " ");
		indent = at.cols > 30 ? 4 : 0;
	}
	return used;
}

static int account_rows(struct app *a, const struct lines *l, struct rect at, bool draw)
{
	int used = 0;

	for (int i = 0; i < l->nr && used < at.rows; i++)
		used += draw_wrapped(&a->scene, draw,
				     (struct rect){at.y + used, at.x, at.rows - used, at.cols},
				     l->line[i].role, l->line[i].text);
	return used;
}

/* --- the view --------------------------------------------------------------------------- */

/* The rings in the order they are shown: those of the worst host first, else as they come. */
struct rings {
	size_t *at;
	size_t nr;
};

static void rings_of(const struct app *a, unsigned host, struct rings *r)
{
	for (size_t i = 0; i < model_ngauges(a->model); i++) {
		struct gauge g;

		model_gauge(a->model, i, WINDOW_ALL, &g);
		if (session_place(model_info(a->model), g.now.cpu).host == host)
			r->at[r->nr++] = i;
	}
}

/* None: out of memory.  To be freed. */
static struct rings rings_order(const struct app *a)
{
	unsigned hosts = model_info(a->model)->nhosts, *order = calloc(hosts + 1, sizeof(*order));
	struct rings r = {.at = calloc(model_ngauges(a->model) + 1, sizeof(*r.at))};

	if (order && r.at && hosts > 1)
		hosts_worst(a, order, hosts);
	for (unsigned i = 0; order && r.at && i < (hosts ? hosts : 1); i++)
		rings_of(a, order[i], &r);
	free(order);
	return r;
}

static uint64_t key_at(const void *rows, size_t i)
{
	return ((const struct rings *)rows)->at[i] + 1; /* a ring's place in slices is its identity */
}

static void draw_rings(struct app *a, struct rect area)
{
	struct widget_table t = {.columns = columns, .nr = COLUMNS};
	struct list *list = &a->table[a->view].list;
	struct rings rings = rings_order(a);
	size_t n = rings.nr;
	int head = area.rows > 1 ? 1 : 0;

	widget_table_layout(&t, 1, area.cols, model_info(a->model)->nhosts > 1 ? 0 : 1);
	if (head)
		widget_table_head(&a->scene, area.y, area.cols, &t, NULL, -1, false);
	list_sync(list, &(struct list_rows){&rings, n, key_at, NULL, NULL},
		  (size_t)(area.rows - head));
	if (!n)
		scene_fit(&a->scene, area.y + head, 2, -1, ROLE_DIM, "no ring was read yet");
	for (size_t i = list->top; i < n && (int)(i - list->top) < area.rows - head; i++) {
		int y = area.y + head + (int)(i - list->top);
		struct gauge g;

		model_gauge(a->model, rings.at[i], app_window(a), &g);
		widget_table_row(&a->scene, y, area.cols, &t, a, &g,
				 list->touched && i == list->index);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, i, NULL);
	}
	free(rings.at);
}

static void draw(struct app *a, struct rect area)
{
	struct lines l = {.nr = 0};
	struct rect rings = area, account = area;
	int want = (int)model_ngauges(a->model) + 2;

	build_account(a, &l);
	/* The rings may have what the account does not need, but at least half of the view. */
	account.rows = account_rows(a, &l, area, false);
	if (account.rows > area.rows / 2)
		account.rows = area.rows - (want < area.rows / 2 ? want : (area.rows + 1) / 2);
	rings.rows = area.rows - account.rows;
	if (rings.rows > want)
		rings.rows = want;
	account.y = area.y + rings.rows;
	account.rows = area.rows - rings.rows;
	draw_rings(a, rings);
	account_rows(a, &l, account, true);
}

/* What the kernel counts of an ftrace ring, in events. */
static void details_ftrace(const struct slice_ftrace *f, struct details *d)
{
	details_count(d, "entries", f->entries);
	details_count(d, "read", f->read);
	details_add(d, ROLE_TEXT, "overrun", "%llu, commit overrun %llu, dropped %llu", (unsigned long long)f->overrun,
		    (unsigned long long)f->commit_overrun, (unsigned long long)f->dropped);
}

/* Of what is nothing no word, but of user and kernel. */
static void details_busy(const struct app *a, const struct gauge *g, struct details *d)
{
	struct busy_split s;
	char text[160];
	size_t pos;

	if (g->now.cpu < 0 || !busy_split(a, g->now.cpu, &s))
		return;
	pos = text_append(text, sizeof(text), 0, "%.1f%% busy by %s", s.busy * 100, s.stat ? "/proc/stat" : "samples");
	if (s.parts)
		pos = text_append(text, sizeof(text), pos, ": user %.1f%%, kernel %.1f%%", s.user * 100, s.kernel * 100);
	if (s.lost >= 0.0005)
		pos = text_append(text, sizeof(text), pos, ", lost %.1f%%", s.lost * 100);
	if (s.steal >= 0.0005)
		text_append(text, sizeof(text), pos, "; steal %.1f%%", s.steal * 100);
	details_add(d, ROLE_TEXT, "cpu", "%s", text);
}

static void details(struct app *a, struct details *d)
{
	static const char *const states[] = {"live", "offline", "paused while it is read"};
	size_t i = a->table[a->view].list.index;
	struct rings rings = rings_order(a);
	char size[UNITS_LEN], late[UNITS_LEN], host[400];
	bool any = i < rings.nr;
	struct gauge g;
	int cpu;

	if (any)
		model_gauge(a->model, rings.at[i], app_window(a), &g);
	free(rings.at);
	if (!any) {
		details_add(d, ROLE_DIM, "", "no ring is selected");
		return;
	}
	hosts_cell(a, g.now.cpu, host, sizeof(host));
	cpu = session_place(model_info(a->model), g.now.cpu).cpu;
	details_add(d, ROLE_STRONG, "ring", "%s of %s%s%s %d, %s, %s, %s", ring_kind_names[g.now.kind], host,
		    host[0] ? " " : "", cpu >= 0 ? "cpu" : "thread", cpu >= 0 ? cpu : g.now.tid,
		    ring_mode_names[g.now.mode], units_bytes(size, (double)g.now.size),
		    states[g.now.state % 3]);
	details_busy(a, &g, d);
	details_add(d, fill_role(g.fill_peak), "fill",
		    "%.1f%% when last read, %.1f%% at most in the window, %.1f%% since 'z'",
		    g.fill * 100, g.fill_max * 100, g.fill_peak * 100);
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
	.name = "Buffers",
	.columns = columns,
	.ncolumns = sizeof(columns) / sizeof(columns[0]),
	.digit = '6',
	.keys = "help open freeze wider narrower earlier later zero pause quit",
	.draw = draw,
	.details = details,
};
