/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/core/eventlog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/state.h"

static size_t logged_bytes(const struct slice_logged *l)
{
	return sizeof(*l) + strlen(l->text) + strlen(l->fields) + 2;
}

static struct slice_logged *at(const struct eventlog *e, uint64_t number)
{
	return &e->line[number & (e->cap - 1)];
}

static bool grow_lines(struct eventlog *e)
{
	size_t cap = e->cap ? 2 * e->cap : 256;
	struct slice_logged *line = malloc(cap * sizeof(*line));

	if (!line)
		return false;
	for (uint64_t i = e->first; i < e->next; i++)
		line[i & (cap - 1)] = *at(e, i);
	free(e->line);
	e->line = line;
	e->cap = cap;
	return true;
}

static void drop_oldest(struct eventlog *e)
{
	struct slice_logged *l = at(e, e->first++);

	e->bytes -= logged_bytes(l);
	slice_logged_clear(l);
}

static bool append_logged(struct eventlog *e, struct slice_logged *l)
{
	if (!l->text || !l->fields || (e->next - e->first == e->cap && !grow_lines(e)))
		return false;
	*at(e, e->next++) = *l;
	e->bytes += logged_bytes(l);
	while (e->bytes > e->most)
		drop_oldest(e);
	return true;
}

int eventlog_take(struct eventlog *e, struct slice *s)
{
	int ret = 0;

	slice_logging_add(&e->total, &s->logging);
	slice_logging_add(&e->recent, &s->logging);
	for (size_t i = 0; i < s->nlogged; i++) {
		if (append_logged(e, &s->logged[i]))
			continue;
		slice_logged_clear(&s->logged[i]);
		ret = -ENOMEM;
	}
	s->nlogged = 0;
	return ret;
}

void eventlog_clear(struct eventlog *e)
{
	while (e->first < e->next)
		drop_oldest(e);
	free(e->line);
	*e = (struct eventlog){.first = e->next, .next = e->next, .most = e->most};
}

uint64_t eventlog_lines(const struct model *m, uint64_t *first)
{
	*first = m->log.first;
	return m->log.next;
}

const struct slice_logged *eventlog_line(const struct model *m, uint64_t number)
{
	return number >= m->log.first && number < m->log.next ? at(&m->log, number) : NULL;
}

void eventlog_mark(struct model *m)
{
	m->log.recent = (struct slice_logging){.lines = 0};
}

const struct slice_logging *eventlog_counts(const struct model *m, bool recent)
{
	return recent ? &m->log.recent : &m->log.total;
}

bool eventlog_passes(const struct session_info *info, const struct slice_logged *l,
		     const struct rowfilter *f)
{
	char comm[sizeof(l->comm) + 1] = "";
	const char *event = l->event < info->nevents ? info->events[l->event].name : "";

	if (!f)
		return true;
	memcpy(comm, l->comm, sizeof(l->comm));
	return rowfilter_match(f,
			       &(struct rowfilter_subject){.function = l->text, .object = event,
							   .event = event, .task = comm,
							   .host = session_place_name(info, l->cpu),
							   .pid = l->pid, .tid = l->tid,
							   .cpu = session_place(info, l->cpu).cpu});
}
