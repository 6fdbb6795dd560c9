/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * auxjudge - AUX events of softpt, read by the session's own parts, judged block by block.
 *
 *   auxjudge full EVENT SIZE SECONDS   drain on every CPU: each block once and in order, and what is
 *                                      missing inside a stretch that the kernel flags
 *   auxjudge snap EVENT SIZE COUNT     snapshots in a row: contiguous, to the newest, shared as they say
 *   auxjudge file PATH                 the same as full of a recording
 *
 * Prints figures for the script that runs it; 1 and what is wrong, 77 where there is no such PMU.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources/aux/auxset.h"
#include "base/units.h"
#include "kernel/capture/cpus.h"
#include "files/decode/record.h"
#include "kernel/capture/threadsched.h"
#include "tests/vm/softpt/block.h"

#define MARKS_MAX 65536
#define AUXTRACE  71 /* the type of such a record */

/* Where in the trace something was flagged, or is missing. */
struct mark {
	uint64_t from, to;
};

struct worker {
	struct auxreader *reader;
	pthread_t thread;
	int cpu, wake_fd;
	_Atomic bool stop;
	unsigned ticks;
	/* full mode */
	uint64_t next, end, blocks, missing, bad; /* end: of the last block, before padding */
	bool begun;
	struct mark gaps[MARKS_MAX], flagged[MARKS_MAX];
	unsigned ngaps, nflagged;
	struct slice_aux sum;
};

static struct worker *workers[CPUS_MAX];
static unsigned nworkers;

static void mark_add(struct mark *marks, unsigned *nr, uint64_t from, uint64_t to)
{
	if (*nr < MARKS_MAX)
		marks[(*nr)++] = (struct mark){from, to};
}

static bool whole(const struct block *b, int cpu)
{
	return b->magic == BLOCK_MAGIC && b->cpu == (uint32_t)cpu && b->sum == block_sum(b);
}

/* --- full --------------------------------------------------------------------------------- */

static void judge_block(struct worker *w, const struct block *b, uint64_t offset)
{
	static const struct block padding;

	if (!memcmp(b, &padding, sizeof(padding)))
		return;
	if (!whole(b, w->cpu) || (w->begun && b->seq < w->next)) {
		w->bad++;
		return;
	}
	if (w->begun && b->seq > w->next) {
		w->missing += b->seq - w->next;
		mark_add(w->gaps, &w->ngaps, w->end, w->end);
	}
	w->begun = true;
	w->end = offset + sizeof(*b);
	w->next = b->seq + 1;
	w->blocks++;
}

static void judge_bytes(struct worker *w, const char *bytes, size_t len, uint64_t offset)
{
	struct block b;

	for (size_t at = 0; at + sizeof(b) <= len; at += sizeof(b)) {
		memcpy(&b, bytes + at, sizeof(b));
		judge_block(w, &b, offset + at);
	}
}

static bool take_rest(void *arg, int cpu, pid_t tid, const struct auxarea_span *span)
{
	(void)arg, (void)tid;
	judge_bytes(workers[cpu], span->part[0], span->len[0], span->offset);
	judge_bytes(workers[cpu], span->part[1], span->len[1], span->offset + span->len[0]);
	return true;
}

static bool ready(void *arg, int cpu, pid_t tid, size_t waiting)
{
	struct auxarea_span span;

	(void)waiting;
	if (!auxreader_claim(workers[cpu]->reader, &span))
		return true; /* nobody else takes any: none is there */
	take_rest(arg, cpu, tid, &span);
	auxreader_release(workers[cpu]->reader, span.len[0] + span.len[1]);
	return true;
}

