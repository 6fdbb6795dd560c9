/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/decode/perfdata.h"

#include <byteswap.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/vec.h"
#include "files/decode/byteswap.h"
#include "files/decode/perfdata_sections.h"
#include "files/decode/perfdata_state.h"
#include "files/decode/perfdata_wire.h"

#define MAGIC        0x32454c4946524550ull /* "PERFILE2" */
#define MAGIC_OLD    "PERFFILE"            /* of perf before 3.0: text in either byte order */
#define MAGIC_TRACE "\027\010\104tracing" /* a trace.dat: see sources/ftrace/tracedat.h */
#define HEADER_PIPE  16
#define PART         (64u << 10) /* bytes copied at a time */

/*
 * Limit of the bytes that a compressed record may unpack to. It is our own: the COMP_MMAP_LEN in a
 * file is the size of perf's buffer, and zstd may emit in one record the data that it held back of
 * earlier ones.
 */
#define UNPACKED_MAX (1ull << 30)

/* perf's own records, besides those in the header. */
enum {
	HEADER_ATTR = 64,
	HEADER_TYPE = 65,
	HEADER_TRACING_DATA = 66,
	HEADER_BUILD_ID = 67,
	HEADER_FEATURE = 80,
	EVENT_UPDATE = 78,
	COMPRESSED = 81,
	COMPRESSED2 = 83,
	USER_FIRST = 64,
};

/* The newest types known to carry nothing that is needed here: later ones are reported. */
#define KERNEL_NEWEST RECORD_CALLCHAIN_DEFERRED /* 6.19 */
#define PERF_NEWEST   86 /* SCHEDSTAT_DOMAIN, perf 6.16 */

#define UPDATE_NAME 2

int perfdata_broken(struct err *err, uint64_t offset, const char *what)
{
	return err_set(err, EBADMSG, "%s at offset %llu", what, (unsigned long long)offset);
}

void perfdata_complain(struct perfdata *p, uint64_t offset, const char *what)
{
	p->bad_records++;
	if (!p->problem.code)
		perfdata_broken(&p->problem, offset, what);
}

void perfdata_blame(struct perfdata *p, const struct err *problem, uint64_t nr)
{
	p->bad_records += nr;
	if (nr && !p->problem.code)
		p->problem = *problem;
}

void perfdata_remark(struct perfdata *p, const char *remark, bool lost_shared)
{
	p->info.lost_shared = lost_shared;
	snprintf(p->info.remark, sizeof(p->info.remark), "%s", remark);
}

uint64_t perfdata_trace(const struct perfdata *p)
{
	return p->trace;
}

uint64_t perfdata_unknown(const struct perfdata *p, uint32_t *type)
{
	*type = p->unknown_type;
	return p->unknown;
}

const struct err *perfdata_problem(const struct perfdata *p, uint64_t *bad_records)
{
	if (bad_records)
		*bad_records = p->bad_records;
	return &p->problem;
}

static struct perf_event_header get_header(const struct perfdata *p, const void *at)
{
	struct perf_event_header h;

	memcpy(&h, at, sizeof(h));
	if (p->info.swapped)
		byteswap_header(&h);
	return h;
}

uint32_t perfdata_find(const struct perfdata *p, uint64_t id)
{
	return perfdata_ids_find(&p->ids, id);
}

/* --- events ------------------------------------------------------------------------------- */

void perfdata_layout(struct perfdata_event *e)
{
	record_layout_init_attr(&e->layout, &e->attr);
	record_layout_skip(&e->layout, PERF_SAMPLE_AUX); /* traces in files are not decoded */
}

int perfdata_add_event(struct perfdata *p, const void *bytes, size_t size)
{
	struct perfdata_event *e;
	uint8_t raw[PERFDATA_ATTR_MAX];

	if (p->s.nevents >= PERFDATA_EVENTS_MAX || size < PERFDATA_ATTR_MIN || size > sizeof(raw))
		return -EBADMSG;
	if (!vec_reserve(&p->events, &p->cap_events, p->s.nevents + 1u, sizeof(*p->events)))
		return -ENOMEM;
	p->s.events = p->events;
	memcpy(raw, bytes, size);
	if (p->info.swapped)
		byteswap_attr(raw, size);
	e = &p->events[p->s.nevents++];
	memset(e, 0, sizeof(*e));
	memcpy(&e->attr, raw, size < sizeof(e->attr) ? size : sizeof(e->attr));
	perfdata_layout(e);
	perfdata_feature_name(e, NULL, 0);
	return 0;
}

