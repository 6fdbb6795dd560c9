/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture_recorder [SCALE]: several threads fill the queues of a recording as readers do, one more notes
 * rounds as the tick does, and the file is read back.
 *
 * Every sample put must be in the file once or be counted as lost, in the order of its queue; and
 * nothing that stands behind the mark of a round may be older than what stood before the mark of the
 * round before: that is what perf sorts by.
 * Build it with ThreadSanitizer, too.  SCALE multiplies the work (default 1, about 2 s in all).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "files/decode/perfdata.h"
#include "sources/record/recorder.h"
#include "tests/scatter.h"

#define READERS   3u
#define BATCH_MAX 300u /* records */
#define OPENED_MAX 5000u
#define MARKED_MIN 12u /* rounds that the writer has the time to mark, however the threads run */

struct written {
	struct perf_event_header h;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time, cpu;
};

static struct recorder *recorder;
static uint64_t now = 1;             /* shared: the clock; rises with every sample */
static uint32_t asked, done[READERS]; /* shared: rounds */
static uint32_t waited;              /* shared: rounds whose samples the writer was waited for */
static uint64_t put_nr[READERS];
static uint64_t wanted = 1000000;
static char path[64];

static unsigned event_of(const void *arg, const struct perf_event_header *h)
{
	(void)arg;
	(void)h;
	return 0;
}

static void put_batch(unsigned i, unsigned nr)
{
	static _Thread_local struct written batch[BATCH_MAX];

	for (unsigned k = 0; k < nr; k++)
		batch[k] = (struct written){{PERF_RECORD_SAMPLE, 2, sizeof(batch[k])}, 100 + i,
					   put_nr[i]++, i, i, atomic_add_relaxed(&now, 1), i};
	recqueue_put(recorder_queue(recorder, i), (const char *)batch, nr * sizeof(batch[0]), event_of, NULL);
}

static bool has_room(unsigned i)
{
	const struct recqueue *l = recorder_queue(recorder, i);

	return atomic_load_relaxed(&l->head) - atomic_load_relaxed(&l->tail) <
	       l->size - BATCH_MAX * sizeof(struct written);
}

/* Answers a round once all that it has taken is in the queue. */
static void *reader(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;
	uint64_t seed = i;

	while (put_nr[i] < wanted || atomic_load_relaxed(&waited) < MARKED_MIN) {
		uint32_t round = atomic_load_acquire(&asked);

		seed = scatter(seed + 1);
		/* The first fills its queue at once, the others when there are marks.  Rarely there is no room. */
		if ((put_nr[i] < wanted && has_room(i) && (i == 0 || recorder_complete(recorder))) ||
		    seed % 256 == 0)
			put_batch(i, 1 + (unsigned)(seed % BATCH_MAX));
		else
			sched_yield();
		atomic_store_release(&done[i], round);
	}
	atomic_store_release(&done[i], UINT32_MAX);
	return NULL;
}

/* The ids of reader i's events: other ones whenever its rings are opened anew. */
static void note_ids(unsigned i, uint64_t id)
{
	struct counter counter = {.fd = -1, .id = id};
	uint64_t dummy = id + 1000000;
	struct ringset set = {.cpu = (int)i, .counters = &counter, .ncounters = 1,
			      .dummy_ids = &dummy, .ndummies = 1};

	recorder_ids(recorder, i, &set);
}

static uint64_t written(void)
{
	struct slice_recording status;

	recorder_status(recorder, &status);
	return status.samples;
}

/* Before what was there earlier is written there are no marks. */
static void note_round(void)
{
	bool marks = recorder_complete(recorder);
	uint64_t before = written();

	recorder_round(recorder);
	if (!marks || atomic_load_relaxed(&waited) >= MARKED_MIN)
		return;
	while (written() == before)
		sched_yield();
	atomic_add_relaxed(&waited, 1);
}

static void make_rounds(void)
{
	bool over = false;

	for (uint32_t round = 1; !over; round++) {
		if (round <= OPENED_MAX)
			note_ids(round % READERS, 1000 + round);
		atomic_store_release(&asked, round);
		over = true;
		for (unsigned i = 0; i < READERS; i++) {
			while (atomic_load_acquire(&done[i]) < round)
				sched_yield();
			over &= atomic_load_acquire(&done[i]) == UINT32_MAX;
		}
		note_round();
	}
}

