/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event log (--log-events): a line for each record as it comes, and their number. */
#include "report/section_parts.h"

#include <stdio.h>

#include "base/clock.h"
#include "model/core/eventlog.h"
#include "report/jsonout.h"

#define FIELD_TEXT 4096 /* bytes shown of a field's name or value */

struct logged_row {
	struct slice_logged l;
	struct section_place place;
	const char *event;
	char comm[sizeof(((struct slice_logged *)0)->comm) + 1];
};

static void json_logged_fields(struct out *o, const void *row)
{
	const char *at = ((const struct logged_row *)row)->l.fields;
	struct slice_logged_field f;
	char text[FIELD_TEXT];

	out_text(o, "{");
	while (slice_logged_next(&at, &f)) {
		snprintf(text, sizeof(text), "%.*s", (int)f.name_len, f.name);
		jsonout_string(o, NULL, text);
		out_text(o, ":");
		snprintf(text, sizeof(text), "%.*s", (int)f.value_len, f.value);
		f.number ? out_bytes(o, f.value, f.value_len) : jsonout_name(o, text);
	}
	out_text(o, "}");
}

static void text_logged_head(struct out *o, const void *row)
{
	const struct logged_row *r = row;

	out_printf(o, "%llu.%09llu ", (unsigned long long)(r->l.time / NSEC_PER_SEC),
		   (unsigned long long)(r->l.time % NSEC_PER_SEC));
	out_name(o, r->place.host, 0);
	out_text(o, *r->place.host ? " " : "");
	if (r->place.cpu < 0)
		out_text(o, "[-] ");
	else
		out_printf(o, "[%03d] ", r->place.cpu);
	out_name(o, *r->comm ? r->comm : "?", 0);
	out_printf(o, "-%d ", r->l.tid);
}

static const struct column logged[] = {
#define LOGGED(member) COLUMN_OF(struct logged_row, member)
	{"time", COLUMN_TIME, LOGGED(l.time), "{}", .format = "%.9f", .own = text_logged_head},
	{"host", COLUMN_NAME, LOGGED(place.host), .omit = COLUMN_OMIT},
	{"cpu", COLUMN_ID, LOGGED(place.cpu)}, {"pid", COLUMN_ID, LOGGED(l.pid)},
	{"tid", COLUMN_ID, LOGGED(l.tid)}, {"comm", COLUMN_TEXT, LOGGED(comm)},
	{"event", COLUMN_NAME, LOGGED(event), "{}: "},
	{"text", COLUMN_NAME, LOGGED(l.text), "{}"},
	{"late", COLUMN_BOOL, LOGGED(l.late), .omit = COLUMN_OMIT},
	{"fields", COLUMN_OWN, .json = json_logged_fields},
	{0},
};

static void put_logged_records(struct out *o, const struct headless_view *v, const struct slice *s,
		       bool json)
{
	const struct session_info *info = model_info(v->model);

	for (size_t i = 0; i < s->nlogged; i++) {
		const struct slice_logged *l = &s->logged[i];
		struct logged_row r = {.l = *l, .place = section_place(v, l->cpu, -1)};

		if (!eventlog_passes(info, l, v->filter))
			continue;
		r.event = l->event < info->nevents ? info->events[l->event].name : "";
		snprintf(r.comm, sizeof(r.comm), "%.*s", (int)sizeof(l->comm), l->comm);
		out_text(o, json ? "{\"type\":\"event\"" : "");
		json ? column_json(o, logged, &r, 0) : column_text(o, logged, &r, 0);
		out_text(o, json ? "}\n" : "\n");
	}
}

void section_logged_json(struct out *o, const struct headless_view *v, const struct slice *s)
{
	put_logged_records(o, v, s, true);
}

void section_logged_text(struct out *o, const struct headless_view *v, const struct slice *s)
{
	put_logged_records(o, v, s, false);
}

struct event_log_row {
	struct slice_logging c;
	uint64_t lost;
};

static const struct column event_log[] = {
#define EVENT_LOG(member) COLUMN_OF(struct event_log_row, member)
	{"lines", COLUMN_NUMBER, EVENT_LOG(c.lines), "  event log: {} lines"},
	{"not_shown", COLUMN_NUMBER, EVENT_LOG(c.unshown), ", not shown {}"},
	{"not_printed", COLUMN_NUMBER, EVENT_LOG(c.unprinted), ", not printed {}"},
	{"late", COLUMN_NUMBER, EVENT_LOG(c.late), ", late {}"},
	{"lost", COLUMN_NUMBER, EVENT_LOG(lost), "; records lost {}"},
	{0},
};

/*
 * Fill in the counts of records shown, not shown and lost.  Each event's losses are reported with
 * the event; their sum stands here beside the records that were only not shown.
 */
static bool fill_event_log(struct section_rows *to)
{
	const struct headless_view *v = to->v;
	struct event_log_row r = {*eventlog_counts(v->model, v->window.to != UINT64_MAX), 0};
	struct account a;

	for (unsigned e = 0; e < model_info(v->model)->nevents; e++) {
		model_account(v->model, e, ALL_CPUS, v->window, &a);
		r.lost += a.lost_samples_all - a.lost_samples[LOST_MULTIPLEXED];
	}
	if (v->log_events)
		section_row(to, &r);
	return v->log_events;
}

const struct section section_event_log = {.name = "event_log", .columns = event_log, .object = true,
	.fill = fill_event_log};
