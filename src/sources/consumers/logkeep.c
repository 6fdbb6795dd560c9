/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/logkeep.h"

#include <stdlib.h>
#include <string.h>

struct noted {
	uint64_t time;
	uint32_t pid, tid, len;
	uint16_t event;
	const void *record;
};

struct logkeep {
	struct logbuffer buffer[2][LOGKEEP_KINDS];
	unsigned filled; /* index of the side that is being filled */
	bool out;        /* the owner has the other side */
	struct noted *noted[LOGKEEP_KINDS];
	uint32_t *seen; /* by event: records since the tick's request */
	unsigned events;
	uint32_t each; /* so many of an event go to LOGKEEP_FIRST */
	size_t most;
	uint64_t nnoted[LOGKEEP_KINDS]; /* of the batch, also those beyond `most` */
	bool newest_first;
};

/* --- a buffer --------------------------------------------------------------------------- */

static bool buffer_init(struct logbuffer *b, size_t most, size_t size)
{
	*b = (struct logbuffer){.most = most, .size = size};
	b->slot = malloc(most * sizeof(*b->slot));
	b->bytes = malloc(size);
	return b->slot && b->bytes;
}

static void buffer_put(struct logbuffer *b, const struct noted *n)
{
	size_t need = (n->len + 7) & ~7ull, left = b->size - b->head % b->size;

	if (need > b->size / 2) {
		b->passed++;
		return;
	}
	/* Records are in one piece. */
	b->head += need > left ? left : 0;
	while (b->first < b->next && (b->next - b->first == b->most ||
				      b->head + need - logbuffer_slot(b, b->first)->at > b->size)) {
		b->first++;
		b->passed++;
	}
	memcpy(b->bytes + b->head % b->size, n->record, n->len);
	b->slot[b->next++ % b->most] = (struct logslot){.time = n->time,
							.at = b->head,
							.pid = n->pid,
							.tid = n->tid,
							.len = n->len,
							.event = n->event};
	b->head += need;
}

/* --- the reader's ----------------------------------------------------------------------- */

static void begin_notes(void *of, bool newest_first)
{
	struct logkeep *k = of;

	k->newest_first = newest_first;
	memset(k->nnoted, 0, sizeof(k->nnoted));
}

/* Note the last records of a batch in order, or the first of one that comes newest first. */
static bool note_sample(void *of, const struct consumer_sample *c)
{
	const struct sample *s = c->s;
	struct logkeep *k = of;
	enum logkeep_kind kind;

	if (!s->span[SAMPLE_RAW].offset)
		return true;
	kind = k->seen[c->event]++ < k->each ? LOGKEEP_FIRST : LOGKEEP_NEWEST;
	if (k->newest_first && k->nnoted[kind] >= k->most) {
		k->nnoted[kind]++;
		return true;
	}
	k->noted[kind][k->nnoted[kind]++ % k->most] = (struct noted){
		.time = s->time, .pid = s->pid, .tid = s->tid, .event = (uint16_t)c->event,
		.len = s->span[SAMPLE_RAW].len, .record = sample_at(s, SAMPLE_RAW),
	};
	return true;
}

static void end_kind(struct logkeep *k, enum logkeep_kind kind)
{
	struct logbuffer *b = &k->buffer[k->filled][kind];
	uint64_t nr = k->nnoted[kind] < k->most ? k->nnoted[kind] : k->most,
		 from = k->nnoted[kind] - nr;

	b->passed += from;
	for (uint64_t i = 0; i < nr; i++)
		buffer_put(b, &k->noted[kind][(k->newest_first ? nr - 1 - i : from + i) % k->most]);
	k->nnoted[kind] = 0;
}

static void keep_notes(void *of)
{
	for (int kind = 0; kind < LOGKEEP_KINDS; kind++)
		end_kind(of, kind);
}

const struct consumer_ops logkeep_consumer = {
	.begin = begin_notes, .sample = note_sample, .end = keep_notes};

struct logbuffer *logkeep_hand_over(struct logkeep *k)
{
	struct logbuffer *b = k->buffer[k->filled];

	if (k->out)
		return NULL;
	k->out = true;
	k->filled ^= 1;
	memset(k->seen, 0, k->events * sizeof(*k->seen));
	return b;
}

void logkeep_taken(struct logkeep *k)
{
	struct logbuffer *b = k->buffer[k->filled ^ 1];

	for (int kind = 0; kind < LOGKEEP_KINDS; kind++)
		b[kind].first = b[kind].next = b[kind].head = b[kind].passed = 0;
	k->out = false;
}

/* --- all of it -------------------------------------------------------------------------- */

static bool create_kind(struct logkeep *k, enum logkeep_kind kind, size_t size)
{
	k->noted[kind] = malloc(k->most * sizeof(*k->noted[kind]));
	return k->noted[kind] && buffer_init(&k->buffer[0][kind], k->most, size) &&
	       buffer_init(&k->buffer[1][kind], k->most, size);
}

struct logkeep *logkeep_create(size_t most, size_t size, unsigned events)
{
	struct logkeep *k = calloc(1, sizeof(*k));
	bool ok;

	if (!k)
		return NULL;
	k->most = most;
	k->events = events;
	k->each = (uint32_t)(most / (2 * (events + 1)));
	k->each = k->each > LOGKEEP_EACH ? LOGKEEP_EACH : k->each ? k->each : 1;
	k->seen = calloc(events + 1, sizeof(*k->seen));
	ok = k->seen;
	for (int kind = 0; kind < LOGKEEP_KINDS && ok; kind++)
		ok = create_kind(k, kind, size);
	if (ok)
		return k;
	logkeep_free(k);
	return NULL;
}

void logkeep_free(struct logkeep *k)
{
	if (!k)
		return;
	for (int kind = 0; kind < LOGKEEP_KINDS; kind++) {
		for (int side = 0; side < 2; side++) {
			free(k->buffer[side][kind].slot);
			free(k->buffer[side][kind].bytes);
		}
		free(k->noted[kind]);
	}
	free(k->seen);
	free(k);
}
