/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/code/view_code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/units.h"
#include "ui/app/app.h"
#include "ui/app/seeking.h"
#include "ui/code/codefoot.h"
#include "ui/code/editor.h"
#include "ui/code/sourcelines.h"
#include "ui/parts/details.h"
#include "ui/parts/rowlist.h"
#include "ui/parts/confidence.h"
#include "ui/parts/widget.h"
#include "ui/views/view_changes.h"

struct view_code_state *view_code_state(const struct app *a)
{
	return a->state[VIEW_CODE];
}

enum {
	COL_SHARE,
	COL_BAR,
	COL_WAS,
	COL_WAS_BAR,
	COL_SELF,
	COL_NEAR,
	COL_SAMPLES,
	COL_ADDR,
	COL_OFFSET,
	COL_LANES,
	COL_TEXT,
	COL_NR
};

#define BAR_COLS    6
#define NEAR_SPAN   2 /* instructions on either side */
#define AGAIN_NS    (500 * NSEC_PER_MSEC)
#define WIDE_COLS   110
#define LANES_SMALL 4

static void stop_clear(struct view_code_stop *s)
{
	code_place_clear(&s->place);
	*s = (struct view_code_stop){.placed = false};
}

static void forget_back(struct view_code_state *s)
{
	while (s->nback)
		stop_clear(&s->back[--s->nback]);
}

static void code_state_free(void *state)
{
	struct view_code_state *s = state;

	stop_clear(&s->now);
	forget_back(s);
	listing_free(&s->listing);
}

/* --- which function --------------------------------------------------------------------- */

/* Show another place from now on.  False: out of memory. */
static bool show_place(struct app *a, const struct code_place *place, const char *name)
{
	struct view_code_state *s = view_code_state(a);
	struct code_place copy;

	if (!code_place_copy(&copy, place))
		return false;
	stop_clear(&s->now);
	s->now.place = copy;
	text_append(s->now.name, sizeof(s->now.name), 0, "%s", name);
	list_first(&a->table[VIEW_CODE].list);
	s->asked = false;
	s->refused[0] = '\0';
	return true;
}

/*
 * Show the code of the function selected in the current view.  False: none is selected there, its
 * place is not known, or out of memory.
 */
static bool open_selected_code(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	struct table_state *t = &a->table[a->view];
	struct query q = app_query(a, t);
	char name[VIEW_CODE_NAME] = "";
	struct code_place place;
	uint64_t function, line;

	if (!views[a->view]->function)
		return false;
	line = t->group == GROUP_LINE ? rowlist_line_key(a, name, sizeof(name)) : 0;
	function = line ? 0 : views[a->view]->function(a, name, sizeof(name));
	if (!(line && model_code_line(a->model, &q, line, app_window(a), &place)) &&
	    !(function && model_code_place(a->model, &q, function, app_window(a), &place)))
		return false;
	s->origin = a->view;
	forget_back(s);
	return show_place(a, &place, name);
}

/* Replace the place of "memcpy@plt", a mere jump to memcpy, by memcpy's own.  False: not known. */
static bool beyond_plt(struct app *a, const char *name, struct code_place *place)
{
	size_t len = strlen(name), tail = strlen("@plt");
	char bare[VIEW_CODE_NAME];

	if (len <= tail || len - tail >= sizeof(bare) || strcmp(name + len - tail, "@plt") != 0)
		return false;
	text_append(bare, sizeof(bare), 0, "%.*s", (int)(len - tail), name);
	return model_code_named(a->model, bare, place);
}

/* Enter the function that is called here; Esc comes back. */
static void enter(struct app *a, const struct code_insn *in)
{
	struct view_code_state *s = view_code_state(a);
	struct list *l = &a->table[VIEW_CODE].list;
	struct code_place place = s->now.place;
	char name[VIEW_CODE_NAME];

	if (s->nback == VIEW_CODE_BACKS) {
		stop_clear(&s->back[0]);
		memmove(s->back, s->back + 1, --s->nback * sizeof(*s->back));
	}
	s->back[s->nback] = s->now;
	s->back[s->nback++].list = *l;
	text_append(name, sizeof(name), 0, "%s", code_text(s->sheet->code, in->target_name));
	s->now = (struct view_code_stop){.placed = false};
	place.addr = in->target;
	beyond_plt(a, name, &place);
	if (!show_place(a, &place, name))
		app_say(a, ROLE_BAD, "out of memory");
}

