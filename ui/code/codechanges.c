/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/codechanges.h"

#include "base/text.h"
#include "ui/app/app.h"
#include "ui/code/sourcelines.h"
#include "ui/code/view_code.h"
#include "ui/parts/confidence.h"
#include "ui/parts/widget.h"
#include "ui/views/view_changes.h"

/* Refresh the comparison and return true if there is one. */
static bool is_compared(struct app *a)
{
	if (!a->comparing)
		return false;
	view_changes_refresh(a);
	return !view_changes_nothing(a);
}

struct window codechanges_window(struct app *a)
{
	return is_compared(a) ? view_changes_state(a)->window : app_window(a);
}

bool codechanges_sync(struct app *a, const struct query *q, const struct code_sheet *now)
{
	struct codechanges_state *s = &view_code_state(a)->changes;
	struct view_changes_side of;

	*s = (struct codechanges_state){.was = NULL};
	if (!a->comparing || view_changes_nothing(a) || !view_changes_side(a, COMPARE_WAS, q, &of))
		return true;
	s->forgotten = of.forgotten;
	if (s->forgotten)
		return true;
	s->was = model_code_beside(of.model, &of.q, view_changes_state(a)->hosts ? NULL : a->model,
				   &view_code_state(a)->now.place, now, of.window, &s->same);
	s->was = sourcelines_sheet(s->was, view_code_state(a)->mode, &s->by_line);
	return s->was;
}

const struct code_sheet *codechanges_sheet(const struct view_code_state *s)
{
	return s->changes.was && s->changes.same == CODE_SAME ? s->changes.was : NULL;
}

void codechanges_bar(const struct app *a, double share, char *buf, size_t size, int width)
{
	double most = view_code_state(a)->listing.most_share;
	int eighths = most > 0 && share > 0 ? (int)(share / most * 8.0 * width + 0.5) : 0;
	size_t pos = 0;

	for (; eighths >= 8; eighths -= 8)
		pos = text_append(buf, size, pos, "█");
	if (eighths > 3)
		text_append(buf, size, pos, "%s", a->scene.ascii ? "=" : "▌");
}

enum role codechanges_was(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct listing_row *r = cell->row;
	double share = listing_part(r->was_weight, view_code_state(a)->listing.was);

	if (r->was_weight)
		confidence_percent(buf, size, share, (double)r->was_samples);
	return confidence_role(share, (double)r->was_samples);
}

enum role codechanges_was_bar(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct listing_row *r = cell->row;
	double share = listing_part(r->was_weight, view_code_state(a)->listing.was);

	codechanges_bar(a, share, buf, size, cell->width);
	return confidence_role(share, (double)r->was_samples);
}

/* Reasons why no heat is shown: the code is not the same. */
static const char *const apart[] = {
	[CODE_UNMET] = "baseline: it has no sample of this object",
	[CODE_OTHER_BUILD] =
		"baseline: another build of this object; its addresses are other instructions",
	[CODE_UNKNOWN_BUILD] =
		"baseline: no build-id proves that this object is the same build",
	[CODE_OF_BOOT] =
		"baseline: addresses of the kernel and of generated code differ there",
};

enum role codechanges_hint(const struct app *a, char *buf, size_t size)
{
	const struct codechanges_state *s = &view_code_state(a)->changes;
	const char *nothing = a->comparing ? view_changes_nothing(a) : NULL;

	buf[0] = '\0';
	if (!a->comparing)
		return ROLE_DIM;
	if (nothing || s->forgotten) {
		text_append(buf, size, 0, "%s",
			    nothing ? nothing
				    : "baseline: its addresses were dropped: d, d sets another");
		return ROLE_WARN;
	}
	if (!s->was)
		return ROLE_DIM;
	if (s->same != CODE_SAME) {
		text_append(buf, size, 0, "%s", apart[s->same]);
		return ROLE_WARN;
	}
	if (s->was->whole)
		text_append(buf, size, 0,
			    "baseline: %.0f%% of this function's samples have no address",
			    100 * (double)s->was->whole / (double)(s->was->whole + s->was->weight));
	else if (s->was->thinned || s->was->missing)
		text_append(buf, size, 0, "baseline: history has only a part of its addresses");
	else if (!s->was->nr)
		text_append(buf, size, 0, "baseline: it has no sample of this function");
	return *buf ? ROLE_WARN : ROLE_DIM;
}
