/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/sidelog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files/decode/perfwrite.h"

struct sidelog {
	struct perfwrite records; /* the bytes before `start` are dropped */
	size_t start, max;
	uint64_t dropped;
};

struct sidelog *sidelog_create(size_t bytes)
{
	struct sidelog *sl = calloc(1, sizeof(*sl));

	if (sl) {
		sl->max = bytes;
		sl->records.trailer = SIDELOG_TYPE;
	}
	return sl;
}

void sidelog_free(struct sidelog *sl)
{
	if (!sl)
		return;
	perfwrite_clear(&sl->records);
	free(sl);
}

static struct perf_event_header header_at(const struct sidelog *sl, size_t at)
{
	struct perf_event_header h;

	memcpy(&h, sl->records.data + at, sizeof(h));
	return h;
}

/* Drop the oldest quarter, so that the rest is not moved for each record. */
static void drop_oldest_quarter(struct sidelog *sl)
{
	struct perfwrite *w = &sl->records;

	while (w->len - sl->start > sl->max - sl->max / 4) {
		sl->start += header_at(sl, sl->start).size;
		sl->dropped++;
	}
	memmove(w->data, w->data + sl->start, w->len - sl->start);
	w->len -= sl->start;
	sl->start = 0;
}

int sidelog_add(struct sidelog *sl, const struct record *rec)
{
	const struct perf_event_header *h = rec->h;
	const struct record_layout *l = rec->l;
	struct perfwrite_id id = {.time = rec->time, .cpu = rec->cpu};
	struct perfwrite *w = &sl->records;
	size_t body = (size_t)h->size - l->trailer;

	if (h->size < sizeof(*h) + l->trailer)
		return 0; /* no reader knows such a record */
	if (l->trailer_tid) {
		memcpy(&id.pid, (const char *)h + body + l->trailer_tid - 1, sizeof(id.pid));
		memcpy(&id.tid, (const char *)h + body + l->trailer_tid + 3, sizeof(id.tid));
	}
	if (w->len + h->size + 24 > sl->max)
		drop_oldest_quarter(sl);
	perfwrite_again(w, h, body, &id);
	if (!w->failed)
		return 0;
	/* The kept records are intact: go on with them. */
	w->failed = false;
	sl->dropped++;
	return -ENOMEM;
}

char *sidelog_copy(const struct sidelog *sl, size_t *len)
{
	char *copy;

	*len = sl->records.len - sl->start;
	copy = malloc(*len ? *len : 1);
	if (copy && *len)
		memcpy(copy, sl->records.data + sl->start, *len);
	return copy;
}

uint64_t sidelog_dropped(const struct sidelog *sl)
{
	return sl->dropped;
}
