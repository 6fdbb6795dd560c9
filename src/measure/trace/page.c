/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/page.h"

#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <traceevent/kbuffer.h>

#define HEADER_TEXT   1024u /* events/header_page has 205 bytes */
#define TIME_BYTES    8u
#define COMMIT_MASK   ((1u << 27) - 1)
#define MISSED_EVENTS (1u << 31)
#define MISSED_STORED (1u << 30)

/* --- the layout ------------------------------------------------------------------------------- */

struct page_layout page_layout_host(uint32_t size)
{
	return (struct page_layout){.long_size = sizeof(long),
				    .big_endian = __BYTE_ORDER == __BIG_ENDIAN,
				    .data = TIME_BYTES + sizeof(long),
				    .size = size};
}

struct head_field {
	const char *name;
	unsigned offset, size;
};

/* Find a line like "field: local_t commit; offset:8; size:8; signed:1;" by its field's name. */
static bool find_header_field(const char *text, struct head_field *f)
{
	char name[32];

	for (const char *at = strstr(text, "field:"); at; at = strstr(at + 1, "field:"))
		if (sscanf(at, "field: %*[A-Za-z0-9_] %31[a-z]; offset:%9u; size:%9u;", name,
			   &f->offset, &f->size) == 3 &&
		    !strcmp(name, f->name))
			return true;
	return false;
}

int page_layout_parse(const char *text, size_t len, bool big_endian, struct page_layout *l,
		      struct err *err)
{
	struct head_field time = {.name = "timestamp"}, commit = {.name = "commit"},
			  data = {.name = "data"};
	char copy[HEADER_TEXT];

