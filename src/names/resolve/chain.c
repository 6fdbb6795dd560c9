/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/chain.h"

#include <string.h>

#include "files/decode/record.h"
#include "names/resolve/resolver_task.h"
#include "names/resolve/fpcheck.h"
#include "names/resolve/frames_kernel.h"

/*
 * Kinds of code that a callchain's addresses are in: given by the sample's mode first, then by the
 * marks between them.
 */
enum context {
	CONTEXT_USER, CONTEXT_UNWOUND, CONTEXT_KERNEL, CONTEXT_GUEST_KERNEL, CONTEXT_GUEST_USER,
	CONTEXT_HYPERVISOR, CONTEXT_EVENT, CONTEXT_OTHER,
};

static enum context context_of_mode(uint64_t mode)
{
	static const enum context contexts[PERF_RECORD_MISC_CPUMODE_MASK + 1] = {
		[PERF_RECORD_MISC_KERNEL] = CONTEXT_KERNEL,
		[PERF_RECORD_MISC_HYPERVISOR] = CONTEXT_HYPERVISOR,
		[PERF_RECORD_MISC_GUEST_KERNEL] = CONTEXT_GUEST_KERNEL,
		[PERF_RECORD_MISC_GUEST_USER] = CONTEXT_GUEST_USER,
		[TABLE_MODE_EVENT] = CONTEXT_EVENT,
	};

	return contexts[mode & PERF_RECORD_MISC_CPUMODE_MASK];
}

