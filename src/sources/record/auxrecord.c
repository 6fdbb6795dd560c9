/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/auxrecord.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/uio.h>

#include "base/atomics.h"

#define PIECE_MOST (4u << 20)  /* bytes written at once, after which the area has room again */
#define WORTH_MOST (512u << 10) /* bytes worth a record, unless all is to be written */
/* Rests waiting, of each area: the disk hangs, and the CPU goes offline and online again. */
#define RESTS_MOST 4

/* Unread bytes of an area that was closed. */
struct rest {
	struct rest *next; /* the previous one */
	uint64_t offset, reference;
	size_t len;
	char data[];
};

struct stream {
	struct auxreader *reader;
	int cpu;
	pid_t tid;
	struct recqueue *records; /* queue of the CPU's reader */
	struct rest *_Atomic rests; /* the newest first */
	_Atomic unsigned nrests;
	uint64_t taken;   /* shared, relaxed: bytes of trace taken */
	uint64_t written; /* shared, relaxed: bytes of trace in the file */
};

struct auxrecord {
	struct auxset *set;
	struct aux_sink sink;
	struct datafile *file;
	int event; /* file's number of the AUX event */
	size_t size; /* bytes of an area */
	int wake_fd;
	struct stream *streams;
	unsigned nr;
};

/* --- the readers' side -------------------------------------------------------------------- */

static struct stream *stream_of(struct auxrecord *ar, int cpu, pid_t tid)
{
	for (unsigned i = 0; i < ar->nr; i++)
		if (ar->streams[i].cpu == cpu && (cpu >= 0 || ar->streams[i].tid == tid))
			return &ar->streams[i];
	return NULL;
}

/* Count bytes as the recording's: either in the file or in auxrecord_unwritten. */
static void count_taken(struct stream *s, size_t len)
{
	atomic_add_relaxed(&s->taken, len);
	auxreader_count(s->reader, len, 0);
}

static bool ready(void *arg, int cpu, pid_t tid, size_t waiting)
{
	struct auxrecord *ar = arg;

	if (!stream_of(ar, cpu, tid))
		return false;
	/* Less than that is written at the recorder's regular intervals. */
	if (waiting >= ar->size / 4)
		eventfd_write(ar->wake_fd, 1);
	return true;
}

static bool keep_rest(void *arg, int cpu, pid_t tid, const struct auxarea_span *span)
{
	struct auxrecord *ar = arg;
	struct stream *s = stream_of(ar, cpu, tid);
	size_t len = span->len[0] + span->len[1];
	struct rest *r;

	if (!s || atomic_load(&s->nrests) >= RESTS_MOST || !(r = malloc(sizeof(*r) + len)))
		return false;
	r->len = len;
	r->offset = span->offset;
	r->reference = auxarea_counter();
	memcpy(r->data, span->part[0], span->len[0]);
	memcpy(r->data + span->len[0], span->part[1], span->len[1]);
	count_taken(s, len);
	atomic_fetch_add(&s->nrests, 1);
	r->next = atomic_load(&s->rests);
	/* Pairs with take_rests. */
	while (!atomic_compare_exchange_weak(&s->rests, &r->next, r))
		;
	eventfd_write(ar->wake_fd, 1);
	return true;
}

static void queue_records(void *arg, int cpu, pid_t tid, const char *data, size_t len)
{
	struct stream *s = stream_of(arg, cpu, tid);

	if (s && s->records)
		recqueue_put(s->records, data, len, NULL, NULL);
}

/* --- making it ---------------------------------------------------------------------------- */

struct auxrecord *auxrecord_create(struct auxset *set, struct datafile *file, int wake_fd)
{
	struct auxrecord *ar = calloc(1, sizeof(*ar));
	struct perf_event_attr attr;
	struct auxset_info info;

	if (!ar)
		return NULL;
	auxset_info(set, &info);
	auxset_attr(set, &attr);
	ar->set = set;
	ar->file = file;
	ar->size = info.size;
	ar->wake_fd = wake_fd;
	ar->sink = (struct aux_sink){.arg = ar, .ready = ready, .rest = keep_rest,
				     .records = queue_records};
	ar->event = datafile_event(file, &attr, auxset_name(set));
	ar->streams = calloc(auxset_nr(set) + 1, sizeof(*ar->streams));
	if (ar->event < 0 || !ar->streams) {
		auxrecord_free(ar);
		return NULL;
	}
	ar->nr = auxset_nr(set);
	for (unsigned i = 0; i < ar->nr; i++) {
		struct stream *s = &ar->streams[i];

		s->reader = auxset_reader(set, i);
		auxset_who(set, i, &s->cpu, &s->tid);
	}
	return ar;
}

static void free_rests(struct rest *r)
{
	while (r) {
		struct rest *next = r->next;

		free(r);
		r = next;
	}
}

