/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of functions, of tasks, and by the group that --group names; samples by CPU; call paths. */
#include "report/section_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "core/slice/aliases.h"
#include "model/tree/tree.h"
#include "report/export/export_folded.h"
#include "report/jsonout.h"

#define TEXT_ROWS   20	 /* rows in an interval's text, without --top */
#define TEXT_GROUPS 10	 /* groups in an interval's report, without --top */
#define NAME_BYTES  4352 /* a path's last part, or a cgroup's path */

/* Bits of section_rows.shown. */
enum { BY_HOST = 1, BY_LINE = 2, BY_CGROUP = 4, WITH_LINE = 8, WITH_QUOTA = 16, WITH_TASKS = 32 };

/* A row with texts and numbers that depend on its flags. */
struct table_row {
	struct row r;
	const char *event, *by, *object, *doubt, *nameless, *exited, *function;
	const char *host; /* the only one, or the number of hosts */
	int32_t text_tid;
	bool loading, irqs_off;
	char task[64], name[NAME_BYTES], many[16];
};

#define ROW(member)	  COLUMN_OF(struct table_row, r.member)
#define TABLE_ROW(member) COLUMN_OF(struct table_row, member)

static const struct column owner[] = {
	{"user", COLUMN_NAME, ROW(user), .omit = COLUMN_OMIT},
	{"cgroup", COLUMN_NAME, ROW(cgroup), .omit = COLUMN_OMIT},
	{"parent", COLUMN_NAME, ROW(parent), .omit = COLUMN_OMIT},
	{"ppid", COLUMN_ID, ROW(ppid), .omit = COLUMN_OMIT},
	{0},
};

/* Give the rows of an event to section_row.  Return them, or NULL: no memory. */
static const struct rows *fill_table(struct section_rows *to, const struct query *q)
{
	const struct rows *rows = model_rows(to->v->model, q, to->v->window);
	struct table_row t = {.event = model_info(to->v->model)->events[q->event].name,
			      .by = group_words[q->group].name};
	unsigned shown = to->shown;

	if (!rows)
		section_no_memory(to);
	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];

		t.r = *r;
		t.object = r->flags & ROW_UNMAPPED || !*r->object ? NULL : r->object;
		t.doubt = r->flags & ROW_DOUBT ? r->why : "";
		t.nameless = r->flags & ROW_DOUBT ? "" : r->why;
		if (!r->periods)
			t.r.throttled_share = NAN;
		t.host = r->nhosts > 1 && !*r->host ? t.many : r->host;
		if (t.host == t.many)
			snprintf(t.many, sizeof(t.many), "(%u)", r->nhosts);
		t.loading = r->flags & ROW_LOADING;
		t.irqs_off = r->flags & ROW_IRQS_OFF;
		t.exited = r->flags & ROW_FOLDED && !r->folded ? "exited ones" : "";
		t.function = *r->function || !r->line ? r->function : "(several)";
		if (to->section == &section_groups)
			model_row_name(r, t.name, sizeof(t.name));
		else if (!to->json)
			model_row_task(r, t.task, sizeof(t.task));
		t.text_tid = r->pid < 0 ? -1 : r->tid;
		t.r.ppid = r->ppid > 0 ? r->ppid : -1;
		to->shown = shown | (r->line ? WITH_LINE : 0) | (r->periods ? WITH_QUOTA : 0);
		section_row(to, &t);
	}
	return rows;
}

/* Return the query of an event's rows; top: rows in an interval's text, without --top. */
static struct query table_query(struct section_rows *to, enum group_by group, size_t top)
{
	const struct headless_view *v = to->v;

	to->shown = !to->json && model_info(v->model)->nhosts > 1 ? BY_HOST : 0;
	return (struct query){.event = to->event,
			      .group = group,
			      .sort = v->sort,
			      .show_self = v->show_self,
			      .hide_kernel = v->hide_kernel,
			      .hide_user = v->hide_user,
			      .filter = v->filter,
			      .limit = to->json || v->top || v->end ? v->top : top,
			      .by_host = to->json};
}

/* --- functions and tasks ---------------------------------------------------------------- */