static bool leave_place(struct app *a)
{
	struct view_code_state *s = view_code_state(a);

	if (!s->nback) {
		if (!s->now.place.object)
			return false;
		app_show(a, s->origin);
		return true;
	}
	stop_clear(&s->now);
	s->now = s->back[--s->nback];
	a->table[VIEW_CODE].list = s->now.list;
	s->asked = false;
	s->refused[0] = '\0';
	return true;
}

/* --- requests --------------------------------------------------------------------------- */

static void request_code(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	struct session_request rq = {.command = SESSION_CODE, .code = &s->now.place};
	struct session *of = seeking_session(a);
	struct err err = {.code = 0};

	if (of->ops->command(of, &rq, &err))
		text_append(s->refused, sizeof(s->refused), 0, "%s", err.text);
	s->asked = true;
	s->ask_again = clock_ns() + (s->sheet->code && s->sheet->code->ninsns ? 4 : 1) * AGAIN_NS;
}

/* Request missing code once, and code that was not ready again from time to time. */
static void request_missing_code(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	const struct code *c = s->sheet->code;

	if (!s->asked ? !c || c->again : c && c->again && clock_ns() >= s->ask_again)
		request_code(a);
}

/* --- rows ------------------------------------------------------------------------------- */

static uint64_t code_key(const void *rows, size_t i)
{
	return ((const struct listing *)rows)->row[i].key;
}

static bool code_match(const void *rows, size_t i, const char *search)
{
	const struct listing *l = rows;
	char text[WIDGET_TEXT];

	listing_text(l, &l->row[i], text, sizeof(text));
	return search[0] && rowlist_found(text, search);
}

static unsigned lanes(const struct app *a)
{
	return a->scene.cols < WIDE_COLS ? LANES_SMALL : ARROWS_LANES;
}

static void select_key(struct app *a, uint64_t key)
{
	struct view_code_state *s = view_code_state(a);
	struct list *l = &a->table[VIEW_CODE].list;
	size_t i = 0;

	while (i < s->listing.nr && s->listing.row[i].key != key)
		i++;
	if (!key || i == s->listing.nr)
		return;
	l->key = key;
	l->touched = true;
	/* Keep the code above it in view, too. */
	if (i < l->top || i >= l->top + s->height)
		l->top = i > s->height / 3 ? i - s->height / 3 : 0;
}

/* Select a function's hottest instruction when it is first shown. */
static void place_first(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	uint64_t hot = s->listing.hottest, key;

	if (s->now.placed || !s->sheet->code || (s->sheet->code->again && !s->sheet->code->ninsns))
		return;
	s->now.placed = true;
	if (a->table[VIEW_CODE].list.touched)
		return;
	/* Prefer the requested address's row: inlined code is hot elsewhere than its function. */
	key = listing_key(&s->listing, s->now.place.addr);
	for (size_t i = 0; i < s->listing.nr; i++)
		if (s->listing.row[i].key == key && s->listing.row[i].weight)
			hot = key;
	select_key(a, hot ? hot : key);
	s->now.shown_nr = 0;
}

/* Keep the initial selection in the upper half as source lines come in, until the user moves. */
static void centre(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	struct list *l = &a->table[VIEW_CODE].list;
	size_t i = 0;

	if (!s->now.placed || !l->touched || l->move || s->now.shown_nr == s->listing.nr ||
	    (s->now.shown_nr && (s->now.shown_key != l->key || s->now.shown_top != l->top)))
		return;
	while (i < s->listing.nr && s->listing.row[i].key != l->key)
		i++;
	l->top = i < s->listing.nr && i > s->height / 3 ? i - s->height / 3 : 0;
	if (l->top + s->height > s->listing.nr) /* as in list_sync */
		l->top = s->listing.nr > s->height ? s->listing.nr - s->height : 0;
	s->now.shown_nr = s->listing.nr;
	s->now.shown_key = l->key;
	s->now.shown_top = l->top;
}

