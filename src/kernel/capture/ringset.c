/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/ringset.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "base/vec.h"
#include "kernel/capture/auxevent.h"
#include "kernel/capture/privilege.h"

static bool has_chain(const struct ringset_config *c, const struct event *e)
{
	return e->paths == EVENT_PATHS_SESSION ? c->callchain : e->paths != EVENT_PATHS_NONE;
}

static bool has_branches(const struct ringset_config *c, const struct event *e)
{
	return e->paths == EVENT_PATHS_SESSION ? c->call_branches : e->paths == EVENT_PATHS_LBR;
}

/*
 * Return true if the event's call paths are chosen automatically. Events whose paths must be whole
 * at once always use frame pointers.
 */
static bool uses_auto_paths(const struct ringset_config *c, const struct event *e)
{
	return e->role <= EVENT_WAKING && !e->by_path &&
	       (e->paths == EVENT_PATHS_SESSION ? c->auto_paths : e->paths == EVENT_PATHS_AUTO);
}

static uint32_t stack_of(const struct ringset_config *c, const struct event *e)
{
	if (uses_auto_paths(c, e))
		return c->auto_stack;
	if (e->paths == EVENT_PATHS_SESSION)
		return c->user_stack;
	return e->paths == EVENT_PATHS_DWARF ? e->stack_bytes : 0;
}

/* Return the bytes of the piece of a stack that proves the chain's first callers; 0: none. */
static uint32_t piece_of(const struct ringset_config *c, const struct event *e)
{
	return has_chain(c, e) && !has_branches(c, e) && !stack_of(c, e) && !c->recorded &&
			       !e->attr.aux_sample_size
		       ? c->piece
		       : 0;
}

/*
 * Layouts may differ between the events of a ring: if there are several events, IDENTIFIER comes
 * first in all of them and identifies the event.
 */
static uint64_t sample_type_of(const struct ringset_config *c, unsigned event)
{
	const struct event *e = &c->events->events[event];
	uint64_t type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;

	if (c->events->nr > 1 || c->recorded)
		type |= PERF_SAMPLE_IDENTIFIER;
	if (c->recorded)
		type |= PERF_SAMPLE_CPU;
	/* perf script prints the fields of tracepoints. */
	if (c->recorded && c->events->events[event].attr.type == PERF_TYPE_TRACEPOINT)
		type |= PERF_SAMPLE_RAW;
	if (e->raw || c->events->events[event].role == EVENT_SWITCH ||
	    c->events->events[event].role == EVENT_WAKING)
		type |= PERF_SAMPLE_RAW;
	if (has_chain(c, e))
		type |= PERF_SAMPLE_CALLCHAIN;
	if (has_branches(c, e))
		type |= PERF_SAMPLE_BRANCH_STACK;
	if (c->events->events[event].attr.aux_sample_size)
		type |= PERF_SAMPLE_AUX;
	if (stack_of(c, e) || piece_of(c, e))
		type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	/*
	 * Only if it varies: on a software event of fixed period, PERIOD in sample_type makes the
	 * kernel write every event as a sample (perf_swevent_event).
	 */
	if (!event_fixed_period(&c->events->events[event]))
		type |= PERF_SAMPLE_PERIOD;
	if (e->sample_read || e->led)
		type |= PERF_SAMPLE_READ;
	return type;
}

static void set_common(struct perf_event_attr *a, const struct ringset_config *c, uint64_t ring)
{
	a->size = sizeof(*a);
	a->disabled = 1;
	a->inherit = c->inherit;
	a->enable_on_exec = c->enable_on_exec;
	a->sample_id_all = 1;
	a->watermark = 1;
	a->wakeup_watermark = ring / 4;
	a->exclude_kernel |= c->exclude_kernel;
	a->exclude_hv |= c->exclude_kernel;
}

