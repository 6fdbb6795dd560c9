/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of records and marks of finished rounds: when all readers have drained, the tick notes
 * under the lock how far each queue is filled, and the writer writes just so much before the mark.
 * While no round waits it writes the records of one moment, also noted under the lock, and
 * therefore before the next round. So no record that was drained after the round was noted gets
 * before its mark, and everything older than the previous round does.
 */
#include "sources/record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "base/vec.h"
#include "sources/record/auxrecord.h"
#include "sources/record/datafile.h"
#include "kernel/capture/threadsched.h"

#define LANE_LEAST (4u << 20)
#define LANES_MOST (256u << 20) /* for all queues together; only used pages are resident */
#define FLUSH_NS   NSEC_PER_SEC /* most that is lost when ringtop is killed */

struct source { /* source of records: a reader's ring, or all sideband rings */
	struct recqueue queue;
	uint64_t noted;        /* fill of the queue at the round's end */
	/* Highest ids noted so far, of its counters and sideband: ids rise. */
	uint64_t newest_id, newest_dummy;
	uint64_t *id;          /* an id per event, for its LOST records */
	uint64_t *kernel_lost; /* by event: from recorder_lost */
	uint64_t *written;     /* part of queue.lost that LOST records have */
	uint64_t newest;       /* time of the last record, for LOST records */
	uint32_t cpu;
	pid_t tid;             /* thread of a per-thread ring with an AUX area; else -1 */
};

struct recorder {
	struct datafile *file;
	unsigned nevents; /* number of events without the sideband, which follows them */
	struct source *sources;
	unsigned nsources;
	pthread_mutex_t lock; /* for ids, noted, kernel_lost, round, ending and unwanted */
	struct perfwrite_index *index;  /* ids of all events */
	size_t nindex, cap_index;
	bool round, ending, unwanted;
	int wake_fd;
	pthread_t thread;
	bool running;

	/* Used by the thread only: */
	struct auxrecord *aux;          /* or NULL */
	uint64_t flushed;
	uint64_t all_aux;               /* time when all areas were last written */
	uint64_t *heads;
	struct err err;

	/* Shared: read by recorder_status. */
	uint64_t lost, lost_sideband;
	uint32_t state;
};

/* --- making it ---------------------------------------------------------------------------- */

struct recorder *recorder_create(const char *path, struct err *err)
{
	struct recorder *r = calloc(1, sizeof(*r));

	if (!r)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	pthread_mutex_init(&r->lock, NULL);
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->wake_fd < 0)
		err_room(err, errno, "the recording");
	else
		r->file = datafile_create(path, 0, err);
	if (r->file)
		return r;
	recorder_free(r);
	return NULL;
}

static int init_source(struct recorder *r, struct source *s, size_t size)
{
	s->id = calloc(r->nevents + 1, sizeof(*s->id));
	s->kernel_lost = calloc(r->nevents + 1, sizeof(*s->kernel_lost));
	s->written = calloc(r->nevents + 1, sizeof(*s->written));
	if (!s->id || !s->kernel_lost || !s->written)
		return -ENOMEM;
	return recqueue_init(&s->queue, size, r->nevents, r->wake_fd);
}

static int add_file_events(struct recorder *r, const struct ringset_config *rings)
{
	const struct event_list *list = rings->events;
	struct perf_event_attr attr;
	int ret = 0;

	for (unsigned i = 0; i < list->nr && ret >= 0; i++) {
		ringset_sample_attr(rings, i, &attr);
		ret = datafile_event(r->file, &attr, list->events[i].name);
	}
	ringset_sideband_attr(rings, &attr);
	if (ret >= 0)
		ret = datafile_event(r->file, &attr, "dummy:HG");
	r->nevents = list->nr;
	return ret < 0 ? ret : 0;
}

int recorder_queues(struct recorder *r, unsigned readers, const struct ringset_config *rings,
		   struct err *err)
{
	size_t size = 4 * rings->sample_bytes, share = LANES_MOST / (readers + 1);
	int ret = add_file_events(r, rings);

	size = size > share ? share : size;
	size = size < LANE_LEAST ? LANE_LEAST : size;
	r->sources = calloc(readers + 1, sizeof(*r->sources));
	r->heads = calloc(readers + 1, sizeof(*r->heads));
	if (!r->sources || !r->heads)
		ret = -ENOMEM;
	for (unsigned i = 0; i <= readers && !ret; i++) {
		r->nsources++;
		ret = init_source(r, &r->sources[i], size);
	}
	return ret ? err_set(err, -ret, "cannot record: %s", strerror(-ret)) : 0;
}

