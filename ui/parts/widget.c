/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/parts/widget.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"

const char *widget_level(int level, bool ascii)
{
	static const char *const utf8[9] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const letters[9] = {" ", "_", ".", ":", "-", "=", "+", "*", "#"};

	level = level < 0 ? 0 : level > 8 ? 8 : level;
	return ascii ? letters[level] : utf8[level];
}

void widget_gauge(char *buf, size_t size, int width, double fill, bool ascii)
{
	static const char *const parts[8] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	int inner = width - 2, eighths, i;
	size_t pos = 0;

	buf[0] = '\0';
	if (inner < 1)
		return;
	fill = !(fill > 0) ? 0 : fill > 1 ? 1 : fill;
	eighths = (int)lround(fill * inner * 8);
	pos = text_append(buf, size, pos, "%s", ascii ? "[" : "▕");
	for (i = 0; i < inner; i++, eighths -= 8) {
		const char *cell = eighths >= 8  ? (ascii ? "#" : "█")
				   : eighths <= 0 ? " "
				   : ascii        ? (eighths >= 4 ? "=" : "-")
						  : parts[eighths];

		pos = text_append(buf, size, pos, "%s", cell);
	}
	text_append(buf, size, pos, "%s", ascii ? "]" : "▏");
}

/* Return the power of two at or above the largest: it stays the same while values jitter. */
static double trend_scale(const float *values, size_t nr)
{
	double most = 0;
	int exponent;

	for (size_t i = 0; i < nr; i++)
		if (values[i] > most)
			most = (double)values[i];
	if (!(most > 0))
		return 1;
	return frexp(most, &exponent) == 0.5 ? most : ldexp(1, exponent);
}

void widget_trend(char *buf, size_t size, const float *values, size_t nr, bool ascii)
{
	double scale = trend_scale(values, nr);
	size_t pos = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < nr; i++) {
		int level = (int)lround((double)values[i] / scale * 8);

		/* A value above 0 is always visible. */
		if (level == 0 && values[i] > 0)
			level = 1;
		pos = text_append(buf, size, pos, "%s", widget_level(level, ascii));
	}
}

void widget_percent(char *buf, size_t size, double share)
{
	if (isfinite(share) && share >= 0)
		snprintf(buf, size, "%.2f", share * 100);
	else
		snprintf(buf, size, "-");
}

size_t widget_wrap(const struct scene *s, const char *text, int cols)
{
	char piece[512];
	size_t best = 0, n = 0;

	for (size_t i = 1; text[n] && i < sizeof(piece); i++) {
		n = i;
		memcpy(piece, text, n);
		piece[n] = '\0';
		if (scene_width(s, piece) > cols)
			break;
		if (text[n] == ' ' || !text[n])
			best = n;
	}
	if (best) /* else the first word is longer than the line */
		return best;
	return n > 1 ? n - (text[n] != '\0') : n;
}

int widget_text(struct scene *s, struct rect at, enum role role, const char *text)
{
	char line[512];
	int y = 0;

	for (; y < at.rows && *text; y++) {
		size_t len = widget_wrap(s, text, at.cols);

		if (!len)
			break;
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		scene_fit(s, at.y + y, at.x, at.cols, role, y + 1 < at.rows ? line : text);
		text += len;
		text += strspn(text, " ");
	}
	return y;
}

void widget_hints(struct scene *s, struct rect at, const char *const *text, size_t nr)
{
	for (size_t i = 0; i < nr && at.rows > 0; i++) {
		int took = widget_text(s, at, i ? ROLE_DIM : ROLE_TEXT, text[i]);

		at.y += took;
		at.rows -= took;
	}
}

/* --- a line of segments ----------------------------------------------------------------- */

struct widget_segment *widget_segment(struct widget_line *l, enum role role, unsigned drop,
				      unsigned gap, const char *fmt, ...)
{
	static struct widget_segment spare;
	struct widget_segment *g = &spare;
	va_list ap;

	if (l->nr < sizeof(l->seg) / sizeof(l->seg[0]))
		g = &l->seg[l->nr++];
	*g = (struct widget_segment){.role = role, .drop = (uint8_t)drop, .gap = (uint8_t)gap};
	va_start(ap, fmt);
	vsnprintf(g->text, sizeof(g->text), fmt, ap);
	va_end(ap);
	return g;
}

static const char *segment_text(const struct widget_segment *g, bool brief)
{
	return brief && g->brief[0] ? g->brief : g->text;
}

/* Return the line's columns without segments whose drop is above `keep`. */
static int line_width(const struct scene *s, const struct widget_line *l, bool brief, unsigned keep)
{
	int total = 0;

	for (unsigned i = 0; i < l->nr; i++)
		if (l->seg[i].drop <= keep)
			total += (total ? l->seg[i].gap : 0) + l->seg[i].pad +
				 scene_width(s, segment_text(&l->seg[i], brief));
	return total;
}

int widget_line_width(const struct scene *s, const struct widget_line *l, bool brief)
{
	return line_width(s, l, brief, UINT8_MAX);
}

void widget_line_draw(struct scene *s, int y, const struct widget_line *l)
{
	bool brief = line_width(s, l, false, UINT8_MAX) + 2 > s->cols, first = true, moved = false;
	unsigned keep = UINT8_MAX;
	int x = s->cols > 20 ? 1 : 0;

	if (brief)
		for (keep = 16; keep && line_width(s, l, true, keep) + 2 * x > s->cols;)
			keep--;
	for (unsigned i = 0; i < l->nr; i++) {
		const struct widget_segment *g = &l->seg[i];

		if (g->drop > keep)
			continue;
		x += first ? 0 : g->gap;
		if (g->right && !moved) {
			struct widget_line rest = {.nr = l->nr - i};
			int room;

			memcpy(rest.seg, &l->seg[i], rest.nr * sizeof(rest.seg[0]));
			room = s->cols - 1 - line_width(s, &rest, brief, keep);
			x = room > x ? room : x;
			moved = true;
		}
		first = false;
		x += scene_fit(s, y, x, s->cols - x, g->role, segment_text(g, brief)) + g->pad;
	}
}