/* Put the other names of a function's address, if it has any. */
static void json_other_names(struct out *o, const void *row)
{
	const char *also = ((const struct row *)row)->also;
	struct aliases s;

	aliases_get(&s, also ? also : "");
	if (s.names < 2)
		return;
	jsonout_number(o, "names_at_address", s.names);
	jsonout_open(o, "other_names", "[");
	for (unsigned i = 0; i < s.nr; i++)
		jsonout_string(o, NULL, s.other[i]);
	out_text(o, "]");
}

#define WIDTH_FUNCTION 44
#define WIDTH_OBJECT   24

static void text_function_name(struct out *o, const void *row)
{
	const struct row *r = row;
	const char *mark = r->flags & ROW_IRQS_OFF ? "[k!] " : r->flags & ROW_KERNEL ? "[k] " : "";

	out_text(o, mark);
	out_function(o, r->name, WIDTH_FUNCTION - (int)strlen(mark));
}

static void text_function_object(struct out *o, const void *row)
{
	const struct row *r = row;
	bool doubt = r->flags & ROW_DOUBT; /* before the name: a long one leaves no room */

	out_text(o, doubt ? "? " : "");
	out_name(o, text_base(r->object), doubt ? WIDTH_OBJECT - 2 : WIDTH_OBJECT);
}

static const struct column functions[] = {
	{"event", COLUMN_NAME, TABLE_ROW(event)},
	{"host", COLUMN_NAME, ROW(host), .omit = COLUMN_OMIT},
	{"function", COLUMN_NAME, ROW(name)}, {"object", COLUMN_TEXT, TABLE_ROW(object)},
	{NULL, COLUMN_OWN, .json = json_other_names},
	{"doubt", COLUMN_NAME, TABLE_ROW(doubt), .omit = COLUMN_OMIT},
	{"nameless", COLUMN_NAME, TABLE_ROW(nameless), .omit = COLUMN_OMIT},
	{"self", COLUMN_SHARE, ROW(self_share), "  {}", .head = "SELF%", .width = 6},
	{"total", COLUMN_SHARE, ROW(total_share), " {}", .head = " TOTAL%", .width = 6},
	{.form = COLUMN_OWN, .own = text_function_name, .head = "FUNCTION", .text = "  {}",
	 .width = -WIDTH_FUNCTION},
	{.form = COLUMN_OWN, .own = text_function_object, .head = "OBJECT", .text = "  {}",
	 .width = -WIDTH_OBJECT},
	{NULL, COLUMN_NAME, TABLE_ROW(host), "  {}", .head = "HOST", .width = -16, .when = BY_HOST},
	{NULL, COLUMN_NAME, TABLE_ROW(task), "  {}", COLUMN_OMIT, .head = "TASK"},
	{"samples", COLUMN_NUMBER, ROW(samples)}, {"weight", COLUMN_NUMBER, ROW(self)},
	{"interrupts_off", COLUMN_BOOL, TABLE_ROW(irqs_off), .omit = COLUMN_OMIT},
	{"loading", COLUMN_BOOL, TABLE_ROW(loading), "  loading", COLUMN_OMIT},
	{"folded", COLUMN_NUMBER, ROW(folded), "  ({} addresses)", COLUMN_OMIT},
	{0},
};

static const struct column tasks[] = {
	{"event", COLUMN_NAME, TABLE_ROW(event)},
	{"host", COLUMN_NAME, ROW(host), .omit = COLUMN_OMIT},
	{NULL, COLUMN_SHARE, ROW(self_share), "  {}", .head = "%", .width = 6},
	{"pid", COLUMN_ID, ROW(pid), "  {}", .head = "PID", .width = 8},
	{"tid", COLUMN_ID, ROW(tid)},
	{NULL, COLUMN_ID, TABLE_ROW(text_tid), " {}", .head = "TID", .width = 8},
	{NULL, COLUMN_NAME, TABLE_ROW(host), "  {}", .head = "HOST", .width = -16, .when = BY_HOST},
	{"comm", COLUMN_NAME, ROW(name), "  {}", .head = "COMM"},
	{NULL, COLUMN_OBJECT, .columns = owner}, {"share", COLUMN_SHARE, ROW(self_share)},
	{"samples", COLUMN_NUMBER, ROW(samples)}, {"weight", COLUMN_NUMBER, ROW(self)},
	{"folded", COLUMN_NUMBER, ROW(folded), "  ({} exited)", COLUMN_OMIT},
	{NULL, COLUMN_NAME, TABLE_ROW(exited), "  ({})", COLUMN_OMIT},
	{0},
};

