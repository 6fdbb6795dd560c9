/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/thread.h"
#include "base/units.h"
#include "kernel/capture/counterset.h"
#include "sources/consumers/logkeep.h"
#include "sources/consumers/reader_fields.h"
#include "sources/live/reader_ftrace.h"
#include "sources/live/reader_rings.h"
#include "sources/live/reader_samples.h"
#include "sources/live/reader_state.h"

/* Free r and report in err that its buffer, as large as a ring, has no memory. */
static struct reader *no_buffer(struct reader *r, int code, struct err *err)
{
	uint64_t size = r->config.rings->sample_bytes;
	char bytes[UNITS_LEN];

	err_set(err, code, "no memory for the contents of a ring of %s of cpu %d: %s",
		units_bytes(bytes, (double)size), r->config.cpu, strerror(code));
	ringset_advise_size(size, err);
	r->buf = NULL;
	reader_free(r);
	return NULL;
}

struct reader *reader_create(const struct reader_config *c, struct err *err)
{
	struct reader *r = calloc(1, sizeof(*r));
	size_t room;
	int code;

	if (!r)
		goto nomem;
	r->config = *c;
	r->next_offcpu = c->offcpu;
	r->next_unwinding = c->unwinding;
	room = 2 * c->rings->sideband_bytes; /* of the ring, and of one open before it */
	room = c->side_room > room ? c->side_room : room;
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	r->report.state = c->offline ? RING_OFFLINE : RING_LIVE;
	r->dies_with_cpu = c->rings->tids[0] < 0;
	r->config.room = c->room > c->rings->events->nr ? c->room : c->rings->events->nr;
	r->event = calloc(r->config.room, sizeof(*r->event));
	r->report.input = calloc(r->config.room, sizeof(*r->report.input));
	r->combine = combine_create(c->table, c->writer);
	/* Touched only as far as a burst reaches: an idle machine keeps its memory. */
	r->buf = mmap(NULL, c->rings->sample_bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r->buf == MAP_FAILED)
		return no_buffer(r, errno, err);
	if (sidequeue_init(&r->side, room) || r->wake_fd < 0 || !r->event || !r->report.input ||
	    !r->combine || !r->buf)
		goto nomem;
	if (c->log_most && !(r->log = logkeep_create(c->log_most, c->log_bytes, r->config.room)))
		goto nomem;
	if (reader_fields_adopt(r) || reader_rings_lay_out(r) ||
	    (c->tracing && !(r->ftrace = reader_ftrace_create(c->tracing, c->cpu))))
		goto nomem;
	reader_samples_gauge(r);
	return r;
nomem:
	code = errno;
	reader_free(r);
	err_room(err, code, "the reader of cpu %d", c->cpu);
	return NULL;
}

int reader_open(struct reader *r, struct err *err)
{
	return reader_rings_open(r, err);
}

/* --- the thread --------------------------------------------------------------------------- */

void reader_log_taken(struct reader *r)
{
	if (r->report.log)
		logkeep_taken(r->log);
	r->report.log = NULL;
}

static void publish_log(struct reader *r)
{
	struct logbuffer *b = r->log ? logkeep_hand_over(r->log) : NULL;

	r->report.log = b ? b : r->report.log;
}

/* Publish the state that the owner may read until its next request. */
static void publish_reader_report(struct reader *r)
{
	publish_log(r);
	r->gauge.state = r->report.state == RING_OFFLINE ? RING_OFFLINE
			 : reader_pauses(r) ? RING_PAUSING : RING_LIVE;
	r->gauge.mode = r->config.rings->overwrite ? RING_OVERWRITE : RING_FORWARD;
	r->gauge.size = r->config.rings->sample_bytes;
	if (r->ftrace)
		reader_ftrace_publish(r->ftrace, r->report.state);
	r->report.gauge = r->gauge;
	r->report.head = r->set.sample.seen;
	r->report.newest = r->newest;
	r->report.bad_records = r->bad_records;
	r->newest = 0;
	reader_samples_gauge(r);
}

