/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every record begins with a header of unknown size, which is filled in when the record ends: its
 * size is a multiple of 8 and fits into 16 bits, or the record is removed and `failed` set.
 */
#include "files/decode/perfwrite.h"

#include <string.h>
#include <sys/mman.h>

#include "base/vec.h"

#define MAGIC      0x32454c4946524550ull /* "PERFILE2" */
#define STRING_PAD 64
#define LEN_MAX    (1ull << 30)
#define MISC_BUILD_ID_SIZE (1u << 15)

/* perf's own records, besides those in the header. */
enum {
	FINISHED_ROUND = 68, ID_INDEX = 69, AUXTRACE_INFO = 70, AUXTRACE = 71,
};

#define INDEX_MOST 2000 /* entries of one record, which is limited to 64 KiB */

void perfwrite_clear(struct perfwrite *w)
{
	free(w->data);
	*w = (struct perfwrite){0};
}

static char *grow_output(struct perfwrite *w, size_t len)
{
	char *at;

	if (w->failed || len > LEN_MAX - w->len ||
	    !vec_reserve(&w->data, &w->cap, w->len + len, 1)) {
		w->failed = true;
		return NULL;
	}
	at = w->data + w->len;
	w->len += len;
	return at;
}

void perfwrite_bytes(struct perfwrite *w, const void *bytes, size_t len)
{
	char *at = len ? grow_output(w, len) : NULL;

	if (at)
		memcpy(at, bytes, len);
}

static void zeros(struct perfwrite *w, size_t len)
{
	char *at = len ? grow_output(w, len) : NULL;

	if (at)
		memset(at, 0, len);
}

void perfwrite_u32(struct perfwrite *w, uint32_t v)
{
	perfwrite_bytes(w, &v, sizeof(v));
}

void perfwrite_u64(struct perfwrite *w, uint64_t v)
{
	perfwrite_bytes(w, &v, sizeof(v));
}

/* --- the file ----------------------------------------------------------------------------- */

/* Return the smallest size that holds all fields used, at least 128 (of Linux 5.13). */
static uint32_t attr_size(const struct perf_event_attr *attr)
{
	const uint8_t *bytes = (const uint8_t *)attr;
	uint32_t size = sizeof(*attr);

	while (size > 128 && !bytes[size - 1])
		size--;
	return (size + 7) & ~7u;
}

static uint32_t attrs_size(const struct perfwrite_event *events, unsigned nr)
{
	uint32_t most = 0;

	for (unsigned i = 0; i < nr; i++)
		most = attr_size(events[i].attr) > most ? attr_size(events[i].attr) : most;
	return most;
}

static void put_attr(struct perfwrite *w, const struct perf_event_attr *attr, uint32_t size)
{
	struct perf_event_attr a = *attr;

	a.size = size;
	perfwrite_bytes(w, &a, size < sizeof(a) ? size : sizeof(a));
	zeros(w, size < sizeof(a) ? 0 : size - sizeof(a));
}

void perfwrite_events(struct perfwrite *w, uint64_t at, const struct perfwrite_event *events,
		      unsigned nr, struct perfwrite_section *attrs)
{
	uint32_t size = attrs_size(events, nr);
	size_t before = w->len;
	uint64_t ids = at;

	for (unsigned i = 0; i < nr; i++)
		perfwrite_bytes(w, events[i].ids, events[i].nids * sizeof(uint64_t));
	attrs->offset = at + (w->len - before);
	attrs->size = (uint64_t)nr * (size + 16);
	for (unsigned i = 0; i < nr; i++) {
		put_attr(w, events[i].attr, size);
		perfwrite_u64(w, ids);
		perfwrite_u64(w, events[i].nids * sizeof(uint64_t));
		ids += events[i].nids * sizeof(uint64_t);
	}
}

void perfwrite_header(struct perfwrite *w, unsigned nevents, struct perfwrite_section attrs,
		      struct perfwrite_section data, uint64_t features)
{
	const uint64_t head[13] = {
		MAGIC, PERFWRITE_HEADER, nevents ? attrs.size / nevents : 0,
		attrs.offset, attrs.size, data.offset, data.size,
		0, 0, /* event types: unused since 3.10 */
		features,
	};

	_Static_assert(sizeof(head) == PERFWRITE_HEADER, "the header's size is fixed");
	perfwrite_bytes(w, head, sizeof(head));
}

/* --- records ------------------------------------------------------------------------------ */

