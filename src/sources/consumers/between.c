/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/between.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"

#define QUEUE_BYTES (8u << 20)   /* a reader's: 100 ms of 5 million hits a second by thread */
#define ALL_BYTES   (256u << 20) /* all readers' */
#define QUEUE_LEAST (1u << 20)
#define GAP_WORDS   512u /* room for gaps alone */

/* Words on their way from the reader to the tick. */
struct queue {
	uint64_t *words;
	size_t size; /* a power of 2 */
	/* The reader's: */
	uint64_t at;	  /* written up to there */
	uint64_t newest; /* time of the last half that was queued or refused */
	uint64_t refused_from, refused_to; /* of refused halves without a gap yet; to 0: none */
	/* Shared: */
	cache_aligned uint64_t put; /* handed over up to there: released by the reader */
	uint64_t refused;	    /* relaxed */
	cache_aligned uint64_t taken; /* released by the tick */
	uint64_t refused_told; /* the tick's */
};

struct between {
	struct between_plan plan;
	unsigned readers, words; /* of a half */
	struct queue *queues;
	struct pairs *pairs;
	struct slice_latency sum; /* since between_tell */
	bool any;
};

/* --- the readers' side ------------------------------------------------------------------ */

static bool queue_words(struct queue *q, const uint64_t *words, unsigned nr, size_t keep)
{
	/* Pairs with between_step's release: words that were taken may be overwritten. */
	if (q->size - (q->at - atomic_load_acquire(&q->taken)) < nr + keep)
		return false;
	for (unsigned i = 0; i < nr; i++)
		q->words[q->at++ & (q->size - 1)] = words[i];
	return true;
}

static void refuse_half(struct queue *q, uint64_t time)
{
	atomic_add_relaxed(&q->refused, 1);
	if (!q->refused_to || time < q->refused_from)
		q->refused_from = time;
	if (time > q->refused_to)
		q->refused_to = time;
}

static bool queue_half(void *of, const struct consumer_sample *c)
{
	const struct sample *s = c->s;
	struct between *b = of;
	struct queue *q = &b->queues[c->reader];
	uint64_t half[1 + PAIRS_WORDS];
	int is = between_plan_half(&b->plan, c->reader, c->event, s, half);

	if (!is)
		return true;
	if (s->time > q->newest)
		q->newest = s->time;
	if (is < 0 || !queue_words(q, half, b->words, GAP_WORDS))
		refuse_half(q, s->time);
	return true;
}

/* When sorted by time, the gap is behind halves of time `from` and before halves of time `to`. */
static bool put_gap(struct between *b, struct queue *q, uint64_t from, uint64_t to)
{
	uint64_t both[2 * (1 + PAIRS_WORDS)] = {0};

	both[0] = pairs_stamp(from, PAIRS_GAP);
	both[b->words] = pairs_stamp(to > from ? to : from + 1, PAIRS_GAP_END);
	return queue_words(q, both, 2 * b->words, 0);
}

static void queue_gap(void *of, unsigned reader, uint64_t from, uint64_t to)
{
	struct between *b = of;
	struct queue *q = &b->queues[reader];

	if (put_gap(b, q, from, to))
		return;
	if (!q->refused_to || from < q->refused_from)
		q->refused_from = from;
	if (to > q->refused_to)
		q->refused_to = to;
}

static void hand_over_halves(void *of, unsigned reader, bool asked)
{
	struct between *b = of;
	struct queue *q = &b->queues[reader];

	(void)asked;
	if (q->refused_to &&
	    put_gap(b, q, q->refused_from ? q->refused_from - 1 : 0, q->refused_to + 1))
		q->refused_from = q->refused_to = 0;
	/* Pairs with between_step's acquire. */
	atomic_store_release(&q->put, q->at);
}

static bool halves_pressed(const void *of)
{
	const struct between *b = of;

	for (unsigned i = 0; i < b->readers; i++) {
		const struct queue *q = &b->queues[i];

		if (atomic_load_relaxed(&q->put) - atomic_load_relaxed(&q->taken) > q->size / 2)
			return true;
	}
	return false;
}

const struct consumer_ops between_consumer = {
	.sample = queue_half, .gap = queue_gap, .flush = hand_over_halves, .pressed = halves_pressed};

bool between_pressed(const struct between *b)
{
	return b && halves_pressed(b);
}

