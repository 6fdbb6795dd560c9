/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/capture/auxevent.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/vec.h"
#include "kernel/capture/open.h"
#include "kernel/capture/privilege.h"
#include "kernel/event/pmu.h"

/* Step of the head in full mode, in bytes: each costs an interrupt, but fewer make gauges jump. */
#define WATERMARK_MAX    (64u << 10)
#define WATERMARK_RECORD (1u << 20) /* recording: low cost matters more */

void auxevent_attr(const struct event *e, const struct ringset_config *c, uint64_t size,
		   bool snapshot, struct perf_event_attr *a)
{
	uint64_t watermark = size / 4 < WATERMARK_MAX ? size / 4 : WATERMARK_MAX;

	if (c->recorded && size / 4 > watermark)
		watermark = size / 4 < WATERMARK_RECORD ? size / 4 : WATERMARK_RECORD;
	*a = e->attr;
	a->disabled = 1;
	a->inherit = c->inherit;
	a->enable_on_exec = c->enable_on_exec;
	a->sample_type = AUXEVENT_TYPE;
	a->sample_id_all = 1;
	a->read_format = PERF_FORMAT_ID;
	a->watermark = 1;
	a->wakeup_watermark = AUXEVENT_RING / 4;
	a->aux_watermark = snapshot ? 0 : (uint32_t)watermark;
	/* The event takes no samples, but some drivers use this as their own interval. */
	if (!e->rated)
		a->sample_period = 1;
	a->exclude_kernel |= c->exclude_kernel;
	a->exclude_hv |= c->exclude_kernel;
}

/* --- errors -------------------------------------------------------------------------------- */

static int explain_aux_open(int code, const struct event *e, int cpu, struct err *err)
{
	char where[EVENT_NAME_LEN + 32];

	snprintf(where, sizeof(where), cpu < 0 ? "%s" : "%s on cpu %d", e->name, cpu);
	if (code == EBUSY) {
		err_set(err, code, "%s is in use by another tool", where);
		return err_advise(err, "an AUX event is the only one of its PMU on its CPU");
	}
	if (pmu_aux_action(&e->attr) && (code == EINVAL || code == EOPNOTSUPP)) {
		err_set(err, code, "%s cannot start paused: %s", where, strerror(code));
		return err_advise(err, "it needs kernel 6.13, and a PMU that can pause (Intel PT)");
	}
	if (code == EINVAL) {
		err_set(err, code, "the PMU of %s refuses its configuration", where);
		return err_advise(err, "a term may be beyond what this machine has; see %s",
				  "/sys/bus/event_source/devices/*/caps");
	}
	return privilege_explain(NULL, code, where, err);
}

/* Explain a failed map. sysfs does not show which PMUs have an area; only a try does. */
static int explain_map(int code, const struct event *e, uint64_t size, int cpu, struct err *err)
{
	char names[384], bytes[UNITS_LEN];

	if (code == EOPNOTSUPP) {
		pmu_names(names, sizeof(names));
		err_set(err, code, "%s has no AUX area: %s is not an AUX-capable PMU", e->name,
			*e->pmu ? e->pmu : "its PMU");
		return err_advise(err, "PMUs here: %s", names);
	}
	err_set(err, code, "cannot map an AUX area of %s for cpu %d: %s",
		units_bytes(bytes, (double)size), cpu, strerror(code));
	if (code == EPERM)
		err_advise(err,
			   "kernel.perf_event_mlock_kb and RLIMIT_MEMLOCK (ulimit -l) bound it: "
			   "choose a smaller --aux-size, or raise one of them");
	if (code == ENOMEM || code == EINVAL)
		err_advise(err, "choose another --aux-size: a power of two of pages");
	return -code;
}

/* --- opening ------------------------------------------------------------------------------ */

static int control_aux(const struct auxevent *a, int fd, unsigned long request, uintptr_t arg)
{
	return a->source->ops->control(a->source, fd, request, arg);
}

static int map_both(struct auxevent *a, int fd, uint64_t size, bool snapshot)
{
	int ret = ring_map(&a->ring, a->source, fd, AUXEVENT_RING, false);

	return ret ? ret : auxarea_map(&a->area, &a->ring, fd, size, snapshot);
}

