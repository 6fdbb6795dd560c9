/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The queue is an array of bytes that is moved down when its first half has been handed out. A
 * place is an offset from the queue's first byte ever. Waiting samples of a bucket (by thread) are
 * a list from the newest to the oldest. A record with a thread's chain ends all waiting of that
 * thread: a thread has one cookie between two returns to its program, so a sample with another one
 * has lost its record.
 */
#include "sources/replay/deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/vec.h"
#include "core/table/table.h"

#define BUCKETS	     4096
#define BYTES_MOST   (64u << 20) /* of records that wait */
#define PATIENCE_NS  NSEC_PER_SEC
#define CHAIN_MOST   510 /* addresses, where the kernel cuts off */
#define DEFER_CALLCHAIN (1ull << 38) /* attr.defer_callchain among the attribute's bits */

/* An entry of the queue, followed by the record. */
struct entry {
	uint64_t size; /* of both, a multiple of 8 */
	uint64_t time, offset, cookie;
	uint64_t next;	 /* place of the bucket's next older one */
	uint64_t answer; /* place of the record with the chain; 0: none so far */
	uint32_t event, tid;
	bool waits;
};

struct deferred {
	char *bytes;
	size_t cap, len, head; /* head: offset of the oldest entry that was not handed out */
	uint64_t base;	       /* place of bytes[0] */
	uint64_t newest; /* time of the newest record */
	uint64_t bucket[BUCKETS]; /* places */
	uint64_t joined, unjoined; /* samples with and without a user's part */
	bool piped, finished;
};

bool deferred_asked(const struct perfdata *file)
{
	for (unsigned i = 0; i < perfdata_events(file); i++) {
		const struct perf_event_attr *a = &perfdata_event(file, i)->attr;
		uint64_t bits;

		/* The bits are behind 40 bytes; headers before 6.19 have no names for these. */
		memcpy(&bits, (const char *)a + 40, sizeof(bits));
		if (bits & DEFER_CALLCHAIN && a->sample_type & PERF_SAMPLE_CALLCHAIN)
			return true;
	}
	return false;
}

struct deferred *deferred_create(bool piped)
{
	struct deferred *d = calloc(1, sizeof(*d));

	if (d) {
		d->base = 8; /* 0 is no place */
		d->piped = piped;
	}
	return d;
}

void deferred_free(struct deferred *d)
{
	if (d)
		free(d->bytes);
	free(d);
}

static struct entry *entry_at_place(const struct deferred *d, uint64_t place)
{
	return (struct entry *)(void *)(d->bytes + (place - d->base));
}

/* Return the place of the bucket's newest waiting sample. */
static uint64_t *bucket_of_thread(struct deferred *d, uint32_t tid)
{
	return &d->bucket[hash_u64(tid) % BUCKETS];
}

/* End the waiting of a thread's samples: of those with the cookie by the record at `place`. */
static void answer_waiting(struct deferred *d, uint32_t tid, uint64_t cookie, uint64_t place)
{
	uint64_t *link = bucket_of_thread(d, tid);

	while (*link >= d->base + d->head) {
		struct entry *e = entry_at_place(d, *link);

		if (e->tid != tid) {
			link = &e->next;
			continue;
		}
		e->waits = false;
		e->answer = e->cookie == cookie ? place : 0;
		*link = e->next;
	}
	*link = 0;
}

static int append_entry(struct deferred *d, const struct deferred_record *r, struct entry **e)
{
	size_t size = sizeof(**e) + ((r->h->size + 7u) & ~7u);

	if (d->head > d->len / 2) {
		memmove(d->bytes, d->bytes + d->head, d->len - d->head);
		d->base += d->head;
		d->len -= d->head;
		d->head = 0;
	}
	if (!vec_reserve(&d->bytes, &d->cap, d->len + size, 1))
		return -ENOMEM;
	*e = (struct entry *)(void *)(d->bytes + d->len);
	**e = (struct entry){.size = size, .time = r->time, .offset = r->offset, .event = r->event};
	memcpy(*e + 1, r->h, r->h->size);
	d->len += size;
	return 0;
}