static bool fill_sampled(struct section_rows *to)
{
	bool tasks_wanted = to->section == &section_tasks;
	struct query q = table_query(to, tasks_wanted ? GROUP_THREAD : GROUP_FUNCTION, TEXT_ROWS);
	const struct rows *rows;
	uint64_t left;

	q.hide_kernel &= !to->json;
	q.hide_user &= !to->json;
	rows = fill_table(to, &q);
	if (to->json || !rows || !rows->nr || rows->all == rows->nr)
		return true;
	left = rows->shown;
	for (size_t i = 0; i < rows->nr; i++)
		left -= rows->row[i].self;
	out_printf(to->o, "  %6.2f  in %zu more %s%s\n",
		   rows->attributed ? 100 * (double)left / (double)rows->attributed : 0,
		   rows->all - rows->nr, tasks_wanted ? "task" : "function",
		   rows->all - rows->nr == 1 ? "" : "s");
	return true;
}

const struct section section_functions = {.name = "functions", .columns = functions,
	.by_event = true, .fill = fill_sampled};
const struct section section_tasks = {.name = "tasks", .columns = tasks, .by_event = true,
	.fill = fill_sampled};

/* --- groups ----------------------------------------------------------------------------- */

static void text_line_object(struct out *o, const void *row)
{
	out_name(o, text_base(((const struct row *)row)->object), 0);
}

static const struct column groups[] = {
	{"event", COLUMN_NAME, TABLE_ROW(event)},
	{"host", COLUMN_NAME, ROW(host), .omit = COLUMN_OMIT},
	{"by", COLUMN_NAME, TABLE_ROW(by)},
	{NULL, COLUMN_SHARE, ROW(self_share), "  {}", .head = "%", .width = 6},
	{NULL, COLUMN_NUMBER, ROW(samples), "  {}", .head = "SAMPLES", .width = 8},
	{NULL, COLUMN_NUMBER, ROW(ntasks), " {}", .head = "PROCESSES", .width = 9},
	{NULL, COLUMN_SHARE, ROW(throttled_share), "  {}", .head = "THROTTLED", .width = 10,
	 .when = BY_CGROUP, .format = "%9.1f%%"},
	{"name", COLUMN_NAME, TABLE_ROW(name), "  {}"},
	{"file", COLUMN_NAME, ROW(file), .when = WITH_LINE},
	{"line", COLUMN_NUMBER, ROW(line), .when = WITH_LINE},
	{"function", COLUMN_NAME, ROW(function), .when = BY_LINE, .omit = COLUMN_OMIT_JSON},
	{NULL, COLUMN_NAME, TABLE_ROW(function), "  {}", COLUMN_OMIT, .when = BY_LINE},
	{"object", COLUMN_NAME, ROW(object), "  {}", COLUMN_OMIT, .when = BY_LINE,
	 .own = text_line_object},
	{"total_share", COLUMN_SHARE, ROW(total_share), .when = BY_LINE},
	{NULL, COLUMN_NAME, ROW(host), " on {}", COLUMN_OMIT},
	{NULL, COLUMN_OBJECT, .columns = owner},
	{"pid", COLUMN_ID, ROW(pid), .omit = COLUMN_OMIT},
	{"processes", COLUMN_NUMBER, ROW(ntasks), .when = WITH_TASKS, .omit = COLUMN_OMIT},
	{"periods", COLUMN_NUMBER, ROW(periods), .when = WITH_QUOTA},
	{"throttled", COLUMN_NUMBER, ROW(throttled), .when = WITH_QUOTA},
	{"throttled_ns", COLUMN_NUMBER, ROW(throttled_ns), .when = WITH_QUOTA},
	{"share", COLUMN_SHARE, ROW(self_share)}, {"samples", COLUMN_NUMBER, ROW(samples)},
	{"weight", COLUMN_NUMBER, ROW(self)},
	{0},
};

