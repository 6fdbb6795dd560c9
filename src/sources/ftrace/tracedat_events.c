/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Only a few fields of the formats are parsed, as text: other users (--by, the event log) parse
 * them for themselves. A name outside of the record's fixed part (__data_loc) is not used.
 */
#include "sources/ftrace/tracedat_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "files/decode/tracingdata.h"

#define IDS	    65536u
#define EVENTS_MOST 4096u /* limit of files/decode/perfdata.h */

/* --- counting --------------------------------------------------------------------------------- */

static uint32_t common_type_of(const struct tracedat_head *h, const struct tracedat_record *r)
{
	return (uint32_t)tracedat_number(r->data, 2, h->swap);
}

struct tracedat_event *tracedat_events_find(const struct tracedat_events *e,
					    const struct tracedat_head *h,
					    const struct tracedat_record *r)
{
	uint32_t at = e->index[r->buffer] ? e->index[r->buffer][common_type_of(h, r)] : 0;

	return at ? &e->at[at - 1] : NULL;
}

static struct tracedat_event *add_trace_event(struct tracedat_events *e, struct tracedat_head *h,
					      uint32_t buffer, uint32_t id)
{
	struct tracedat_event *v;

	if (!e->index[buffer])
		e->index[buffer] =
			budget_zalloc(&h->budget, BUDGET_READING, IDS, sizeof(**e->index));
	v = e->index[buffer] && e->nr < EVENTS_MOST ? VEC_ADD(e->at, e->nr, e->cap) : NULL;
	if (!v)
		return NULL;
	e->index[buffer][id] = (uint32_t)e->nr;
	v->id = id;
	v->buffer = buffer;
	for (unsigned i = 0; i < e->ncalls; i++)
		if (e->calls[i].id == id)
			v->call = e->calls[i];
	return v;
}

struct tracedat_event *tracedat_events_count(struct tracedat_events *e, struct tracedat_head *h,
					     const struct tracedat_record *r, int *ret)
{
	struct tracedat_event *v = tracedat_events_find(e, h, r);

	v = v ? v : add_trace_event(e, h, r->buffer, common_type_of(h, r));
	*ret = v ? 0 : e->nr >= EVENTS_MOST ? -E2BIG : -ENOMEM;
	if (v)
		v->records++;
	return v;
}

void tracedat_events_clear(struct tracedat_events *e)
{
	for (unsigned i = 0; i < TRACEDAT_BUFFERS; i++)
		budget_free(e->index[i]);
	free(e->at);
	*e = (struct tracedat_events){.nr = 0};
}

/* --- parsing of formats ---------------------------------------------------------------------- */

struct field {
	unsigned at, size;
};

/*
 * Return true if a declaration like "char prev_comm[16]" or "int pid" is of that name; false for
 * data outside of the fixed part.
 */
static bool declares(char *text, const char *name)
{
	char *bracket = strchr(text, '['), *last;

	if (strstr(text, "_loc "))
		return false;
	if (bracket)
		*bracket = '\0';
	last = strrchr(text, ' ');
	return last && !strcmp(last + 1, name);
}

/* Parse " field:char prev_comm[16];	offset:8;	size:16;	signed:0;" */
static bool find_format_field(const struct tracingdata_format *f, const char *name,
			      struct field *field)
{
	const char *end = f->text + f->len, *next;
	char line[256], text[128];

	for (const char *at = f->text; at < end; at = next) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((stop ? stop : end) - at);

		next = stop ? stop + 1 : end;
		if (len >= sizeof(line))
			continue;
		memcpy(line, at, len);
		line[len] = '\0';
		if (sscanf(line, " field:%127[^;]; offset:%5u; size:%5u;", text, &field->at,
			   &field->size) == 3 &&
		    field->at < IDS && field->size < IDS && declares(text, name))
			return true;
	}
	return false;
}

/* --- fields used ------------------------------------------------------------------------------ */

static const struct {
	const char *event, *pid, *comm;
} renames[] = {
	{"sched:sched_switch", "prev_pid", "prev_comm"},
	{"sched:sched_switch", "next_pid", "next_comm"},
	{"sched:sched_waking", "pid", "comm"},
	{"sched:sched_wakeup", "pid", "comm"},
	{"sched:sched_wakeup_new", "pid", "comm"},
	{"sched:sched_process_fork", "child_pid", "child_comm"},
	{"sched:sched_process_exit", "pid", "comm"},
	{"task:task_newtask", "pid", "comm"},
	{"task:task_rename", "pid", "newcomm"},
};

static const struct {
	const char *event, *function, *caller;
} calls[] = {
	{"ftrace:function", "ip", "parent_ip"}, {"ftrace:funcgraph_entry", "func", NULL},
	{"ftrace:funcgraph_exit", "func", NULL},
};