void ringset_sample_attr(const struct ringset_config *c, unsigned event, struct perf_event_attr *a)
{
	const struct event *e = &c->events->events[event];

	*a = e->attr;
	set_common(a, c, c->sample_bytes);
	a->inherit &= e->inherit != EVENT_NO;
	a->inherit_thread = a->inherit && e->inherit_thread;
	if (ringset_of_all(c, e)) {
		a->inherit = 0;
		a->disabled = !c->enable_on_exec; /* no exec would enable it */
		a->enable_on_exec = 0;
	}
	a->sample_type = sample_type_of(c, event);
	a->read_format = e->sample_read || e->led ? perf_read_group_format(&c->features)
						  : perf_read_format(&c->features);
	a->write_backward = c->overwrite;
	a->sample_max_stack = !has_chain(c, e)				    ? 0
			      : e->max_stack && e->max_stack < c->max_stack ? e->max_stack
									    : c->max_stack;
	a->branch_sample_type = has_branches(c, e) ? RINGSET_CALL_BRANCHES : 0;
	a->sample_regs_user = c->piece_regs;
	a->sample_stack_user = piece_of(c, e);
	if (!a->sample_stack_user)
		a->sample_regs_user = 0;
	if (!stack_of(c, e))
		return;
	/* perf, which reads recordings, would append one to the other. */
	a->exclude_callchain_user = !uses_auto_paths(c, e) || c->recorded;
	a->sample_regs_user = c->user_regs;
	a->sample_stack_user = stack_of(c, e);
}

void ringset_sideband_attr(const struct ringset_config *c, struct perf_event_attr *a)
{
	*a = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .mmap = 1, .mmap2 = 1,
		.comm = 1, .task = 1, .comm_exec = c->features.comm_exec,
		.ksymbol = c->features.ksymbol && !c->exclude_kernel,
		/* To unwind a file's stacks perf needs data maps, which locate .eh_frame. */
		.mmap_data = c->recorded && c->most_stack,
		.sample_type = RINGSET_SIDEBAND_TYPE, .read_format = perf_read_format(&c->features),
	};
	set_common(a, c, c->sideband_bytes);
	/* Maps and names are needed from the start, before a COMMAND's exec, too. */
	a->disabled = 0;
	a->enable_on_exec = 0;
	a->context_switch = c->switches;
}

/*
 * Before Linux 6.13 a sample's counts were the sum over all tasks that inherited the event, so the
 * kernel refused both together.
 */
int ringset_check_reading(const struct ringset_config *c, const struct event *e, struct err *err)
{
	if (!e->sample_read || !c->inherit || e->inherit == EVENT_NO || c->features.inherit_read)
		return 0;
	err_set(err, EINVAL,
		"event '%s': samples that carry counts (S) cannot be inherited before Linux 6.13",
		e->name);
	return err_advise(
		err,
		"leave out S, or measure the whole machine (-a), or without children "
		"(--no-inherit)");
}

static int control_event_fd(const struct ringset *rs, int fd, unsigned long request, uintptr_t arg)
{
	return rs->source->ops->control(rs->source, fd, request, arg);
}

static void close_event(const struct ringset *rs, int fd)
{
	rs->source->ops->close(rs->source, fd);
}

static int push_counter(struct ringset *rs, int fd, uint16_t event, pid_t tid)
{
	struct counter *n;

	n = VEC_ADD(rs->counters, rs->ncounters, rs->cap_counters);
	if (!n)
		return -ENOMEM;
	*n = (struct counter){.fd = fd, .event = event, .tid = tid};
	return control_event_fd(rs, fd, PERF_EVENT_IOC_ID, (uintptr_t)&n->id);
}

static int push_dummy(struct ringset *rs, int fd, pid_t tid)
{
	if (!vec_reserve(&rs->dummies, &rs->cap_dummies, rs->ndummies + 1, sizeof(int)) ||
	    !vec_reserve(&rs->dummy_ids, &rs->cap_dummy_ids, rs->ndummies + 1, sizeof(uint64_t)) ||
	    !vec_reserve(&rs->dummy_tids, &rs->cap_dummy_tids, rs->ndummies + 1, sizeof(pid_t)))
		return -ENOMEM;
	rs->dummies[rs->ndummies] = fd;
	rs->dummy_tids[rs->ndummies] = tid;
	rs->dummy_ids[rs->ndummies++] = 0;
	return control_event_fd(rs, fd, PERF_EVENT_IOC_ID,
				(uintptr_t)&rs->dummy_ids[rs->ndummies - 1]);
}

/* Map the ring with its first event; the other events write to that ring. */
static int attach_ring(const struct ringset *rs, struct ring *ring, int first_fd, int fd,
		       uint64_t size, bool overwrite)
{
	if (!ring->page)
		return ring_map(ring, rs->source, fd, size, overwrite);
	return control_event_fd(rs, fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)first_fd);
}

/* The kernel keeps the addresses of a ring's pages in one allocation of at most 1024 pages. */
static uint64_t largest_ring(void)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return page * page * 64;
}