/* Set up look-up by id once all events are known. */
static int settle_events(struct perfdata *p, struct err *err)
{
	const struct record_layout *l;

	if (!p->s.nevents)
		return perfdata_broken(err, p->in.offset, "no event is described; at least one is "
							  "needed");
	l = &p->events[0].layout;
	p->id_at = l->identifier ? l->identifier : l->id;
	p->single = p->s.nevents == 1;
	p->started = true;
	/* an empty slot 0 would seem to hold id 0; no other slot can */
	p->recent[0].event = perfdata_find(p, 0);
	return 0;
}

/* Look up an id in the cache; valid once no more ids are added. */
static uint32_t find_recent(struct perfdata *p, uint64_t id)
{
	struct perfdata_id *s = &p->recent[id & (PERFDATA_RECENT - 1)];

	if (s->id != id)
		*s = (struct perfdata_id){.id = id, .event = perfdata_find(p, id)};
	return s->event;
}

static uint32_t event_of(struct perfdata *p, const struct perf_event_header *h)
{
	uint64_t id = 0;

	if (p->single)
		return 0;
	if (h->type != PERF_RECORD_SAMPLE) {
		id = record_id(&p->events[0].layout, h);
		/* Records that perf synthesized on what existed before have no id. */
		return id ? perfdata_find(p, id) : 0;
	}
	if (!p->id_at)
		return 0;
	if (h->size < p->id_at + 8u)
		return PERFDATA_NO_EVENT;
	memcpy(&id, (const char *)h + p->id_at, sizeof(id));
	return find_recent(p, id);
}

/* Find the event of a record still in the other byte order: ids are at known places. */
static uint32_t event_of_swapped(const struct perfdata *p, const struct perf_event_header *h)
{
	const struct record_layout *l = &p->events[0].layout;
	uint64_t id;
	size_t at = p->id_at;

	if (p->single)
		return 0;
	if (h->type != PERF_RECORD_SAMPLE)
		at = l->trailer_id ? h->size - l->trailer + l->trailer_id - 1u : 0;
	if (!at || at + 8 > h->size || h->size < sizeof(*h) + l->trailer)
		return 0;
	id = perfdata_get64(p, (const char *)h + at);
	return id ? perfdata_find(p, id) : 0;
}

/* --- records of perf's own ---------------------------------------------------------------- */

/* Handlers get the body without its header. They return 0, -EBADMSG, -ENOMEM. */
static int on_attr(struct perfdata *p, uint16_t misc, const char *body, size_t len)
{
	size_t size;
	int ret;

	(void)misc;
	if (p->started || len < PERFDATA_ATTR_MIN)
		return p->started ? 0 : -EBADMSG;
	size = perfdata_get32(p, body + 4);
	size = size ? size : PERFDATA_ATTR_MIN;
	if (size > len)
		return -EBADMSG;
	ret = perfdata_add_event(p, body, size);
	for (size_t at = size; at + 8 <= len && !ret; at += 8)
		ret = perfdata_ids_add(&p->ids, perfdata_get64(p, body + at), p->s.nevents - 1);
	return ret;
}

void perfdata_name_type(struct perfdata *p, const char *type, size_t len)
{
	for (unsigned i = 0; i < p->s.nevents; i++)
		if (p->events[i].attr.type == PERF_TYPE_TRACEPOINT &&
		    p->events[i].attr.config == perfdata_get64(p, type))
			perfdata_feature_name(&p->events[i], type + PERFDATA_TYPE_NAME,
					      len - PERFDATA_TYPE_NAME);
}