static int push_fd(struct auxevent *a, int fd, pid_t tid)
{
	if (!vec_reserve(&a->fds, &a->cap_fds, a->nfds + 1, sizeof(int)) ||
	    !vec_reserve(&a->tids, &a->cap_tids, a->nfds + 1, sizeof(pid_t)))
		return -ENOMEM;
	a->tids[a->nfds] = tid;
	a->fds[a->nfds++] = fd;
	return 0;
}

static int open_aux_fd(struct auxevent *a, const struct event *e, const struct ringset_config *c,
		       pid_t tid, uint64_t size, bool snapshot, struct err *err)
{
	struct perf_event_attr attr;
	int fd, ret;

	auxevent_attr(e, c, size, snapshot, &attr);
	fd = perf_open_event(a->source, e, &attr, tid, a->cpu, -1, 0);
	if (fd == -EINVAL && !e->rated) {
		/* Try a PMU that only counts; a missing area is then reported by the map. */
		attr.sample_period = 0;
		fd = perf_open_event(a->source, e, &attr, tid, a->cpu, -1, 0);
	}
	if (fd < 0)
		return explain_aux_open(-fd, e, a->cpu, err);
	ret = push_fd(a, fd, tid);
	if (ret) {
		a->source->ops->close(a->source, fd);
		return err_set(err, ENOMEM, "out of memory");
	}
	/* The first event is mapped, the others write to its maps. */
	if (a->nfds == 1)
		ret = map_both(a, fd, size, snapshot);
	else
		ret = control_aux(a, fd, PERF_EVENT_IOC_SET_OUTPUT, (uintptr_t)a->fds[0]);
	return ret ? explain_map(-ret, e, size, a->cpu, err) : 0;
}

int auxevent_add(struct auxevent *a, const struct event *e, const struct ringset_config *c,
		 pid_t tid, struct err *err)
{
	return open_aux_fd(a, e, c, tid, a->area.size, a->area.snapshot, err);
}

int auxevent_open(struct auxevent *a, const struct event *e, const struct ringset_config *c,
		  int cpu, uint64_t size, bool snapshot, struct err *err)
{
	size_t gone = 0;

	*a = (struct auxevent){.source = c->source, .cpu = cpu};
	for (size_t i = 0; i < c->ntids; i++) {
		int ret = open_aux_fd(a, e, c, c->tids[i], size, snapshot, err);

		if (ret == -ESRCH) {
			gone++;
		} else if (ret) {
			auxevent_close(a);
			return ret;
		}
	}
	if (gone < c->ntids)
		return 0;
	auxevent_close(a);
	return err_set(err, ESRCH, "none of the threads to trace exists any more");
}

uint64_t auxevent_id(const struct auxevent *a, size_t i)
{
	uint64_t id = 0;

	if (i >= a->nfds || control_aux(a, a->fds[i], PERF_EVENT_IOC_ID, (uintptr_t)&id))
		return 0;
	return id;
}

int auxevent_leader(const struct auxevent *a, pid_t tid)
{
	for (size_t i = 0; i < a->nfds; i++)
		if (a->tids[i] == tid)
			return a->fds[i];
	return -1;
}

int auxevent_explain_member(int code, const struct event *e, bool leader, struct err *err)
{
	const bool sample = e->attr.aux_sample_size;

	if (!leader) {
		err_set(err, EINVAL, "%s needs an AUX event on its CPU, and there is none",
			e->name);
		err_advise(err, "-A EVENT opens one, such as -A intel_pt//u");
		return -EINVAL;
	}
	err_set(err, code, "%s cannot %s: %s", e->name,
		sample ? "take AUX data with its samples" : "pause or resume the AUX event",
		strerror(code));
	err_advise(err,
		   sample ? "it needs kernel 5.6, and a PMU whose trace can be sampled (Intel PT)"
			  : "it needs kernel 6.13, and a PMU that can pause (Intel PT)");
	return -code;
}

void auxevent_enable(const struct auxevent *a, bool on)
{
	for (size_t i = 0; i < a->nfds; i++)
		control_aux(a, a->fds[i], on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

void auxevent_close(struct auxevent *a)
{
	auxarea_unmap(&a->area);
	ring_unmap(&a->ring);
	for (size_t i = 0; i < a->nfds; i++)
		a->source->ops->close(a->source, a->fds[i]);
	free(a->fds);
	free(a->tids);
	*a = (struct auxevent){.source = a->source, .cpu = a->cpu};
}
