/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/logevents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "base/worker.h"
#include "kernel/capture/perfclock.h"
#include "kernel/event/tracepoint.h"
#include "system/proc/procscan.h"
#include "sources/live/readers.h"
#include "kernel/capture/threadsched.h"
#include "measure/session/kernelnames.h"
#include "measure/consumers/logset.h"

#define LAST_NS	   (2 * NSEC_PER_SEC) /* how long the end waits for lines that are being printed */
#define RELATE_NS  (10 * NSEC_PER_SEC) /* between two readings of the clocks' offset */
#define HELD_TICKS 4 /* times the most of a tick may wait */
#define HELD_BYTES (32u << 20)
#define RECORD	   192 /* average bytes of a record that there is room for */
#define ALL_BYTES  (64u << 20) /* of all readers */
#define BYTES_LEAST (128u << 10)
#define SHARED	   8u /* up to so many readers may each keep the most of a tick */
#define SHARE_LEAST 500u

struct printing {
	struct job job;
	struct logevents *log;
	struct logset set;
	struct loglines lines;
	bool under_way;
};

/* Name of a tracepoint in the list of events. */
struct named {
	uint32_t id;
	char name[EVENT_NAME_LEN];
};

struct logevents {
	const struct scope *scope;
	struct resolver *resolver;
	unsigned most;
	struct printer *printer; /* the worker's while it prints */
	struct workers *workers;
	struct printing printing;
	struct kernelnames kernel; /* the worker's */
	char *texts; /* texts that records may point to */
	struct named *named; /* the worker's while it prints */
	size_t nnamed, cap_named;
	bool *is_named; /* by event */
	struct logset held, later; /* not printed yet; later: empty except during a step */
	struct slice_logging counts; /* since they were put into a slice */
	int64_t offset;		   /* perf's clock less the session's */
	uint64_t related;	   /* CLOCK_MONOTONIC when the offset was read */
	uint64_t newest;	   /* perf's clock: newest of all records */
	uint64_t chosen;	   /* perf's clock: newest record that was printed */
	uint64_t shown;		   /* session time of that record */
	char said[256];		   /* last trouble that was logged */
};

/* --- which ------------------------------------------------------------------------------ */

bool logevents_wants(const struct event *e)
{
	return event_has_record(e);
}

bool logevents_mark(struct event_list *list)
{
	bool any = false;

	for (unsigned i = 0; i < list->nr; i++)
		if (logevents_wants(&list->events[i]))
			any = list->events[i].raw = true;
	return any;
}

/* Read the format of a tracepoint for the printer; on the worker. */
static int find_record_format(void *arg, uint32_t id, char *system, size_t size, char **text,
			      size_t *len)
{
	const struct logevents *l = arg;
	const char *said = "";
	char name[EVENT_NAME_LEN];
	int ret;

	for (size_t i = 0; i < l->nnamed; i++)
		if (l->named[i].id == id)
			said = l->named[i].name;
	ret = tracepoint_name(said, id, name, sizeof(name));
	*text = ret ? NULL : malloc(FORMAT_BYTES);
	if (!ret && !*text)
		ret = -ENOMEM;
	if (!ret)
		ret = tracepoint_format(name, *text, FORMAT_BYTES);
	if (ret) {
		free(*text);
		return ret;
	}
	*len = strlen(*text);
	snprintf(system, size, "%.*s", (int)strcspn(name, ":"), name);
	return 0;
}

static bool name_kernel_address(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start)
{
	return kernelnames_find(&((struct logevents *)arg)->kernel, addr, name, size, start);
}

/* --- from readers ----------------------------------------------------------------------- */

/* Few readers may each keep all that a tick shows; many together eight times that. */
unsigned logevents_share(unsigned most, unsigned readers)
{
	unsigned share = readers > SHARED ? most / readers * SHARED : most;

	return share > SHARE_LEAST ? share : most < SHARE_LEAST ? most : SHARE_LEAST;
}

