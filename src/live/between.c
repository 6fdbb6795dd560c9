/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/between.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/text.h"
#include "event/parse.h"
#include "live/tracefields.h"

#define QUEUE_BYTES (8u << 20)   /* a reader's: 100 ms of 5 million hits a second by thread */
#define ALL_BYTES   (256u << 20) /* all readers' */
#define QUEUE_LEAST (1u << 20)
#define GAP_WORDS   512u /* that only gaps may take */

/* Words go from the reader to the tick. */
struct queue {
	uint64_t *words;
	size_t size; /* a power of 2 */
	/* The reader's: */
	uint64_t at;	  /* written up to there */
	uint64_t newest; /* time of the last half that was put or refused */
	uint64_t refused_from, refused_to; /* times of those that found no room and no gap tells of yet; to 0: none */
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

/* --- what is wanted ------------------------------------------------------------------------------ */

static const struct {
	const char *name, *text;
} known[] = {
	{"syscalls", "raw_syscalls:sys_enter,raw_syscalls:sys_exit"},
	{"block", "block:block_rq_issue,block:block_rq_complete:dev+sector"},
	{"wakeup", "sched:sched_waking,sched:sched_switch:pid=next_pid"},
};

static const char *text_of(const char *text)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(known[i].name, text))
			return known[i].text;
	return text;
}

static int is_none(const char *text, struct err *err)
{
	err_set(err, EINVAL, "--between: '%.80s' is not A,B[:FIELD[+FIELD...]]", text);
	return err_advise(err, "A and B are tracepoints, as raw_syscalls:sys_enter,raw_syscalls:sys_exit");
}

/* "pid" or, where B calls it otherwise, "pid=next_pid" */
static bool add_field(struct between_plan *plan, const char *text, size_t len)
{
	const char *other = memchr(text, '=', len);
	size_t from = other ? (size_t)(other - text) : len, to = other ? len - from - 1 : len;

	if (!from || !to || from >= FORMAT_NAME || to >= FORMAT_NAME || plan->nfields == PAIRS_WORDS)
		return false;
	memcpy(plan->name[BETWEEN_FROM][plan->nfields], text, from);
	memcpy(plan->name[BETWEEN_TO][plan->nfields], other ? other + 1 : text, to);
	text_append(plan->key, sizeof(plan->key), strlen(plan->key), "%s%.*s", plan->nfields ? ", " : "", (int)len, text);
	plan->nfields++;
	return true;
}

static bool split_fields(struct between_plan *plan, const char *text)
{
	for (;; text++) {
		size_t len = strcspn(text, "+");

		if (!add_field(plan, text, len))
			return false;
		text += len;
		if (!*text)
			return true;
	}
}

/* The event of that name: one of the list, or one more. */
static int find_event(struct event_list *list, const char *name, unsigned *event, struct err *err)
{
	unsigned before = list->nr;
	struct event *e;
	int ret = event_parse(name, list, err);

	if (ret)
		return err_option(err, "--between");
	e = &list->events[before];
	if (list->nr != before + 1 || e->attr.type != PERF_TYPE_TRACEPOINT)
		return err_set(err, EINVAL, "--between: %s is not one tracepoint", name);
	e->rated = true;
	e->attr.sample_period = 1;
	e->attr.freq = 0;
	for (*event = 0; *event < before; ++*event) {
		const struct event *a = &list->events[*event];

		if (a->attr.type == PERF_TYPE_TRACEPOINT && a->attr.config == e->attr.config && a->role == EVENT_PLAIN &&
		    !a->group) {
			event_clear(e);
			list->nr--;
			return 0;
		}
	}
	return 0;
}

int between_parse(struct between_plan *plan, const char *text, struct event_list *list, struct err *err)
{
	char name[BETWEEN_SIDES][EVENT_NAME_LEN];
	const char *full = text_of(text), *comma = strchr(full, ','), *b = comma ? comma + 1 : full;
	size_t sub = strcspn(b, ":"), len = b[sub] ? sub + 1 + strcspn(b + sub + 1, ":") : 0;
	int ret;

	*plan = (struct between_plan){.wanted = true};
	if (!comma || !len || (size_t)(comma - full) >= sizeof(*name) || len >= sizeof(*name) || strcspn(b, ",") < len)
		return is_none(text, err);
	snprintf(name[BETWEEN_FROM], sizeof(*name), "%.*s", (int)(comma - full), full);
	snprintf(name[BETWEEN_TO], sizeof(*name), "%.*s", (int)len, b);
	if (b[len] && !split_fields(plan, b + len + 1))
		return is_none(text, err);
	ret = find_event(list, name[BETWEEN_FROM], &plan->event[BETWEEN_FROM], err);
	if (!ret)
		ret = find_event(list, name[BETWEEN_TO], &plan->event[BETWEEN_TO], err);
	if (!ret && plan->event[BETWEEN_FROM] == plan->event[BETWEEN_TO])
		ret = err_set(err, EINVAL, "--between: %s is both ends", name[BETWEEN_FROM]);
	return ret;
}

static int find_fields(struct between_plan *plan, enum between_side side, struct event *e, struct err *err)
{
	struct trace_format format;
	int ret = tracefields_format(e, &format, err);

	for (unsigned i = 0; i < plan->nfields && !ret; i++) {
		ret = format_value(&format, plan->name[side][i], &plan->field[side][i], err) ? err_option(err, "--between") : 0;
		if (!ret && plan->field[side][i].text)
			ret = err_set(err, EINVAL, "--between: %s of %s is a text; pairs go by numbers", plan->name[side][i],
				      e->name);
	}
	format_clear(&format);
	e->raw |= !ret;
	return ret;
}