/* Make sheet and listing.  False: nothing to show, or out of memory. */
static bool sync_sheet(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	struct query q = app_query(a, &a->table[VIEW_CODE]);

	s->sheet = NULL;
	if (!s->now.place.object)
		return false;
	if (a->comparing)
		q.host = view_changes_host(a, COMPARE_NOW);
	s->sheet = sourcelines_sheet(model_code(a->model, &q, &s->now.place, codechanges_window(a)),
				     s->mode, &s->by_line);
	if (!s->sheet || !codechanges_sync(a, &q, s->sheet) ||
	    !listing_make(&s->listing, s->sheet, codechanges_sheet(s), s->mode, lanes(a)))
		return false;
	request_missing_code(a);
	return true;
}

static void sync_code_list(struct app *a)
{
	struct view_code_state *s = view_code_state(a);

	place_first(a);
	centre(a);
	list_sync(&a->table[VIEW_CODE].list,
		  &(struct list_rows){&s->listing, s->listing.nr, code_key, code_match, a->search},
		  s->height);
}

static bool sync_code_rows(struct app *a)
{
	if (!sync_sheet(a))
		return false;
	sync_code_list(a);
	return true;
}

static const struct listing_row *selected_line(const struct app *a)
{
	const struct listing *l = &view_code_state(a)->listing;
	size_t at = a->table[VIEW_CODE].list.index;

	return at < l->nr ? &l->row[at] : NULL;
}

/* --- keys ------------------------------------------------------------------------------- */

static void show_page(struct app *a, uint64_t addr)
{
	struct view_code_state *s = view_code_state(a);

	s->now.place.addr = addr;
	s->now.placed = s->asked = false;
	list_first(&a->table[VIEW_CODE].list);
}

static bool open_row(struct app *a)
{
	struct view_code_state *s = view_code_state(a);
	const struct listing_row *r = selected_line(a);
	const struct code_insn *in = r ? listing_insn(&s->listing, r) : NULL;
	const struct code *c = s->sheet->code;

	if (r && r->kind == LISTING_MORE) {
		show_page(a, r->addr);
		return true;
	}
	if (r && r->kind == LISTING_LINE && r->ninsns) {
		uint64_t addr = r->addr;

		s->mode = LISTING_BOTH;
		if (sync_sheet(a))
			select_key(a, listing_key(&s->listing, addr));
		return true;
	}
	if (!in || in->flow == CODE_PLAIN || in->flow == CODE_RETURN)
		return false;
	if (!in->target)
		app_say(a, ROLE_TEXT, "the target is known only at run time");
	else if (listing_key(&s->listing, in->target))
		select_key(a, listing_key(&s->listing, in->target));
	else if (c->size && in->target - c->addr < c->size)
		show_page(a, in->target);
	else
		enter(a, in);
	return true;
}

/* Switch the mode and select the instruction's line, or the line's hottest instruction. */
static void next_mode(struct app *a)
{
	static const char *const said[LISTING_MODES] = {
		[LISTING_BOTH] = "source lines between the instructions",
		[LISTING_LINES] = "source lines, each with the sum of its instructions",
		[LISTING_INSNS] = "instructions alone",
	};
	struct view_code_state *s = view_code_state(a);
	const struct listing_row *r = sync_code_rows(a) ? selected_line(a) : NULL;
	uint64_t addr = r ? r->addr : 0;

	s->mode = (s->mode + 1) % LISTING_MODES;
	app_say(a, ROLE_TEXT, "%s", said[s->mode]);
	if (addr && sync_sheet(a))
		select_key(a, listing_key(&s->listing, addr));
}

static bool step_code(struct app *a, enum view_step step)
{
	struct view_code_state *s = view_code_state(a);

	if (step == STEP_BACK)
		return leave_place(a);
	if (step == STEP_SOURCE) {
		next_mode(a);
		return true;
	}
	if (step != STEP_OPEN && step != STEP_HOT)
		return false;
	if (!sync_code_rows(a))
		return step == STEP_HOT;
	if (step == STEP_OPEN)
		return open_row(a);
	if (s->listing.hottest)
		select_key(a, s->listing.hottest);
	else
		app_say(a, ROLE_TEXT, "this function has no sample in this window");
	return true;
}