bool between_takes(const struct between *b, unsigned event)
{
	return event == b->plan.event[BETWEEN_FROM] || event == b->plan.event[BETWEEN_TO];
}

/* --- the tick's ------------------------------------------------------------------------- */

/* Take the halves of a queue; where memory is missing they stay there. */
static void take_queue(struct between *b, struct queue *q)
{
	uint64_t at = q->taken, put = atomic_load_acquire(&q->put),
		 refused = atomic_load_relaxed(&q->refused);
	uint64_t half[1 + PAIRS_WORDS];

	b->sum.lost += refused - q->refused_told;
	b->any |= refused != q->refused_told;
	q->refused_told = refused;
	if (put == at || !pairs_room(b->pairs, (put - at) / b->words))
		return;
	b->any = true;
	while (at < put) {
		for (unsigned i = 0; i < b->words; i++)
			half[i] = q->words[at++ & (q->size - 1)];
		pairs_put(b->pairs, half);
	}
	atomic_store_release(&q->taken, at);
}

void between_exit(struct between *b, uint32_t tid, uint64_t time)
{
	const uint64_t half[] = {pairs_stamp(time, PAIRS_ENDED), tid};

	/* Without this, the thread's half waits until another thread has its number. */
	if (!b->plan.nfields && pairs_room(b->pairs, 1))
		pairs_put(b->pairs, half);
}

void between_step(struct between *b, uint64_t horizon, bool last)
{
	size_t open = pairs_open(b->pairs);

	for (unsigned i = 0; i < b->readers; i++)
		take_queue(b, &b->queues[i]);
	pairs_step(b->pairs, last ? UINT64_MAX : horizon, &b->sum);
	if (last)
		pairs_end(b->pairs, &b->sum);
	b->any |= open != pairs_open(b->pairs);
}

void between_resume(struct between *b)
{
	between_step(b, UINT64_MAX, false);
	pairs_break(b->pairs, &b->sum);
	b->any = true;
}

void between_unseen(struct between *b, uint64_t from, uint64_t to)
{
	uint64_t half[1 + PAIRS_WORDS] = {pairs_stamp(from, PAIRS_GAP)};

	if (!pairs_room(b->pairs, 2)) {
		between_resume(b);
		return;
	}
	pairs_put(b->pairs, half);
	half[0] = pairs_stamp(to, PAIRS_GAP_END);
	pairs_put(b->pairs, half);
	b->any = true;
}

void between_tell(struct between *b, struct slice *s)
{
	if (!b->any || s->latency || !(s->latency = malloc(sizeof(*s->latency))))
		return;
	*s->latency = b->sum;
	s->latency->nr = b->plan.nr;
	b->sum = (struct slice_latency){.count = 0};
	b->any = pairs_held(b->pairs) > 0;
}

/* --- all of it -------------------------------------------------------------------------- */

static bool create_half_queues(struct between *b, unsigned expected)
{
	size_t each = ALL_BYTES / (expected ? expected : 1), size = QUEUE_LEAST;

	each = each < QUEUE_BYTES ? each : QUEUE_BYTES;
	while (2 * size <= each)
		size *= 2;
	b->queues = aligned_alloc(CACHE_LINE, b->readers * sizeof(*b->queues));
	if (!b->queues)
		return false;
	memset(b->queues, 0, b->readers * sizeof(*b->queues));
	for (unsigned i = 0; i < b->readers; i++) {
		b->queues[i].size = size / sizeof(uint64_t);
		b->queues[i].words = malloc(size);
		if (!b->queues[i].words)
			return false;
	}
	return true;
}

struct between *between_create(const struct between_plan *plan, unsigned readers, unsigned expected)
{
	struct between *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->plan = *plan;
	b->readers = readers;
	b->words = 1 + (plan->nfields ? plan->nfields : 1);
	b->pairs = pairs_create(plan->nfields);
	if (b->pairs && create_half_queues(b, expected))
		return b;
	between_free(b);
	return NULL;
}

const struct between_plan *between_of(const struct between *b)
{
	return &b->plan;
}

void between_free(struct between *b)
{
	if (!b)
		return;
	for (unsigned i = 0; b->queues && i < b->readers; i++)
		free(b->queues[i].words);
	free(b->queues);
	pairs_free(b->pairs);
	free(b);
}