int between_find(struct between_plan *plan, struct event_list *list, struct err *err)
{
	int ret = 0;

	for (unsigned side = 0; plan->wanted && side < BETWEEN_SIDES && !ret; side++) {
		struct event *e = &list->events[plan->event[side]];

		if (event_fixed_period(e) != 1)
			ret = err_set(err, EINVAL, "--between: it takes every hit of %s, not some (-c 1)", e->name);
		else if (plan->nfields)
			ret = find_fields(plan, side, e, err);
	}
	return ret;
}

/* --- the readers' side --------------------------------------------------------------------------- */

static bool put(struct queue *q, const uint64_t *words, unsigned nr, size_t keep)
{
	/* Pairs with between_step's release: what was taken may be written again. */
	if (q->size - (q->at - atomic_load_acquire(&q->taken)) < nr + keep)
		return false;
	for (unsigned i = 0; i < nr; i++)
		q->words[q->at++ & (q->size - 1)] = words[i];
	return true;
}

static void refuse(struct queue *q, uint64_t time)
{
	atomic_add_relaxed(&q->refused, 1);
	if (!q->refused_to || time < q->refused_from)
		q->refused_from = time;
	if (time > q->refused_to)
		q->refused_to = time;
}

/* Each CPU has an idle thread, all with the same number. */
static uint64_t thread_of(unsigned reader, const struct sample *s)
{
	if ((int32_t)s->tid < 0)
		return PAIRS_NOBODY;
	return s->tid ? s->tid : (uint64_t)1 << 32 | reader;
}

static bool take_key(const struct between *b, enum between_side side, const struct sample *s, uint64_t *key)
{
	const struct sample_span *raw = &s->span[SAMPLE_RAW];

	for (unsigned i = 0; i < b->plan.nfields; i++)
		if (!raw->offset || !trace_number(&b->plan.field[side][i], sample_at(s, SAMPLE_RAW), raw->len, &key[i]))
			return false;
	return true;
}

void between_sample(struct between *b, unsigned reader, unsigned event, const struct sample *s)
{
	struct queue *q = &b->queues[reader];
	uint64_t half[1 + PAIRS_WORDS];
	enum between_side side = event == b->plan.event[BETWEEN_TO] ? BETWEEN_TO : BETWEEN_FROM;

	if (event != b->plan.event[side])
		return;
	half[0] = pairs_stamp(s->time, side == BETWEEN_TO ? PAIRS_TO : PAIRS_FROM);
	half[1] = thread_of(reader, s);
	if (s->time > q->newest)
		q->newest = s->time;
	if (!take_key(b, side, s, half + 1) || !put(q, half, b->words, GAP_WORDS))
		refuse(q, s->time);
}

/* In order, the gap is behind what came at `from` and before what came at `to`. */
static bool put_gap(struct between *b, struct queue *q, uint64_t from, uint64_t to)
{
	uint64_t both[2 * (1 + PAIRS_WORDS)] = {0};

	both[0] = pairs_stamp(from, PAIRS_GAP);
	both[b->words] = pairs_stamp(to > from ? to : from + 1, PAIRS_GAP_END);
	return put(q, both, 2 * b->words, 0);
}

void between_gap(struct between *b, unsigned reader, uint64_t from, uint64_t to)
{
	struct queue *q = &b->queues[reader];

	if (put_gap(b, q, from, to))
		return;
	if (!q->refused_to || from < q->refused_from)
		q->refused_from = from;
	if (to > q->refused_to)
		q->refused_to = to;
}

void between_flush(struct between *b, unsigned reader)
{
	struct queue *q = &b->queues[reader];

	if (q->refused_to && put_gap(b, q, q->refused_from ? q->refused_from - 1 : 0, q->refused_to + 1))
		q->refused_from = q->refused_to = 0;
	/* Pairs with between_step's acquire. */
	atomic_store_release(&q->put, q->at);
}

bool between_pressed(const struct between *b)
{
	for (unsigned i = 0; b && i < b->readers; i++) {
		const struct queue *q = &b->queues[i];

		if (atomic_load_relaxed(&q->put) - atomic_load_relaxed(&q->taken) > q->size / 2)
			return true;
	}
	return false;
}

/* --- the tick's ---------------------------------------------------------------------------------- */

/* What finds no room stays in the queue. */
static void take_queue(struct between *b, struct queue *q)
{
	uint64_t at = q->taken, put = atomic_load_acquire(&q->put), refused = atomic_load_relaxed(&q->refused);
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

	/* Without it its number waits until somebody else has it. */
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

void between_tell(struct between *b, struct slice *s)
{
	if (!b->any || !(s->latency = malloc(sizeof(*s->latency))))
		return;
	*s->latency = b->sum;
	b->sum = (struct slice_latency){.count = 0};
	b->any = pairs_held(b->pairs) > 0;
}

/* --- all of it ----------------------------------------------------------------------------------- */

static bool create_queues(struct between *b, unsigned expected)
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
	if (b->pairs && create_queues(b, expected))
		return b;
	between_free(b);
	return NULL;
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
