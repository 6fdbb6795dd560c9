/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report_wakers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "report/jsonout.h"
#include "model/rows/filter.h"

#define EVENT		  "off-cpu:woken"
#define SLEEPERS	  256u /* threads in the total; each costs a query of the window */
#define SLEEPERS_INTERVAL 32u
#define WAKERS		  32u /* wakers of each thread */

/* A thread that was woken.  Copies its texts: rows are valid until the next query only. */
struct sleeper {
	char comm[64], host[128];
	int32_t pid, tid;
};

struct sleepers {
	struct sleeper of[SLEEPERS];
	size_t nr, all;
	unsigned event;
};

/* Functions that write one form of report. */
struct form {
	void (*waker)(struct out *o, const struct sleeper *s, const struct row *r, bool first);
	void (*rest)(struct out *o, size_t nr, uint64_t samples, uint64_t ns);
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

/*
 * Fill in the threads that waited longest; *samples and *ns: sums of the others.  False: out of
 * memory.
 */
static bool find_sleepers(const struct headless_view *v, struct sleepers *to, uint64_t *samples,
			  uint64_t *ns)
{
	size_t most = v->end ? SLEEPERS : SLEEPERS_INTERVAL;
	struct query q = {.event = to->event,
			  .group = GROUP_THREAD,
			  .sort = SORT_SELF,
			  .show_self = v->show_self,
			  .filter = v->filter,
			  .by_host = true};
	const struct rows *rows = model_rows(v->model, &q, v->window);

	*samples = *ns = 0;
	if (!rows)
		return false;
	to->nr = 0;
	to->all = rows->nr;
	for (size_t i = 0; i < rows->nr; i++) {
		const struct row *r = &rows->row[i];
		struct sleeper *s = &to->of[to->nr];

		if (has_sleeper(to, r)) {
			to->all--;
			continue;
		}
		if (to->nr == most || r->tid < 0) {
			*samples += r->samples;
			*ns += r->self;
			continue;
		}
		snprintf(s->comm, sizeof(s->comm), "%s", r->name);
		snprintf(s->host, sizeof(s->host), "%s", r->host);
		s->pid = r->pid;
		s->tid = r->tid;
		to->nr++;
	}
	return true;
}

/*
 * Return a filter that only this thread passes, or NULL: out of memory.  The host is in it, as
 * threads of several hosts may have equal numbers.
 */
static struct filter *only(const struct sleeper *s)
{
	struct filter *filter = NULL;
	char text[400];
	size_t pos = text_append(text, sizeof(text), 0, "pid:%d tid:%d", s->pid, s->tid);

	if (*s->host)
		pos = text_append(text, sizeof(text), pos, " host:^");
	for (const char *at = s->host; *at; at++)
		pos = text_append(text, sizeof(text), pos, "%s%c",
				  strchr("^$.[]|()?*+{}\\", *at) ? "\\" : "", *at);
	if (*s->host)
		text_append(text, sizeof(text), pos, "$");
	return filter_compile(text, &filter, NULL) ? NULL : filter;
}

static void put_wakers(struct out *o, const struct headless_view *v, const struct form *form)
{
	struct sleepers all = {.nr = 0};
	uint64_t samples, ns;
	bool first = true;

	if (!session_event_named(model_info(v->model), EVENT, "ns", &all.event))
		return;
	if (!find_sleepers(v, &all, &samples, &ns)) {
		o->error = o->error ? o->error : -ENOMEM;
		return;
	}
	for (size_t i = 0; i < all.nr; i++) {
		struct filter *filter = only(&all.of[i]);
		struct query q = {.event = all.event,
				  .group = GROUP_FUNCTION,
				  .sort = SORT_SELF,
				  .show_self = true,
				  .filter = filter,
				  .limit = WAKERS};
		const struct rows *rows = filter ? model_rows(v->model, &q, v->window) : NULL;

		for (size_t k = 0; rows && k < rows->nr && rows->row[k].self; k++) {
			form->waker(o, &all.of[i], &rows->row[k], first);
			first = false;
		}
		if (!rows)
			o->error = o->error ? o->error : -ENOMEM;
		filter_free(filter);
	}
	form->rest(o, all.all - all.nr, samples, ns);
}

/* --- JSON ------------------------------------------------------------------------------------ */

/*
 * Parse a waker, "make (4242)" or "java (4242/4300)": ringtop appends the part in the last
 * parentheses, so a task's name cannot fake it.  False: it is no task, but such as [ringtop].
 */
static bool who_woke(const char *name, char *comm, size_t size, int *pid, int *tid)
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

static void json_waker(struct out *o, const struct sleeper *s, const struct row *r, bool first)
{
	char comm[64];
	int pid, tid;

	jsonout_string(o, first ? "{\"comm\":" : ",{\"comm\":", s->comm);
	jsonout_id(o, ",\"pid\":", s->pid);
	jsonout_id(o, ",\"tid\":", s->tid);
	if (*s->host)
		jsonout_string(o, ",\"host\":", s->host);
	if (who_woke(r->name, comm, sizeof(comm), &pid, &tid)) {
		jsonout_string(o, ",\"waker_comm\":", comm);
		jsonout_id(o, ",\"waker_pid\":", pid);
		jsonout_id(o, ",\"waker_tid\":", tid);
	} else {
		jsonout_string(o, ",\"waker_comm\":", r->name);
		out_text(o, ",\"waker_pid\":null,\"waker_tid\":null");
	}
	jsonout_number(o, ",\"count\":", r->samples);
	jsonout_number(o, ",\"ns\":", r->self);
	out_text(o, "}");
}

static void json_rest(struct out *o, size_t nr, uint64_t samples, uint64_t ns)
{
	jsonout_number(o, "],\"wakers_not_listed\":{\"threads\":", nr);
	jsonout_number(o, ",\"count\":", samples);
	jsonout_number(o, ",\"ns\":", ns);
	out_text(o, "}");
}

void json_wakers(struct out *o, const struct headless_view *v)
{
	static const struct form form = {json_waker, json_rest};
	unsigned event;

	if (!session_event_named(model_info(v->model), EVENT, "ns", &event))
		return;
	out_text(o, ",\"wakers\":[");
	put_wakers(o, v, &form);
}

/* --- for people ------------------------------------------------------------------------------ */

static void text_waker(struct out *o, const struct sleeper *s, const struct row *r, bool first)
{
	char span[UNITS_LEN];

	if (first)
		out_printf(o, "  %7s  %9s  %s\n", "TIMES", "SLEPT", "WHO WAITED, WHO WOKE IT");
	out_printf(o, "  %7llu  %9s  ", (unsigned long long)r->samples, units_span(span, r->self));
	out_name(o, s->comm, 0);
	out_printf(o, " (%d", s->pid);
	if (s->tid != s->pid)
		out_printf(o, "/%d", s->tid);
	out_text(o, ")");
	if (*s->host) {
		out_text(o, " on ");
		out_name(o, s->host, 0);
	}
	out_text(o, ": ");
	out_name(o, r->name, 0);
	out_text(o, "\n");
}

static void text_rest(struct out *o, size_t nr, uint64_t samples, uint64_t ns)
{
	char span[UNITS_LEN];

	if (nr)
		out_printf(o, "  %7llu  %9s  of %zu more threads\n", (unsigned long long)samples,
			   units_span(span, ns), nr);
}

void text_wakers(struct out *o, const struct headless_view *v)
{
	static const struct form form = {text_waker, text_rest};

	put_wakers(o, v, &form);
}
