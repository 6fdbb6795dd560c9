/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV: names are chosen by the profiled program, and a spreadsheet runs a cell that begins with
 * = + - or @, quoted or not.  A ' in front keeps it a text.  A name that begins with a ' gets one
 * as well, so that removing one ' from every cell that begins with it restores the names.
 */
#include "report/column.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "report/export/markup.h"
#include "report/jsonout.h"

/* --- values ----------------------------------------------------------------------------- */

static const void *column_at(const struct column *c, const void *row)
{
	return (const char *)row + c->at;
}

/* Return a whole number; signed ones as their two's complement. */
static uint64_t column_number(const struct column *c, const void *row)
{
	const void *at = column_at(c, row);

	switch (c->type) {
	case COLUMN_U8:
		return *(const uint8_t *)at;
	case COLUMN_U16:
		return *(const uint16_t *)at;
	case COLUMN_U32:
		return *(const uint32_t *)at;
	case COLUMN_I16:
		return (uint64_t) * (const int16_t *)at;
	case COLUMN_I32:
		return (uint64_t) * (const int32_t *)at;
	case COLUMN_BOOLEAN:
		return *(const bool *)at;
	default:
		return *(const uint64_t *)at;
	}
}

/* Return the array in the row, or to which it points. */
static const void *column_pointer(const struct column *c, const void *row)
{
	const void *at = column_at(c, row);

	if (c->type == COLUMN_POINTER || c->form == COLUMN_ROWS)
		memcpy(&at, column_at(c, row), sizeof(at));
	return at;
}

/* Return a text, or NULL. */
static const char *column_name(const struct column *c, const void *row)
{
	const char *text = c->type == COLUMN_POINTER || c->type == COLUMN_ARRAY
				   ? column_pointer(c, row)
				   : c->names[column_number(c, row)];

	return c->type == COLUMN_ARRAY && c->form == COLUMN_TEXT && !*text ? NULL : text;
}

static double column_real(const struct column *c, const void *row)
{
	return *(const double *)column_at(c, row);
}

static bool is_text(const struct column *c)
{
	return c->form == COLUMN_NAME || c->form == COLUMN_TEXT || c->form == COLUMN_WORD;
}

/* Return true if a whole number stands for one that is not known. */
static bool is_unknown(const struct column *c, uint64_t n)
{
	return (c->form == COLUMN_KNOWN && n == UINT64_MAX) || (c->form == COLUMN_NONZERO && !n) ||
	       (c->form == COLUMN_ID && (int64_t)n < 0);
}

/* Return true if the column is left out here: see enum column_omit. */
static bool is_left_out(const struct column *c, enum column_omit omit, const void *row)
{
	const char *text = is_text(c) ? column_name(c, row) : NULL;

	if (!(c->omit & omit))
		return false;
	if (is_text(c))
		return !text || !*text;
	if (c->type == COLUMN_DOUBLE)
		return isnan(column_real(c, row));
	if (is_unknown(c, column_number(c, row)))
		return true;
	return c->form != COLUMN_ID && c->omit != COLUMN_OMIT_UNKNOWN && !column_number(c, row);
}

/* --- JSON ------------------------------------------------------------------------------- */

static void put_counts(struct out *o, const struct column *c, const uint64_t *n)
{
	unsigned nr = c->nr;

	while (!c->names && nr && !n[nr - 1])
		nr--;
	out_text(o, c->names ? "{" : "[");
	for (unsigned i = 0; i < nr; i++)
		jsonout_known(o, c->names ? c->names[i] : NULL, n[i]);
	out_text(o, c->names ? "}" : "]");
}

static void put_rows(struct out *o, const struct column *c, const void *row)
{
	size_t nr = *(const size_t *)((const char *)row + c->count);
	const char *at = column_pointer(c, row);

	out_text(o, "[");
	for (; nr; nr--, at += c->size)
		column_json_object(o, c->columns, at, 0);
	out_text(o, "]");
}

static void put_json_real(struct out *o, const struct column *c, double value)
{
	if (!isfinite(value))
		out_text(o, "null");
	else if (c->form == COLUMN_SHARE)
		jsonout_share(o, value);
	else
		out_printf(o, c->format, value);
}

static void put_json_value(struct out *o, const struct column *c, const void *row)
{
	if (c->form == COLUMN_OWN) {
		c->json(o, row);
	} else if (c->form == COLUMN_OBJECT) {
		column_json_object(o, c->columns, column_at(c, row), 0);
	} else if (c->form == COLUMN_COUNTS) {
		if (column_pointer(c, row))
			put_counts(o, c, column_pointer(c, row));
		else
			out_text(o, "null");
	} else if (c->form == COLUMN_ROWS) {
		put_rows(o, c, row);
	} else if (is_text(c)) {
		const char *text = column_name(c, row);

		text || c->form == COLUMN_NAME ? jsonout_name(o, text ? text : "")
					       : out_text(o, "null");
	} else if (c->type == COLUMN_DOUBLE) {
		put_json_real(o, c, column_real(c, row));
	} else if (is_unknown(c, column_number(c, row))) {
		out_text(o, "null");
	} else if (c->form == COLUMN_BOOL) {
		out_text(o, column_number(c, row) ? "true" : "false");
	} else if (c->form == COLUMN_TIME || c->format) {
		out_printf(o, c->format ? c->format : "%.3f", (double)column_number(c, row) / 1e9);
	} else if (c->type == COLUMN_I64) {
		out_printf(o, "%" PRId64, (int64_t)column_number(c, row));
	} else {
		out_number(o, column_number(c, row));
	}
}