static void take_records(void *arg, int cpu, pid_t tid, const char *data, size_t len)
{
	struct worker *w = workers[cpu];
	struct record_layout layout;
	struct record_aux a;

	(void)arg, (void)tid;
	record_layout_init(&layout, AUXEVENT_TYPE);
	for (size_t at = 0; at < len;) {
		const struct perf_event_header *h = (const void *)(data + at);

		if (h->type == PERF_RECORD_AUX && record_aux(&layout, h, &a) &&
		    a.flags & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
			mark_add(w->flagged, &w->nflagged, a.offset, a.offset + a.size);
		at += h->size;
	}
}

static bool in_flagged(const struct worker *w, const struct mark *gap)
{
	for (unsigned i = 0; i < w->nflagged; i++)
		if (gap->from >= w->flagged[i].from && gap->from <= w->flagged[i].to)
			return true;
	return false;
}

/* --- threads ------------------------------------------------------------------------------ */

static void tick(struct worker *w)
{
	struct slice_gauge g;
	struct slice_aux a;

	auxreader_tick(w->reader);
	auxreader_take(w->reader, &a, &g);
	slice_aux_add(&w->sum, &a);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	eventfd_t n;

	cpus_pin(w->cpu);
	threadsched_hurry(0, NULL);
	while (!w->stop) {
		struct pollfd fd[2] = {{.fd = w->wake_fd, .events = POLLIN},
				       {.fd = auxreader_fd(w->reader), .events = POLLIN}};

		/* The session's tick, every 100 ms. */
		if (!poll(fd, 2, 100))
			tick(w);
		if (fd[1].revents)
			auxreader_wake(w->reader, fd[1].revents);
		if (fd[0].revents && !eventfd_read(w->wake_fd, &n))
			auxreader_help(w->reader);
	}
	auxreader_enable(w->reader, false);
	tick(w);
	return NULL;
}

static void call_all(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < nworkers; i++)
		eventfd_write(workers[i]->wake_fd, 1);
}

static int start(struct auxset *set, const struct cpus *online, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < online->nr && !ret; i++) {
		struct worker *w = calloc(1, sizeof(*w));

		workers[i] = w; /* CPUs from 0 on, without a hole: it is our machine */
		nworkers++;
		w->cpu = online->cpu[i];
		w->wake_fd = eventfd(0, EFD_CLOEXEC);
		ret = auxset_add(set, w->cpu, 0, &w->reader);
		if (!ret)
			ret = auxreader_open(w->reader, err);
	}
	if (!ret)
		ret = auxset_ready(set, err);
	for (unsigned i = 0; i < nworkers && !ret; i++) {
		auxreader_enable(workers[i]->reader, true);
		ret = -pthread_create(&workers[i]->thread, NULL, work, workers[i]);
	}
	return ret;
}

static void stop(void)
{
	for (unsigned i = 0; i < nworkers; i++)
		workers[i]->stop = true;
	call_all(NULL);
	for (unsigned i = 0; i < nworkers; i++)
		pthread_join(workers[i]->thread, NULL);
}

/* --- the two judgements ------------------------------------------------------------------- */

/* told: the reader has counted what is flagged. */
static int print_full(bool told)
{
	int bad = 0;

	for (unsigned i = 0; i < nworkers; i++) {
		const struct worker *w = workers[i];
		unsigned outside = 0;

		for (unsigned k = 0; k < w->ngaps; k++)
			outside += !in_flagged(w, &w->gaps[k]);
		printf("cpu %d blocks %llu missing %llu gaps %u flagged %u outside %u bad %llu "
		       "restarts %llu truncated %llu told %llu\n", w->cpu,
		       (unsigned long long)w->blocks, (unsigned long long)w->missing, w->ngaps,
		       w->nflagged, outside, (unsigned long long)w->bad,
		       (unsigned long long)w->sum.restarts, (unsigned long long)w->sum.truncated,
		       (unsigned long long)w->sum.gaps);
		bad |= w->bad || outside || !w->blocks || (told && w->sum.gaps < w->ngaps);
	}
	return bad;
}

static int judge_full(unsigned seconds)
{
	sleep(seconds); /* how long is measured */
	stop();
	return print_full(true);
}

static struct worker *worker_of(uint32_t cpu)
{
	for (; nworkers <= cpu; nworkers++) {
		workers[nworkers] = calloc(1, sizeof(**workers));
		workers[nworkers]->cpu = (int)nworkers;
	}
	return workers[cpu];
}

