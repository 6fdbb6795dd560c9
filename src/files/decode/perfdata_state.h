/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_state - the fields of struct perfdata, for perfdata.c, perfdata_sections.c and
 * perfdata_wire.c alone.
 * Threads: one owner.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_STATE_H
#define RINGTOP_FILES_DECODE_PERFDATA_STATE_H

#include <byteswap.h>
#include <string.h>

#include "base/wire.h"
#include "files/decode/perfdata.h"
#include "files/decode/perfdata_feature.h"
#include "files/decode/perfdata_ids.h"

#define PERFDATA_RECENT 8 /* a power of two */
#define PERFDATA_EVENTS_MAX 4096
#define PERFDATA_TYPE_SIZE 72 /* bytes of a named tracepoint in a file: its id, 64 bytes of text */
#define PERFDATA_TYPE_NAME 8  /* offset of the text */
#define PERFDATA_ATTR_MIN 64 /* PERF_ATTR_SIZE_VER0 */
#define PERFDATA_ATTR_MAX 4096

struct perfdata {
	struct perfdata_input in;
	struct perfdata_unpack unpack;
	struct perfdata_sections s;
	struct perfdata_info info;
	struct perfdata_event *events;
	size_t cap_events;
	struct perfdata_ids ids;
	/* cache by an id's low bits: samples repeat few ids */
	struct perfdata_id recent[PERFDATA_RECENT];
	uint16_t id_at;      /* offset of the id in samples, 0: none */
	bool started;        /* a kernel record was seen: events are fixed */
	bool single;         /* there is one event: all records are its */
	bool unfinished;     /* perf was killed: the last record may be cut */
	uint64_t packet;     /* offset of the packet being unpacked */
	/* bytes of the last record in the main input, and in the unpacked data */
	size_t taken;
	size_t unpacked_taken;
	struct err problem;
	uint64_t bad_records;
	uint64_t bad_there;  /* the part of bad_records that the feed reported */
	uint64_t trace;      /* bytes of AUXTRACE records skipped */
	uint64_t unknown;    /* records of types newer than this program */
	uint32_t unknown_type; /* type of the first of them */
	uint64_t aligned[(64u << 10) / 8];
	const struct perfdata_feed *feed; /* another process reads the file; NULL: we do */
	struct wire_in batch; /* from the feed: records, then the file's state after them */
	const uint8_t *batch_end; /* end of the records */
	bool fed;             /* a batch has been received */
	struct err last;      /* from the feed: the error that ended it */
};

/* Set e->layout from the attribute. */
void perfdata_layout(struct perfdata_event *e);

/*
 * Add the next event, by its attribute as it stands in the file, `size` bytes long. Return 0,
 * -EBADMSG, -ENOMEM.
 */
int perfdata_add_event(struct perfdata *p, const void *bytes, size_t size);

/* Apply a tracepoint's name as stored before perf 3.10: len > PERFDATA_TYPE_NAME bytes. */
void perfdata_name_type(struct perfdata *p, const char *type, size_t len);

/* Set err to `what` at `offset`. Return -EBADMSG. */
int perfdata_broken(struct err *err, uint64_t offset, const char *what);

/* Load a number from the file, in our byte order. */
static inline uint32_t perfdata_get32(const struct perfdata *p, const void *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return p->info.swapped ? bswap_32(v) : v;
}

static inline uint64_t perfdata_get64(const struct perfdata *p, const void *at)
{
	uint64_t v;

	memcpy(&v, at, sizeof(v));
	return p->info.swapped ? bswap_64(v) : v;
}

#endif
