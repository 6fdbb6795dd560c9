/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/hosttexts.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/compare.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"

#define NAME_BYTES 1100
#define BEHIND_NS  (2 * NSEC_PER_SEC)   /* longer than between heartbeats: the link is slow */
#define AWAY_NS    (100 * NSEC_PER_MSEC) /* least round trip that a user notices */

/* Roles of states, and how bad they are. */
static const struct {
	enum role role;
	unsigned trouble;
} states[HOST_STATES] = {
	[HOST_CONNECTING] = {ROLE_WARN, 1}, [HOST_UP] = {ROLE_TEXT, 0},
	[HOST_LATE] = {ROLE_WARN, 1},	    [HOST_CUT] = {ROLE_BAD, 2},
	[HOST_ENDED] = {ROLE_DIM, 0},	    [HOST_FAILED] = {ROLE_BAD, 2},
};

static const char *cut_since(const struct app *a, const struct slice_host *h, char buf[UNITS_LEN])
{
	uint64_t now = model_now(a->model), span = now > h->since ? now - h->since : 0;

	/* With a single host session time stands still while nothing comes. */
	if (states[h->state].trouble && h->behind_ns != GAUGE_UNKNOWN && h->behind_ns > span)
		span = h->behind_ns;
	return units_span(buf, span);
}

static const char *what_next(const struct slice_host *h)
{
	return h->state == HOST_FAILED ? "not tried again" : "trying again";
}

/* --- the head --------------------------------------------------------------------------- */

void hosttexts_segment(const struct app *a, struct widget_line *l)
{
	const struct session_info *info = model_info(a->model);
	unsigned in[HOST_STATES] = {0}, trouble = 0;
	enum role role = ROLE_TEXT;
	char text[160];
	size_t pos;

	if (info->nhosts < 2) {
		text_escape(text, sizeof(text), info->host);
		if (text[0])
			widget_segment(l, ROLE_TEXT, info->nhosts ? 2 : 5, 2, "%.30s", text);
		return;
	}
	pos = text_append(text, sizeof(text), 0, "%u hosts", info->nhosts);
	for (size_t i = 0; i < model_nhosts(a->model); i++) {
		struct host h;

		model_host(a->model, i, WINDOW_ALL, &h);
		in[h.now.state]++;
		if (states[h.now.state].trouble > trouble) {
			trouble = states[h.now.state].trouble;
			role = states[h.now.state].role;
		}
	}
	for (int s = 0; s < HOST_STATES; s++)
		if (in[s] && s != HOST_UP)
			pos = text_append(text, sizeof(text), pos, ", %u %s", in[s],
					  host_state_names[s]);
	widget_segment(l, role, trouble ? 0 : 5, 2, "%s", text);
}

static bool only_host(const struct app *a, struct host *h)
{
	if (model_info(a->model)->nhosts != 1 || !model_nhosts(a->model))
		return false;
	model_host(a->model, 0, app_window(a), h);
	return true;
}

bool hosttexts_cut_segment(const struct app *a, struct widget_line *l)
{
	struct widget_segment *g;
	char why[400], span[UNITS_LEN], name[16];
	struct host h;
	size_t i;

	if (!only_host(a, &h) || states[h.now.state].trouble < 2)
		return false;
	text_append(name, sizeof(name), 0, "%s", host_state_names[h.now.state]);
	for (i = 0; name[i]; i++)
		name[i] = (char)(name[i] - 'a' + 'A');
	text_escape(why, sizeof(why), h.now.why);
	g = widget_segment(l, ROLE_BAD, 0, 2, "■ %s %s: %.100s%s%s", name,
			   cut_since(a, &h.now, span), why, why[0] ? ", " : "", what_next(&h.now));
	text_append(g->brief, sizeof(g->brief), 0, "■ %s %s: %.40s", name, span,
		    why[0] ? why : what_next(&h.now));
	return true;
}

/*
 * Append what is special about the link; *brief: where in buf its worst part begins, 0: nothing
 * bad.
 */
static size_t add_link(const struct host *h, char *buf, size_t size, size_t pos, size_t *brief)
{
	char n[UNITS_LEN];

	*brief = 0;
	if (h->link.merged)
		pos = text_append(buf, size, pos, ", %s slices merged",
				  units_count(n, (double)h->link.merged));
	if (h->link.folded_samples) {
		*brief = pos + 2;
		pos = text_append(buf, size, pos, ", %s samples folded",
				  units_count(n, (double)h->link.folded_samples));
	}
	if (h->now.behind_ns != GAUGE_UNKNOWN &&
	    h->now.behind_ns > BEHIND_NS + h->now.beat_ms * NSEC_PER_MSEC) {
		*brief = pos + 2;
		pos = text_append(buf, size, pos, ", %s behind", units_span(n, h->now.behind_ns));
	}
	return pos;
}

static double link_rate(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes / seconds : 0;
}

void hosttexts_link_segment(const struct app *a, struct widget_line *l)
{
	char text[160], n[UNITS_LEN];
	size_t pos, brief;
	struct host h;
	bool far;

	if (!only_host(a, &h) || states[h.now.state].trouble == 2)
		return;
	pos = text_append(text, sizeof(text), 0, "link %s/s",
			  units_bytes(n, link_rate(h.link.bytes_in + h.link.bytes_out, h.seconds)));
	if (h.now.round_trip_ns != GAUGE_UNKNOWN)
		pos = text_append(text, sizeof(text), pos, " %s",
				  units_span(n, h.now.round_trip_ns));
	far = h.now.round_trip_ns != GAUGE_UNKNOWN && h.now.round_trip_ns > AWAY_NS;
	add_link(&h, text, sizeof(text), pos, &brief);
	if (brief)
		text_append(widget_segment(l, ROLE_WARN, 2, 2, "%s", text)->brief,
			    sizeof(l->seg[0].brief), 0, "%s", text + brief);
	else
		widget_segment(l, ROLE_DIM, far ? 3 : 7, 2, "%s", text);
}