/* Read a name that may be cut after its NUL, at a multiple of 8 bytes: writers of streams do so. */
static int on_type(struct perfdata *p, uint16_t misc, const char *body, size_t len)
{
	(void)misc;
	if (len <= PERFDATA_TYPE_NAME)
		return -EBADMSG;
	perfdata_name_type(p, body, len);
	return 0;
}

static int on_build_id(struct perfdata *p, uint16_t misc, const char *body, size_t len)
{
	return perfdata_feature_build_id(&p->s, misc, body, len);
}

static int on_feature(struct perfdata *p, uint16_t misc, const char *body, size_t len)
{
	uint64_t feature;

	(void)misc;
	if (len < 8)
		return -EBADMSG;
	feature = perfdata_get64(p, body);
	return feature < PERFDATA_FEATURES
	       ? perfdata_feature(&p->s, (unsigned)feature, body + 8, len - 8) : 0;
}

static int on_update(struct perfdata *p, uint16_t misc, const char *body, size_t len)
{
	uint32_t event;

	(void)misc;
	if (len < 17)
		return -EBADMSG;
	event = perfdata_find(p, perfdata_get64(p, body + 8));
	if (perfdata_get64(p, body) == UPDATE_NAME && event < p->s.nevents && !p->started)
		snprintf(p->events[event].name, sizeof(p->events[event].name), "%.*s",
			 (int)strnlen(body + 16, len - 16), body + 16);
	return 0;
}

static const struct {
	uint32_t type;
	int (*on)(struct perfdata *p, uint16_t misc, const char *body, size_t len);
} own[] = {
	{HEADER_ATTR, on_attr}, {HEADER_TYPE, on_type}, {HEADER_BUILD_ID, on_build_id},
	{HEADER_FEATURE, on_feature}, {EVENT_UPDATE, on_update},
};

static int handle_own_record(struct perfdata *p, const struct perf_event_header *h,
			     const char *body, uint64_t offset)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (own[i].type == h->type)
			ret = own[i].on(p, h->misc, body, h->size - sizeof(*h));
	if (ret == -EBADMSG) {
		perfdata_complain(p, offset, "a record whose size or type is wrong");
		ret = 0;
	}
	return ret;
}

/* Return the bytes that follow the record without being part of it. */
static uint64_t payload_of(const struct perfdata *p, const struct perf_event_header *h,
			   const char *body)
{
	if (h->type == HEADER_TRACING_DATA && h->size >= sizeof(*h) + 4)
		return perfdata_get32(p, body);
	if (h->type == PERFDATA_AUXTRACE && h->size >= sizeof(*h) + 8)
		return perfdata_get64(p, body);
	return 0;
}

/* --- the stream --------------------------------------------------------------------------- */

/* Report a truncated file. The end of a killed recording is expected, and reported already. */
static int cut_off(const struct perfdata *p, struct err *err)
{
	return p->unfinished ? 0 : perfdata_broken(err, p->in.offset, "the file is cut off");
}

/* Get a whole record of the main input. Return 1, 0 at its end, -errno. */
static int peek_main(struct perfdata *p, struct perf_event_header *h, char **bytes, struct err *err)
{
	ssize_t n = perfdata_input_peek(&p->in, sizeof(*h), bytes);

	if (n == 0 && (p->in.limit == UINT64_MAX || p->in.offset == p->in.limit))
		return 0;
	if (n < 0)
		return err_set(err, (int)-n, "cannot read at offset %llu: %s",
			       (unsigned long long)p->in.offset, strerror((int)-n));
	if (n < (ssize_t)sizeof(*h))
		return cut_off(p, err);
	*h = get_header(p, *bytes);
	/* A killed recording ends with disk space that was reserved but not written. */
	if (h->size < sizeof(*h))
		return p->unfinished && !h->type && !h->size
			       ? 0
			       : perfdata_broken(err, p->in.offset, "a record of size 0");
	n = perfdata_input_peek(&p->in, h->size, bytes);
	if (n < 0)
		return err_set(err, (int)-n, "cannot read at offset %llu: %s",
			       (unsigned long long)p->in.offset, strerror((int)-n));
	return n < h->size ? cut_off(p, err) : 1;
}