static void find_renames(struct tracedat_event *e, const struct tracingdata_format *f,
			 const char *name)
{
	struct field pid, comm;

	for (size_t i = 0; i < sizeof(renames) / sizeof(*renames) && e->renames < TRACEDAT_RENAMES;
	     i++)
		if (!strcmp(renames[i].event, name) && find_format_field(f, renames[i].pid, &pid) &&
		    pid.size == 4 &&
		    find_format_field(f, renames[i].comm, &comm) && comm.size)
			e->rename[e->renames++] = (struct tracedat_rename){
				(uint16_t)pid.at, (uint16_t)comm.at, (uint16_t)comm.size};
}

/* Make "system:name", from the line "name: ...". */
static bool full_name(const struct tracingdata_format *f, char *name, size_t size)
{
	const char *at = f->len > 6 ? memmem(f->text, f->len, "name: ", 6) : NULL, *stop;
	size_t left = at ? f->len - (size_t)(at + 6 - f->text) : 0;

	if (!left)
		return false;
	stop = memchr(at + 6, '\n', left);
	left = stop ? (size_t)(stop - at - 6) : left;
	snprintf(name, size, "%.50s:%.*s", f->system, (int)(left < 50 ? left : 50), at + 6);
	return true;
}

struct naming {
	struct tracedat_events *events;
	const struct tracedat_head *head;
};

static int find_calls(void *arg, const struct tracingdata_format *f)
{
	const struct naming *n = arg;
	struct tracedat_call c = {.id = (uint32_t)f->id};
	unsigned bytes = n->head->layout.long_size;
	struct field field;
	char name[108];

	if (!f->id || f->id >= IDS || n->events->ncalls >= TRACEDAT_CALLS ||
	    !full_name(f, name, sizeof(name)))
		return 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (strcmp(calls[i].event, name) != 0)
			continue;
		if (find_format_field(f, calls[i].function, &field) && field.size == bytes)
			c.function = (uint16_t)field.at;
		if (calls[i].caller && find_format_field(f, calls[i].caller, &field) &&
		    field.size == bytes)
			c.caller = (uint16_t)field.at;
	}
	if (c.function)
		n->events->calls[n->events->ncalls++] = c;
	return 0;
}

void tracedat_events_prepare(struct tracedat_events *e, const struct tracedat_head *h)
{
	struct naming n = {e, h};

	/* Errors are reported by tracedat_events_name. */
	tracingdata_walk(h->formats.data, h->formats.len, find_calls, &n);
}

uint64_t tracedat_event_address(const struct tracedat_record *r, uint16_t at,
				const struct tracedat_head *h)
{
	unsigned bytes = h->layout.long_size;

	return at && at + bytes <= r->len ? tracedat_number(r->data + at, bytes, h->swap) : 0;
}

static int name_trace_event(void *arg, const struct tracingdata_format *f)
{
	const struct naming *n = arg;
	bool seen = false;
	char name[108];

	if (!f->id || f->id >= IDS || !full_name(f, name, sizeof(name)))
		return 0;
	for (size_t b = 0; b < n->head->nbuffers; b++) {
		uint32_t at = n->events->index[b] ? n->events->index[b][f->id] : 0;
		struct tracedat_event *e = at ? &n->events->at[at - 1] : NULL;

		if (!e || e->name[0])
			continue;
		snprintf(e->name, sizeof(e->name), "%s%s%.16s", name, seen ? "@" : "",
			 seen ? n->head->buffers[b].name : "");
		find_renames(e, f, name);
		seen = true;
	}
	return 0;
}

void tracedat_events_name(struct tracedat_events *e, struct tracedat_head *h)
{
	struct naming n = {e, h};

	if (tracingdata_walk(h->formats.data, h->formats.len, name_trace_event, &n))
		tracedat_complain(h, "formats of events that cannot all be read", 0);
	for (size_t i = 0; i < e->nr; i++)
		if (!e->at[i].name[0])
			snprintf(e->at[i].name, sizeof(e->at[i].name), "unknown:%u", e->at[i].id);
}

bool tracedat_event_comm(const struct tracedat_event *e, const struct tracedat_record *r,
			 unsigned i, bool swap, uint32_t *tid, char comm[TRACEDAT_COMM])
{
	const struct tracedat_rename *n = &e->rename[i];
	size_t len = n->size < TRACEDAT_COMM - 1 ? n->size : TRACEDAT_COMM - 1;

	if (n->pid + 4u > r->len || n->comm + (unsigned)n->size > r->len)
		return false;
	*tid = (uint32_t)tracedat_number(r->data + n->pid, 4, swap);
	memset(comm, 0, TRACEDAT_COMM);
	memcpy(comm, r->data + n->comm, strnlen(r->data + n->comm, len));
	return *tid && *tid <= INT32_MAX && *comm;
}