void ringset_advise_size(uint64_t size, struct err *err)
{
	uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char most[UNITS_LEN], memory[UNITS_LEN];

	units_bytes(memory, (double)all);
	if (size > largest_ring())
		err_advise(
			err,
			"the kernel's largest ring is %s, and each CPU has one, of the machine's "
			"%s: choose a smaller -m",
			units_bytes(most, (double)largest_ring()), memory);
	else
		err_advise(
			err,
			"each CPU has a ring, and the machine has %s of memory: choose a smaller "
			"-m",
			memory);
}

static int explain_ring(int code, const char *what, uint64_t size, int cpu, struct err *err)
{
	char bytes[UNITS_LEN];

	err_set(err, code, "cannot map a ring of %s for %s of cpu %d: %s", units_bytes(bytes, size),
		what, cpu, strerror(code));
	if (code == EPERM)
		err_advise(err,
			   "kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK (ulimit -l) bound it: "
			   "raise one of them, or choose a smaller -m and --sideband-pages");
	if (code == ENOMEM)
		ringset_advise_size(size, err);
	return -code;
}

static bool is_foreign(pid_t tid)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", tid);
	return tid >= 0 && !stat(path, &st) && st.st_uid != geteuid();
}

static int explain_event_open(struct ringset *rs, int code, const struct perf_event_attr *attr,
			      const char *what, pid_t tid, struct err *err)
{
	struct privilege p = {.paranoid = 0};
	char where[EVENT_NAME_LEN + 64];
	int n = snprintf(where, sizeof(where), "%s", what);

	if (tid >= 0)
		n += snprintf(where + n, sizeof(where) - n, " of thread %d", tid);
	if (rs->cpu >= 0)
		snprintf(where + n, sizeof(where) - n, " on cpu %d", rs->cpu);
	if (privilege_matters(code))
		rs->source->ops->rights(rs->source, &p);
	if ((code == EACCES || code == EPERM) && !p.perfmon && p.any && is_foreign(tid)) {
		err_set(err, code, "not permitted to measure %s: it belongs to another user",
			where);
		err_advise(err, "run as root, or give the program CAP_PERFMON (setcap cap_perfmon,"
				"cap_sys_ptrace,cap_syslog+ep)");
		return -code;
	}
	return perf_explain_open(rs->source, code, attr, tid, rs->cpu, where, err);
}

/* Return the fd that owns the sample ring's output; -1: none. */
static int first_fd(const struct ringset *rs)
{
	if (rs->anchored)
		return rs->anchor;
	return rs->ncounters ? rs->counters[0].fd : -1;
}

/*
 * Return the leader of the event's group for this thread, which was opened before it; -1: no group,
 * or it leads.
 */
static int group_leader(const struct ringset *rs, const struct ringset_config *c, unsigned event,
			pid_t tid)
{
	const struct event *events = c->events->events;
	unsigned first = 0;

	while (first < event &&
	       (!events[event].group || events[first].group != events[event].group))
		first++;
	if (first == event)
		return -1;
	for (size_t i = rs->ncounters; i-- > 0;)
		if (rs->counters[i].event == first && rs->counters[i].tid == tid)
			return rs->counters[i].fd;
	return -1;
}

/* Open an event; a weak group is given up if the kernel refuses it. */
static int open_in_group(const struct ringset *rs, const struct ringset_config *c,
			 const struct event *e, struct perf_event_attr *a, pid_t tid, int leader)
{
	bool by_cgroup = c->by_cgroup && !ringset_of_all(c, e);
	unsigned long flags = by_cgroup ? PERF_FLAG_PID_CGROUP : 0;
	pid_t whose = by_cgroup ? c->cgroup : tid;
	int fd = perf_open_event(rs->source, e, a, whose, rs->cpu, leader, flags);

	if (fd == -EINVAL && leader >= 0 && e->weak && !e->led)
		fd = perf_open_event(rs->source, e, a, whose, rs->cpu, -1, flags);
	return fd;
}

static int add_sampled_event(struct ringset *rs, const struct ringset_config *c, unsigned i,
			     pid_t tid, struct err *err)
{
	struct perf_event_attr a;
	int fd, ret, leader = group_leader(rs, c, i, tid);

	ringset_sample_attr(c, i, &a);
	if (event_wants_aux(&c->events->events[i]))
		leader = c->aux ? auxevent_leader(c->aux, tid) : -1;
	fd = open_in_group(rs, c, &c->events->events[i], &a, tid, leader);
	if (fd < 0 && event_wants_aux(&c->events->events[i]))
		return auxevent_explain_member(-fd, &c->events->events[i], leader >= 0, err);
	if (fd < 0)
		return explain_event_open(rs, -fd, &a, c->events->events[i].name, tid, err);
	ret = push_counter(rs, fd, i, tid);
	if (ret == -ENOMEM)
		close_event(rs, fd);
	if (!ret)
		ret = attach_ring(rs, &rs->sample, first_fd(rs), fd, c->sample_bytes, c->overwrite);
	return ret < 0 ? explain_ring(-ret, "samples", c->sample_bytes, rs->cpu, err) : 0;
}