/*
 * A record of the file, and how much it takes with what follows it; 0: it cannot be.  Layouts of AUX and
 * AUXTRACE: linux/perf_event.h and files/decode/perfwrite.h.
 */
static size_t judge_record(const char *at, size_t left)
{
	struct { struct perf_event_header h; uint64_t word[6]; } r = {.word = {0}};
	uint32_t cpu;

	memcpy(&r, at, left < sizeof(r) ? left : sizeof(r));
	if (left < r.h.size || r.h.size < sizeof(r.h))
		return 0;
	if (r.h.type == PERF_RECORD_AUX) {
		cpu = (uint32_t)r.word[5]; /* behind offset, size, flags, pid and tid, time */
		if (cpu >= CPUS_MAX)
			return 0;
		if (r.word[2] & (PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL))
			mark_add(worker_of(cpu)->flagged, &worker_of(cpu)->nflagged, r.word[0],
				 r.word[0] + r.word[1]);
	}
	if (r.h.type != AUXTRACE)
		return r.h.size;
	cpu = (uint32_t)r.word[4]; /* behind size, offset, reference, idx and tid */
	if (r.word[0] > left - r.h.size || cpu >= CPUS_MAX)
		return 0;
	judge_bytes(worker_of(cpu), at + r.h.size, r.word[0], r.word[1]);
	return r.h.size + r.word[0];
}

static int judge_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	uint64_t data[2]; /* where records are, and how many bytes */
	char *file;
	size_t n;

	if (fd < 0 || fstat(fd, &st) || pread(fd, data, sizeof(data), 40) != sizeof(data))
		return 1;
	file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED || data[0] > (uint64_t)st.st_size ||
	    data[1] > (uint64_t)st.st_size - data[0])
		return 1;
	for (size_t at = 0; at < data[1]; at += n) {
		n = judge_record(file + data[0] + at, data[1] - at);
		if (!n) {
			printf("no record at %zu\n", at);
			return 1;
		}
	}
	return print_full(false);
}

static uint64_t seq_at(const struct aux_copy *c, uint64_t at)
{
	return ((const struct block *)(const void *)(c->data + at))->seq;
}

/* What is wrong with one area's copy; NULL: nothing. */
static const char *judge_copy(const struct aux_copy *c, uint64_t *last, uint64_t *end)
{
	uint64_t was = *last;

	if (!c->len || c->len % sizeof(struct block))
		return "a length that cannot be";
	for (uint64_t at = 0; at < c->len; at += sizeof(struct block)) {
		if (!whole((const struct block *)(const void *)(c->data + at), c->cpu))
			return at ? "a block that is not whole" : "the first block is not whole";
		if (at && seq_at(c, at) != seq_at(c, at - sizeof(struct block)) + 1)
			return "blocks that do not follow each other";
	}
	*last = seq_at(c, c->len - sizeof(struct block));
	if (c->offset + c->len < *end)
		return "an offset that falls";
	*end = c->offset + c->len;
	if (c->flags & AUX_COPY_FIRST)
		return c->shared ? "a first copy that shares" : NULL;
	if (c->shared && seq_at(c, c->shared - sizeof(struct block)) != was)
		return "what is shared does not end where the one before did";
	if (!c->shared && seq_at(c, 0) <= was)
		return "bytes of the one before, said to be new";
	if (!(c->flags & AUX_COPY_MISSED) && !c->shared && seq_at(c, 0) != was + 1)
		return "missed bytes that are not told";
	return NULL;
}

