/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tasks of a CPU come from the switch records: a task runs from one record to the next, and
 * before the first the one that it switches out.
 */
#include "sources/record/ptsummary.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/compare.h"
#include "base/vec.h"
#include "kernel/capture/cursor.h"
#include "files/elf/demangle_sandbox.h"
#include "system/proc/procscan.h"
#include "names/pt/ptdecode.h"
#include "names/pt/ptimage.h"
#include "sources/record/sidelog.h"

#define DECODE_NS    (5 * NSEC_PER_SEC) /* time limit for all CPUs */
#define WHO_MAX      65536u
#define ROWS_MAX     500u
#define STRETCHES_MAX 100u

struct who {
	pid_t pid, tid;
	uint32_t space;
	char comm[COMM_LEN];
};

struct run {
	int cpu;
	struct ptdecode_run run;
};

/* Sums of a function of a task. */
struct sum {
	uint32_t file;
	pid_t pid;
	uint64_t start; /* start address of the function; 0: unknown */
	const char *function, *object, *comm;
	uint64_t ns, insns, calls, timed;
};

struct answer {
	const struct snapfile *f;
	struct slice_pt *pt;
	struct ptimage *image;
	struct record_layout layout;
	struct who *who;
	struct run *runs; /* of all CPUs, by time */
	struct sum *sums;
	size_t nwho, cap_who, nruns, cap_runs, nsums, cap_sums;
	struct ptdecode_cpu cpu;
	struct ptdecode_clock clock;
	uint64_t deadline;
	const bool *cancel;
	bool failed; /* out of memory */
};

/* --- tasks by time ------------------------------------------------------------------------ */

static uint32_t find_task_index(struct answer *a, pid_t pid, pid_t tid)
{
	struct who *w;

	for (size_t i = a->nwho; i-- > 0;)
		if (a->who[i].tid == tid && a->who[i].pid == pid)
			return (uint32_t)i;
	w = a->nwho < WHO_MAX ? VEC_ADD(a->who, a->nwho, a->cap_who) : NULL;
	if (!w)
		return PTDECODE_NOBODY;
	*w = (struct who){.pid = pid, .tid = tid, .space = ptimage_space(a->image, pid)};
	if (pid > 0)
		procscan_comm(pid, tid, w->comm);
	return (uint32_t)a->nwho - 1;
}

static void add_task_run(struct answer *a, int cpu, uint64_t time, uint32_t who)
{
	a->failed |= !VEC_PUSH(a->runs, a->nruns, a->cap_runs, (struct run){cpu, {time, who}});
}

static bool has_run(const struct answer *a, int cpu)
{
	for (size_t i = a->nruns; i-- > 0;)
		if (a->runs[i].cpu == cpu)
			return true;
	return false;
}

/* Note the record's task, which is in its sample_id. */
static void note_switch_record(struct answer *a, const struct perf_event_header *h)
{
	const char *id = (const char *)h + h->size - a->layout.trailer + a->layout.trailer_tid - 1;
	int cpu = (int)record_cpu(&a->layout, h);
	uint64_t time = record_time(&a->layout, h);
	bool out = h->misc & PERF_RECORD_MISC_SWITCH_OUT;
	uint32_t pid, tid;

	memcpy(&pid, id, sizeof(pid));
	memcpy(&tid, id + sizeof(pid), sizeof(tid));
	if (!out)
		add_task_run(a, cpu, time, find_task_index(a, (pid_t)pid, (pid_t)tid));
	else if (!has_run(a, cpu))
		add_task_run(a, cpu, 0, find_task_index(a, (pid_t)pid, (pid_t)tid));
}

static void note_comm_record(struct answer *a, const struct perf_event_header *h)
{
	struct record_comm c;

	if (!record_comm(&a->layout, h, &c))
		return;
	for (size_t i = 0; i < a->nwho; i++)
		if (a->who[i].tid == (pid_t)c.tid && !*a->who[i].comm)
			snprintf(a->who[i].comm, sizeof(a->who[i].comm), "%s", c.comm);
}