static size_t start_record(struct perfwrite *w, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = w->len;

	perfwrite_bytes(w, &h, sizeof(h));
	return at;
}

/* Fill in the size of the record begun at `at`. */
static void set_size(struct perfwrite *w, size_t at)
{
	uint16_t size = (uint16_t)(w->len - at);

	if (w->len - at > UINT16_MAX)
		w->failed = true;
	if (w->failed)
		w->len = at;
	else
		memcpy(w->data + at + offsetof(struct perf_event_header, size), &size,
		       sizeof(size));
}

static void finish_record(struct perfwrite *w, size_t at)
{
	w->failed |= (w->len - at) & 7;
	set_size(w, at);
}

static void put_id(struct perfwrite *w, const struct perfwrite_id *id)
{
	static const struct perfwrite_id none;
	const uint64_t unused = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;

	id = id ? id : &none;
	if (w->trailer & PERF_SAMPLE_TID) {
		perfwrite_u32(w, id->pid);
		perfwrite_u32(w, id->tid);
	}
	if (w->trailer & PERF_SAMPLE_TIME)
		perfwrite_u64(w, id->time);
	for (uint64_t bits = w->trailer & unused; bits; bits &= bits - 1)
		perfwrite_u64(w, id->id);
	if (w->trailer & PERF_SAMPLE_CPU)
		perfwrite_u64(w, id->cpu); /* and a reserved word */
	if (w->trailer & PERF_SAMPLE_IDENTIFIER)
		perfwrite_u64(w, id->id);
}

void perfwrite_again(struct perfwrite *w, const struct perf_event_header *h, size_t body,
		     const struct perfwrite_id *id)
{
	size_t at = w->len, size;
	uint16_t whole;

	perfwrite_bytes(w, h, body);
	put_id(w, id);
	size = w->len - at;
	whole = (uint16_t)size;
	if (w->failed)
		return;
	if (size > UINT16_MAX)
		w->len = at; /* never happens: the kernel's records are far shorter */
	else
		memcpy(w->data + at + offsetof(struct perf_event_header, size), &whole,
		       sizeof(whole));
}

/* Append a name, its NUL, and padding up to 8 bytes. */
static void put_padded_name(struct perfwrite *w, const char *name, size_t max)
{
	size_t len = strnlen(name, max - 1);

	perfwrite_bytes(w, name, len);
	zeros(w, 8 - (len & 7));
}

#define PATH_LEN 4096

/* Append the fields that MMAP and MMAP2 share. */
static void put_map_head(struct perfwrite *w, const struct record_mmap *m)
{
	perfwrite_u32(w, m->pid);
	perfwrite_u32(w, m->tid);
	perfwrite_u64(w, m->addr);
	perfwrite_u64(w, m->len);
	perfwrite_u64(w, m->pgoff);
}