/* --- cells ------------------------------------------------------------------------------ */

static double share_of_function(const struct view_code_state *s, const struct listing_row *r)
{
	return s->sheet->weight ? (double)r->weight / (double)s->sheet->weight : NAN;
}

static enum role text_row_share(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct listing_row *r = cell->row;
	double share = share_of_function(view_code_state(cell->ctx), r);

	if (r->weight)
		confidence_percent(buf, size, share, (double)r->samples);
	return confidence_role(share, (double)r->samples);
}

static enum role text_bar(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct app *a = cell->ctx;
	const struct listing_row *r = cell->row;
	double share = share_of_function(view_code_state(a), r);

	codechanges_bar(a, share, buf, size, cell->width);
	return confidence_role(share, (double)r->samples);
}

static enum role text_row_self(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_code_state *s = view_code_state(cell->ctx);
	const struct listing_row *r = cell->row;

	if (r->weight && s->sheet->attributed)
		confidence_percent(buf, size, (double)r->weight / (double)s->sheet->attributed,
				   (double)r->samples);
	return ROLE_TEXT;
}

static enum role text_near(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_code_state *s = view_code_state(cell->ctx);
	const struct listing_row *r = cell->row;
	double share = r->kind == LISTING_INSN ? listing_near(&s->listing, r, NEAR_SPAN) : 0;

	if (share > 0)
		widget_percent(buf, size, share);
	return r->weight ? ROLE_TEXT : ROLE_DIM; /* heat of its neighbours alone */
}

static enum role text_row_count(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct listing_row *r = cell->row;
	char n[UNITS_LEN];

	if (r->samples)
		snprintf(buf, size, "%s", units_count(n, (double)r->samples));
	return ROLE_TEXT;
}

static bool has_address(const struct listing_row *r)
{
	return r->kind == LISTING_INSN || r->kind == LISTING_HEAT;
}

static enum role text_addr(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct listing_row *r = cell->row;

	if (has_address(r))
		snprintf(buf, size, "%llx", (unsigned long long)r->addr);
	return ROLE_DIM;
}

static enum role text_offset(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct view_code_state *s = view_code_state(cell->ctx);
	const struct listing_row *r = cell->row;
	const struct code *c = s->sheet->code;

	if (has_address(r) && c)
		snprintf(buf, size, "+%llx", (unsigned long long)(r->addr - c->addr));
	return ROLE_DIM;
}

static enum role text_lanes(const struct widget_cell *cell, char *buf, size_t size)
{
	const struct listing *l = &view_code_state(cell->ctx)->listing;
	const struct listing_row *r = cell->row;

	if (r->kind == LISTING_INSN)
		arrows_text(&l->arrows, r->index, buf, size);
	else if (r->kind == LISTING_SOURCE)
		arrows_text_above(&l->arrows, r->index, buf, size);
	return ROLE_PANEL;
}

static enum role text_listing(const struct widget_cell *cell, char *buf, size_t size)
{
	struct view_code_state *s = view_code_state(cell->ctx);
	const struct app *a = cell->ctx;
	const struct listing_row *r = cell->row;
	const struct code_insn *in = listing_insn(&s->listing, r);

	listing_text(&s->listing, r, buf, size);
	if (a->search[0] && rowlist_found(buf, a->search))
		return ROLE_MATCH;
	if (r->kind == LISTING_LINE && r->ninsns)
		return ROLE_TEXT;
	if (r->kind != LISTING_INSN)
		return ROLE_DIM;
	return in->flow == CODE_CALL || in->flow == CODE_RETURN ? ROLE_STRONG : ROLE_TEXT;
}