struct recqueue *recorder_queue(struct recorder *r, unsigned i)
{
	return &r->sources[i].queue;
}

static int add_index(struct recorder *r, const struct source *s, uint64_t id, int cpu)
{
	const struct perfwrite_index i = {
		.id = id, .idx = (uint64_t)(s - r->sources), .cpu = cpu, .tid = -1};

	return VEC_PUSH(r->index, r->nindex, r->cap_index, i) ? 0 : -ENOMEM;
}

/* Add the ids that were not noted yet: a set may be reopened, or get more counters. */
static int add_ids(struct recorder *r, struct source *s, const struct ringset *set)
{
	int ret = 0;

	for (size_t i = 0; i < set->ncounters && !ret; i++) {
		if (set->counters[i].id <= s->newest_id)
			continue;
		s->newest_id = set->counters[i].id;
		s->id[set->counters[i].event] = set->counters[i].id;
		ret = datafile_id(r->file, set->counters[i].event, set->counters[i].id);
		if (!ret)
			ret = add_index(r, s, set->counters[i].id, set->cpu);
	}
	for (size_t i = 0; i < set->ndummies && !ret; i++) {
		if (set->dummy_ids[i] <= s->newest_dummy)
			continue;
		s->newest_dummy = set->dummy_ids[i];
		ret = datafile_id(r->file, r->nevents, set->dummy_ids[i]);
	}
	s->cpu = (uint32_t)set->cpu;
	return ret;
}

static bool has_new_ids(const struct source *s, const struct ringset *set)
{
	return (set->ncounters && set->counters[set->ncounters - 1].id > s->newest_id) ||
	       (set->ndummies && set->dummy_ids[set->ndummies - 1] > s->newest_dummy);
}

int recorder_ids(struct recorder *r, unsigned i, const struct ringset *set)
{
	struct source *s = &r->sources[i];
	int ret;

	if (!has_new_ids(s, set))
		return 0;
	pthread_mutex_lock(&r->lock);
	ret = add_ids(r, s, set);
	pthread_mutex_unlock(&r->lock);
	return ret;
}

/* --- the thread: records ------------------------------------------------------------------ */

/* Return an event's id on the source; it changes when rings are reopened. */
static struct perfwrite_id source_event_id(struct recorder *r, const struct source *s,
					   unsigned event)
{
	struct perfwrite_id id = {.time = s->newest};

	pthread_mutex_lock(&r->lock);
	id.id = s->id[event];
	id.cpu = s->cpu;
	pthread_mutex_unlock(&r->lock);
	return id;
}

/* Write what the queues dropped as LOST records, as the kernel does for its rings. */
static void write_lost(struct recorder *r, struct source *s)
{
	struct perfwrite w = {.trailer = RINGSET_SIDEBAND_TYPE};

	for (unsigned e = 0; e <= r->nevents; e++) {
		uint64_t lost = atomic_load_relaxed(&s->queue.lost[e]),
			 fresh = lost - s->written[e];
		struct perfwrite_id id;

		if (!fresh)
			continue;
		id = source_event_id(r, s, e);
		s->written[e] = lost;
		atomic_add_relaxed(e < r->nevents ? &r->lost : &r->lost_sideband, fresh);
		perfwrite_lost(&w, &id, fresh);
	}
	datafile_put(r->file, &w);
}

static void write_queue(struct recorder *r, struct source *s, uint64_t head)
{
	size_t len;
	const char *bytes = recqueue_peek(&s->queue, head, &len);

	if (len) {
		datafile_records(r->file, bytes, len, &s->newest);
		recqueue_take(&s->queue, len);
	}
	write_lost(r, s);
}

/* Write the areas that are worth it, and all of them now and then. */
static void write_aux(struct recorder *r, bool ending)
{
	bool all = ending || clock_ns() - r->all_aux > FLUSH_NS;

	if (auxrecord_write(r->aux, all))
		log_msg(LOG_SESSION, "recording: AUX data could not be written");
	if (all)
		r->all_aux = clock_ns();
}

/*
 * Write what the queues hold, or held when the round was noted. Return true if the end was
 * requested.
 */
static bool write_queues(struct recorder *r)
{
	struct perfwrite mark = {.failed = false};
	bool round, ending;

	pthread_mutex_lock(&r->lock);
	ending = r->ending;
	round = r->round && !ending;
	for (unsigned i = 0; i < r->nsources; i++)
		r->heads[i] = round ? r->sources[i].noted : recqueue_head(&r->sources[i].queue);
	r->round = false;
	pthread_mutex_unlock(&r->lock);
	for (unsigned i = 0; i < r->nsources; i++)
		write_queue(r, &r->sources[i], r->heads[i]);
	if (r->aux)
		write_aux(r, ending);
	if (round && datafile_complete(r->file)) {
		perfwrite_round(&mark);
		datafile_put(r->file, &mark);
	}
	if (clock_ns() - r->flushed > FLUSH_NS) {
		datafile_flush(r->file);
		r->flushed = clock_ns();
	}
	return ending;
}

