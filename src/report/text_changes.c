/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text_changes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"

#define WIDTH_FUNCTION 44
#define WIDTH_OBJECT   24
#define NOISE	       10 /* rows that may be chance, by default */
#define NEEDS_MOST     86400 /* seconds: to need a day more is as good as never */

static const char *function_plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void put_compared_side(struct out *o, const char *what, const struct changes_side *s)
{
	out_printf(o, "  %s  ", what);
	if (s->file)
		out_name(o, s->file, 0);
	if (*s->host) {
		out_text(o, s->file ? ", of " : "");
		out_name(o, s->host, 0);
	}
	out_printf(o, ", %.3f s\n", s->seconds);
	if (*s->error) {
		out_text(o, "    not all of it: ");
		out_name(o, s->error, 0);
		out_text(o, "\n");
	}
	for (size_t i = 0; i < s->nlogs; i++) {
		out_text(o, s->logs[i].warning ? "    warning: " : "    note: ");
		out_name(o, s->logs[i].text, 0);
		out_text(o, "\n");
	}
}

static void put_lost_part(struct out *o, const char *what, const struct profile *p)
{
	double all = (double)p->weight + (double)p->lost;

	if (p->lost)
		out_printf(o, "  %s: %.2f%% was lost; the intervals are wider by as much\n",
			   what, 100 * (double)p->lost / all);
}

/* Put a change of weight per second: ms for a clock, else a count. */
static void put_rate_change(struct out *o, const struct profile *p, double rate)
{
	char n[UNITS_LEN], text[UNITS_LEN + 8];

	if (!strcmp(p->unit, "ns"))
		snprintf(text, sizeof(text), "%+.1f ms", rate / 1e6);
	else if (fabs(rate) < 1000)
		snprintf(text, sizeof(text), "%+.1f", rate);
	else
		snprintf(text, sizeof(text), "%c%s", rate < 0 ? '-' : '+',
			 units_count(n, fabs(rate)));
	out_printf(o, " %11s", text);
}

static void put_change_ratio(struct out *o, const struct difference *d)
{
	const char *word =
		d->flags & (DIFFERENCE_NEW | DIFFERENCE_GONE) ? difference_word(d) : NULL;

	if (word)
		out_printf(o, " %6s", *word ? word : "-");
	else if (d->ratio < 1000)
		out_printf(o, " %6.2f", d->ratio);
	else
		out_text(o, "  >1000");
}

/* Put how much longer to measure, at least, to decide on a difference that may be chance. */
static void put_needs(struct out *o, const struct difference *d)
{
	char span[UNITS_LEN];

	out_printf(o, "  >= %s more needed",
		   units_span(span, (uint64_t)ceil(d->needs) * NSEC_PER_SEC));
}

static void put_changed_row(struct out *o, const struct changes_event *e,
			    const struct difference *d)
{
	const struct profile_row *r = difference_row(d);
	bool needs = !(d->flags & DIFFERENCE_SIGNIFICANT) && d->needs > 0 && d->needs < NEEDS_MOST;
	bool more = needs || d->flags & DIFFERENCE_SHARE_ONLY;
	int width = *r->object || more ? WIDTH_FUNCTION : 0;

	out_printf(o, "  %+7.2f %6.2f %7.2f %7.2f", d->delta * 100, (d->high - d->low) * 50,
		   d->share * 100, d->was_share * 100);
	put_rate_change(o, &e->profile[CHANGES_NOW], d->rate - d->was_rate);
	put_change_ratio(o, d);
	out_text(o, r->flags & ROW_KERNEL ? "  [k] " : "  ");
	if (width)
		out_function(o, r->name, r->flags & ROW_KERNEL ? width - 4 : width);
	else
		out_name(o, r->name, 0);
	out_text(o, width ? "  " : "");
	out_name(o, text_base(r->object), more ? WIDTH_OBJECT : 0);
	if (d->flags & DIFFERENCE_SHARE_ONLY)
		out_text(o, "  share only");
	if (needs)
		put_needs(o, d);
	out_text(o, "\n");
}

static void put_changed_rows(struct out *o, const struct changes_event *e, size_t from, size_t to)
{
	if (from == to)
		return;
	out_printf(o, "    DELTA   +-95    NOW%%    WAS%%     DELTA/s  RATIO  %-*s  OBJECT\n",
		   WIDTH_FUNCTION, "FUNCTION");
	for (; from < to; from++)
		put_changed_row(o, e, compare_row(&e->comparison, from));
}

static void put_event_changes(struct out *o, const struct changes *c, const struct changes_event *e)
{
	const struct comparison *k = &e->comparison;
	size_t top = c->top ? c->top : NOISE,
	       to = k->nr - k->significant < top ? k->nr : k->significant + top;

	out_text(o, "  ");
	out_name(o, e->profile[CHANGES_NOW].event, 0);
	out_printf(o, ": %llu samples, were %llu; ",
		   (unsigned long long)e->profile[CHANGES_NOW].samples,
		   (unsigned long long)e->profile[CHANGES_WAS].samples);
	if (k->significant)
		out_printf(o, "%zu function%s changed\n", k->significant,
			   function_plural(k->significant));
	else
		out_text(o, "no significant change\n");
	put_lost_part(o, "baseline", &e->profile[CHANGES_WAS]);
	put_lost_part(o, "other", &e->profile[CHANGES_NOW]);
	if (k->rough)
		out_printf(o,
			   "  with fewer than %d blocks of time on a side the intervals are "
			   "rough\n",
			   COMPARE_BLOCKS);
	put_changed_rows(o, e, 0, k->significant);
	if (k->nr > k->significant)
		out_printf(o, "  not significant, %zu of %zu:\n", to - k->significant,
			   k->nr - k->significant);
	put_changed_rows(o, e, k->significant, to);
}

void text_changes(struct out *o, const struct changes *c)
{
	out_printf(o, "ringtop %s\n", c->version);
	put_compared_side(o, "baseline", &c->side[CHANGES_WAS]);
	put_compared_side(o, "against ", &c->side[CHANGES_NOW]);
	if (c->failed_allocations || c->failed_reads)
		out_printf(
			o,
			"  the system refused memory %llu times, reads %llu times: names may be missing\n",
			(unsigned long long)c->failed_allocations,
			(unsigned long long)c->failed_reads);
	for (size_t i = 0; i < c->nevents; i++) {
		out_text(o, "\n");
		put_event_changes(o, c, &c->events[i]);
	}
}