static const struct widget_column columns[COL_NR] = {
	[COL_SHARE] = {"FN%", 6, 0, 0, 0, true, -1, text_row_share,
	 "share of the function's own samples in the instruction or line"},
	[COL_BAR] = {"", BAR_COLS, 0, 0, 4, false, -1, text_bar, NULL},
	[COL_WAS] = {"WAS%", 6, 0, 0, 0, true, -1, codechanges_was,
	 "share in the baseline, if the code is the same"},
	[COL_WAS_BAR] = {"", BAR_COLS, 0, 0, 4, false, -1, codechanges_was_bar, NULL},
	[COL_SELF] = {"SELF%", 6, 0, 0, 5, true, -1, text_row_self, NULL},
	[COL_NEAR] = {"NEAR%", 6, 0, 0, 6, true, -1, text_near,
	 "FN% of the instruction and two on either side: interrupts are late"},
	[COL_SAMPLES] = {"SAMPLES", 8, 0, 0, 7, true, -1, text_row_count, NULL},
	[COL_ADDR] = {"ADDRESS", 16, 0, 0, 8, true, -1, text_addr,
	 "address in the file, or in memory without file"},
	[COL_OFFSET] = {"OFFSET", 7, 0, 0, 3, true, -1, text_offset, "from the function's start"},
	[COL_LANES] = {"", LANES_SMALL + 1, 0, 0, 2, false, -1, text_lanes, NULL},
	[COL_TEXT] = {"INSTRUCTION", 10, 1, 0, 0, false, -1, text_listing,
	 "with its target; lines at its left are jumps"},
};

/* --- drawing ---------------------------------------------------------------------------- */

static void escape_object_name(const struct code_place *p, char *buf, size_t size)
{

	text_escape(buf, size, text_base(p->object));
}

static void draw_code_title(struct app *a, int y)
{
	const struct view_code_state *s = view_code_state(a);
	const struct code *c = s->sheet->code;
	const struct code_sheet *was = codechanges_sheet(s);
	const struct session_event *e = app_event(a);
	char name[VIEW_CODE_NAME * 2], object[200], n[UNITS_LEN], share[16];
	struct widget_line line = {.nr = 0};
	double all = s->sheet->attributed
			     ? (double)s->sheet->weight / (double)s->sheet->attributed
			     : NAN;

	rowlist_fit(a, name, sizeof(name), c && c->name ? c->name : s->now.name, NULL,
		 a->scene.cols / 2);
	if (c && !c->name && c->size) /* the selected name is only one address of it */
		snprintf(name, sizeof(name), "[0x%llx]", (unsigned long long)c->addr);
	escape_object_name(&s->now.place, object, sizeof(object));
	widget_percent(share, sizeof(share), all);
	widget_segment(&line, ROLE_STRONG, 0, 0, "%s", *name ? name : "no symbol");
	widget_segment(&line, ROLE_DIM, 3, 2, "%s", object);
	widget_segment(&line, ROLE_TEXT, 0, 2, "%s%% of all", share);
	if (was) {
		widget_percent(share, sizeof(share), listing_part(was->weight,
					    &(struct code_sheet){.weight = was->attributed}));
		widget_segment(&line, ROLE_TEXT, 0, 0, ", was %s%%", share);
	}
	widget_segment(&line, ROLE_TEXT, 2, 2, "%s samples",
		       units_count(n, (double)s->sheet->samples));
	if (e)
		widget_segment(&line, ROLE_DIM, 4, 2, "%s", e->name);
	widget_line_draw(&a->scene, y, &line);
}

static void draw_code_rows(struct app *a, struct rect area, const struct widget_table *table)
{
	const struct listing *l = &view_code_state(a)->listing;
	const struct list *list = &a->table[VIEW_CODE].list;

	for (size_t i = list->top; i < l->nr && (int)(i - list->top) < area.rows; i++) {
		int y = area.y + (int)(i - list->top);

		widget_table_row(&a->scene, y, area.cols, table, a, &l->row[i], i == list->index);
		app_zone(a, (struct rect){y, 0, 1, area.cols}, ZONE_ROW, i, NULL);
	}
}