void auxrecord_free(struct auxrecord *ar)
{
	if (!ar)
		return;
	/* Rests that came after the last write are not in the recording. */
	for (unsigned i = 0; i < ar->nr; i++)
		free_rests(ar->streams[i].rests);
	free(ar->streams);
	free(ar);
}

void auxrecord_queue(struct auxrecord *ar, unsigned i, struct recqueue *queue)
{
	ar->streams[i].records = queue;
}

void auxrecord_on(struct auxrecord *ar, bool on)
{
	auxset_sink(ar->set, on ? &ar->sink : NULL);
}

/* --- the recorder's side ------------------------------------------------------------------ */

int auxrecord_ids(struct auxrecord *ar)
{
	size_t nr;
	uint64_t *ids = auxset_ids(ar->set, &nr);
	int ret = ids ? datafile_ids(ar->file, (unsigned)ar->event, ids, nr) : -ENOMEM;

	free(ids);
	return ret;
}

int auxrecord_begin(struct auxrecord *ar)
{
	struct auxset_info info;
	pid_t tid;
	int cpu;

	auxset_info(ar->set, &info);
	auxset_who(ar->set, 0, &cpu, &tid);
	return datafile_aux(ar->file, &info, cpu >= 0);
}

static int write_piece(struct auxrecord *ar, unsigned i, uint64_t reference,
		       const struct auxarea_span *span, size_t len)
{
	struct stream *s = &ar->streams[i];
	size_t first = len < span->len[0] ? len : span->len[0];
	struct perfwrite_auxtrace a = {.idx = i, .cpu = s->cpu, .tid = s->tid, .size = len,
				       .offset = span->offset, .reference = reference};
	struct iovec parts[] = {{(char *)span->part[0], first},
				{(char *)span->part[1], len - first}};
	int ret = datafile_auxtrace(ar->file, &a, parts, 2);

	if (!ret)
		atomic_add_relaxed(&s->written, len);
	return ret;
}

/* Take all rests, the oldest first. */
static struct rest *take_rests(struct stream *s)
{
	struct rest *r = atomic_exchange(&s->rests, NULL), *turned = NULL;

	while (r) {
		struct rest *next = r->next;

		r->next = turned;
		turned = r;
		r = next;
	}
	return turned;
}

static int write_rests(struct auxrecord *ar, unsigned i)
{
	struct rest *rests = take_rests(&ar->streams[i]);
	int ret = 0, failed;

	for (struct rest *r = rests; r; r = r->next) {
		struct auxarea_span span = {
			.part = {r->data}, .len = {r->len}, .offset = r->offset};

		failed = write_piece(ar, i, r->reference, &span, r->len);
		ret = ret ? ret : failed;
		atomic_fetch_sub(&ar->streams[i].nrests, 1);
	}
	free_rests(rests);
	return ret;
}

/*
 * Write at most `most` of an area's unread bytes, if there are at least `least`. Return their
 * number; 0: nothing more to do.
 */
static size_t write_area_piece(struct auxrecord *ar, unsigned i, size_t least, size_t most,
			       int *ret)
{
	struct auxreader *r = ar->streams[i].reader;
	struct auxarea_span span;
	bool claimed = auxreader_claim(r, &span);
	size_t len = claimed ? span.len[0] + span.len[1] : 0;
	int failed;

	/*
	 * Rests come from the area before this one; and while this one is claimed no area of the
	 * reader is closed.
	 */
	failed = write_rests(ar, i);
	*ret = *ret ? *ret : failed;
	len = len < least ? 0 : len > most ? most : len;
	if (len) {
		count_taken(&ar->streams[i], len);
		failed = write_piece(ar, i, auxarea_counter(), &span, len);
		*ret = *ret ? *ret : failed;
	}
	if (claimed)
		auxreader_release(r, len);
	return len;
}

uint64_t auxrecord_unwritten(const struct auxrecord *ar)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < ar->nr; i++)
		bytes += atomic_load_relaxed(&ar->streams[i].taken) -
			 atomic_load_relaxed(&ar->streams[i].written);
	return bytes;
}

int auxrecord_write(struct auxrecord *ar, bool all)
{
	size_t piece = ar->size / 4 < PIECE_MOST ? ar->size / 4 : PIECE_MOST;
	size_t worth = ar->size / 8 < WORTH_MOST ? ar->size / 8 : WORTH_MOST;
	int ret = 0;

	for (unsigned i = 0; i < ar->nr; i++) {
		size_t left = ar->size, done;

		/* Bounded, as the driver may write as fast. */
		do {
			done = write_area_piece(ar, i, all ? 1 : worth, piece, &ret);
			left -= done < left ? done : left;
		} while (done && left);
	}
	return ret;
}