static int peek_unpacked(struct perfdata *p, struct perf_event_header *h, char **bytes,
			 struct err *err)
{
	struct err why = {.code = 0};
	ssize_t n = perfdata_unpack_peek(&p->unpack, sizeof(*h), bytes, &why);

	if (n == (ssize_t)sizeof(*h)) {
		*h = get_header(p, *bytes);
		if (h->size < sizeof(*h) || h->type == COMPRESSED || h->type == COMPRESSED2)
			return perfdata_broken(err, p->packet,
					       "a broken record inside the compressed ones");
		n = perfdata_unpack_peek(&p->unpack, h->size, bytes, &why);
		if (n == h->size)
			return 1;
	}
	if (n < 0)
		return perfdata_broken(err, p->packet, why.text);
	return 0; /* the rest comes with the next packet */
}

static int give_packet(struct perfdata *p, const struct perf_event_header *h, const char *bytes,
		       struct err *err)
{
	uint64_t len = h->size - sizeof(*h);
	const char *packed = bytes + sizeof(*h);

	if (h->type == COMPRESSED2) {
		uint64_t size = len >= 8 ? perfdata_get64(p, packed) : UINT64_MAX;

		if (len < 8 || size > len - 8)
			return perfdata_broken(err, p->in.offset, "a compressed record of size 0");
		packed += 8;
		len = size;
	}
	p->packet = p->in.offset;
	if (perfdata_unpack_give(&p->unpack, packed, len, UNPACKED_MAX))
		return err_set(err, ENOMEM, "out of memory");
	return 0;
}

/* Fill rec from the record at bytes; its header is *h. */
static void make_record(struct perfdata *p, const struct perf_event_header *h, char *bytes,
			uint64_t offset, struct perfdata_record *rec)
{
	struct perf_event_header *at;
	const struct record_layout *l;

	/* Compressed packets need not end at a multiple of 8. */
	if ((uintptr_t)bytes & 7)
		bytes = memcpy(p->aligned, bytes, h->size);
	at = (struct perf_event_header *)(void *)bytes;
	*rec = (struct perfdata_record){.h = at, .event = 0, .offset = offset};
	if (p->info.swapped)
		*at = *h;
	if (h->type >= USER_FIRST)
		return;
	if (p->info.swapped) {
		uint32_t event = event_of_swapped(p, at);

		byteswap_record(&p->events[event < p->s.nevents ? event : 0].layout, at);
	}
	if (p->s.nevents)
		record_mend(&p->events[0].layout, at);
	rec->event = event_of(p, at);
	if (rec->event == PERFDATA_NO_EVENT)
		return;
	l = &p->events[rec->event].layout;
	if (h->type != PERF_RECORD_SAMPLE)
		rec->time = record_time(l, at);
	else if (l->time && h->size >= l->time + 8u)
		memcpy(&rec->time, bytes + l->time, sizeof(rec->time));
	rec->time = rec->time == UINT64_MAX ? 0 : rec->time;
}

static bool is_own(uint32_t type)
{
	return type >= USER_FIRST && type != PERFDATA_FINISHED_ROUND;
}

static void note_type(struct perfdata *p, uint32_t type)
{
	if (type <= KERNEL_NEWEST || (type >= USER_FIRST && type <= PERF_NEWEST))
		return;
	if (!p->unknown++)
		p->unknown_type = type;
}

/*
 * Read the data after a TRACING_DATA record, which comes before all kernel records. Return 0,
 * -ENODATA (the file ends within it), -errno.
 */
static int take_tracing(struct perfdata *p, uint64_t len)
{
	char *bytes = malloc(len), *part;
	uint64_t got = 0;
	ssize_t n = 0;
	int ret;

	if (!bytes)
		return -ENOMEM;
	while (got < len &&
	       (n = perfdata_input_peek(&p->in, len - got < PART ? (size_t)(len - got) : PART,
					&part)) > 0) {
		memcpy(bytes + got, part, (size_t)n);
		perfdata_input_take(&p->in, (size_t)n);
		got += (uint64_t)n;
	}
	if (got < len) {
		ret = n < 0 ? (int)n : -ENODATA;
	} else {
		ret = perfdata_feature(&p->s, PERFDATA_TRACING_DATA, bytes, len);
		if (ret == -EBADMSG)
			perfdata_complain(p, p->in.offset,
					  "formats of tracepoints that cannot be read");
		ret = ret == -EBADMSG ? 0 : ret;
	}
	free(bytes);
	return ret;
}