static uint32_t hidden_columns(const struct app *a, int cols)
{
	struct view_code_state *s = view_code_state(a);
	const struct code *c = s->sheet->code;
	uint32_t hidden = cols < WIDE_COLS ? 1u << COL_SELF | 1u << COL_NEAR | 1u << COL_SAMPLES |
						     1u << COL_ADDR
					   : 0;

	if (!codechanges_sheet(s))
		hidden |= 1u << COL_WAS | 1u << COL_WAS_BAR;
	if (s->mode == LISTING_LINES && c && c->ninsns)
		return hidden | 1u << COL_NEAR | 1u << COL_ADDR | 1u << COL_OFFSET |
		       1u << COL_LANES;
	/* An offset needs a function whose size is known. */
	if (!c || !c->size)
		hidden = (hidden | 1u << COL_OFFSET) & ~(1u << COL_ADDR);
	/* Without instructions, addresses are all that is known. */
	if (!c || !c->ninsns)
		hidden = (hidden | 1u << COL_LANES | 1u << COL_NEAR | 1u << COL_TEXT) &
			 ~(1u << COL_ADDR | 1u << COL_SELF | 1u << COL_SAMPLES);
	return hidden;
}

static void draw_none(struct app *a, struct rect area)
{
	struct view_code_state *s = view_code_state(a);

	scene_fit(&a->scene, area.y, 1, -1, s->now.place.object ? ROLE_BAD : ROLE_DIM,
		  s->now.place.object
		      ? "out of memory: no code"
		      : "select a function in Functions, Tree or Flame and press 5");
}

static void draw_code(struct app *a, struct rect area)
{
	struct view_code_state *s = view_code_state(a);
	struct widget_column shown[COL_NR];
	struct widget_table table = {.columns = shown, .nr = COL_NR};
	int title = area.rows > 3, head = area.rows > 2, foot;
	struct rect rows = {area.y + title + head, area.x, area.rows - title - head, area.cols};
	char text[700];
	enum role role;

	memcpy(shown, columns, sizeof(shown));
	if (s->mode == LISTING_LINES)
		shown[COL_TEXT].title = "SOURCE";
	shown[COL_LANES].width = (short)(lanes(a) + 1);
	if (!sync_sheet(a)) {
		draw_none(a, area);
		return;
	}
	role = codefoot_hint(a, text, sizeof(text));
	foot = codefoot_lines(a, area, role, text);
	rows.rows -= foot;
	s->height = (size_t)(rows.rows > 0 ? rows.rows : 0);
	sync_code_list(a);
	widget_table_layout(&table, area.cols > 20 ? 2 : 1, area.cols,
			    hidden_columns(a, area.cols));
	if (title)
		draw_code_title(a, area.y);
	if (head)
		widget_table_head(&a->scene, area.y + title, area.cols, &table, NULL, -1, false);
	draw_code_rows(a, rows, &table);
	codefoot_draw(a, area, foot, role, text);
}

/* --- details ---------------------------------------------------------------------------- */

static void add_insn_details(const struct app *a, struct details *d, const struct listing_row *r)
{
	const struct listing *l = &view_code_state(a)->listing;
	const struct code *c = l->sheet->code;
	const struct code_insn *in = listing_insn(l, r);
	char text[WIDGET_TEXT], near[16];

	listing_text(l, r, text, sizeof(text));
	details_add(d, ROLE_STRONG, "instruction", "%s", text);
	details_add(d, ROLE_TEXT, "bytes", "%u at %llx", in->len, (unsigned long long)in->addr);
	if (in->file) {
		text_escape(text, sizeof(text), code_text(c, in->file));
		details_add(d, ROLE_TEXT, "source", "%s:%u", text, in->line);
	}
	if (in->inlined) {
		text_escape(text, sizeof(text), code_text(c, in->inlined));
		details_add(d, ROLE_TEXT, "inlined", "%s", text);
	}
	widget_percent(near, sizeof(near), listing_near(l, r, NEAR_SPAN));
	details_add(d, ROLE_TEXT, "near",
		    "%s%% of the function's samples in the %u instructions around", near,
		    2 * NEAR_SPAN + 1);
	details_add(d, ROLE_DIM, "", "the interrupt is late: look above for the cause of the");
	details_add(d, ROLE_DIM, "", "wait, such as a load, division or lock");
}

