/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report_log.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "report/jsonout.h"
#include "model/core/eventlog.h"

#define FIELD_TEXT 4096 /* bytes shown of a field's name or value */

static const char *record_event_name(const struct headless_view *v, const struct slice_logged *l)
{
	const struct session_info *info = model_info(v->model);

	return l->event < info->nevents ? info->events[l->event].name : "";
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void put_logged_field(struct out *o, const struct slice_logged_field *f, bool first)
{
	char text[FIELD_TEXT];

	snprintf(text, sizeof(text), "%.*s", (int)f->name_len, f->name);
	out_text(o, first ? "" : ",");
	jsonout_name(o, text);
	out_text(o, ":");
	if (f->number) {
		out_bytes(o, f->value, f->value_len);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int)f->value_len, f->value);
	jsonout_name(o, text);
}

static void put_logged_json(struct out *o, const struct headless_view *v,
			    const struct slice_logged *l)
{
	const struct session_info *info = model_info(v->model);
	struct slice_logged_field f;
	char comm[sizeof(l->comm) + 1];
	const char *at = l->fields;

	out_printf(o, "{\"type\":\"event\",\"time\":%.9f", (double)l->time / NSEC_PER_SEC);
	if (*session_place_name(info, l->cpu))
		jsonout_string(o, ",\"host\":", session_place_name(info, l->cpu));
	jsonout_id(o, ",\"cpu\":", session_place(info, l->cpu).cpu);
	jsonout_id(o, ",\"pid\":", l->pid);
	jsonout_id(o, ",\"tid\":", l->tid);
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(l->comm), l->comm);
	jsonout_text(o, ",\"comm\":", *comm ? comm : NULL);
	jsonout_string(o, ",\"event\":", record_event_name(v, l));
	jsonout_string(o, ",\"text\":", l->text);
	if (l->late)
		out_text(o, ",\"late\":true");
	out_text(o, ",\"fields\":{");
	for (bool first = true; slice_logged_next(&at, &f); first = false)
		put_logged_field(o, &f, first);
	out_text(o, "}}\n");
}

void json_logged(struct out *o, const struct headless_view *v, const struct slice *s)
{
	for (size_t i = 0; i < s->nlogged; i++)
		if (eventlog_passes(model_info(v->model), &s->logged[i], v->filter))
			put_logged_json(o, v, &s->logged[i]);
}

/*
 * Return the number of lost records of all events.  Each event's losses are reported with the
 * event; their sum stands here beside the records that were only not shown.
 */
static uint64_t lost_record_count(const struct headless_view *v)
{
	uint64_t lost = 0;
	struct account a;

	for (unsigned e = 0; e < model_info(v->model)->nevents; e++) {
		model_account(v->model, e, ALL_CPUS, v->window, &a);
		lost += a.lost_samples_all - a.lost_samples[LOST_MULTIPLEXED];
	}
	return lost;
}

void json_logging(struct out *o, const struct headless_view *v)
{
	const struct slice_logging *c = eventlog_counts(v->model, v->window.to != UINT64_MAX);

	if (!v->log_events)
		return;
	jsonout_number(o, ",\"event_log\":{\"lines\":", c->lines);
	jsonout_number(o, ",\"not_shown\":", c->unshown);
	jsonout_number(o, ",\"not_printed\":", c->unprinted);
	jsonout_number(o, ",\"late\":", c->late);
	jsonout_number(o, ",\"lost\":", lost_record_count(v));
	out_text(o, "}");
}

/* --- for people ------------------------------------------------------------------------------ */

static void put_logged_text(struct out *o, const struct headless_view *v,
			    const struct slice_logged *l)
{
	const struct session_info *info = model_info(v->model);
	const char *host = session_place_name(info, l->cpu);
	int cpu = session_place(info, l->cpu).cpu;
	char comm[sizeof(l->comm) + 1];

	out_printf(o, "%llu.%09llu ", (unsigned long long)(l->time / NSEC_PER_SEC),
		   (unsigned long long)(l->time % NSEC_PER_SEC));
	if (*host) {
		out_name(o, host, 0);
		out_text(o, " ");
	}
	if (cpu < 0)
		out_text(o, "[-] ");
	else
		out_printf(o, "[%03d] ", cpu);
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(l->comm), l->comm);
	out_name(o, *comm ? comm : "?", 0);
	out_printf(o, "-%d ", l->tid);
	out_name(o, record_event_name(v, l), 0);
	out_text(o, ": ");
	out_name(o, l->text, 0);
	out_text(o, "\n");
}

void text_logged(struct out *o, const struct headless_view *v, const struct slice *s)
{
	for (size_t i = 0; i < s->nlogged; i++)
		if (eventlog_passes(model_info(v->model), &s->logged[i], v->filter))
			put_logged_text(o, v, &s->logged[i]);
}

void text_logging(struct out *o, const struct headless_view *v)
{
	const struct slice_logging *c = eventlog_counts(v->model, v->window.to != UINT64_MAX);

	if (!v->log_events)
		return;
	out_printf(
		o,
		"  event log: %llu lines, not shown %llu, not printed %llu, late %llu; records lost %llu\n",
		(unsigned long long)c->lines, (unsigned long long)c->unshown,
		(unsigned long long)c->unprinted, (unsigned long long)c->late,
		(unsigned long long)lost_record_count(v));
}