/* Process a record of the main input that is not returned to the caller. Return 0 or -errno. */
static int swallow(struct perfdata *p, const struct perf_event_header *h, char *bytes,
		   struct err *err)
{
	uint64_t payload = payload_of(p, h, bytes + sizeof(*h));
	int ret = handle_own_record(p, h, bytes + sizeof(*h), p->in.offset);

	if (ret)
		return h->type == HEADER_ATTR ? perfdata_ids_explain(&p->ids, -ret, err)
					      : err_set(err, -ret, "out of memory");
	perfdata_input_take(&p->in, h->size);
	if (h->type == HEADER_TRACING_DATA && payload && payload <= PERFDATA_SECTION_MAX &&
	    !p->started)
		ret = take_tracing(p, payload);
	else if (payload && perfdata_input_skip(&p->in, payload))
		ret = -ENODATA;
	if (ret == -ENOMEM)
		return err_set(err, ENOMEM, "out of memory");
	if (ret)
		return cut_off(p, err);
	if (h->type == PERFDATA_AUXTRACE)
		p->trace += payload;
	return 0;
}

int perfdata_next(struct perfdata *p, struct perfdata_record *rec, struct err *err)
{
	struct perf_event_header h;
	char *bytes;
	int ret;

	if (p->feed)
		return perfdata_next_fed(p, rec, err);
	for (;;) {
		/* The record that was returned last is done with. */
		if (p->unpacked_taken)
			perfdata_unpack_take(&p->unpack, p->unpacked_taken);
		if (p->taken)
			perfdata_input_take(&p->in, p->taken);
		p->unpacked_taken = p->taken = 0;
		ret = p->unpack.stream ? peek_unpacked(p, &h, &bytes, err) : 0;
		if (ret < 0)
			return ret;
		if (ret) {
			p->unpacked_taken = h.size;
			note_type(p, h.type);
			if (is_own(h.type))
				continue;
			make_record(p, &h, bytes, p->packet, rec);
			return 1;
		}
		ret = peek_main(p, &h, &bytes, err);
		if (ret <= 0)
			return ret;
		if (h.type == COMPRESSED || h.type == COMPRESSED2) {
			ret = give_packet(p, &h, bytes, err);
			if (ret)
				return ret;
			/*
			 * The packet stays in place until it is used up: unpacking reads no input.
			 */
			perfdata_input_take(&p->in, h.size);
			continue;
		}
		note_type(p, h.type);
		if (!is_own(h.type)) {
			p->taken = h.size;
			make_record(p, &h, bytes, p->in.offset, rec);
			return 1;
		}
		ret = swallow(p, &h, bytes, err);
		if (ret)
			return ret;
	}
}

/* --- opening ------------------------------------------------------------------------------ */

/* Read a stream up to the first kernel record: these records describe the events. */
static int read_preamble(struct perfdata *p, struct err *err)
{
	struct perf_event_header h;
	char *bytes;
	int ret;

	while ((ret = peek_main(p, &h, &bytes, err)) > 0) {
		if (!is_own(h.type) || h.type == COMPRESSED || h.type == COMPRESSED2 ||
		    h.type == PERFDATA_AUXTRACE)
			break;
		ret = swallow(p, &h, bytes, err);
		if (ret)
			return ret;
	}
	return ret < 0 ? ret : 0;
}