size_t logevents_bytes(unsigned most, unsigned readers)
{
	size_t size = (size_t)logevents_share(most, readers) * RECORD,
	       share = ALL_BYTES / 2 / (readers ? readers : 1);

	size = size < share ? size : share;
	return size > BYTES_LEAST ? size : BYTES_LEAST;
}

static void take_kind(struct logevents *l, int cpu, const struct logbuffer *b,
		      enum logkeep_kind kind)
{
	l->counts.unshown += b->passed;
	for (uint64_t i = b->first; i < b->next; i++) {
		const struct logslot *s = logbuffer_slot(b, i);
		struct logrecord r = {.time = s->time,
				      .pid = s->pid,
				      .tid = s->tid,
				      .event = s->event,
				      .cpu = (int16_t)cpu,
				      .len = s->len,
				      .wanted = kind == LOGKEEP_FIRST};

		/* Lists that readers have open are never changed; an event keeps its index. */
		if (s->event < l->scope->now->events->nr)
			r.id = (uint32_t)l->scope->now->events->events[s->event].attr.config;
		if (!r.id || !logset_add(&l->held, &r, logbuffer_bytes(b, s)))
			l->counts.unprinted++;
		l->newest = s->time > l->newest ? s->time : l->newest;
	}
}

void logevents_take(struct logevents *l, int cpu, const struct logbuffer *b)
{
	for (int kind = 0; kind < LOGKEEP_KINDS; kind++)
		take_kind(l, cpu, &b[kind], kind);
}

/* --- in order --------------------------------------------------------------------------- */

static void relate_clocks(struct logevents *l)
{
	struct clock_relation c;
	uint64_t now = clock_ns();

	if (l->scope->rings.source != &perf_kernel || (l->related && now - l->related < RELATE_NS))
		return;
	l->related = now;
	if (!perfclock_relate(&c))
		l->offset = c.offset;
}

/* Return a record's session time, never decreasing, though the clocks' offset is read anew. */
static uint64_t session_time(struct logevents *l, const struct logrecord *r)
{
	uint64_t zero = l->scope->zero + (uint64_t)l->offset,
		 time = r->time > zero ? r->time - zero : 0;

	if (r->late)
		return time;
	l->shown = time > l->shown ? time : l->shown;
	return l->shown;
}

#define ASKED 64u /* threads whose names were read from /proc, in a batch */

struct asked {
	struct {
		uint32_t tid; /* 0: empty */
		char comm[COMM_LEN];
	} thread[ASKED];
};

/*
 * Return a thread's name from /proc, as --by does: for threads from before ringtop, and once for
 * thousands of records of one thread.
 */
static const char *ask_proc(struct asked *a, const struct logrecord *r)
{
	unsigned at = r->tid % ASKED;

	if (a->thread[at].tid != r->tid) {
		a->thread[at].tid = r->tid;
		if (!procscan_comm((pid_t)r->pid, (pid_t)r->tid, a->thread[at].comm))
			*a->thread[at].comm = '\0';
	}
	return a->thread[at].comm;
}

static void set_comm(struct logrecord *r, const char *comm)
{
	memset(r->comm, 0, sizeof(r->comm));
	memcpy(r->comm, comm, strnlen(comm, sizeof(r->comm) - 1));
}

/*
 * Name the record's thread.  The name known now is more likely right than the one from when the
 * record came; but threads that ended may be forgotten by now.
 */
static void name_thread(struct logevents *l, struct asked *a, struct logrecord *r)
{
	const char *comm =
		r->tid ? resolver_comm(l->resolver, (pid_t)r->tid, r->time) : LOGSET_IDLE;

	if (!comm && !*r->comm && (int32_t)r->tid > 0)
		comm = ask_proc(a, r);
	if (comm)
		set_comm(r, comm);
}

/*
 * Name the threads of waiting records before their tasks are forgotten: with a late printer or a
 * late CPU, records wait for longer than that.
 */