/* --- all of them ------------------------------------------------------------------------ */

struct rank {
	unsigned host, trouble;
	double loss, fill;
};

static int rank_compare(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	return COMPARE(b->trouble, a->trouble) ?: COMPARE(b->loss, a->loss) ?:
	       COMPARE(b->fill, a->fill) ?: COMPARE(a->host, b->host);
}

static double host_loss(const struct app *a, unsigned host)
{
	struct account acc;

	model_host_account(a->model, a->event, host, WINDOW_ALL, &acc);
	return isnan(acc.attributed_share) ? 0 : 1 - acc.attributed_share;
}

static void rank_fills(const struct app *a, struct rank *rank, unsigned nr)
{
	for (size_t i = 0; i < model_ngauges(a->model); i++) {
		struct gauge g;
		unsigned host;

		model_gauge(a->model, i, WINDOW_ALL, &g);
		host = session_place(model_info(a->model), g.now.cpu).host;
		if (host < nr)
			rank[host].fill = fmax(rank[host].fill, g.fill_peak);
	}
}

size_t hosttexts_worst(const struct app *a, unsigned *order, size_t nr)
{
	unsigned hosts = model_info(a->model)->nhosts;
	struct rank *rank = calloc(hosts + 1, sizeof(*rank));

	for (unsigned i = 0; rank && i < hosts; i++) {
		struct host h;

		model_host(a->model, i, WINDOW_ALL, &h);
		rank[i] = (struct rank){i, states[h.now.state].trouble, host_loss(a, i), 0};
	}
	if (rank) {
		rank_fills(a, rank, hosts);
		qsort(rank, hosts, sizeof(*rank), rank_compare);
	}
	for (unsigned i = 0; i < hosts && i < nr; i++)
		order[i] = rank ? rank[i].host : i;
	free(rank);
	return hosts;
}

/* Append the link's times: "  round trip 1.2 ms  clock +1.0 ms +-100 us". */
static size_t add_clock(const struct slice_host *h, char *buf, size_t size, size_t pos)
{
	char n[UNITS_LEN];

	if (h->round_trip_ns == GAUGE_UNKNOWN || h->error_ns == GAUGE_UNKNOWN)
		return pos;
	pos = text_append(buf, size, pos, "  round trip %s", units_span(n, h->round_trip_ns));
	pos = text_append(buf, size, pos, "  clock %s%s", h->offset_ns < 0 ? "-" : "+",
			  units_span(n, (uint64_t)llabs(h->offset_ns)));
	return text_append(buf, size, pos, " +-%s", units_span(n, h->error_ns));
}

enum role hosttexts_line(const struct app *a, unsigned host, char *buf, size_t size)
{
	const struct session_host *who = &model_info(a->model)->hosts[host];
	double loss = host_loss(a, host);
	char name[NAME_BYTES], n[UNITS_LEN], why[700];
	struct host h;
	size_t pos, brief;

	model_host(a->model, host, app_window(a), &h);
	text_escape(name, sizeof(name), who->name);
	pos = text_append(buf, size, 0, "%-12s %s %s", name, host_state_names[h.now.state],
			  cut_since(a, &h.now, n));
	if (h.now.why[0]) {
		text_escape(why, sizeof(why), h.now.why);
		pos = text_append(buf, size, pos, ": %s, %s", why, what_next(&h.now));
	}
	pos = text_append(buf, size, pos, "  lost %.2f%%", loss * 100);
	pos = text_append(buf, size, pos, "  in %s/s",
			  units_bytes(n, link_rate(h.link.bytes_in, h.seconds)));
	pos = text_append(buf, size, pos, " out %s/s",
			  units_bytes(n, link_rate(h.link.bytes_out, h.seconds)));
	pos = add_clock(&h.now, buf, size, pos);
	add_link(&h, buf, size, pos, &brief);
	return states[h.now.state].trouble ? states[h.now.state].role : theme_loss(loss);
}

void hosttexts_cell(const struct app *a, int cpu, char *buf, size_t size)
{
	text_escape(buf, size, session_place_name(model_info(a->model), cpu));
}

void hosttexts_gap_text(const struct app *a, uint64_t from, uint64_t to, char *buf, size_t size)
{
	const struct session_info *info = model_info(a->model);
	const struct host_gap *gap;
	char name[NAME_BYTES] = "", why[700], n[UNITS_LEN];
	size_t pos;

	buf[0] = '\0';
	if (!model_gaps(a->model, (struct window){from, to}, &gap, 1) || gap->host >= info->nhosts)
		return;
	if (info->nhosts > 1)
		text_escape(name, sizeof(name), info->hosts[gap->host].name);
	pos = text_append(buf, size, 0, "%s%s%s %s", name, name[0] ? " " : "",
			  host_state_names[gap->state], units_span(n, gap->to - gap->from));
	text_escape(why, sizeof(why), gap->why);
	text_append(buf, size, pos, "%s%s", why[0] ? ": " : "", why);
}
