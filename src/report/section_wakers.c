/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks that woke the threads that waited (--off-cpu). */
#include "report/section_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/rows/rowfilter.h"

#define EVENT		  "off-cpu:woken"
#define SLEEPERS	  256u /* threads in the total; each costs a query of the window */
#define SLEEPERS_INTERVAL 32u
#define WAKERS		  32u /* wakers of each thread */

/* A thread that was woken.  Copies its texts: rows are valid until the next query only. */
struct sleeper {
	char comm[64], host[128];
	int32_t pid, tid;
};

static const struct column sleeper_columns[] = {
#define SLEEPER(member) COLUMN_OF(struct sleeper, member)
	{"comm", COLUMN_NAME, SLEEPER(comm)}, {"pid", COLUMN_ID, SLEEPER(pid)},
	{"tid", COLUMN_ID, SLEEPER(tid)},
	{"host", COLUMN_NAME, SLEEPER(host), .omit = COLUMN_OMIT},
	{0},
};

/* Threads that waited longest, and number and sums of the others. */
struct sleepers {
	struct sleeper of[SLEEPERS];
	size_t nr;
	unsigned event;
	uint64_t left, samples, ns;
};

/*
 * Return true if the row's thread is in `to`: a thread that changed its name has a row for each
 * name, and its wakers are queried by its number.
 */
static bool has_sleeper(const struct sleepers *to, const struct row *r)
{
	for (size_t i = 0; i < to->nr; i++)
		if (to->of[i].tid == r->tid && to->of[i].pid == r->pid &&
		    !strcmp(to->of[i].host, r->host))
			return true;
	return false;
}

/* Fill in the threads that waited.  False: there is no event woken, or no memory. */
static bool find_sleepers(struct section_rows *out, struct sleepers *to)
{
	const struct headless_view *v = out->v;
	size_t most = v->end ? SLEEPERS : SLEEPERS_INTERVAL;
	struct query q = {.group = GROUP_THREAD,
			  .sort = SORT_SELF,
			  .show_self = v->show_self,
			  .filter = v->filter,
			  .by_host = true};
	const struct rows *rows;

	if (!session_event_named(model_info(v->model), EVENT, "ns", &q.event))
		return false;
	rows = model_rows(v->model, &q, v->window);
	if (!rows)
		section_no_memory(out);
	to->event = q.event;
	to->nr = to->left = to->samples = to->ns = 0;
	for (size_t i = 0; rows && i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		struct sleeper *s = &to->of[to->nr];

		if (has_sleeper(to, r))
			continue;
		if (to->nr == most || r->tid < 0) {
			to->left++;
			to->samples += r->samples;
			to->ns += r->self;
			continue;
		}
		snprintf(s->comm, sizeof(s->comm), "%s", r->name);
		snprintf(s->host, sizeof(s->host), "%s", r->host);
		s->pid = r->pid;
		s->tid = r->tid;
		to->nr++;
	}
	return rows;
}

/*
 * Return a filter that only this thread passes, or NULL: out of memory.  The host is in it, as
 * threads of several hosts may have equal numbers.
 */
static struct rowfilter *only(const struct sleeper *s)
{
	struct rowfilter *filter = NULL;
	char text[400];
	size_t pos = text_append(text, sizeof(text), 0, "pid:%d tid:%d", s->pid, s->tid);

	if (*s->host)
		pos = text_append(text, sizeof(text), pos, " host:^");
	for (const char *at = s->host; *at; at++)
		pos = text_append(text, sizeof(text), pos, "%s%c",
				  strchr("^$.[]|()?*+{}\\", *at) ? "\\" : "", *at);
	if (*s->host)
		text_append(text, sizeof(text), pos, "$");
	return rowfilter_compile(text, &filter, NULL) ? NULL : filter;
}

/*
 * Parse a waker, "make (4242)" or "java (4242/4300)": ringtop appends the part in the last
 * parentheses, so a task's name cannot fake it.  False: it is no task, but such as [ringtop].
 */
static bool who_woke(const char *name, char *comm, size_t size, int32_t *pid, int32_t *tid)
{
	const char *at = strrchr(name, '(');
	int n = at ? sscanf(at, "(%d/%d)", pid, tid) : 0;

	if (n < 1 || at == name)
		return false;
	if (n == 1)
		*tid = *pid;
	snprintf(comm, size, "%.*s", (int)(at - name - 1), name);
	return true;
}