/* Add a map of a process that has ended; those of others come from /proc. */
static void take_map(struct answer *a, const struct perf_event_header *h)
{
	struct record_mmap m;
	uint32_t space;

	if (!record_mmap(&a->layout, h, &m) || (int32_t)m.pid <= 0)
		return;
	for (size_t i = 0; i < a->nwho; i++) {
		space = a->who[i].space;
		if (a->who[i].pid != (pid_t)m.pid)
			continue;
		if (!ptimage_known(a->image, space))
			ptimage_map(a->image, space, &m);
		return;
	}
}

static void each_record(struct answer *a,
			void (*take)(struct answer *a, const struct perf_event_header *h),
			uint32_t type, uint32_t other)
{
	struct cursor c = {.data = a->f->sideband, .len = a->f->sideband_len};
	const struct perf_event_header *h;

	while (cursor_next(&c, &h) == CURSOR_RECORD)
		if ((h->type == type || h->type == other) &&
		    h->size >= sizeof(*h) + a->layout.trailer)
			take(a, h);
}

/* --- one stream --------------------------------------------------------------------------- */

static int read_task_code(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len)
{
	struct answer *a = arg;

	if (who >= a->nwho && !(addr >> 63))
		return -ENOENT;
	return ptimage_read(a->image, who < a->nwho ? a->who[who].space : PTIMAGE_NOWHERE, addr,
			    buf, len);
}

/* Return the runs of one CPU, malloc'ed; a per-thread trace needs none. */
static struct ptdecode_run *runs_of(struct answer *a, const struct aux_copy *c, size_t *nr)
{
	struct ptdecode_run *runs = calloc(a->nruns + 1, sizeof(*runs));

	*nr = 0;
	if (!runs)
		return NULL;
	if (c->cpu < 0)
		runs[(*nr)++] = (struct ptdecode_run){0, find_task_index(a, c->tid, c->tid)};
	for (size_t i = 0; i < a->nruns && c->cpu >= 0; i++)
		if (a->runs[i].cpu == c->cpu)
			runs[(*nr)++] = a->runs[i].run;
	if (!*nr)
		runs[(*nr)++] = (struct ptdecode_run){0, PTDECODE_NOBODY};
	return runs;
}

static void count_place(struct answer *a, const struct ptdecode_place *p)
{
	const struct who *w = p->who < a->nwho ? &a->who[p->who] : NULL;
	struct ptimage_place named;

	if (!vec_reserve(&a->sums, &a->cap_sums, a->nsums + 1, sizeof(*a->sums))) {
		a->failed = true;
		return;
	}
	ptimage_name(a->image, w ? w->space : PTIMAGE_NOWHERE, p->addr, &named);
	a->sums[a->nsums++] = (struct sum){
		.file = named.file, .pid = w ? w->pid : -1, .start = named.start,
		.function = named.function, .object = named.object, .comm = w ? w->comm : "",
		.ns = p->time, .insns = p->insns, .calls = p->calls, .timed = p->timed,
	};
}

static void add_stretch(struct slice_pt *pt, int cpu, const struct ptdecode_stretch *s, bool clock)
{
	struct slice_pt_stretch *to;

	if (pt->nstretches == STRETCHES_MAX) {
		pt->more_stretches++;
		return;
	}
	to = &pt->stretches[pt->nstretches++];
	*to = (struct slice_pt_stretch){.cpu = (int16_t)cpu, .cause = s->cause, .offset = s->offset,
					.bytes = s->bytes, .ns = GAUGE_UNKNOWN};
	if (s->cause == PT_LOST_OVERFLOW)
		to->bytes = GAUGE_UNKNOWN;
	if (clock && s->start && s->end)
		to->ns = s->end - s->start;
	to->why = *s->why ? strdup(s->why) : NULL;
}