static enum context context_of_mark(uint64_t mark)
{
	static const struct {
		uint64_t mark;
		enum context context;
	} marks[] = {
		{(uint64_t)PERF_CONTEXT_KERNEL, CONTEXT_KERNEL},
		{(uint64_t)PERF_CONTEXT_USER, CONTEXT_USER},
		{TABLE_MARK_UNWOUND, CONTEXT_UNWOUND},
		{(uint64_t)PERF_CONTEXT_HV, CONTEXT_HYPERVISOR},
		{(uint64_t)PERF_CONTEXT_GUEST_KERNEL, CONTEXT_GUEST_KERNEL},
		{(uint64_t)PERF_CONTEXT_GUEST_USER, CONTEXT_GUEST_USER},
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (marks[i].mark == mark)
			return marks[i].context;
	return CONTEXT_OTHER;
}

static struct frame_found frame_in(struct resolver *r, enum context ctx, struct process *p,
				   struct space *s, uint64_t ip, uint64_t time)
{
	switch (ctx) {
	case CONTEXT_KERNEL:
		return frames_kernel(r, ip, time);
	case CONTEXT_GUEST_KERNEL:
		return frames_outside(r, FRAMES_GUEST_KERNEL, ip);
	case CONTEXT_GUEST_USER:
		return frames_outside(r, FRAMES_GUEST, ip);
	case CONTEXT_HYPERVISOR:
		return frames_outside(r, FRAMES_HYPERVISOR, ip);
	case CONTEXT_EVENT:
		return frames_event(r, ip);
	default:
		/* The idle task runs no user code. */
		return p->pid ? frames_user(r, p, s, ip, time) : frames_unseen(r);
	}
}

struct frame_found chain_leaf(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s)
{
	return frame_in(r, context_of_mode(row->key.mode), p, s, row->ips[0], row->count.first);
}

/* A part of a path: context, process and space of its addresses. */
struct part {
	enum context ctx;
	struct process *p;
	struct space *s;
	size_t first; /* index of the part's first address */
	const struct map *leaf; /* map of the first address; NULL: accept callers in no map */
	bool over;    /* broken: the rest is left out */
};

/* A row's path while it is turned into frames. */
struct walk {
	struct resolver *r;
	const struct table_row *row;
	struct part part;
	size_t nr;
	uint32_t frame[TABLE_PATH_MAX + 1];
};

static void append_frame(struct walk *w, uint32_t frame)
{
	w->frame[w->nr++] = frame;
}

/* --- marks -------------------------------------------------------------------------------- */

/* Log an unknown mark, once: it is in every sample of such a recording. */
static void say_mark(struct resolver *r, uint64_t mark)
{
	if (r->mark_told || !r->slice)
		return;
	r->mark_told = true;
	slice_log(
		r->slice, SLICE_WARNING,
		"call chains have parts of an unknown kind (marker %lld): they are dropped, and "
		"such paths are marked [truncated]",
		(long long)mark);
}

/* Handle a mark: begin the part after it, or end the path. */
static void enter_mark(struct walk *w, size_t i)
{
	uint64_t mark = w->row->ips[i];
	enum frames_own own;

	if (mark == TABLE_MARK_TRUNCATED || mark == TABLE_MARK_BROKEN ||
	    mark == CONTEXT_USER_DEFERRED) {
		own = mark == TABLE_MARK_BROKEN	      ? FRAMES_BROKEN
		      : mark == TABLE_MARK_TRUNCATED ? FRAMES_TRUNCATED
						     : FRAMES_NOT_YET;
		if (!w->part.over)
			append_frame(w, frames_own(w->r, own));
		w->part.over = true;
		return;
	}
	if (mark == TABLE_MARK_UNPROVED)
		return; /* for enter_user() */
	w->part.ctx = context_of_mark(mark);
	w->part.first = i + 1;
	w->part.leaf = NULL;
	w->part.over = w->part.ctx == CONTEXT_OTHER;
	if (!w->part.over)
		return;
	append_frame(w, frames_own(w->r, FRAMES_TRUNCATED));
	say_mark(w->r, mark);
}

/* Return true if the waker's path, from the i-th address on, leads from a timer. */
static bool is_timer(const struct walk *w, size_t i)
{
	const struct table_row *row = w->row;

	for (; i < row->key.nr && row->ips[i] != TABLE_MARK_WAIT; i++)
		if (row->ips[i] < (uint64_t)PERF_CONTEXT_MAX &&
		    frames_kernel_timer(w->r, row->ips[i] - 1, row->count.first))
			return true;
	return false;
}

/* Put the frame of the task that woke the row's; the addresses that follow are its path. */
static void enter_waker(struct walk *w, size_t at)
{
	struct resolver *r = w->r;
	uint64_t who = w->row->ips[at];
	struct task *t;

	w->part.first = at + 1;
	if (who == TABLE_NOBODY) {
		append_frame(w, frames_own(r, FRAMES_NO_WAKER));
		return;
	}
	t = tasks_get(r->tasks, (pid_t)(who >> 32), (pid_t)(uint32_t)who);
	if (!t) {
		append_frame(w, 0);
		return;
	}
	w->part.p = t->process;
	w->part.s = process_space_at(t->process, w->row->count.first);
	if (r->config.scan)
		resolver_task_ask(r, t);
	append_frame(w, !who && is_timer(w, at + 1) ? frames_timer(r)
						    : frames_task(r, t, w->row->count.first));
}

/* --- where chains of user code lead ----------------------------------------------------------- */

/*
 * Return true if an address in none of these maps may make a path broken: not while they are read,
 * nor if some were dropped.
 */
static bool maps_are_known(const struct resolver *r, const struct part *part)
{
	const struct maps *m = part->s->maps;

	return (!r->config.scan || part->p->scan == SCAN_DONE) && maps_count(m) && !m->forgotten &&
	       m->storm.start == m->storm.end;
}

static bool is_mapped(const struct walk *w, uint64_t ip)
{
	return frames_is_mapped(w->r, w->part.s, ip, w->row->count.first);
}

/*
 * Return the first caller that frame pointers alone have found: behind those that were put in,
 * unless all are proved.  TABLE_MARK_WAIT: none.  *astray: they have led to no frame.
 */
static uint64_t chained_caller(const struct table_row *row, size_t i, bool *astray)
{
	size_t at = i;

	while (at < row->key.nr && row->ips[at] < (uint64_t)PERF_CONTEXT_MAX)
		at++;
	i = at < row->key.nr && row->ips[at] == TABLE_MARK_UNPROVED ? at + 1 : i;
	*astray = i == at + 1 && i < row->key.nr && row->ips[i] == TABLE_MARK_TRUNCATED;
	return i < row->key.nr ? row->ips[i] : TABLE_MARK_WAIT;
}

/*
 * Count the chain for its object.  Code without frame pointers has stacks of one function: the
 * kernel finds no second frame, or an address where nothing is mapped.
 */
static void enter_user(struct walk *w, size_t i)
{
	const struct table_row *row = w->row;
	struct dso_chains *of;
	uint64_t next;
	bool alone, astray;

	w->part.leaf = maps_find(w->part.s->maps, row->ips[i], row->count.first);
	if (!w->part.leaf || !maps_are_known(w->r, &w->part)) {
		w->part.leaf = NULL;
		return;
	}
	of = &w->part.leaf->object->chains;
	next = chained_caller(row, i + 1, &astray);
	alone = next >= (uint64_t)PERF_CONTEXT_MAX ? next == TABLE_MARK_WAIT
						   : !is_mapped(w, next - 1);
	fpcheck_count(&w->r->chains, row->count.samples, alone);
	fpcheck_count(of, row->count.samples, alone);
	if (!astray)
		return;
	fpcheck_count_astray(&w->r->chains, row->count.samples);
	fpcheck_count_astray(of, row->count.samples);
}

/*
 * Return true for a caller in no code: the frame pointer was some other value.  A recording need
 * not have all maps, so there a chain that leads back to code only has a caller whose map is
 * missing.
 */
static bool leads_astray(const struct walk *w, size_t i)
{
	const struct table_row *row = w->row;

	if (!w->part.leaf || is_mapped(w, row->ips[i] - 1))
		return false;
	for (; !w->r->config.scan && i < row->key.nr && row->ips[i] < (uint64_t)PERF_CONTEXT_MAX;
	     i++)
		if (is_mapped(w, row->ips[i] - 1))
			return false;
	return true;
}

static void end_astray(struct walk *w)
{
	fpcheck_count_astray(&w->r->chains, w->row->count.samples);
	fpcheck_count_astray(&w->part.leaf->object->chains, w->row->count.samples);
	append_frame(w, frames_own(w->r, FRAMES_BROKEN));
	w->part.over = true;
}

/* --- a path ------------------------------------------------------------------------------- */

/*
 * Add the frame of address i.  The first address of each context is where execution was; the others
 * are where it continues after a call returns, so the call is before them.
 */
static void put_address(struct walk *w, size_t i)
{
	struct part *part = &w->part;
	uint64_t ip = w->row->ips[i], back = i > part->first && part->ctx != CONTEXT_UNWOUND && ip;

	if (part->over)
		return;
	if (part->ctx == CONTEXT_USER && i == part->first)
		enter_user(w, i);
	if (part->ctx == CONTEXT_USER && i > part->first && leads_astray(w, i)) {
		end_astray(w);
		return;
	}
	append_frame(
		w,
		frame_in(w->r, part->ctx, part->p, part->s, ip - back, w->row->count.first).frame);
}

uint32_t chain_path(struct resolver *r, const struct table_row *row, struct process *p,
			      struct space *s)
{
	struct walk w = {.r = r, .row = row, .nr = 0};

	w.part = (struct part){.ctx = context_of_mode(row->key.mode), .p = p, .s = s};
	for (size_t i = 0; i < row->key.nr; i++) {
		uint64_t ip = row->ips[i];

		if (ip == TABLE_MARK_WAKER && i + 1u < row->key.nr) {
			enter_waker(&w, ++i);
		} else if (ip == TABLE_MARK_WAIT && i + 1u < row->key.nr) {
			append_frame(&w, frames_own(r, FRAMES_WOKEN));
			i++;
			w.part = (struct part){.ctx = context_of_mode(row->ips[i]),
					       .p = p,
					       .s = s,
					       .first = i + 1};
		} else if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
			enter_mark(&w, i);
		} else {
			put_address(&w, i);
		}
	}
	/* A path of marks only gets a frame, as there was a sample. */
	if (!w.nr)
		append_frame(&w, frames_own(r, FRAMES_BROKEN));
	return dictout_whole_path(r->names, w.frame, w.nr);
}
