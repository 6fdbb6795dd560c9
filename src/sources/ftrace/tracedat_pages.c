/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_MOST (16u << 20) /* limit for a chunk of packed pages; trace-cmd packs ten pages */

struct tracedat_stream {
	const struct tracedat_cpu *cpu;
	uint64_t at, end;  /* offsets in the file of the next bytes and of the end */
	uint64_t chunks;   /* chunks not unpacked yet */
	char *chunk;
	size_t chunk_cap, chunk_len, chunk_at;
	char *bytes; /* current page */
	struct page page;
	struct page_record next;
	uint64_t time, lost;
	uint64_t known, untold; /* losses in pages: events, and losses of unknown number */
	uint64_t more, guessed; /* other losses; part of them that is a guess */
	bool ended, open;
};

/* --- the file --------------------------------------------------------------------------------- */

/* Read len bytes, fewer at the end of the file. Return their number or -errno. */
static ssize_t read_bytes_at(struct tracedat_pages *p, void *to, size_t len, uint64_t at)
{
	const struct perfdata_source *file = p->head->file;
	size_t done = 0;

	while (done < len) {
		ssize_t n = file->read(file->arg, (char *)to + done, len - done, at + done);

		if (n < 0)
			return n;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static void complain_once(struct tracedat_pages *p, const char *what, uint64_t at)
{
	if (!p->again)
		tracedat_complain(p->head, what, at);
}

/* End the stream after a fault. */
static int end_stream(struct tracedat_pages *p, struct tracedat_stream *s, const char *why)
{
	complain_once(p, why, s->at);
	s->at = s->end;
	s->chunks = 0;
	return 0;
}

static int cut_off_stream(struct tracedat_pages *p, struct tracedat_stream *s)
{
	return end_stream(p, s, "the file is cut off: pages of a CPU are missing");
}

/* --- chunks ----------------------------------------------------------------------------------- */

static int grow_block(struct tracedat_pages *p, char **block, size_t *cap, size_t size)
{
	if (size <= *cap)
		return 0;
	budget_free(*block);
	*block = budget_alloc(&p->head->budget, BUDGET_READING, size);
	*cap = *block ? size : 0;
	return *block ? 0 : -ENOMEM;
}

static int unpack_chunk(struct tracedat_pages *p, struct tracedat_stream *s, size_t packed,
			size_t size)
{
	struct err err = {.code = 0};
	int ret = grow_block(p, &p->packed, &p->packed_cap, packed);
	ssize_t n;

	ret = ret ? ret : grow_block(p, &s->chunk, &s->chunk_cap, size);
	if (ret)
		return ret;
	n = read_bytes_at(p, p->packed, packed, s->at);
	if (n < 0)
		return (int)n;
	if ((size_t)n < packed)
		return cut_off_stream(p, s);
	ret = tracedat_unpack(&p->unpack, p->packed, packed, s->chunk, size, &err);
	if (ret) {
		perfdata_unpack_clear(&p->unpack); /* the unpacker stopped in mid-stream */
		return ret == -ENOMEM ? ret : end_stream(p, s, err.text);
	}
	s->at += packed;
	s->chunk_len = size;
	s->chunk_at = 0;
	return 1;
}

/* Return 1, 0: no more, -errno. */
static int next_chunk(struct tracedat_pages *p, struct tracedat_stream *s)
{
	uint64_t packed, size;
	char head[8];
	ssize_t n;

	if (!s->chunks)
		return 0;
	n = s->end - s->at < sizeof(head) ? 0 : read_bytes_at(p, head, sizeof(head), s->at);
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(head))
		return cut_off_stream(p, s);
	packed = tracedat_number(head, 4, p->head->swap);
	size = tracedat_number(head + 4, 4, p->head->swap);
	if (!packed || packed > CHUNK_MOST || !size || size > CHUNK_MOST ||
	    packed > s->end - s->at - sizeof(head))
		return end_stream(
			p, s,
			"compressed pages with impossible sizes: the rest of that CPU is skipped");
	s->chunks--;
	s->at += sizeof(head);
	return unpack_chunk(p, s, packed, size);
}

/* Read the number of chunks, the first four bytes of packed pages. */
static int begin_chunks(struct tracedat_pages *p, struct tracedat_stream *s)
{
	char count[4];
	ssize_t n = s->end - s->at < sizeof(count) ? 0 : read_bytes_at(p, count, sizeof(count),
								       s->at);

	s->chunk_len = s->chunk_at = 0;
	if (n < 0)
		return (int)n;
	if (n < (ssize_t)sizeof(count))
		return cut_off_stream(p, s);
	s->chunks = tracedat_number(count, 4, p->head->swap);
	s->at += sizeof(count);
	return 0;
}

/* --- pages ------------------------------------------------------------------------------------ */

/* Read a page. Return its bytes, 0: no more, -errno. */
static ssize_t read_stream_page(struct tracedat_pages *p, struct tracedat_stream *s, size_t size)
{
	ssize_t n;

	if (!s->cpu->packed) {
		size = s->end - s->at < size ? (size_t)(s->end - s->at) : size;
		n = size ? read_bytes_at(p, s->bytes, size, s->at) : 0;
		if (n >= 0 && (size_t)n < size)
			return cut_off_stream(p, s);
		s->at += n > 0 ? (size_t)n : 0;
		return n;
	}
	if (s->chunk_at >= s->chunk_len) {
		int ret = next_chunk(p, s);

		if (ret <= 0)
			return ret;
	}
	n = s->chunk_len - s->chunk_at < size ? (ssize_t)(s->chunk_len - s->chunk_at)
					      : (ssize_t)size;
	memcpy(s->bytes, s->chunk + s->chunk_at, (size_t)n);
	s->chunk_at += (size_t)n;
	return n;
}

/* Note the loss before a page. Losses without a number all count at the first such page. */
static void note_missed(struct tracedat_pages *p, struct tracedat_stream *s)
{
	uint64_t n = s->page.missed;

	if (n == PAGE_MISSED_UNKNOWN) {
		s->untold += !p->again;
		n = p->again ? s->more : 0;
		s->more -= n;
	} else {
		n = n < UINT32_MAX ? n : UINT32_MAX;
		s->known += p->again ? 0 : n;
	}
	s->lost += n;
}

/*
 * Compute the losses that no page has, after the first pass. The kernel's statistics of the buffer
 * are of the whole recording: overwritten events are those that pages report, with or without a
 * number; events dropped for want of room are in no page.
 */
static void settle_losses(struct tracedat_pages *p, struct tracedat_stream *s)
{
	const struct ftrace_stats *is = tracedat_head_stats(p->head, s->cpu);

	s->guessed = is ? 0 : s->untold;
	s->more = s->guessed;
	if (is && s->untold && is->overrun > s->known)
		s->more += is->overrun - s->known;
	if (is)
		s->more += is->commit_overrun + is->dropped;
}

void tracedat_pages_loss(const struct tracedat_pages *p, size_t i, struct tracedat_loss *loss)
{
	const struct tracedat_stream *s = &p->streams[i];

	*loss = (struct tracedat_loss){.buffer = s->cpu->buffer,
				       .cpu = s->cpu->cpu,
				       .all = s->known + s->more,
				       .behind = s->ended ? s->lost + s->more : 0,
				       .guessed = s->guessed};
}

/* Load the next page that has a record. Return 1, 0: no more, -errno. */
static int next_page(struct tracedat_pages *p, struct tracedat_stream *s)
{
	const struct tracedat_buffer *b = &p->head->buffers[s->cpu->buffer];
	size_t size = b->page_size ? b->page_size : p->head->layout.size;
	struct err err;
	ssize_t n;

	while ((n = read_stream_page(p, s, size)) > 0) {
		err = (struct err){.code = 0};
		if (page_load(&s->page, s->bytes, (size_t)n, &err))
			complain_once(p, err.text, s->at - (s->cpu->packed ? 0 : (uint64_t)n));
		note_missed(p, s);
		if (page_next(&s->page, &s->next))
			return 1;
	}
	return (int)n;
}

static uint64_t trace_ns(const struct tracedat_clock *c, uint64_t time)
{
	__extension__ typedef unsigned __int128 wide;

	if (c->mult)
		time = (uint64_t)((wide)time * c->mult >> c->shift);
	return time + (uint64_t)c->offset;
}

static int next_record(struct tracedat_pages *p, struct tracedat_stream *s)
{
	int ret;

	for (;;) {
		ret = page_next(&s->page, &s->next) ? 1 : next_page(p, s);
		if (ret <= 0)
			return ret;
		s->time = trace_ns(&p->head->clock, s->next.time);
		if (s->next.len >= 8 && s->time && s->time <= INT64_MAX)
			return 1;
		complain_once(p, "an invalid record in the previous page", s->at);
	}
}

/* --- the oldest of them ----------------------------------------------------------------------- */

static bool older(const struct tracedat_stream *a, const struct tracedat_stream *b)
{
	return a->time != b->time ? a->time < b->time : a < b;
}

static void sink(struct tracedat_pages *p, size_t at)
{
	struct tracedat_stream *s = p->heap[at];

	for (;;) {
		size_t least = 2 * at + 1;

		if (least + 1 < p->nheap && older(p->heap[least + 1], p->heap[least]))
			least++;
		if (least >= p->nheap || !older(p->heap[least], s))
			break;
		p->heap[at] = p->heap[least];
		at = least;
	}
	p->heap[at] = s;
}

static int start_stream(struct tracedat_pages *p, struct tracedat_stream *s)
{
	int ret;

	s->at = s->cpu->at;
	/* Size excludes the number of chunks. */
	s->end = s->at + s->cpu->size + (s->cpu->packed ? 4 : 0);
	s->lost = 0;
	s->ended = false;
	s->page.records = s->page.taken = 0;
	ret = s->cpu->packed ? begin_chunks(p, s) : 0;
	ret = ret ? ret : next_record(p, s);
	if (ret > 0)
		p->heap[p->nheap++] = s;
	s->ended = !ret;
	return ret < 0 ? ret : 0;
}

int tracedat_pages_rewind(struct tracedat_pages *p)
{
	int ret = 0;

	p->nheap = 0;
	p->given = NULL;
	for (size_t i = 0; i < p->nr && !ret; i++)
		ret = start_stream(p, &p->streams[i]);
	for (size_t i = p->nheap / 2; i-- > 0;)
		sink(p, i);
	return ret;
}

/* Move the stream of the last returned record to its next one. */
static int advance_stream(struct tracedat_pages *p)
{
	struct tracedat_stream *s = p->given;
	int ret;

	p->given = NULL;
	if (!s)
		return 0;
	s->lost = 0;
	ret = next_record(p, s);
	if (ret < 0)
		return ret;
	if (!ret) {
		s->ended = true;
		p->heap[0] = p->heap[--p->nheap];
	}
	if (p->nheap)
		sink(p, 0);
	return 0;
}

int tracedat_pages_next(struct tracedat_pages *p, struct tracedat_record *r)
{
	struct tracedat_stream *s;
	int ret = advance_stream(p);

	if (ret)
		return ret;
	if (!p->nheap) {
		for (size_t i = 0; !p->again && i < p->nr; i++)
			settle_losses(p, &p->streams[i]);
		p->again = true;
		return 0;
	}
	s = p->given = p->heap[0];
	*r = (struct tracedat_record){.data = s->next.data,
				      .len = s->next.len,
				      .buffer = s->cpu->buffer,
				      .cpu = s->cpu->cpu,
				      .time = s->time,
				      .lost = s->lost};
	return 1;
}

/* --- opening ---------------------------------------------------------------------------------- */

static int open_stream(struct tracedat_pages *p, struct tracedat_stream *s,
		       const struct tracedat_cpu *cpu, struct err *err)
{
	const struct tracedat_head *h = p->head;
	struct page_layout layout = h->layout;
	int ret;

	s->cpu = cpu;
	if (h->buffers[cpu->buffer].page_size)
		layout.size = h->buffers[cpu->buffer].page_size;
	ret = page_open(&s->page, &layout, err);
	s->open = true;
	s->bytes = ret ? NULL : budget_alloc(&p->head->budget, BUDGET_READING, layout.size);
	return s->bytes ? ret : ret ? ret : -ENOMEM;
}

int tracedat_pages_open(struct tracedat_pages *p, struct tracedat_head *h, struct err *err)
{
	int ret = 0;

	*p = (struct tracedat_pages){.head = h, .nr = h->ncpus};
	p->streams = calloc(p->nr + 1, sizeof(*p->streams));
	p->heap = calloc(p->nr + 1, sizeof(struct tracedat_stream *));
	if (!p->streams || !p->heap)
		return err_room(err, ENOMEM, "the CPUs of a trace.dat");
	for (size_t i = 0; i < p->nr && !ret; i++)
		ret = open_stream(p, &p->streams[i], &h->cpus[i], err);
	if (ret == -ENOMEM && !budget_say(&h->budget, "trace.dat: a page of each of its CPUs", err))
		err_room(err, ENOMEM, "the pages of a trace.dat");
	return ret;
}

void tracedat_pages_close(struct tracedat_pages *p)
{
	for (size_t i = 0; p->streams && i < p->nr; i++) {
		if (p->streams[i].open)
			page_close(&p->streams[i].page);
		budget_free(p->streams[i].bytes);
		budget_free(p->streams[i].chunk);
	}
	perfdata_unpack_clear(&p->unpack);
	budget_free(p->packed);
	free(p->streams);
	free(p->heap);
	*p = (struct tracedat_pages){.head = NULL};
}