static void add_result(struct answer *a, const struct aux_copy *c, const struct ptdecode_result *r)
{
	struct slice_pt *pt = a->pt;
	const bool clock = a->clock.mult != 0;
	uint64_t kept = 0;

	pt->bytes += r->bytes;
	pt->decoded += r->decoded;
	pt->insns += r->insns;
	pt->psbs += r->psbs;
	pt->branches += r->branches;
	pt->targets += r->targets;
	pt->overflows += r->overflows;
	pt->more_insns += r->folded_insns;
	pt->untimed_insns += clock ? r->insns - r->timed : r->insns;
	if (clock) {
		pt->ns += r->time;
		pt->more_ns += r->folded_time;
		if (r->last - r->first > pt->span_ns)
			pt->span_ns = r->last - r->first;
	}
	for (int i = 0; i < PT_LOST_NR; i++) {
		pt->lost[i] += r->lost[i];
		pt->lost_bytes[i] += r->lost_bytes[i];
		kept += r->lost[i];
	}
	pt->more_stretches += kept - r->nstretches;
	for (size_t i = 0; i < r->nstretches; i++)
		add_stretch(pt, c->cpu, &r->stretches[i], clock);
	for (size_t i = 0; i < r->nplaces; i++)
		count_place(a, &r->places[i]);
}

static int decode_copy(struct answer *a, const struct aux_copy *c, struct err *err)
{
	struct ptdecode_config config = {
		.data = (const uint8_t *)c->data, .len = c->len, .cpu = a->cpu, .clock = a->clock,
		.read = read_task_code, .arg = a, .deadline = a->deadline, .cancel = a->cancel,
	};
	struct ptdecode_run *runs = runs_of(a, c, &config.nruns);
	struct ptdecode_result r;
	int ret = runs ? 0 : -ENOMEM;

	config.runs = runs;
	if (!ret)
		ret = ptdecode_run(&config, &r, err);
	free(runs);
	if (ret)
		return ret;
	add_result(a, c, &r);
	ptdecode_clear(&r);
	return 0;
}

/* --- summing up --------------------------------------------------------------------------- */

static int by_function(const void *x, const void *y)
{
	const struct sum *a = x, *b = y;

	return COMPARE(a->file, b->file) ?: COMPARE(a->start, b->start) ?:
	       COMPARE(a->pid, b->pid);
}

static int by_cost(const void *x, const void *y)
{
	const struct sum *a = x, *b = y;

	return COMPARE(b->ns, a->ns) ?: COMPARE(b->insns, a->insns) ?: by_function(x, y);
}

static void merge_sums(struct answer *a)
{
	size_t nr = 0;

	qsort(a->sums, a->nsums, sizeof(*a->sums), by_function);
	for (size_t i = 0; i < a->nsums; i++) {
		struct sum *s = &a->sums[i], *to = nr ? &a->sums[nr - 1] : NULL;

		if (!to || by_function(s, to)) {
			a->sums[nr++] = *s;
			continue;
		}
		to->ns += s->ns;
		to->insns += s->insns;
		to->calls += s->calls;
		to->timed += s->timed;
	}
	a->nsums = nr;
	qsort(a->sums, a->nsums, sizeof(*a->sums), by_cost);
}

static void put_sum_row(struct answer *a, const struct sum *s)
{
	struct slice_pt_row *r = &a->pt->rows[a->pt->nrows++];

	r->function = s->function ? strdup(s->function) : NULL;
	r->object = strdup(s->object);
	r->comm = strdup(s->comm);
	r->pid = s->pid;
	r->ns = a->clock.mult && s->timed ? s->ns : GAUGE_UNKNOWN;
	r->insns = s->insns;
	r->calls = s->calls;
	a->failed |= !r->object || !r->comm;
}