/* --- reading back ------------------------------------------------------------------------- */

static ssize_t read_fd(void *arg, void *buf, size_t len, uint64_t offset)
{
	ssize_t n = pread(*(int *)arg, buf, len, (off_t)offset);

	return n < 0 ? -errno : n;
}

struct check {
	uint64_t samples, marks, lost, newest, settled; /* settled: newest before the last mark */
	uint64_t next[READERS];
	unsigned long faults;
};

static void fault(struct check *c, const char *what, uint64_t n)
{
	if (c->faults++ < 5)
		printf("FAIL: %s: %" PRIu64 "\n", what, n);
}

static void check_sample(struct check *c, const struct written *s)
{
	unsigned i = (unsigned)(s->id - 100);

	c->samples++;
	if (i >= READERS || s->ip < c->next[i < READERS ? i : 0])
		fault(c, "out of the order of its queue", s->ip);
	else
		c->next[i] = s->ip + 1;
	/* The mark before the last one promised that nothing older follows. */
	if (s->time < c->settled)
		fault(c, "older than the round before", s->time);
	c->newest = s->time > c->newest ? s->time : c->newest;
}

static void check_file(struct check *c)
{
	int fd = open(path, O_RDONLY);
	struct perfdata_source source = {.read = read_fd, .arg = &fd, .seekable = true};
	struct err err = {.code = 0};
	struct perfdata *data = perfdata_open(&source, &err);
	struct perfdata_record rec;
	uint64_t before = 0;
	struct record_lost lost;

	while (data && perfdata_next(data, &rec, &err) > 0) {
		if (rec.h->type == PERF_RECORD_SAMPLE)
			check_sample(c, (const void *)rec.h);
		if (rec.h->type == PERF_RECORD_LOST &&
		    record_lost(&perfdata_event(data, 0)->layout, rec.h, &lost))
			c->lost += lost.lost;
		if (rec.h->type != PERFDATA_FINISHED_ROUND)
			continue;
		c->marks++;
		c->settled = before;
		before = c->newest;
	}
	if (err.code)
		fault(c, err.text, 0);
	perfdata_close(data);
	close(fd);
}

/* --- the whole ---------------------------------------------------------------------------- */

static int begin(void)
{
	static struct event event = {.name = "made-up", .attr = {.type = PERF_TYPE_SOFTWARE}};
	static struct event_list list = {.events = &event, .nr = 1};
	static struct ringset_config rings = {.events = &list, .recorded = true, .sample_bytes = 4096};
	struct err err = {.code = 0};

	event.attr.sample_period = 1;
	recorder = recorder_create(path, &err);
	if (recorder && !recorder_queues(recorder, READERS, &rings, &err)) {
		for (unsigned i = 0; i < READERS; i++)
			note_ids(i, 100 + i);
		if (!recorder_start(recorder, NULL, 0, &err))
			return 0;
	}
	printf("FAIL: %s\n", err.text);
	return 1;
}

int main(int argc, char **argv)
{
	struct slice_recording status;
	struct check c = {.faults = 0};
	pthread_t thread[READERS];
	uint64_t put = 0;

	wanted *= argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	snprintf(path, sizeof(path), "/tmp/ringtop-torture.%d", getpid());
	if (begin())
		return 1;
	for (unsigned i = 0; i < READERS; i++)
		pthread_create(&thread[i], NULL, reader, (void *)(uintptr_t)i);
	make_rounds();
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(thread[i], NULL);
	recorder_end(recorder);
	recorder_wait(recorder);
	recorder_status(recorder, &status);
	for (unsigned i = 0; i < READERS; i++)
		put += put_nr[i];
	check_file(&c);
	if (status.state != RECORDING_DONE || status.samples != c.samples || status.lost != c.lost)
		fault(&c, "the status is not what the file holds", status.samples);
	if (c.samples + c.lost != put)
		fault(&c, "samples are missing or double", put);
	if (c.marks < 3)
		fault(&c, "no rounds", c.marks);
	printf("%s: %" PRIu64 " put, %" PRIu64 " in the file, %" PRIu64 " lost, %" PRIu64 " rounds\n",
	       c.faults ? "FAIL" : "ok", put, c.samples, c.lost, c.marks);
	recorder_free(recorder);
	unlink(path);
	return c.faults != 0;
}