int deferred_put(struct deferred *d, const struct record_layout *l,
		 const struct deferred_record *r)
{
	uint64_t place, cookie, *bucket;
	struct record_deferred chain;
	struct entry *e;
	struct sample s;
	uint32_t pid, tid;
	bool waits;
	int ret;

	waits = r->h->type == PERF_RECORD_SAMPLE && record_sample(l, r->h, &s) &&
		sample_defers(&s, &cookie) && r->time;
	if (!waits && d->head == d->len)
		return 0;
	ret = append_entry(d, r, &e);
	if (ret)
		return ret;
	place = d->base + d->len - e->size;
	d->newest = r->time > d->newest ? r->time : d->newest;
	if (waits) {
		bucket = bucket_of_thread(d, s.tid);
		e->waits = true;
		e->tid = s.tid;
		e->cookie = cookie;
		e->next = *bucket;
		*bucket = place;
	} else if (record_deferred(l, r->h, &chain) && record_thread(l, r->h, &pid, &tid)) {
		answer_waiting(d, tid, chain.cookie, place);
	}
	return 1;
}

static const struct perf_event_header *record_of(const struct entry *e)
{
	return (const struct perf_event_header *)(const void *)(e + 1);
}

bool deferred_next(struct deferred *d, struct deferred_record *r)
{
	const uint64_t *body;
	struct entry *e;

	if (d->head == d->len)
		return false;
	e = entry_at_place(d, d->base + d->head);
	if (e->waits && !d->finished && d->len - d->head <= BYTES_MOST &&
	    (!d->piped || d->newest <= e->time + PATIENCE_NS))
		return false;
	*r = (struct deferred_record){.h = record_of(e), .time = e->time, .offset = e->offset,
				      .event = e->event};
	if (e->answer) { /* a whole record: answer_waiting was called for it */
		body = (const void *)(record_of(entry_at_place(d, e->answer)) + 1);
		r->chain = (struct record_deferred){body[0], body[1], body + 2};
	}
	d->head += e->size;
	return true;
}

void deferred_finish(struct deferred *d)
{
	d->finished = true;
}

bool deferred_join(struct deferred *d, const struct record_deferred *later, struct sample *s,
		   uint64_t *chain, uint64_t room)
{
	uint64_t cookie, nr = s->nr_chain, addresses = 0;

	if (!sample_defers(s, &cookie))
		return false;
	nr -= s->chain[nr - 1] == CONTEXT_USER_DEFERRED ? 1 : 2;
	nr = nr < room - 3 ? nr : room - 3;
	memmove(chain, s->chain, nr * sizeof(*chain));
	if (d && later->nr)
		d->joined++;
	else if (d)
		d->unjoined++;
	if (later->nr && later->ips[0] != (uint64_t)PERF_CONTEXT_USER)
		chain[nr++] = (uint64_t)PERF_CONTEXT_USER;
	for (uint64_t i = 0; i < later->nr && nr < room - 1; i++) {
		uint64_t ip = later->ips[i];

		chain[nr++] = table_is_mark(ip) ? (uint64_t)PERF_CONTEXT_MAX : ip;
		addresses += ip < (uint64_t)PERF_CONTEXT_MAX;
	}
	if (!later->nr)
		chain[nr++] = CONTEXT_USER_DEFERRED;
	else if (addresses >= CHAIN_MOST)
		chain[nr++] = TABLE_MARK_TRUNCATED;
	s->chain = chain;
	s->nr_chain = nr;
	return later->nr;
}

void deferred_say(const struct deferred *d, struct slice *s)
{
	if (s && d->unjoined)
		slice_log(s, SLICE_INFO,
			  "%llu of %llu samples lack the program's part of their path ([not yet]): "
			  "the kernel writes it when the thread goes back to its program, and %s",
			  (unsigned long long)d->unjoined,
			  (unsigned long long)(d->joined + d->unjoined),
			  d->piped ? "it did not come within 1 s"
				   : "it is not in the file, or more than 64 MB behind");
}