/* Demangle the names of all rows together, whatever process they are of. */
static void make_readable(struct slice_pt *pt)
{
	struct demangle_name list[ROWS_MAX];
	struct demangle_work work = {.ns = 0};

	for (size_t i = 0; i < pt->nrows; i++)
		list[i] = (struct demangle_name){.name = pt->rows[i].function ? pt->rows[i].function
									      : "",
						 .work = &work,
						 .sandboxed = true,
						 .id = (uint32_t)i};
	demangle_names(list, pt->nrows);
	for (size_t i = 0; i < pt->nrows; i++) {
		if (!list[i].readable)
			continue;
		free(pt->rows[i].function);
		pt->rows[i].function = list[i].readable;
	}
}

static void put_sum_rows(struct answer *a)
{
	struct slice_pt *pt = a->pt;
	size_t nr = a->nsums < ROWS_MAX ? a->nsums : ROWS_MAX;

	if (!a->nsums)
		return;
	merge_sums(a);
	nr = a->nsums < nr ? a->nsums : nr;
	pt->rows = calloc(nr + 1, sizeof(*pt->rows));
	if (!pt->rows) {
		a->failed = true;
		return;
	}
	for (size_t i = 0; i < a->nsums; i++) {
		if (i < nr) {
			put_sum_row(a, &a->sums[i]);
			continue;
		}
		pt->more_rows++;
		pt->more_ns += a->clock.mult ? a->sums[i].ns : 0;
		pt->more_insns += a->sums[i].insns;
	}
	make_readable(pt);
}

/* --- the whole ---------------------------------------------------------------------------- */

bool ptsummary_possible(const struct snapfile *f)
{
	struct ptdecode_clock clock;
	struct ptdecode_cpu cpu;

	return f->copies && auxinfo_pt(&f->aux, &cpu, &clock);
}

static void learn_who(struct answer *a)
{
	record_layout_init(&a->layout, SIDELOG_TYPE);
	each_record(a, note_switch_record, PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE);
	each_record(a, note_comm_record, PERF_RECORD_COMM, PERF_RECORD_COMM);
	each_record(a, take_map, PERF_RECORD_MMAP, PERF_RECORD_MMAP2);
}

static int decode_all(struct answer *a, struct err *err)
{
	int ret = 0;

	learn_who(a);
	a->deadline = clock_ns() + DECODE_NS;
	for (unsigned i = 0; i < a->f->copies->nr && !ret; i++)
		if (a->f->copies->copy[i].len)
			ret = decode_copy(a, &a->f->copies->copy[i], err);
	if (!ret)
		put_sum_rows(a);
	return ret;
}

struct slice_pt *ptsummary_make(const struct snapfile *f, const bool *cancel)
{
	struct answer a = {.f = f, .cancel = cancel, .pt = calloc(1, sizeof(struct slice_pt)),
			   .image = ptimage_create()};
	uint64_t start = clock_ns();
	struct err err = {.code = 0};
	bool ok = a.pt && a.image;

	ok = ok && auxinfo_pt(&f->aux, &a.cpu, &a.clock);
	if (ok) {
		a.pt->snapshot = f->said.nr;
		a.pt->stretches = calloc(STRETCHES_MAX, sizeof(*a.pt->stretches));
		ok = a.pt->stretches;
	}
	if (ok && decode_all(&a, &err)) {
		a.pt->error = strdup(err.text);
		ok = err.code == EOPNOTSUPP;
	}
	if (ok) {
		a.pt->took_ns = clock_ns() - start;
		if (a.pt->untimed_insns == a.pt->insns && a.pt->insns)
			a.pt->ns = GAUGE_UNKNOWN;
		a.pt->span_ns = a.clock.mult ? a.pt->span_ns : GAUGE_UNKNOWN;
	}
	ptimage_free(a.image);
	free(a.who);
	free(a.runs);
	free(a.sums);
	if (ok && !a.failed && !atomic_load_relaxed(cancel))
		return a.pt;
	slice_pt_free(a.pt);
	return NULL;
}