/* Detect the byte order. Return false if this is not a perf.data file. */
static bool read_magic(struct perfdata *p, const char *bytes)
{
	uint64_t magic, size;

	memcpy(&magic, bytes, sizeof(magic));
	memcpy(&size, bytes + sizeof(magic), sizeof(size));
	if (!memcmp(bytes, MAGIC_OLD, sizeof(magic))) /* sizes are below 2^32 */
		p->info.swapped = size > UINT32_MAX;
	else
		p->info.swapped = magic == bswap_64(MAGIC);
	p->s.swap = p->info.swapped;
	return p->info.swapped || magic == MAGIC || !memcmp(bytes, MAGIC_OLD, sizeof(magic));
}

static int open_header(struct perfdata *p, struct err *err)
{
	char *bytes, header[PERFDATA_HEADER] = "";
	ssize_t n = perfdata_input_peek(&p->in, HEADER_PIPE, &bytes);
	uint64_t size;

	if (n < 0)
		return err_set(err, (int)-n, "cannot read: %s", strerror((int)-n));
	if (n >= HEADER_PIPE && !memcmp(bytes, MAGIC_TRACE, strlen(MAGIC_TRACE)))
		return err_set(err, ESPIPE,
			       "a trace.dat is read twice, so it must be a file, not a pipe");
	if (n < HEADER_PIPE || !read_magic(p, bytes))
		return perfdata_broken(
			err, 0, "not a perf.data file: its first bytes are not PERFILE2 or "
				"PERFFILE");
	size = perfdata_get64(p, bytes + 8);
	if (size == HEADER_PIPE) {
		p->info.pipe = true;
		p->info.data = HEADER_PIPE;
		p->info.data_end = UINT64_MAX;
		perfdata_input_take(&p->in, HEADER_PIPE);
		return read_preamble(p, err);
	}
	if (size == PERFDATA_HEADER || size == PERFDATA_HEADER_OLD)
		n = perfdata_input_peek(&p->in, size, &bytes);
	if ((size != PERFDATA_HEADER && size != PERFDATA_HEADER_OLD) || n < (ssize_t)size)
		return perfdata_broken(err, 8, "a broken file header");
	if (!p->in.source->seekable)
		return err_set(err, ESPIPE, "this format cannot be read from a pipe: "
					    "save it to a file first");
	memcpy(header, bytes, size);
	return perfdata_open_sections(p, header, size, err);
}

struct perfdata *perfdata_open(const struct perfdata_source *source, struct err *err)
{
	struct perfdata *p = calloc(1, sizeof(*p));
	int ret = -ENOMEM;

	if (p) {
		p->s.info = &p->info;
		ret = perfdata_input_init(&p->in, source);
	}
	if (ret)
		err_set(err, ENOMEM, "out of memory");
	else
		ret = open_header(p, err);
	if (!ret)
		ret = settle_events(p, err);
	if (!ret)
		return p;
	perfdata_close(p);
	return NULL;
}

void perfdata_close(struct perfdata *p)
{
	if (!p)
		return;
	perfdata_feature_clear(&p->s);
	free(p->events);
	perfdata_ids_clear(&p->ids);
	perfdata_unpack_clear(&p->unpack);
	perfdata_input_clear(&p->in);
	free(p);
}

const struct perfdata_info *perfdata_info(const struct perfdata *p)
{
	return &p->info;
}

unsigned perfdata_events(const struct perfdata *p)
{
	return p->s.nevents;
}

const struct perfdata_event *perfdata_event(const struct perfdata *p, unsigned i)
{
	return &p->events[i];
}

size_t perfdata_build_ids(const struct perfdata *p)
{
	return p->s.nids;
}

const struct perfdata_build_id *perfdata_build_id(const struct perfdata *p, size_t i)
{
	return &p->s.ids[i];
}

size_t perfdata_formats(const struct perfdata *p)
{
	return p->s.nformats;
}

const struct perfdata_format *perfdata_format(const struct perfdata *p, size_t i)
{
	return &p->s.formats[i];
}

const char *perfdata_kallsyms(const struct perfdata *p, size_t *len)
{
	*len = p->s.nkallsyms;
	return p->s.kallsyms;
}

const char *perfdata_printk(const struct perfdata *p, size_t *len)
{
	*len = p->s.nprintk;
	return p->s.printk;
}
