/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names are chosen by the profiled program, and a spreadsheet runs a cell that begins with = + - or
 * @, quoted or not.  A ' in front keeps it a text.  A name that begins with a ' gets one as well,
 * so that removing one ' from every cell that begins with it restores the names.
 */
#include "report/export/export_csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/export/diffed.h"

/*
 * Return true if a spreadsheet could take the text for a formula.  Leading blanks do not make it
 * harmless in all of them; some accept the full-width characters, too.
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
					   "\xef\xbc\xa0"};

	text += strspn(text, " ");
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strncmp(text, wide[i], strlen(wide[i])))
			return true;
	return *text && strchr("=+-@'|%", *text);
}

void csv_name(struct out *o, const char *name)
{
	size_t max = strlen(name) * 4 + 1, len;
	char small[512], *text = max <= sizeof(small) ? small : malloc(max);

	if (!text) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	text_escape(text, max, name);
	out_text(o, is_formula(text) ? "\"'" : "\"");
	for (char *at = text;; at += len + 1) {
		len = strcspn(at, "\"");
		out_bytes(o, at, len);
		if (!at[len])
			break;
		out_text(o, "\"\"");
	}
	out_text(o, "\"");
	if (text != small)
		free(text);
}

static const char *kind(const struct row *r)
{
	if (r->flags & ROW_LOST)
		return "lost";
	if (r->flags & ROW_SELF)
		return "ringtop";
	return r->flags & ROW_KERNEL ? "kernel" : "user";
}

static void put_cell(struct out *o, const char *name)
{
	out_text(o, ",");
	csv_name(o, name);
}

static void put_count(struct out *o, uint64_t n)
{
	out_text(o, ",");
	out_number(o, n);
}

static void put_csv_row(struct out *o, const struct session_event *e, const struct row *r)
{
	csv_name(o, e->name);
	put_cell(o, *e->weight ? e->weight : e->unit ? e->unit : "");
	put_cell(o, r->host);
	put_cell(o, r->name);
	put_cell(o, r->flags & ROW_UNMAPPED ? "" : r->object);
	put_cell(o, r->task);
	out_printf(o, ",%s", kind(r));
	put_count(o, r->samples);
	put_count(o, r->self);
	put_count(o, r->total);
	out_printf(o, ",%.4f,%.4f", r->self_share * 100, r->total_share * 100);
	put_count(o, r->flags & ROW_FOLDED ? r->folded : 1);
	put_cell(o, r->flags & ROW_LOADING ? "loading" : r->why);
	out_text(o, "\r\n");
	export_breathe(o);
}

static void put_flag(struct out *o, bool flag)
{
	out_text(o, flag ? ",true" : ",false");
}

static void put_csv_difference(struct out *o, const struct session_event *e,
			       const struct difference *d)
{
	const struct profile_row *r = difference_row(d);

	csv_name(o, e->name);
	put_cell(o, *e->weight ? e->weight : e->unit ? e->unit : "");
	put_cell(o, r->name);
	put_cell(o, r->flags & ROW_UNMAPPED ? "" : r->object);
	out_text(o, r->flags & ROW_SELF ? ",ringtop" : r->flags & ROW_KERNEL ? ",kernel" : ",user");
	put_count(o, d->now ? d->now->samples : 0);
	put_count(o, d->was ? d->was->samples : 0);
	out_printf(o, ",%.4f,%.4f,%.4f,%.4f,%.4f,%.3f,%.3f,%.3f,%.3f", d->share * 100,
		   d->was_share * 100, d->delta * 100, d->low * 100, d->high * 100, d->rate,
		   d->was_rate, d->rate_low, d->rate_high);
	put_flag(o, d->flags & DIFFERENCE_SIGNIFICANT);
	put_flag(o, d->flags & DIFFERENCE_NEW);
	put_flag(o, d->flags & DIFFERENCE_GONE);
	put_flag(o, d->flags & DIFFERENCE_SHARE_ONLY);
	out_text(o, "\r\n");
	export_breathe(o);
}

/* Append the differences from the baseline, in place of the rows. */
static void csv_changes_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);

	out_text(
		o,
		"event,unit,function,object,kind,samples,baseline_samples,percent,baseline_percent,delta,delta_low,"
		"delta_high,rate,baseline_rate,rate_delta_low,rate_delta_high,significant,new,gone,share_only\r\n");
	for (unsigned event = 0; event < info->nevents && !o->error; event++) {
		struct diffed d;

		if (diffed_functions(src, event, &d))
			o->error = -ENOMEM;
		for (size_t i = 0; i < d.c.nr && !o->error; i++)
			put_csv_difference(o, &info->events[event], compare_row(&d.c, i));
		diffed_clear(&d);
	}
}

static void csv_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);
	struct query q = *src->query;

	if (src->baseline) {
		csv_changes_write(o, src);
		return;
	}
	q.group = GROUP_FUNCTION;
	q.sort = SORT_SELF;
	q.by_host = true;
	q.reverse = q.trend = false;
	q.limit = 0;
	out_text(
		o,
		"event,unit,host,function,object,task,kind,samples,self,total,self_percent,total_percent,"
		"stands_for,note\r\n");
	for (q.event = 0; q.event < info->nevents; q.event++) {
		const struct rows *rows = model_rows(src->model, &q, src->window);

		if (!rows) {
			o->error = o->error ? o->error : -ENOMEM;
			return;
		}
		for (size_t i = 0; i < rows->nr && !o->error; i++)
			put_csv_row(o, &info->events[q.event], &rows->row[i]);
	}
}

const struct export_format export_csv = {
	.name = "csv",
	.suffix = ".csv",
	.compares = true,
	.write = csv_write,
};