static bool fill_groups(struct section_rows *to)
{
	const char *name = group_words[to->v->group].name;
	struct query q = table_query(to, to->v->group, TEXT_GROUPS);
	const struct rows *rows;
	char head[32] = "  ";

	if (to->v->group == GROUP_FUNCTION)
		return false;
	for (size_t i = 0; name[i]; i++)
		head[2 + i] = (char)toupper((unsigned char)name[i]);
	to->head_end = head;
	q.by_host |= to->shown & BY_HOST;
	to->shown |= (q.group == GROUP_LINE ? BY_LINE : 0) |
		     (q.group == GROUP_CGROUP ? BY_CGROUP : 0) |
		     (q.group == GROUP_TASK || q.group == GROUP_THREAD ? 0 : WITH_TASKS);
	rows = fill_table(to, &q);
	if (to->json || !rows || !rows->nr)
		return true;
	if (rows->all > rows->nr)
		out_printf(to->o, "          and %zu more\n", rows->all - rows->nr);
	/* source lines are counted in the history kept only */
	if (rows->missing)
		out_printf(to->o,
			   "          of %.1f%% of the whole run: the rest is no longer kept "
			   "(--history keeps more)\n", 100 * (double)rows->attributed /
				   ((double)rows->attributed + (double)rows->missing));
	return true;
}

const struct section section_groups = {.name = "groups", .columns = groups, .by_event = true,
	.fill = fill_groups};

/* --- CPUs and call paths ---------------------------------------------------------------- */

struct cpu_row {
	struct section_place place;
	uint64_t samples;
};

static const struct column cpus[] = {
	SECTION_PLACE(struct cpu_row, place),
	{"samples", COLUMN_NUMBER, COLUMN_OF(struct cpu_row, samples)},
	{0},
};

static bool fill_cpus(struct section_rows *to)
{
	size_t nr;
	const struct cpu_load *c = model_cpus(to->v->model, to->v->window, &nr);

	for (size_t i = 0; i < nr; i++)
		section_row(to, &(struct cpu_row){section_place(to->v, c[i].cpu, -1),
						  c[i].samples});
	return true;
}

const struct section section_cpus = {.name = "cpus", .columns = cpus, .fill = fill_cpus};

struct path_row {
	const char *event, *host, *path;
	uint64_t weight, samples;
};

static const struct column paths[] = {
#define PATH(member) COLUMN_OF(struct path_row, member)
	{"event", COLUMN_NAME, PATH(event)},
	{"host", COLUMN_NAME, PATH(host), .omit = COLUMN_OMIT},
	{"path", COLUMN_NAME, PATH(path)}, {"weight", COLUMN_NUMBER, PATH(weight)},
	{"samples", COLUMN_NUMBER, PATH(samples)},
	{0},
};

static void put_tree_path(struct section_rows *to, const struct tree *t, uint32_t node,
			  const char *path)
{
	const struct tree_node *n = &t->node[node], *top = n;
	struct path_row r = {model_info(to->v->model)->events[to->event].name, NULL, path, n->self,
			     n->self_samples};

	while (top->depth > 1)
		top = &t->node[top->parent];
	if (top->flags & TREE_HOST) {
		r.host = top->name;
		r.path += strcspn(path, ";"); /* names in a path contain none */
		r.path += *r.path == ';';
	}
	section_row(to, &r);
}

static bool fill_paths(struct section_rows *to)
{
	const struct headless_view *v = to->v;
	struct tree_query q = {
		.q = {.event = to->event, .show_self = v->show_self, .filter = v->filter},
		.hosts = true};
	const struct tree *t = v->paths ? model_tree(v->model, &q, v->window) : NULL;
	const char *path;
	uint32_t node = 0;
	struct out text;

	if (v->paths && !t)
		section_no_memory(to);
	out_init(&text, -1, -1);
	while (t && !to->o->error && (path = folded_next(&text, t, &node)))
		put_tree_path(to, t, node, path);
	if (text.error)
		to->o->error = text.error;
	out_clear(&text);
	return v->paths;
}

const struct section section_paths = {.name = "paths", .columns = paths, .by_event = true,
	.fill = fill_paths};