/* All areas of one snapshot.  An event that has not begun to write yet is let pass. */
static int judge_copies(const struct aux_copies *c, unsigned n)
{
	static uint64_t last[CPUS_MAX], end[CPUS_MAX];

	for (unsigned i = 0; i < c->nr; i++) {
		const struct aux_copy *one = &c->copy[i];
		const char *wrong = one->len || last[i] ? judge_copy(one, &last[i], &end[i]) : NULL;

		if (wrong) {
			printf("snapshot %u, cpu %d: %s (len %zu shared %llu flags %u)\n", n, one->cpu,
			       wrong, one->len, (unsigned long long)one->shared, one->flags);
			return 1;
		}
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_times(const char *name, uint64_t *ns, unsigned nr)
{
	qsort(ns, nr, sizeof(*ns), compare);
	printf(" %s_us %llu (median) %llu (90 %%) %llu (all)", name,
	       (unsigned long long)ns[nr / 2] / 1000, (unsigned long long)ns[nr * 9 / 10] / 1000,
	       (unsigned long long)ns[nr - 1] / 1000);
}

/* After the last snapshot every event must go on: each area gets new bytes, soon. */
static int left_standing(struct auxset *set)
{
	static bool alive[CPUS_MAX];
	unsigned missing = nworkers;
	struct aux_copies *c;
	struct err err;

	for (unsigned tries = 0; tries < 200 && missing; tries++) {
		poll(NULL, 0, 20); /* for the trace to go on */
		if (auxset_snapshot(set, &c, &err))
			break;
		for (unsigned i = 0; i < c->nr; i++) {
			if (tries && !alive[i] && c->copy[i].shared < c->copy[i].len) {
				alive[i] = true;
				missing--;
			}
		}
		aux_copies_done(c);
	}
	for (unsigned i = 0; i < nworkers && missing; i++)
		if (!alive[i])
			printf("cpu %u writes no more\n", i);
	return missing != 0;
}

static int judge_snap(struct auxset *set, unsigned count)
{
	uint64_t *stops = calloc(count, sizeof(*stops)), *copies = calloc(count, sizeof(*copies));
	uint64_t shared = 0, bytes = 0;
	struct aux_copies *c;
	struct err err;

	for (unsigned n = 0; n < count && stops && copies; n++) {
		if (auxset_snapshot(set, &c, &err)) {
			printf("snapshot %u: %s\n", n, err.text);
			return 1;
		}
		if (judge_copies(c, n))
			return 1;
		stops[n] = c->stopped - c->asked;
		copies[n] = c->started - c->stopped;
		shared += c->shared;
		bytes += c->bytes;
		aux_copies_done(c);
		poll(NULL, 0, n % 7 * 10); /* more and less of the area is new */
	}
	if (left_standing(set))
		return 1;
	stop();
	printf("snapshots %u bytes %llu shared %llu", count, (unsigned long long)bytes,
	       (unsigned long long)shared);
	print_times("stop", stops, count);
	print_times("copy", copies, count);
	printf("\n");
	return !bytes || !shared;
}

int main(int argc, char *argv[])
{
	const pid_t everybody = -1;
	struct ringset_config rings = {.source = &perf_kernel, .tids = &everybody, .ntids = 1};
	struct auxset_config config = {.rings = &rings};
	struct aux_sink sink = {.ready = ready, .rest = take_rest, .records = take_records};
	struct auxset *set;
	struct cpus online;
	struct err err = {0};

	if (argc == 3 && !strcmp(argv[1], "file"))
		return judge_file(argv[2]);
	if (argc != 5 || units_parse(argv[3], "kmg", 1024, &config.size)) {
		fprintf(stderr, "usage: auxjudge full|snap EVENT SIZE SECONDS|COUNT, or file PATH\n");
		return 2;
	}
	config.mode = !strcmp(argv[1], "full") ? AUX_FULL : AUX_SNAPSHOT;
	if (auxset_parse(argv[2], &config.event, &err)) {
		printf("SKIP: %s\n", err.text);
		return 77;
	}
	set = auxset_create(&config);
	auxset_sink(set, &sink);
	auxset_caller(set, call_all, NULL);
	if (cpus_read(CPUS_ONLINE, &online, &err) || start(set, &online, &err)) {
		printf("%s (%s)\n", err.text, err.advice);
		return 1;
	}
	return config.mode == AUX_FULL ? judge_full((unsigned)atoi(argv[4]))
				       : judge_snap(set, (unsigned)atoi(argv[4]));
}