static void write_earlier(struct recorder *r, bool wait)
{
	int ret = datafile_take_earlier(r->file, wait);

	if (ret)
		log_msg(LOG_SESSION, "recording: the state before its start is incomplete: %s",
			strerror(-ret));
}

/* --- the thread: the end ------------------------------------------------------------------ */

static uint64_t lost_samples_of(struct recorder *r, struct source *s, unsigned event)
{
	uint64_t lost;

	pthread_mutex_lock(&r->lock);
	lost = s->kernel_lost[event];
	pthread_mutex_unlock(&r->lock);
	return lost + s->written[event];
}

/* Write each event's total loss, as perf does at a recording's end. */
static void write_all_lost(struct recorder *r)
{
	struct perfwrite w = {.trailer = RINGSET_SIDEBAND_TYPE};

	for (unsigned i = 0; i + 1 < r->nsources; i++) {
		struct source *s = &r->sources[i];

		for (unsigned e = 0; e < r->nevents; e++) {
			/* No time, as with perf: only the kernel's own records have one. */
			const struct perfwrite_id id = {.id = s->id[e], .cpu = s->cpu};
			uint64_t lost = lost_samples_of(r, s, e);

			if (lost)
				perfwrite_lost_samples(&w, &id, lost);
		}
	}
	datafile_put(r->file, &w);
}

static int finish_file(struct recorder *r, struct err *err)
{
	write_all_lost(r);
	if (r->aux && auxrecord_ids(r->aux))
		log_msg(LOG_SESSION, "recording: out of memory for the ids of the AUX event");
	return datafile_finish(r->file, err);
}

static bool is_unwanted(struct recorder *r)
{
	bool unwanted;

	pthread_mutex_lock(&r->lock);
	unwanted = r->unwanted;
	pthread_mutex_unlock(&r->lock);
	return unwanted;
}

/* Finish the file; after a failed write it is valid up to there. */
static void finish_recording(struct recorder *r)
{
	int failed = datafile_flush(r->file);

	if (is_unwanted(r))
		return; /* datafile_free removes the temporary file */
	if (failed)
		err_set(&r->err, -failed, "the recording to %.300s ended early: %s",
			datafile_path(r->file), strerror(-failed));
	finish_file(r, failed ? NULL : &r->err);
	/* Release: pairs with recorder_done; err is visible then. */
	atomic_store_release(&r->state, r->err.code ? RECORDING_FAILED : RECORDING_DONE);
}

static void *recorder_thread(void *arg)
{
	struct recorder *r = arg;
	struct pollfd fd = {.fd = r->wake_fd, .events = POLLIN};
	bool ending = false;
	eventfd_t n;

	pthread_setname_np(pthread_self(), "ringtop-record");
	threadsched_hurry(0, NULL); /* queues that wait too long overflow */
	r->flushed = clock_ns();
	while (!ending && !datafile_failed(r->file)) {
		if (!datafile_complete(r->file))
			write_earlier(r, false);
		if (poll(&fd, 1, -1) <= 0)
			continue;
		eventfd_read(r->wake_fd, &n);
		ending = write_queues(r);
	}
	/*
	 * Waiting bytes came before the disk was full. From here on the readers drain by
	 * themselves.
	 */
	if (r->aux) {
		auxrecord_write(r->aux, true);
		auxrecord_on(r->aux, false);
	}
	/* Even on a full disk: without maps no address can be resolved. */
	while (!datafile_complete(r->file))
		write_earlier(r, true);
	finish_recording(r);
	return NULL;
}

/* --- from outside ------------------------------------------------------------------------- */

/* Write the id index, by which perf sorts AUX samples into CPUs. */
static int write_id_index(struct recorder *r)
{
	struct perfwrite w = {.failed = false};

	/* For a per-thread ring: its thread. */
	for (size_t i = 0; i < r->nindex; i++)
		if (r->index[i].cpu < 0)
			r->index[i].tid = r->sources[r->index[i].idx].tid;
	perfwrite_id_index(&w, r->index, r->nindex);
	return datafile_put(r->file, &w);
}

static int begin_file(struct recorder *r)
{
	int ret = r->aux ? auxrecord_ids(r->aux) : 0;

	if (!ret)
		ret = datafile_begin(r->file);
	if (!ret && r->aux)
		ret = write_id_index(r);
	if (!ret && r->aux)
		ret = auxrecord_begin(r->aux);
	return ret;
}