static void serve_reader_request(struct reader *r, unsigned what)
{
	if (what & READER_OFFLINE && r->report.state != RING_OFFLINE)
		reader_rings_offline(r);
	else if (what & READER_ONLINE && r->report.state == RING_OFFLINE)
		reader_rings_online(r);
	r->report.open_error = what & READER_OPEN_NEW && r->report.state == RING_LIVE
				       ? reader_rings_open_new(r, &r->tasks)
				       : 0;
	if (what & READER_REOPEN)
		reader_rings_reopen(r);
	if (what & (READER_FTRACE_SHUT | READER_FTRACE_OPEN) && r->ftrace)
		reader_ftrace_again(r->ftrace, what & READER_FTRACE_OPEN);
	if (what & READER_ENABLE_NEW)
		reader_rings_enable_new(r);
	if (what & (READER_ENABLE | READER_DISABLE)) {
		r->off = what & READER_DISABLE;
		reader_rings_enable(r);
		if (r->counts)
			counterset_enable(r->counts, !r->off);
		if (r->config.aux)
			auxreader_enable(r->config.aux, !r->off);
	}
	if (what & READER_COUNT) {
		reader_rings_count(r);
		if (r->counts)
			counterset_read(r->counts);
		reader_rings_revive(r);
	}
	if (what & READER_DRAIN) {
		reader_samples_drain(r);
		if (r->ftrace)
			reader_ftrace_drain(r->ftrace, r, r->off);
		if (r->config.unwinding)
			unwinding_flush(r->config.unwinding, r->config.writer);
		CONSUMERS_EACH(r->consumer, flush, r->config.writer, true);
	}
	if (r->config.aux)
		auxreader_tick(r->config.aux);
	if (what & READER_COPY_RING)
		reader_samples_copy(r);
	reader_rings_sum(r);
	r->report.shut = r->shut != NULL;
	if (what & READER_DRAIN)
		publish_reader_report(r); /* else the gauge goes on */
}

/* End the owner's long sleep, since a ring is filling up. */
static void rouse_owner(struct reader *r)
{
	if (!atomic_load_relaxed(r->config.dozing))
		return;
	atomic_store_relaxed(r->config.dozing, false);
	eventfd_write(r->config.done_fd, 1);
}

/* POLLHUP: the task is gone, and polling on would return at once for ever. */
static void after_poll(struct reader *r, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		r->polled++;
	else if (revents & POLLIN)
		r->gauge.wakeups++;
	if (revents & POLLIN) {
		reader_samples_drain(r);
		rouse_owner(r);
	}
	if (unwinding_pressed(r->config.unwinding) || consumers_pressed(r->consumer))
		eventfd_write(r->config.done_fd, 1);
}

static void after_ftrace_poll(struct reader *r, short revents)
{
	if (!(revents & POLLIN))
		return;
	reader_ftrace_woken(r->ftrace);
	reader_ftrace_drain(r->ftrace, r, false);
	rouse_owner(r);
}

static void after_side_poll(struct reader *r, short revents)
{
	if (revents & (POLLHUP | POLLERR | POLLNVAL))
		r->side_polled++;
	else if (revents & POLLIN)
		sidequeue_wake(&r->side);
	if (revents & POLLIN)
		rouse_owner(r);
}

bool reader_turn(struct reader *r)
{
	struct perf_source *source = r->config.rings->source;
	bool live = r->report.state == RING_LIVE;
	int ring = live && r->set.anchored			 ? r->set.anchor
		   : live && r->polled < r->set.ncounters ? r->set.counters[r->polled].fd
							 : -1;
	struct auxreader *aux = r->config.aux;
	struct pollfd fd[] = {
		{.fd = r->wake_fd, .events = POLLIN},
		{.fd = ring, .events = POLLIN},
		{.fd = aux ? auxreader_fd(aux) : -1, .events = POLLIN},
		{.fd = aux ? auxreader_room_fd(aux) : -1, .events = POLLIN},
		{.fd = live && r->side_polled < r->set.ndummies ? r->set.dummies[r->side_polled]
								: -1,
		 .events = POLLIN},
		{.fd = r->ftrace ? reader_ftrace_fd(r->ftrace) : -1, .events = POLLIN},
	};
	unsigned what = 0;
	eventfd_t n;

	if (source->ops->wait(source, fd, sizeof(fd) / sizeof(*fd),
			      aux ? auxreader_timeout(aux) : -1) < 0)
		return true;
	after_poll(r, fd[1].revents);
	if (aux && (fd[2].revents || auxreader_timeout(aux) >= 0))
		auxreader_wake(aux, fd[2].revents);
	if (fd[3].revents)
		auxreader_room(aux);
	after_side_poll(r, fd[4].revents);
	after_ftrace_poll(r, fd[5].revents);
	if (!(fd[0].revents & POLLIN) || eventfd_read(r->wake_fd, &n))
		return true;
	what = atomic_load_acquire(&r->request);
	if (what & READER_COPY && aux)
		auxreader_help(aux);
	if (what & ~(unsigned)READER_COPY)
		serve_reader_request(r, what);
	atomic_store_release(&r->done, atomic_load_relaxed(&r->requested));
	/* A late reply may count for another reader's: then both write. */
	if (atomic_add_relaxed(r->config.outstanding, -1) <= 1)
		eventfd_write(r->config.done_fd, 1);
	return !(what & READER_STOP);
}

