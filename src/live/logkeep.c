/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/logkeep.h"

#include <stdlib.h>
#include <string.h>

struct noted {
	uint64_t time;
	uint32_t pid, tid, len;
	uint16_t event;
	const void *record;
};

struct logkeep {
	struct logbuffer buffer[2];
	unsigned filled; /* which */
	bool out;        /* the owner has the other */
	struct noted *noted;
	size_t most;
	uint64_t nnoted; /* of the batch, those beyond `most` too */
	bool newest_first;
};

/* --- a buffer ---------------------------------------------------------------------------------- */

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
	/* In one piece. */
	b->head += need > left ? left : 0;
	while (b->first < b->next &&
	       (b->next - b->first == b->most || b->head + need - logbuffer_slot(b, b->first)->at > b->size)) {
		b->first++;
		b->passed++;
	}
	memcpy(b->bytes + b->head % b->size, n->record, n->len);
	b->slot[b->next++ % b->most] = (struct logslot){.time = n->time, .at = b->head, .pid = n->pid, .tid = n->tid,
						     .len = n->len, .event = n->event};
	b->head += need;
}

/* --- the reader's ------------------------------------------------------------------------------ */

void logkeep_begin(struct logkeep *k, bool newest_first)
{
	k->newest_first = newest_first;
	k->nnoted = 0;
}

/* Of a batch in order the last are wanted, of one that comes newest first the first. */
void logkeep_note(struct logkeep *k, unsigned event, const struct sample *s)
{
	if (k->newest_first && k->nnoted >= k->most) {
		k->nnoted++;
		return;
	}
	k->noted[k->nnoted++ % k->most] = (struct noted){
		.time = s->time, .pid = s->pid, .tid = s->tid, .event = (uint16_t)event,
		.len = s->span[SAMPLE_RAW].len, .record = sample_at(s, SAMPLE_RAW),
	};
}

void logkeep_end(struct logkeep *k)
{
	struct logbuffer *b = &k->buffer[k->filled];
	uint64_t nr = k->nnoted < k->most ? k->nnoted : k->most, from = k->nnoted - nr;

	b->passed += from;
	for (uint64_t i = 0; i < nr; i++)
		buffer_put(b, &k->noted[(k->newest_first ? nr - 1 - i : from + i) % k->most]);
	k->nnoted = 0;
}

struct logbuffer *logkeep_hand_over(struct logkeep *k)
{
	struct logbuffer *b = &k->buffer[k->filled];

	if (k->out)
		return NULL;
	k->out = true;
	k->filled ^= 1;
	return b;
}

void logkeep_taken(struct logkeep *k)
{
	struct logbuffer *b = &k->buffer[k->filled ^ 1];

	b->first = b->next = b->head = b->passed = 0;
	k->out = false;
}

/* --- all of it --------------------------------------------------------------------------------- */

struct logkeep *logkeep_create(size_t most, size_t size)
{
	struct logkeep *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->most = most;
	k->noted = malloc(most * sizeof(*k->noted));
	if (k->noted && buffer_init(&k->buffer[0], most, size) && buffer_init(&k->buffer[1], most, size))
		return k;
	logkeep_free(k);
	return NULL;
}

void logkeep_free(struct logkeep *k)
{
	if (!k)
		return;
	for (int i = 0; i < 2; i++) {
		free(k->buffer[i].slot);
		free(k->buffer[i].bytes);
	}
	free(k->noted);
	free(k);
}