static void add_line_details(const struct app *a, struct details *d, const struct listing_row *r)
{
	const struct code *c = view_code_state(a)->listing.sheet->code;
	char text[WIDGET_TEXT];

	text_escape(text, sizeof(text), code_text(c, r->file));
	if (r->file)
		details_add(d, ROLE_STRONG, "source", "%s:%u", text, r->line);
	if (r->ninsns)
		details_add(d, ROLE_TEXT, "made of", "%u instructions: Enter shows the hottest one",
			    r->ninsns);
	else
		details_add(d, ROLE_DIM, "made of", "no instruction of this function");
}

static void code_details(struct app *a, struct details *d)
{
	const struct listing_row *r = sync_code_rows(a) ? selected_line(a) : NULL;
	const struct view_code_state *s = view_code_state(a);
	const struct session_event *e = app_event(a);
	char share[16], all[16], n[UNITS_LEN], text[VIEW_CODE_NAME * 2];

	if (!r) {
		details_add(d, ROLE_DIM, "", "no row is selected");
		return;
	}
	widget_percent(share, sizeof(share), share_of_function(s, r));
	widget_percent(all, sizeof(all),
		       s->sheet->attributed ? (double)r->weight / (double)s->sheet->attributed
					    : NAN);
	if (s->sheet->code && s->sheet->code->name) {
		text_escape(text, sizeof(text), s->sheet->code->name);
		details_add(d, ROLE_STRONG, "function", "%s", text);
	}
	text_escape(text, sizeof(text), s->now.place.object);
	details_add(d, ROLE_TEXT, "object", "%s", text);
	if (r->kind == LISTING_INSN)
		add_insn_details(a, d, r);
	if (r->kind == LISTING_LINE)
		add_line_details(a, d, r);
	details_add(d, ROLE_TEXT, "share", "%s%% of the function  %s%% of all", share, all);
	if (codechanges_sheet(s)) {
		widget_percent(share, sizeof(share),
			       listing_part(r->was_weight, codechanges_sheet(s)));
		details_add(d, ROLE_TEXT, "was", "%s%% of the function, of %s samples", share,
			    units_count(n, (double)r->was_samples));
	}
	details_add(d, ROLE_TEXT, "samples", "%s", units_count(n, (double)r->samples));
	if (e && session_skid(e))
		details_add(d, ROLE_DIM, "skid", "%s: precise_ip %u%s", session_skid(e),
			    e->precise - 1u,
			    e->precise <= 2 ? "; the instruction may be an earlier one (:p to :ppp)"
					    : "");
}

static bool source(struct app *a, struct editor_file *f)
{
	const struct listing_row *r = sync_code_rows(a) ? selected_line(a) : NULL;
	const struct code_sheet *sheet = view_code_state(a)->listing.sheet;
	const struct code *c = sheet ? sheet->code : NULL;
	bool line = r && r->kind == LISTING_LINE,
	     insn = r && (r->kind == LISTING_INSN || r->kind == LISTING_SOURCE);
	const struct code_source *s;

	if (!c || !(line || insn))
		return false;
	f->line = line ? r->line : c->insns[r->index].line;
	s = code_find_source(c, line ? r->file : c->insns[r->index].file, f->line);
	text_append(f->text, sizeof(f->text), 0, "%s", s ? code_text(c, s->text) : "");
	return text_append(f->path, sizeof(f->path), 0, "%s",
			   code_text(c, line ? r->file : c->insns[r->index].file)) <
		       sizeof(f->path) - 1 &&
	       f->path[0] && f->line;
}

/* Without open code, open that of the selected row. */
static void enter_code(struct app *a)
{
	if (!view_code_state(a)->now.place.object)
		open_selected_code(a);
}

static bool choose_code(struct app *a)
{
	if (!views[a->view]->function || open_selected_code(a))
		return true;
	app_say(a, ROLE_TEXT, "no function is selected here");
	return false;
}

const struct view_ops view_code = {
	.state_size = sizeof(struct view_code_state),
	.state_free = code_state_free,
	.enter = enter_code,
	.choose = choose_code,
	.columns = columns,
	.ncolumns = COL_NR,
	.keys = "help search open back hot-path source edit freeze quit details zero",
	.draw = draw_code,
	.details = code_details,
	.step = step_code,
	.source = source,
};