static void *reader_thread(void *arg)
{
	struct reader *r = arg;
	char name[16];

	snprintf(name, sizeof(name), "ringtop-cpu%d", r->config.cpu);
	pthread_setname_np(pthread_self(), name);
	r->report.pinned = r->config.cpu >= 0 && !ringset_pin(r->config.rings, r->config.cpu);
	r->report.sched = threadsched_hurry(r->config.realtime, NULL);
	while (reader_turn(r))
		;
	return NULL;
}

int reader_start(struct reader *r, struct err *err)
{
	int ret;

	r->not_enabled = r->set.ncounters; /* attach_enable_now enables them */
	ret = thread_start(&r->thread, reader_thread, r);
	r->running = !ret;
	return ret ? err_set(err, -ret, "cannot start a thread for the reader of cpu %d: %s",
			     r->config.cpu, strerror(-ret))
		   : 0;
}

void reader_request(struct reader *r, unsigned what)
{
	atomic_add_relaxed(&r->requested, 1);
	atomic_store_release(&r->request, what);
	eventfd_write(r->wake_fd, 1);
}

bool reader_done(const struct reader *r)
{
	return atomic_load_acquire(&r->done) == atomic_load_relaxed(&r->requested);
}

bool reader_has_news(const struct reader *r)
{
	const struct ring *ring = &r->set.sample;

	return (ring->page && ring_head(ring) != r->report.head) ||
	       (r->ftrace && reader_ftrace_has_news(r->ftrace));
}

/* An AUX area has a driver of its own, and an event whose time stood still is looked at again. */
bool reader_settled(const struct reader *r)
{
	bool dying = r->frozen && r->dies_with_cpu && r->report.state == RING_LIVE;

	return !r->config.aux && !dying;
}

/* Copy the list to `to`, point it there, and return the end. */
static pid_t *keep_tids(const pid_t **list, size_t nr, pid_t *to)
{
	if (nr)
		memcpy(to, *list, nr * sizeof(*to));
	*list = to;
	return to + nr;
}

int reader_open_new(struct reader *r, const struct reader_tasks *tasks)
{
	pid_t *at = malloc((tasks->ndrop + tasks->nwatch + tasks->ncount) * sizeof(*at) + 1);

	free(r->task_ids);
	r->task_ids = at;
	r->tasks = (struct reader_tasks){.drop = NULL};
	if (!at)
		return -ENOMEM;
	r->tasks = *tasks;
	at = keep_tids(&r->tasks.drop, tasks->ndrop, at);
	at = keep_tids(&r->tasks.watch, tasks->nwatch, at);
	keep_tids(&r->tasks.count, tasks->ncount, at);
	return 0;
}

int reader_open_new_now(struct reader *r, const struct reader_tasks *tasks, struct err *err)
{
	int ret = reader_rings_open_new(r, tasks);

	if (ret)
		*err = r->report.failure;
	return ret;
}

const struct recqueue *reader_queue(const struct reader *r)
{
	return r->config.queue;
}

void reader_counts(struct reader *r, struct counterset *counts)
{
	r->counts = counts;
}

void reader_record(struct reader *r, struct recqueue *queue)
{
	r->config.queue = queue;
}

void reader_reopen(struct reader *r, const struct ringset_config *rings, struct recqueue *queue)
{
	r->next = rings;
	r->next_queue = queue;
}

void reader_offcpu(struct reader *r, struct offcpu *o)
{
	r->next_offcpu = o;
}

void reader_unwinding(struct reader *r, struct unwinding *u)
{
	r->next_unwinding = u;
}

struct sidequeue *reader_sideband(struct reader *r)
{
	return &r->side;
}

struct ringset *reader_before(struct reader *r)
{
	return &r->before;
}

void reader_copy_ring(struct reader *r, char *buf)
{
	r->copy_to = buf;
	r->copied = (struct ring_batch){.data = NULL};
}

const struct ring_batch *reader_copied(const struct reader *r)
{
	return &r->copied;
}

const struct reader_report *reader_report(const struct reader *r)
{
	return &r->report;
}

struct ringset *reader_set(struct reader *r)
{
	return &r->set;
}

struct reader_ftrace *reader_tracing(const struct reader *r)
{
	return r->ftrace;
}

void reader_free(struct reader *r)
{
	if (!r)
		return;
	if (r->running) {
		reader_request(r, READER_STOP);
		pthread_join(r->thread, NULL);
	}
	reader_ftrace_free(r->ftrace);
	sidequeue_clear(&r->side);
	ringset_close(&r->set);
	ringset_close(&r->before);
	combine_free(r->combine);
	readings_clear(&r->readings);
	free(r->carriers);
	reader_fields_free(r);
	logkeep_free(r->log);
	if (r->buf)
		munmap(r->buf, r->config.rings->sample_bytes);
	if (r->wake_fd > 0)
		close(r->wake_fd);
	free(r->task_ids);
	free(r->ids);
	free(r->event);
	free(r->report.input);
	free(r);
}