static int add_sideband_event(struct ringset *rs, const struct ringset_config *c, int fd, pid_t tid,
			      struct err *err)
{
	int ret = push_dummy(rs, fd, tid);

	if (ret == -ENOMEM)
		close_event(rs, fd);
	if (!ret)
		ret = attach_ring(rs, &rs->sideband, rs->dummies[0], fd, c->sideband_bytes, false);
	return ret < 0 ? explain_ring(-ret, "maps and names", c->sideband_bytes, rs->cpu, err) : 0;
}

/*
 * Watch changes of the kernel's code, which any task may cause: a thread's own events report only
 * what the thread itself loads. So all changes on this CPU go into the ring, once, if the rights
 * suffice.
 */
static int watch_kernel(struct ringset *rs, const struct ringset_config *c,
			const struct perf_event_attr *side, struct err *err)
{
	struct perf_event_attr a = *side;
	int fd;

	if (!side->ksymbol || rs->cpu < 0)
		return 0;
	a.mmap = a.mmap2 = a.comm = a.comm_exec = a.task = a.mmap_data = a.context_switch =
		a.inherit = 0;
	fd = rs->source->ops->open(rs->source, &a, -1, rs->cpu, -1, 0);
	rs->watches_kernel = fd >= 0;
	return fd < 0 ? 0 : add_sideband_event(rs, c, fd, -1, err);
}

int ringset_watch(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err)
{
	struct perf_event_attr a;
	int fd, ret = 0;

	ringset_sideband_attr(c, &a);
	if (tid >= 0 && !rs->ndummies)
		ret = watch_kernel(rs, c, &a, err);
	if (ret)
		return ret;
	a.ksymbol &= !rs->watches_kernel;
	fd = rs->source->ops->open(rs->source, &a, tid, rs->cpu, -1, 0);
	if (fd < 0)
		return explain_event_open(rs, -fd, &a, "sideband events", tid, err);
	return add_sideband_event(rs, c, fd, tid, err);
}

static int add_events(struct ringset *rs, const struct ringset_config *c, pid_t tid, bool of_all,
		      struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < c->events->nr && !ret; i++)
		if (event_is_opened(&c->events->events[i]) &&
		    ringset_of_all(c, &c->events->events[i]) == of_all)
			ret = add_sampled_event(rs, c, i, tid, err);
	return ret;
}

int ringset_count(struct ringset *rs, const struct ringset_config *c, pid_t tid, struct err *err)
{
	return add_events(rs, c, tid, false, err);
}

static bool is_tid_listed(const pid_t *tids, size_t nr, pid_t tid)
{
	for (size_t i = 0; i < nr; i++)
		if (tids[i] == tid)
			return true;
	return false;
}

bool ringset_has(const struct ringset *rs, pid_t tid, bool counters)
{
	for (size_t i = 0; counters && i < rs->ncounters; i++)
		if (rs->counters[i].tid == tid)
			return true;
	return !counters && is_tid_listed(rs->dummy_tids, rs->ndummies, tid);
}

void ringset_drop(struct ringset *rs, size_t from, const pid_t *tids, size_t nr)
{
	size_t kept = from;

	for (size_t i = from; i < rs->ncounters; i++) {
		if (is_tid_listed(tids, nr, rs->counters[i].tid))
			close_event(rs, rs->counters[i].fd);
		else
			rs->counters[kept++] = rs->counters[i];
	}
	rs->ncounters = kept;
}

size_t ringset_drop_of_all(struct ringset *rs, const struct ringset_config *c)
{
	size_t kept = 0, nr = rs->ncounters;

	for (size_t i = 0; i < nr; i++) {
		if (ringset_of_all(c, &c->events->events[rs->counters[i].event]))
			close_event(rs, rs->counters[i].fd);
		else
			rs->counters[kept++] = rs->counters[i];
	}
	rs->ncounters = kept;
	return nr - kept;
}

int ringset_open_of_all(struct ringset *rs, const struct ringset_config *c, struct err *err)
{
	return add_events(rs, c, -1, true, err);
}