	if (len >= sizeof(copy))
		return err_set(err, EINVAL,
			       "header_page has %zu bytes: not the kernel's format", len);
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (!find_header_field(copy, &time) || !find_header_field(copy, &commit) ||
	    !find_header_field(copy, &data))
		return err_set(err, EINVAL, "header_page lacks timestamp, commit or data");
	if (time.offset || time.size != TIME_BYTES || commit.offset != TIME_BYTES ||
	    (commit.size != 4 && commit.size != 8) || data.offset != TIME_BYTES + commit.size)
		return err_set(err, EINVAL,
			       "header_page: data at %u, after %u bytes of commit at %u and %u of "
			       "time at %u, is not a readable page layout",
			       data.offset, commit.size, commit.offset, time.size, time.offset);
	if (!data.size || data.size > PAGE_BYTES_MOST)
		return err_set(err, EINVAL, "header_page: a page with %u bytes of data", data.size);
	*l = (struct page_layout){.long_size = (uint8_t)commit.size,
				  .big_endian = big_endian,
				  .data = data.offset,
				  .size = data.offset + data.size};
	return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

int page_open(struct page *p, const struct page_layout *l, struct err *err)
{
	*p = (struct page){.layout = *l};
	p->kbuf = kbuffer_alloc(l->long_size == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
				l->big_endian ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	return p->kbuf ? 0 : err_room(err, ENOMEM, "a reader of ftrace's pages");
}

void page_close(struct page *p)
{
	kbuffer_free(p->kbuf);
	*p = (struct page){.kbuf = NULL};
}

/* --- checks of a page ------------------------------------------------------------------------- */

static inline uint32_t word_at(const struct page *p, const char *at)
{
	uint32_t w;

	memcpy(&w, at, sizeof(w));
	return p->layout.big_endian ? be32toh(w) : le32toh(w);
}

static uint64_t long_at(const struct page *p, const char *at)
{
	uint64_t w;

	if (p->layout.long_size == 4)
		return word_at(p, at);
	memcpy(&w, at, sizeof(w));
	return p->layout.big_endian ? be64toh(w) : le64toh(w);
}

static uint64_t page_time_at(const struct page *p, const char *at)
{
	uint64_t w;

	memcpy(&w, at, sizeof(w));
	return p->layout.big_endian ? be64toh(w) : le64toh(w);
}

/* Read the number of missed events, which is behind the committed data if there was room for it. */
static int load_missed(struct page *p, const char *data, size_t room, uint64_t commit,
		       struct err *err)
{
	p->missed = commit & MISSED_EVENTS ? PAGE_MISSED_UNKNOWN : 0;
	if (!(commit & MISSED_EVENTS) || !(commit & MISSED_STORED))
		return 0;
	if (room - p->committed < p->layout.long_size)
		return err_set(err, EBADMSG,
			       "the number of missed events lies beyond the end of a page");
	p->missed = long_at(p, data + p->committed);
	return 0;
}

struct step {
	uint64_t bytes; /* from a header to the next; 0: the page has no more records */
	bool record;
};

static inline struct step step_at(const struct page *p, const char *at, size_t left)
{
	uint32_t head = word_at(p, at), type = p->layout.big_endian ? head >> 27 : head & 31;
	uint32_t delta = p->layout.big_endian ? head & ((1u << 27) - 1) : head >> 5, array;

	if (type && type < KBUFFER_TYPE_PADDING)
		return (struct step){4 + 4 * (uint64_t)type, true};
	if (type == KBUFFER_TYPE_PADDING && !delta)
		return (struct step){0, false};
	if (left < 8)
		return (struct step){8, false};
	if (type == KBUFFER_TYPE_TIME_EXTEND || type == KBUFFER_TYPE_TIME_STAMP)
		return (struct step){8, false};
	array = word_at(p, at + 4);
	if (type == KBUFFER_TYPE_PADDING)
		return (struct step){4 + (uint64_t)array, false};
	/* The length includes its own word, so less than 4 is invalid. */
	return (struct step){array < 4 ? UINT64_MAX : 8 + (((uint64_t)array - 4 + 3) & ~3ull),
			     true};
}

/* Count the whole records of a page. */
static int count_records(struct page *p, const char *data, struct err *err)
{
	size_t at = 0;

	while (at < p->committed) {
		size_t left = p->committed - at;
		struct step s = left < 4 ? (struct step){4, false} : step_at(p, data + at, left);

		if (!s.bytes)
			return 0;
		if (s.bytes > left || s.bytes % 4)
			return err_set(
			    err, EBADMSG,
			    "%zu of %u bytes of a page are valid: at %zu a record crosses its end",
			    at, p->committed, p->layout.data + at);
		p->records += s.record;
		at += (size_t)s.bytes;
	}
	return 0;
}

int page_load(struct page *p, const void *bytes, size_t size, struct err *err)
{
	const char *data = (const char *)bytes + p->layout.data;
	uint64_t commit;
	int ret;

	p->records = p->taken = p->committed = 0;
	p->data = data;
	p->time = p->missed = 0;
	if (size < p->layout.data)
		return err_set(err, EBADMSG, "a page of %zu bytes ends within its header", size);
	p->time = page_time_at(p, bytes);
	commit = long_at(p, (const char *)bytes + TIME_BYTES);
	if ((commit & COMMIT_MASK) > size - p->layout.data)
		return err_set(err, EBADMSG,
			       "a page of %zu bytes claims to have %" PRIu64 " of data", size,
			       commit & COMMIT_MASK);
	p->committed = commit & COMMIT_MASK;
	ret = load_missed(p, data, size - p->layout.data, commit, err);
	ret = ret ? ret : count_records(p, data, err);
	/* In a page without records kbuffer would look for one behind its end. */
	if (p->records)
		kbuffer_load_subbuffer(p->kbuf, (void *)(uintptr_t)bytes);
	return ret;
}

bool page_next(struct page *p, struct page_record *r)
{
	unsigned long long time;

	if (p->taken == p->records)
		return false;
	r->data =
	    p->taken++ ? kbuffer_next_event(p->kbuf, &time) : kbuffer_read_event(p->kbuf, &time);
	r->time = time;
	r->len = (uint32_t)kbuffer_event_size(p->kbuf);
	r->at = (uint32_t)((const char *)r->data - p->data);
	return true;
}
