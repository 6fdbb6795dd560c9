/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/between_queues.h"

#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/vec.h"

#define QUEUE_BYTES (8u << 20)   /* a reader's: 100 ms of 5 million hits a second by thread */
#define ALL_BYTES   (256u << 20) /* all readers' */
#define QUEUE_LEAST (1u << 20)
#define GAP_WORDS   512u /* room for gaps alone */

/* Halves of a file wait for losses that are reported later, so long in its time. */
#define WAIT_NS	  NSEC_PER_SEC
#define STRETCH	  (PAIRS_HELD / 4) /* least that wait if there are many; at most twice that */
#define TIME_MOST (UINT64_MAX >> (PAIRS_KIND_BITS + 1)) /* a half cannot have a later time */
#define CPUS_MOST 8192u

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

/* Halves of a file, in order of time. */
struct ordered {
	uint64_t time, stepped; /* time of the newest half; halves before `stepped` are paired */
	uint64_t mark[2]; /* times when the last stretch of halves began, and the one before it */
	unsigned since_mark;
	uint64_t *newest; /* time of the last sample, by CPU */
	size_t cap_newest;
	unsigned late; /* losses reported too late, since between_end */
	bool untimed;  /* some losses had no time */
	bool untimed_said;
};

struct between {
	struct between_plan plan;
	unsigned readers, words; /* of a half */
	struct queue *queues;	 /* NULL: of a file */
	struct ordered ordered;
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
	.sample = queue_half,
	.gap = queue_gap,
	.flush = hand_over_halves,
	.pressed = halves_pressed,
};

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

static void step_ordered(struct between *b, uint64_t time)
{
	if (time <= b->ordered.stepped)
		return;
	b->any |= pairs_held(b->pairs) > 0;
	between_step(b, time, false);
	b->ordered.stepped = time;
}

/* Make room for halves.  Those of a file are paired early rather than lost. */
static bool make_room(struct between *b, unsigned nr)
{
	if (!pairs_room(b->pairs, nr) && !b->queues)
		step_ordered(b, b->ordered.time);
	return pairs_room(b->pairs, nr);
}

void between_exit(struct between *b, uint32_t tid, uint64_t time)
{
	const uint64_t half[] = {pairs_stamp(time, PAIRS_ENDED), tid};

	/* Without this, the thread's half waits until another thread has its number. */
	if (!b->plan.nfields && time && time <= TIME_MOST && make_room(b, 1))
		pairs_put(b->pairs, half);
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

	if (!make_room(b, 2)) {
		between_resume(b);
		return;
	}
	pairs_put(b->pairs, half);
	half[0] = pairs_stamp(to, PAIRS_GAP_END);
	pairs_put(b->pairs, half);
	b->any |= b->queues != NULL;
}

bool between_tell(struct between *b, struct slice *s)
{
	if (!b->any || s->latency)
		return true;
	if (!(s->latency = malloc(sizeof(*s->latency))))
		return false;
	*s->latency = b->sum;
	s->latency->nr = b->plan.nr;
	b->sum = (struct slice_latency){.count = 0};
	b->any = b->queues && pairs_held(b->pairs) > 0;
	return true;
}

/* --- of a file -------------------------------------------------------------------------- */

static void put_ordered(struct between *b, const uint64_t *half, uint64_t time)
{
	struct ordered *o = &b->ordered;

	if (!make_room(b, 1)) {
		b->sum.lost++;
		b->any = true;
		return;
	}
	pairs_put(b->pairs, half);
	o->time = time > o->time ? time : o->time;
	if (++o->since_mark < STRETCH)
		return;
	step_ordered(b, o->mark[0]);
	o->mark[0] = o->mark[1];
	o->mark[1] = time;
	o->since_mark = 0;
}

static void note_newest(struct ordered *o, uint32_t cpu, uint64_t time)
{
	size_t had = o->cap_newest;

	if (cpu >= CPUS_MOST)
		return;
	if (cpu >= had) {
		if (!vec_reserve(&o->newest, &o->cap_newest, cpu + 1u, sizeof(*o->newest)))
			return;
		memset(o->newest + had, 0, (o->cap_newest - had) * sizeof(*o->newest));
	}
	o->newest[cpu] = time;
}

static bool pair_ordered(void *of, const struct consumer_sample *c)
{
	const struct sample *s = c->s;
	struct between *b = of;
	uint64_t half[1 + PAIRS_WORDS];
	int is = between_plan_half(&b->plan, c->reader, c->event, s, half);

	note_newest(&b->ordered, c->reader, s->time);
	if (is > 0 && s->time <= TIME_MOST) {
		put_ordered(b, half, s->time);
	} else if (is) {
		b->sum.lost++;
		b->any = true;
	}
	return true;
}

/* The gap is from the CPU's last sample on, or from the start where there is none. */
static void note_loss(void *of, unsigned cpu, uint64_t from, uint64_t to)
{
	struct between *b = of;
	struct ordered *o = &b->ordered;

	(void)from;
	if (to > TIME_MOST)
		return;
	from = cpu < o->cap_newest && o->newest[cpu] < to ? o->newest[cpu] : 0;
	o->late += from < o->stepped;
	between_unseen(b, from, to > from ? to : from + 1);
}

const struct consumer_ops between_file_consumer = {.sample = pair_ordered, .gap = note_loss};

void between_lost(struct between *b)
{
	b->ordered.untimed = true;
}

void between_end(struct between *b, uint64_t time, bool last, struct slice *s)
{
	struct ordered *o = &b->ordered;

	if (last)
		between_step(b, 0, true);
	else if (time > WAIT_NS)
		step_ordered(b, time - WAIT_NS);
	b->any |= last;
	if (o->late)
		slice_log(
			s, SLICE_WARNING,
			"--between: %u losses were reported a second late or later: pairs of that "
			"time may combine unrelated records", o->late);
	if (o->untimed && !o->untimed_said)
		slice_log(
			s, SLICE_WARNING,
			"--between: samples were lost at unknown times: pairs may combine "
			"unrelated records");
	o->untimed_said |= o->untimed;
	o->late = 0;
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
	if (b->pairs && (!readers || create_half_queues(b, expected)))
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
	free(b->ordered.newest);
	pairs_free(b->pairs);
	free(b);
}
