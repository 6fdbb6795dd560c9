/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/rows/groups_pick.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/vec.h"
#include "model/rows/rowfilter.h"
#include "model/rows/cgroupname.h"

static const char *owner_text(const struct dict *d, uint32_t id)
{
	return id ? dict_string(d, id) : OWNER_UNKNOWN;
}

#define LINE_BYTES (4096 + 16) /* a path and a line number; filters match at most twice that */

/* Write the row's line, FILE:LINE, into buf and return it; NULL: the filter does not need it. */
static const char *row_line(struct collect *c, const struct slice_row *r, bool ours, uint32_t *id,
			    char buf[LINE_BYTES])
{
	const struct linegroup *l;
	uint32_t function;

	*id = 0;
	buf[0] = '\0';
	if (!(rowfilter_fields(c->q->filter) & ROWFILTER_LINE))
		return NULL;
	if (ours)
		return buf;
	*id = linegroups_at(&c->m->lines, c->d, r->path, &function);
	if (!*id)
		c->ret = -ENOMEM;
	l = &c->m->lines.line[*id];
	if (*id && l->line)
		snprintf(buf, LINE_BYTES, "%.4096s:%u", dict_string(c->d, l->file), l->line);
	return buf;
}

bool pick_subject(const struct collect *c, uint32_t function, uint32_t task, int32_t cpu,
		  const char *line)
{
	const struct dict *d = c->d;
	const struct model_function *fn = &d->functions[dict_shown(d, function)];
	char address[32];
	struct rowfilter_subject s = {
		.function = dict_string(d, fn->name),
		.object = dict_string(d, dict_function_object_name(d, function)),
		.task = dict_string(d, d->tasks[task].comm),
		.command = dict_process_name(d, d->tasks[task].process),
		.user = owner_text(d, d->tasks[task].user),
		.cgroup = owner_text(d, d->tasks[task].cgroup),
		.parent = owner_text(d, d->tasks[task].parent),
		.pid = d->tasks[task].pid,
		.tid = d->tasks[task].tid,
		.host = groups_host_name(c->m->info, c->host),
		.cpu = session_place(c->m->info, cpu).cpu,
		.line = line,
	};

	if (!fn->name) {
		function_address_name(fn, address);
		s.function = address;
	}
	return rowfilter_match(c->q->filter, &s);
}

static bool row_passes_filter(struct collect *c, const struct slice_row *r, bool ours)
{
	uint32_t function = dict_row_function(c->d, r), task = ours ? TASK_RINGTOP : r->task;
	unsigned fields = rowfilter_fields(c->q->filter);
	/* a CPU belongs to one host */
	uint32_t cpu = fields & ROWFILTER_CPU ? r->cpu : fields & ROWFILTER_HOST ? c->host : 0;
	char text[LINE_BYTES];
	uint32_t line;
	const char *of = row_line(c, r, ours, &line, text);
	struct group_said *said = function < c->w->cap_said && !of ? &c->w->said[function] : NULL;
	struct tally_entry *memo;

	if (said && said->known && said->task == task && said->cpu == cpu)
		return said->yes;
	if (said && !said->known) { /* most functions are met in one task only */
		*said = (struct group_said){task, cpu, true,
					    pick_subject(c, function, task, r->cpu, NULL)};
		return said->yes;
	}
	memo = tally_get(&c->w->memo,
			 hash_mix(hash_u64(tally_key(function, task)) + line, cpu + 1));
	if (!memo) {
		c->ret = -ENOMEM;
		return false;
	}
	if (!memo->samples) {
		memo->samples = 1;
		memo->self = pick_subject(c, function, task, r->cpu, of);
	}
	return memo->self;
}

/*
 * A filter's results for functions stay valid while nothing that it depends on has changed: a
 * regular expression takes tens of ms for 100 000 of them.  Without memory each is matched anew.
 */
void pick_begin(struct rows_work *w, struct model *m, const struct rowfilter *f)
{
	const struct group_said_of of = {rowfilter_serial(f), m->collections, m->dict.changes};
	size_t nr = f ? intern_bound(m->dict.in[E_FUNCTION]) : 0, had = w->cap_said;

	if (rowfilter_fields(f) & ROWFILTER_LINE)
		linegroups_begin(&m->lines, &m->dict, m->collections);
	tally_reset(&w->memo);
	if (memcmp(&of, &w->said_of, sizeof(of)) && w->cap_said)
		memset(w->said, 0, w->cap_said * sizeof(*w->said));
	w->said_of = of;
	if (nr > had && vec_reserve(&w->said, &w->cap_said, nr, sizeof(*w->said)))
		memset(w->said + had, 0, (w->cap_said - had) * sizeof(*w->said));
}

/*
 * Return true if the wait's path, which follows its waker's path and a mark, begins in the
 * function.
 */
static bool path_waited_in(const struct dict *d, uint32_t path, uint32_t function)
{
	for (uint32_t above; (above = d->paths[path].parent); path = above)
		if (d->paths[above].function == function &&
		    !strcmp(dict_string(d, d->functions[d->paths[path].function].name),
			    "[woken by]"))
			return true;
	return false;
}

/* Return true if the row is left out by the query without its filter. */
static bool pick_left_out(const struct model *m, const struct query *q, const struct slice_row *r,
			  bool ours)
{
	if (groups_elsewhere(m->info, q, r))
		return true;
	if (ours)
		return !q->show_self;
	if (groups_idle(&m->dict, q, r))
		return true;
	return m->dict.paths[r->path].flags & FRAME_KERNEL ? q->hide_kernel : q->hide_user;
}

bool pick_hidden(struct collect *c, const struct slice_row *r, bool ours)
{
	if (pick_left_out(c->m, c->q, r, ours))
		return true;
	if (c->q->waited && !path_waited_in(c->d, r->path, c->q->waited_in))
		return true;
	return c->q->filter && !row_passes_filter(c, r, ours);
}

void groups_pick_begin(struct model *m, const struct query *q)
{
	pick_begin(m->work, m, q->filter);
}

bool groups_pick(struct model *m, const struct query *q, const struct slice_row *r, int *ret)
{
	bool ours = dict_row_ours(&m->dict, r);
	struct collect c;
	bool hidden;

	if (pick_left_out(m, q, r, ours))
		return false;
	if (!q->filter && !q->waited)
		return true;
	c = (struct collect){
		.m = m, .w = m->work, .d = &m->dict, .q = q, .host = groups_row_host(m->info, r)};
	hidden = pick_hidden(&c, r, ours);
	if (c.ret)
		*ret = c.ret;
	return !hidden;
}