void perfwrite_kernel_map(struct perfwrite *w, const struct record_mmap *m)
{
	size_t at = start_record(w, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	put_map_head(w, m);
	put_padded_name(w, m->filename, PATH_LEN);
	put_id(w, NULL);
	finish_record(w, at);
}

void perfwrite_map(struct perfwrite *w, const struct record_mmap *m)
{
	/* The kernel marks maps without PROT_EXEC like this; 0: protection not known. */
	const bool data = m->prot && !(m->prot & PROT_EXEC);
	size_t at = start_record(w, PERF_RECORD_MMAP2,
				 PERF_RECORD_MISC_USER | (data ? PERF_RECORD_MISC_MMAP_DATA : 0));

	put_map_head(w, m);
	perfwrite_u32(w, m->maj);
	perfwrite_u32(w, m->min);
	perfwrite_u64(w, m->ino);
	perfwrite_u64(w, 0); /* generation of the inode */
	perfwrite_u32(w, m->prot);
	perfwrite_u32(w, 2 /* MAP_PRIVATE */);
	put_padded_name(w, m->filename, PATH_LEN);
	put_id(w, NULL);
	finish_record(w, at);
}

void perfwrite_comm(struct perfwrite *w, const struct record_comm *c)
{
	size_t at = start_record(w, PERF_RECORD_COMM, c->exec ? PERF_RECORD_MISC_COMM_EXEC : 0);

	perfwrite_u32(w, c->pid);
	perfwrite_u32(w, c->tid);
	put_padded_name(w, c->comm, 64);
	put_id(w, NULL);
	finish_record(w, at);
}

void perfwrite_fork(struct perfwrite *w, const struct record_task *t)
{
	size_t at = start_record(w, PERF_RECORD_FORK, PERF_RECORD_MISC_FORK_EXEC);

	perfwrite_u32(w, t->pid);
	perfwrite_u32(w, t->ppid);
	perfwrite_u32(w, t->tid);
	perfwrite_u32(w, t->ptid);
	perfwrite_u64(w, 0); /* time */
	put_id(w, NULL);
	finish_record(w, at);
}

void perfwrite_lost(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost)
{
	size_t at = start_record(w, PERF_RECORD_LOST, 0);

	perfwrite_u64(w, id->id);
	perfwrite_u64(w, lost);
	put_id(w, id);
	finish_record(w, at);
}

void perfwrite_lost_samples(struct perfwrite *w, const struct perfwrite_id *id, uint64_t lost)
{
	size_t at = start_record(w, PERF_RECORD_LOST_SAMPLES, 0);

	perfwrite_u64(w, lost);
	put_id(w, id);
	finish_record(w, at);
}

void perfwrite_round(struct perfwrite *w)
{
	finish_record(w, start_record(w, FINISHED_ROUND, 0));
}

void perfwrite_id_index(struct perfwrite *w, const struct perfwrite_index *index, size_t nr)
{
	while (nr) {
		size_t n = nr < INDEX_MOST ? nr : INDEX_MOST, at = start_record(w, ID_INDEX, 0);

		perfwrite_u64(w, n);
		perfwrite_bytes(w, index, n * sizeof(*index));
		finish_record(w, at);
		index += n;
		nr -= n;
	}
}

void perfwrite_auxtrace_info(struct perfwrite *w, uint32_t type, const uint64_t *words, unsigned nr)
{
	size_t at = start_record(w, AUXTRACE_INFO, 0);

	perfwrite_u32(w, type);
	perfwrite_u32(w, 0);
	perfwrite_bytes(w, words, (size_t)nr * sizeof(*words));
	finish_record(w, at);
}

void perfwrite_auxtrace(struct perfwrite *w, const struct perfwrite_auxtrace *a)
{
	size_t at = start_record(w, AUXTRACE, 0);

	perfwrite_u64(w, a->size + perfwrite_padding(a->size));
	perfwrite_u64(w, a->offset);
	perfwrite_u64(w, a->reference);
	perfwrite_u32(w, a->idx);
	perfwrite_u32(w, (uint32_t)a->tid);
	perfwrite_u32(w, (uint32_t)a->cpu);
	perfwrite_u32(w, 0);
	finish_record(w, at);
}

/* --- contents of features ----------------------------------------------------------------- */

void perfwrite_string(struct perfwrite *w, const char *text)
{
	size_t len = strlen(text) + 1, padded = (len + STRING_PAD - 1) / STRING_PAD * STRING_PAD;

	perfwrite_u32(w, (uint32_t)padded);
	perfwrite_bytes(w, text, len);
	zeros(w, padded - len);
}

void perfwrite_event_desc(struct perfwrite *w, const struct perfwrite_event *events, unsigned nr)
{
	uint32_t size = attrs_size(events, nr);

	perfwrite_u32(w, nr);
	perfwrite_u32(w, size);
	for (unsigned i = 0; i < nr; i++) {
		put_attr(w, events[i].attr, size);
		perfwrite_u32(w, (uint32_t)events[i].nids);
		perfwrite_string(w, events[i].name);
		perfwrite_bytes(w, events[i].ids, events[i].nids * sizeof(uint64_t));
	}
}

void perfwrite_build_id(struct perfwrite *w, const char *path, const struct build_id *id,
			bool kernel)
{
	uint8_t bytes[BUILD_ID_RECORD + 4] = {[BUILD_ID_RECORD] = id->len};
	size_t name = strnlen(path, PATH_LEN - 1);
	size_t padded = (name + 1 + STRING_PAD - 1) / STRING_PAD * STRING_PAD;
	size_t at;

	if (!id->len || id->len > BUILD_ID_RECORD)
		return;
	at = start_record(w, 0, (kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER) |
				MISC_BUILD_ID_SIZE);
	memcpy(bytes, id->bytes, id->len);
	perfwrite_u32(w, UINT32_MAX); /* the host's kernel, not a guest's */
	perfwrite_bytes(w, bytes, sizeof(bytes));
	perfwrite_bytes(w, path, name);
	/* Including the pid the size is no multiple of 8: this is not a record of the stream. */
	zeros(w, padded - name);
	set_size(w, at);
}