static void name_waiting(struct logevents *l)
{
	for (size_t i = 0; i < l->held.nr; i++) {
		struct logrecord *r = &l->held.record[i];
		const char *comm =
			r->tid ? resolver_comm(l->resolver, (pid_t)r->tid, r->time) : NULL;

		if (comm)
			set_comm(r, comm);
	}
}

/* Return how many of the sorted records are not younger than the horizon. */
static size_t count_due(const struct logset *s, uint64_t horizon)
{
	size_t nr = s->nr;

	while (nr && s->record[nr - 1].time > horizon)
		nr--;
	return nr;
}

/*
 * Note the event's name, so that its format is looked up there: there are thousands of tracepoints.
 */
static void note_event_name(struct logevents *l, const struct logrecord *r)
{
	struct named *n;

	if (l->is_named[r->event] || !(n = VEC_ADD(l->named, l->nnamed, l->cap_named)))
		return;
	n->id = r->id;
	snprintf(n->name, sizeof(n->name), "%s", l->scope->now->events->events[r->event].name);
	l->is_named[r->event] = true;
}

static void choose_one(struct logevents *l, struct asked *asked, const struct logrecord *of)
{
	struct logrecord r = *of;

	r.late = r.time < l->chosen;
	r.shown = session_time(l, &r);
	name_thread(l, asked, &r);
	note_event_name(l, &r);
	if (!logset_add(&l->printing.set, &r, logset_bytes(&l->held, of)))
		l->counts.unprinted++;
	l->chosen = r.time > l->chosen ? r.time : l->chosen;
}

/* Choose from the due records: those of rare events, up to half of all lines, then the newest. */
static void choose_lines(struct logevents *l, size_t due)
{
	size_t wanted = 0, from = 0, left;
	struct asked asked = {{{0}}};

	for (size_t i = 0; i < due; i++)
		wanted += l->held.record[i].wanted;
	wanted = due <= l->most ? 0 : wanted < l->most / 2 ? wanted : l->most / 2;
	/* Behind `from` are the newest others, and wanted ones among them. */
	left = l->most - wanted;
	from = due;
	while (from && left) {
		from--;
		left -= !wanted || !l->held.record[from].wanted;
	}
	logset_empty(&l->printing.set);
	for (size_t i = 0; i < due; i++) {
		bool rare = wanted && l->held.record[i].wanted;

		wanted -= rare;
		if (rare || i >= from)
			choose_one(l, &asked, &l->held.record[i]);
		else
			l->counts.unshown++;
	}
}

/* Keep the records from `from` on; if too many wait, the newest. */
static void keep_waiting(struct logevents *l, size_t from)
{
	size_t excess = logset_excess(&l->held, from, (size_t)HELD_TICKS * l->most, HELD_BYTES);

	l->counts.unshown += excess - from;
	l->counts.unprinted += logset_cut(&l->held, &l->later, excess);
}

/* --- printing --------------------------------------------------------------------------- */

static void print(struct job *job)
{
	struct printing *p = (struct printing *)job;

	logset_print(&p->set, p->log->printer, &p->lines);
}

static void printed(struct job *job, void *arg)
{
	struct printing *p = (struct printing *)job;
	struct slice *s = arg;
	char trouble[256];

	loglines_give(&p->lines, s);
	p->under_way = false;
	printer_trouble(p->log->printer, trouble, sizeof(trouble));
	if (!*trouble || !strcmp(trouble, p->log->said))
		return;
	memcpy(p->log->said, trouble, sizeof(trouble));
	slice_log(s, SLICE_WARNING, "event log: %s", trouble);
}

static void discard_lines(struct job *job)
{
	struct printing *p = (struct printing *)job;

	for (size_t i = 0; i < p->lines.nr; i++)
		slice_logged_clear(&p->lines.line[i]);
	free(p->lines.line);
}