void column_json(struct out *o, const struct column *c, const void *row, unsigned shown)
{
	for (; c->form; c++) {
		if (c->when && !(c->when & shown))
			continue;
		if (!c->name && c->json)
			c->json(o, row);
		if (!c->name && c->columns)
			column_json(o, c->columns, column_at(c, row), shown);
		if (!c->name || is_left_out(c, COLUMN_OMIT_JSON, row))
			continue;
		jsonout_key(o, c->name);
		put_json_value(o, c, row);
	}
}

void column_json_object(struct out *o, const struct column *c, const void *row, unsigned shown)
{
	jsonout_open(o, NULL, "{");
	column_json(o, c, row, shown);
	out_text(o, "}");
}

/* --- text ------------------------------------------------------------------------------- */

static void put_text_number(struct out *o, const struct column *c, uint64_t n)
{
	char buf[32] = "-";

	if (is_unknown(c, n))
		;
	else if (c->unit == COLUMN_BYTES)
		units_bytes(buf, (double)n);
	else if (c->unit == COLUMN_SPAN)
		units_span(buf, n);
	else if (c->form == COLUMN_TIME || c->format)
		snprintf(buf, sizeof(buf), c->format ? c->format : "%.3f", (double)n / 1e9);
	else
		snprintf(buf, sizeof(buf), "%" PRIu64, n);
	out_printf(o, "%*s", c->width, buf);
}

static void put_text_value(struct out *o, const struct column *c, const void *row)
{
	if (c->own)
		c->own(o, row);
	else if (is_text(c))
		out_name(o, column_name(c, row) ? column_name(c, row) : "", abs(c->width));
	else if (c->type == COLUMN_DOUBLE && isnan(column_real(c, row)))
		out_printf(o, "%*s", c->width, "-");
	else if (c->form == COLUMN_SHARE && c->format)
		out_printf(o, c->format, column_real(c, row) * 100);
	else if (c->form == COLUMN_SHARE)
		out_printf(o, "%*.2f", c->width, column_real(c, row) * 100);
	else if (c->type == COLUMN_DOUBLE)
		out_printf(o, c->format, column_real(c, row));
	else
		put_text_number(o, c, column_number(c, row));
}

/* Put a text with {} for the value, or, without a row, for the head. */
static void put_template(struct out *o, const struct column *c, const char *text, const void *row)
{
	for (; *text; text += 2) {
		size_t plain = strcspn(text, "{(");

		out_bytes(o, text, plain);
		text += plain;
		if (!strncmp(text, "{}", 2) && row) {
			put_text_value(o, c, row);
		} else if (!strncmp(text, "{}", 2)) {
			out_printf(o, "%*s", c->width, c->head);
		} else if (!strncmp(text, "(s)", 3)) {
			out_text(o, row && column_number(c, row) == 1 ? "" : "s");
			text++;
		} else if (*text) {
			out_bytes(o, text--, 1);
		} else {
			break;
		}
	}
}

void column_text(struct out *o, const struct column *c, const void *row, unsigned shown)
{
	for (; c->form; c++) {
		bool nothing = is_left_out(c, COLUMN_OMIT_TEXT, row);

		if (c->when && !(c->when & shown))
			continue;
		if (!c->name && c->columns)
			column_text(o, c->columns, column_at(c, row), shown);
		if (c->text && (!nothing || c->none))
			put_template(o, c, nothing ? c->none : c->text, row);
	}
}

bool column_text_head(struct out *o, const struct column *c, unsigned shown)
{
	bool any = false;

	for (; c->form; c++) {
		if (!c->head || (c->when && !(c->when & shown)))
			continue;
		put_template(o, c, c->text, NULL);
		any = true;
	}
	return any;
}

/* --- CSV -------------------------------------------------------------------------------- */

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

static void put_csv_name(struct out *o, const char *name)
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

void column_csv(struct out *o, const struct column *c, const void *row)
{
	for (const struct column *first = c; c->form; c++) {
		out_text(o, c == first ? "" : ",");
		if (c->form == COLUMN_WORD)
			out_text(o, column_name(c, row));
		else if (is_text(c))
			put_csv_name(o, column_name(c, row));
		else if (c->form == COLUMN_SHARE)
			out_printf(o, "%.4f", column_real(c, row) * 100);
		else if (c->type == COLUMN_DOUBLE || !is_unknown(c, column_number(c, row)))
			put_json_value(o, c, row);
	}
	out_text(o, "\r\n");
}

void column_csv_head(struct out *o, const struct column *c)
{
	for (const struct column *first = c; c->form; c++)
		out_printf(o, "%s%s", c == first ? "" : ",", c->name);
	out_text(o, "\r\n");
}

/* --- HTML ------------------------------------------------------------------------------- */

void column_html(struct out *o, const struct column *c, const void *row)
{
	out_text(o, "<tr>");
	for (; c->form; c++) {
		if (c->form == COLUMN_NAME) {
			out_text(o, "<td class=\"name\">");
			markup_text(o, column_name(c, row));
		} else if (c->form == COLUMN_WORD) {
			out_printf(o, "<td>%s", column_name(c, row));
		} else if (c->form == COLUMN_ID && is_unknown(c, column_number(c, row))) {
			out_text(o, "<td>");
		} else {
			out_text(o, "<td class=\"n\">");
			put_text_value(o, c, row);
		}
		out_text(o, "</td>");
	}
	out_text(o, "</tr>\n");
}

void column_html_head(struct out *o, const struct column *c)
{
	out_text(o, "<tr>");
	for (; c->form; c++)
		out_printf(o, "<th%s>%s</th>", is_text(c) ? "" : " class=\"n\"", c->name);
	out_text(o, "</tr>\n");
}