struct waker_row {
	struct sleeper s;
	const char *waker; /* as the row names it */
	char comm[64];	   /* see who_woke() */
	const char *waker_comm;
	int32_t pid, tid;
	uint64_t count, ns;
};

static void text_sleeper(struct out *o, const void *row)
{
	const struct sleeper *s = &((const struct waker_row *)row)->s;

	out_name(o, s->comm, 0);
	out_printf(o, s->tid != s->pid ? " (%d/%d)" : " (%d)", s->pid, s->tid);
	out_text(o, *s->host ? " on " : "");
	out_name(o, s->host, 0);
}

static const struct column wakers[] = {
#define WAKER(member) COLUMN_OF(struct waker_row, member)
	{NULL, COLUMN_NUMBER, WAKER(count), "  {}", .head = "TIMES", .width = 7},
	{NULL, COLUMN_NUMBER, WAKER(ns), "  {}", .head = "SLEPT", .width = 9, .unit = COLUMN_SPAN},
	{.form = COLUMN_OWN, .own = text_sleeper, .head = "WHO WAITED, WHO WOKE IT",
	 .text = "  {}"},
	{NULL, COLUMN_OBJECT, WAKER(s), .columns = sleeper_columns},
	{NULL, COLUMN_NAME, WAKER(waker), ": {}"},
	{"waker_comm", COLUMN_NAME, WAKER(waker_comm)}, {"waker_pid", COLUMN_ID, WAKER(pid)},
	{"waker_tid", COLUMN_ID, WAKER(tid)}, {"count", COLUMN_NUMBER, WAKER(count)},
	{"ns", COLUMN_NUMBER, WAKER(ns)},
	{0},
};

/* Fill in what woke a thread. */
static void fill_waker(struct section_rows *to, const struct sleeper *s, unsigned event)
{
	struct rowfilter *filter = only(s);
	struct query q = {.event = event,
			  .group = GROUP_FUNCTION,
			  .sort = SORT_SELF,
			  .show_self = true,
			  .filter = filter,
			  .limit = WAKERS};
	const struct rows *rows = filter ? model_rows(to->v->model, &q, to->v->window) : NULL;

	for (size_t k = 0; rows && k < rows->nr && rows->row[k].self; k++) {
		const struct row *of = &rows->row[k];
		struct waker_row r = {.s = *s, .waker = of->name, .pid = -1, .tid = -1,
				      .count = of->samples, .ns = of->self};

		r.waker_comm = who_woke(of->name, r.comm, sizeof(r.comm), &r.pid, &r.tid)
				       ? r.comm
				       : of->name;
		section_row(to, &r);
	}
	if (!rows)
		section_no_memory(to);
	rowfilter_free(filter);
}

static bool fill_wakers(struct section_rows *to)
{
	struct sleepers all;

	if (!find_sleepers(to, &all))
		return false;
	for (size_t i = 0; i < all.nr; i++)
		fill_waker(to, &all.of[i], all.event);
	return true;
}

const struct section section_wakers = {.name = "wakers", .columns = wakers, .fill = fill_wakers};

/* Sums of the threads that are not listed. */
static const struct column not_listed[] = {
#define NOT_LISTED(member) COLUMN_OF(struct sleepers, member)
	{"threads", COLUMN_NUMBER, NOT_LISTED(left)},
	{"count", COLUMN_NUMBER, NOT_LISTED(samples), "  {}", .width = 7},
	{"ns", COLUMN_NUMBER, NOT_LISTED(ns), "  {}", .width = 9, .unit = COLUMN_SPAN},
	{NULL, COLUMN_NUMBER, NOT_LISTED(left), "  of {} more threads"},
	{0},
};

static bool fill_not_listed(struct section_rows *to)
{
	struct sleepers all;

	if (!find_sleepers(to, &all))
		return false;
	if (to->json || all.left)
		section_row(to, &all);
	return true;
}

const struct section section_wakers_not_listed = {.name = "wakers_not_listed",
	.columns = not_listed, .object = true, .fill = fill_not_listed};