static void submit_batch(struct logevents *l)
{
	struct printing *p = &l->printing;

	if (!p->set.nr)
		return;
	p->job = (struct job){.run = print, .finish = printed, .discard = discard_lines};
	p->under_way = true;
	workers_submit(l->workers, &p->job, false);
}

static void begin_batch(struct logevents *l, uint64_t horizon)
{
	size_t due;

	logset_sort(&l->held);
	due = count_due(&l->held, horizon);
	choose_lines(l, due);
	keep_waiting(l, due);
	submit_batch(l);
}

/* Keep the records while a batch is with the worker. */
static void hold_records(struct logevents *l)
{
	logset_sort(&l->held);
	keep_waiting(l, 0);
}

static void finish_printing(struct logevents *l, struct slice *s)
{
	uint64_t until = clock_ns() + LAST_NS;

	for (int i = 0; i < 2; i++) {
		workers_wait_until(l->workers, until);
		workers_collect(l->workers, s);
		if (!i && !l->printing.under_way)
			begin_batch(l, UINT64_MAX);
	}
	if (l->printing.under_way)
		l->counts.unprinted += l->printing.set.nr;
}

/* Return the time (perf's clock) up to which records are not waited for. */
static uint64_t patience(const struct logevents *l)
{
	uint64_t now = l->related ? clock_ns() + (uint64_t)l->offset : l->newest;

	return now > LOGEVENTS_WAIT_NS ? now - LOGEVENTS_WAIT_NS : 0;
}

void logevents_step(struct logevents *l, uint64_t horizon, bool last, struct slice *s)
{
	workers_collect(l->workers, s);
	if (l->held.nr)
		relate_clocks(l);
	horizon = horizon > patience(l) ? horizon : patience(l);
	if (last)
		finish_printing(l, s);
	else if (!l->printing.under_way)
		begin_batch(l, horizon);
	else
		hold_records(l);
	name_waiting(l);
	slice_logging_add(&s->logging, &l->counts);
	l->counts = (struct slice_logging){.lines = 0};
}

void logevents_tell(void *logging, struct tick_now *n)
{
	const struct readers *rs = n->parts->readers;

	for (unsigned i = 0; i < rs->nr; i++) {
		const struct live_reader *lr = &rs->reader[i];

		if (!lr->answered)
			continue;
		if (reader_report(lr->reader)->log)
			logevents_take(logging, lr->cpu, reader_report(lr->reader)->log);
		reader_log_taken(lr->reader);
	}
	logevents_step(logging, n->horizon, n->last, n->s);
}

/* --- all of it -------------------------------------------------------------------------- */

struct logevents *logevents_create(const struct scope *scope, struct resolver *r, unsigned most,
			       bool with_fields, struct err *err)
{
	struct logevents *l = calloc(1, sizeof(*l));
	size_t ntexts;

	if (!l)
		return err_null(err_room(err, ENOMEM, "the event log"));
	l->scope = scope;
	l->resolver = r;
	l->most = most;
	l->printing.log = l;
	kernelnames_init(&l->kernel, "/proc/kallsyms");
	l->printer = printer_create(find_record_format, l, with_fields);
	l->texts = printk_read(&ntexts);
	if (l->printer) {
		printer_texts(l->printer, sizeof(long), l->texts, ntexts);
		printer_name_by(l->printer, name_kernel_address);
	}
	l->is_named = calloc(scope_room(scope), sizeof(*l->is_named));
	l->workers = l->printer && l->is_named ? workers_create(1, threadsched_soon) : NULL;
	if (l->workers)
		return l;
	err_room(err, errno, "the event log");
	logevents_free(l);
	return NULL;
}

void logevents_free(struct logevents *l)
{
	if (!l)
		return;
	if (l->workers)
		workers_close(l->workers);
	printer_free(l->printer);
	kernelnames_clear(&l->kernel);
	free(l->texts);
	free(l->named);
	free(l->is_named);
	logset_clear(&l->held);
	logset_clear(&l->later);
	logset_clear(&l->printing.set);
	free(l);
}