/* --- cells ------------------------------------------------------------------------------ */

static enum role put_known(char *buf, size_t size, bool known, const char *text)
{
	snprintf(buf, size, "%s", known ? text : "-");
	return known ? ROLE_TEXT : ROLE_DIM;
}

enum role widget_count(char *buf, size_t size, uint64_t n)
{
	char unit[UNITS_LEN];

	return put_known(buf, size, n != UINT64_MAX, units_count(unit, (double)n));
}

enum role widget_loss(char *buf, size_t size, uint64_t n)
{
	enum role role = widget_count(buf, size, n);

	return n && n != UINT64_MAX ? ROLE_BAD : role;
}

enum role widget_bytes(char *buf, size_t size, uint64_t bytes)
{
	char unit[UNITS_LEN];

	return put_known(buf, size, bytes != UINT64_MAX, units_bytes(unit, (double)bytes));
}

enum role widget_span(char *buf, size_t size, uint64_t ns)
{
	char unit[UNITS_LEN];

	return put_known(buf, size, ns != UINT64_MAX, units_span(unit, ns));
}

enum role widget_id(char *buf, size_t size, int id)
{
	snprintf(buf, size, id >= 0 ? "%d" : "-", id);
	return ROLE_TEXT;
}

enum role widget_name(char *buf, size_t size, const char *name)
{
	text_escape(buf, size, name ? name : "-");
	return name ? ROLE_TEXT : ROLE_DIM;
}

/* --- tables ----------------------------------------------------------------------------- */

static int table_least(const struct widget_table *t)
{
	int total = 0;

	for (unsigned i = 0; i < t->nr; i++)
		if (t->width[i])
			total += t->width[i] + 1;
	return total ? total - 1 : 0;
}

static bool table_drop(struct widget_table *t)
{
	int victim = -1;

	for (unsigned i = 0; i < t->nr; i++)
		if (t->width[i] && t->columns[i].drop &&
		    (victim < 0 || t->columns[i].drop > t->columns[victim].drop))
			victim = (int)i;
	if (victim < 0)
		return false;
	t->width[victim] = 0;
	return true;
}

/* Distribute the columns left over in rounds, until every growing column has its most. */
static void grow_columns(struct widget_table *t, int left)
{
	bool grown = true;

	while (left > 0 && grown) {
		grown = false;
		for (unsigned i = 0; i < t->nr && left > 0; i++) {
			const struct widget_column *c = &t->columns[i];
			int more = c->grow < left ? c->grow : left;

			if (!t->width[i] || !more || (c->most && t->width[i] >= c->most))
				continue;
			t->width[i] += more;
			left -= more;
			grown = true;
		}
	}
}

void widget_table_layout(struct widget_table *t, int x, int cols, uint32_t hidden)
{
	for (unsigned i = 0; i < t->nr; i++)
		t->width[i] = hidden & 1u << i ? 0 : t->columns[i].width;
	while (x + table_least(t) > cols && table_drop(t))
		;
	grow_columns(t, cols - x - table_least(t));
	for (unsigned i = 0; i < t->nr; i++) {
		t->x[i] = x;
		if (t->width[i])
			x += t->width[i] + 1;
	}
}

/* Draw a cell; returns the column behind its text. */
static int table_cell(struct scene *s, int y, const struct widget_table *t, unsigned i,
		      enum role role, const char *text)
{
	int pad = t->columns[i].right ? t->width[i] - scene_width(s, text) : 0;

	if (pad < 0)
		pad = 0;
	return t->x[i] + pad + scene_fit(s, y, t->x[i] + pad, t->width[i] - pad, role, text);
}

void widget_table_head(struct scene *s, int y, int cols, const struct widget_table *t,
		       const char *const *titles, int sort, bool rising)
{
	scene_fill(s, (struct rect){y, 0, 1, cols}, ROLE_TITLE);
	for (unsigned i = 0; i < t->nr; i++) {
		const struct widget_column *c = &t->columns[i];
		bool sorted = sort >= 0 && c->sort == sort;
		int end;

		if (!t->width[i])
			continue;
		end = table_cell(s, y, t, i, sorted ? ROLE_SORTED : ROLE_TITLE,
				 titles && titles[i] ? titles[i] : c->title);
		/* The mark fits into the blank between two columns. */
		if (sorted)
			scene_text(s, y, end, 1, ROLE_SORTED, rising ? "▲" : "▼");
	}
}

void widget_table_row(struct scene *s, int y, int cols, const struct widget_table *t,
		      const void *ctx, const void *row, bool selected)
{
	char text[WIDGET_TEXT];

	for (unsigned i = 0; i < t->nr; i++) {
		const struct widget_cell cell = {ctx, row, t->width[i], i};

		text[0] = '\0';
		if (cell.width)
			table_cell(s, y, t, i, t->columns[i].text(&cell, text, sizeof(text)), text);
	}
	if (selected) {
		scene_role(s, (struct rect){y, 0, 1, cols}, ROLE_SELECTED);
		scene_text(s, y, 0, 1, ROLE_SELECTED, "▌");
	}
}