int ringset_read(const struct ringset *rs, const struct ringset_config *config, size_t i,
		 struct perf_count *c)
{
	const struct counter *n = &rs->counters[i];
	const struct event *e = &config->events->events[n->event];

	if (e->sample_read || e->led)
		return perf_read_member(rs->source, n->fd, &config->features, n->id, c);
	return perf_read(rs->source, n->fd, &config->features, c);
}

int ringset_read_witness(const struct ringset *rs, const struct ringset_config *c, pid_t tid,
			 size_t *hint, struct perf_count *count)
{
	for (size_t n = rs->ndummies; n; n--, (*hint)++) {
		*hint = *hint < rs->ndummies ? *hint : 0;
		if (rs->dummy_tids[*hint] == tid)
			return perf_read(rs->source, rs->dummies[*hint], &c->features, count);
	}
	return -ESRCH;
}

int ringset_pin(const struct ringset_config *c, int cpu)
{
	return c->source->ops->pin(c->source, cpu);
}

void ringset_pause(const struct ringset *rs, bool on)
{
	if (first_fd(rs) >= 0)
		control_event_fd(rs, first_fd(rs), PERF_EVENT_IOC_PAUSE_OUTPUT, on);
}

/*
 * Open an event to hold the sample ring. A mapping keeps its event alive, and everything inherited
 * from it, so this is not one of the tasks' events.
 */
static int open_anchor(struct ringset *rs, const struct ringset_config *c, struct err *err)
{
	struct perf_event_attr a = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY};
	int fd, ret;

	set_common(&a, c, c->sample_bytes);
	a.inherit = a.enable_on_exec = 0;
	a.write_backward = c->overwrite;
	fd = rs->source->ops->open(rs->source, &a, 0, rs->cpu, -1, 0);
	if (fd < 0)
		return explain_event_open(rs, -fd, &a, "the ring's event", -1, err);
	rs->anchor = fd;
	rs->anchored = true;
	ret = ring_map(&rs->sample, rs->source, fd, c->sample_bytes, c->overwrite);
	return ret ? explain_ring(-ret, "samples", c->sample_bytes, rs->cpu, err) : 0;
}

/* Open the events that exist before any task's. */
static int open_common_events(struct ringset *rs, const struct ringset_config *c, struct err *err)
{
	int ret = c->by_task ? open_anchor(rs, c, err) : 0;

	if (!ret)
		ret = add_events(rs, c, -1, true, err);
	if (ret)
		ringset_close(rs);
	return ret;
}

int ringset_open(struct ringset *rs, const struct ringset_config *c, int cpu, struct err *err)
{
	size_t gone = 0;
	int ret;

	*rs = (struct ringset){.source = c->source, .cpu = cpu};
	ret = open_common_events(rs, c, err);
	if (ret || c->by_task)
		return ret;
	for (size_t i = 0; i < c->ntids; i++) {
		ret = ringset_watch(rs, c, c->tids[i], err);
		if (!ret)
			ret = ringset_count(rs, c, c->tids[i], err);
		if (ret == -ESRCH) {
			gone++;
		} else if (ret < 0) {
			ringset_close(rs);
			return ret;
		}
	}
	if (gone < c->ntids)
		return 0;
	ringset_close(rs);
	return err_set(err, ESRCH, "none of the processes to measure exists any more");
}

void ringset_enable(const struct ringset *rs, bool on)
{
	ringset_enable_first(rs, rs->ncounters, on);
}

void ringset_enable_first(const struct ringset *rs, size_t nr, bool on)
{
	for (size_t i = 0; i < rs->ncounters && i < nr; i++)
		control_event_fd(rs, rs->counters[i].fd,
				 on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void ringset_close_samples(struct ringset *rs)
{
	ring_unmap(&rs->sample);
	if (rs->anchored)
		close_event(rs, rs->anchor);
	rs->anchored = false;
	for (size_t i = 0; i < rs->ncounters; i++)
		close_event(rs, rs->counters[i].fd);
	free(rs->counters);
	rs->counters = NULL;
	rs->ncounters = rs->cap_counters = 0;
}

void ringset_close(struct ringset *rs)
{
	ringset_close_samples(rs);
	ring_unmap(&rs->sideband);
	for (size_t i = 0; i < rs->ndummies; i++)
		close_event(rs, rs->dummies[i]);
	free(rs->dummies);
	free(rs->dummy_ids);
	free(rs->dummy_tids);
	*rs = (struct ringset){.source = rs->source, .cpu = rs->cpu};
}