int recorder_aux(struct recorder *r, struct auxset *set, const unsigned *queues)
{
	r->aux = auxrecord_create(set, r->file, r->wake_fd);
	if (!r->aux)
		return -ENOMEM;
	for (unsigned i = 0; i < auxset_nr(set); i++) {
		int cpu;

		auxrecord_queue(r->aux, i, recorder_queue(r, queues[i]));
		auxset_who(set, i, &cpu, &r->sources[queues[i]].tid);
	}
	return 0;
}

int recorder_start(struct recorder *r, const pid_t *tids, size_t ntids, struct err *err)
{
	int ret = begin_file(r);

	if (!ret)
		ret = datafile_earlier(r->file, tids, ntids, r->wake_fd);
	if (ret)
		return err_set(err, -ret, "cannot record to %.300s: %s", datafile_path(r->file),
			       strerror(-ret));
	r->state = RECORDING_ON;
	if (r->aux)
		auxrecord_on(r->aux, true);
	ret = thread_start(&r->thread, recorder_thread, r);
	r->running = !ret;
	if (ret && r->aux)
		auxrecord_on(r->aux, false);
	return ret ? err_set(err, -ret, "cannot start a thread for the recording: %s",
			     strerror(-ret))
		   : 0;
}

void recorder_round(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	for (unsigned i = 0; i < r->nsources; i++)
		r->sources[i].noted = recqueue_head(&r->sources[i].queue);
	r->round = true;
	pthread_mutex_unlock(&r->lock);
	eventfd_write(r->wake_fd, 1);
}

void recorder_lost(struct recorder *r, unsigned i, unsigned event, uint64_t samples)
{
	struct source *s = &r->sources[i];

	if (s->kernel_lost[event] == samples)
		return; /* no other thread writes it, so no lock */
	pthread_mutex_lock(&r->lock);
	atomic_add_relaxed(&r->lost, samples - s->kernel_lost[event]);
	s->kernel_lost[event] = samples;
	pthread_mutex_unlock(&r->lock);
}

void recorder_end(struct recorder *r)
{
	uint32_t on = RECORDING_ON;

	/* Do not change the state of a recording that has ended by itself. */
	atomic_cas_publish(&r->state, &on, RECORDING_ENDING);
	pthread_mutex_lock(&r->lock);
	r->ending = true;
	pthread_mutex_unlock(&r->lock);
	eventfd_write(r->wake_fd, 1);
}

void recorder_discard(struct recorder *r)
{
	pthread_mutex_lock(&r->lock);
	r->unwanted = true;
	pthread_mutex_unlock(&r->lock);
	recorder_end(r);
	recorder_wait(r);
}

bool recorder_done(const struct recorder *r)
{
	uint32_t state = atomic_load_acquire(&r->state); /* pairs with finish_recording() */

	return state == RECORDING_DONE || state == RECORDING_FAILED;
}

void recorder_wait(struct recorder *r)
{
	if (r->running)
		pthread_join(r->thread, NULL);
	r->running = false;
}

void recorder_status(const struct recorder *r, struct slice_recording *to)
{
	const char *path = datafile_path(r->file);
	size_t len = strlen(path);

	to->state = (uint8_t)atomic_load_acquire(&r->state);
	to->bytes = datafile_bytes(r->file);
	to->samples = datafile_samples(r->file);
	to->lost = atomic_load_relaxed(&r->lost);
	/* Until the end some bytes are still on their way. */
	to->lost_aux = r->aux && recorder_done(r) ? auxrecord_unwritten(r->aux) : 0;
	to->lost_sideband = atomic_load_relaxed(&r->lost_sideband);
	snprintf(to->file, sizeof(to->file), "%s",
		 len < sizeof(to->file) ? path : path + len - (sizeof(to->file) - 1));
}

bool recorder_complete(const struct recorder *r)
{
	return datafile_complete(r->file);
}

const struct err *recorder_error(const struct recorder *r)
{
	return &r->err;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	if (r->running) {
		recorder_end(r);
		recorder_wait(r);
	}
	auxrecord_free(r->aux);
	datafile_free(r->file);
	for (unsigned i = 0; i < r->nsources; i++) {
		recqueue_clear(&r->sources[i].queue);
		free(r->sources[i].id);
		free(r->sources[i].kernel_lost);
		free(r->sources[i].written);
	}
	free(r->index);
	free(r->sources);
	free(r->heads);
	if (r->wake_fd >= 0)
		close(r->wake_fd);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
