/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfdata_state - what perfdata.c, perfdata_sections.c and perfdata_wire.c know of a file, and nobody else.  Threads: one owner. */
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
#define PERFDATA_TYPE_NAME 8  /* offset at which the text begins */
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
	struct perfdata_id recent[PERFDATA_RECENT]; /* by an id's low bits, event as found: samples repeat few ids */
	uint16_t id_at;      /* of a sample's id, 0: it has none */
	bool started;        /* a record of the kernel was seen: events are fixed */
	bool single;         /* one event: all is its */
	bool unfinished;     /* what wrote it was killed: the last record may be cut */
	uint64_t packet;     /* offset of the packet that is unpacked */
	size_t taken;        /* of the main input by the last record */
	size_t unpacked_taken;
	struct err problem;
	uint64_t bad_records;
	uint64_t bad_there;  /* of these, found by the feed */
	uint64_t trace;      /* bytes of AUXTRACE records passed over */
	uint64_t unknown;    /* records of types that came later than this program */
	uint32_t unknown_type; /* of the first of them */
	uint64_t aligned[(64u << 10) / 8];
	const struct perfdata_feed *feed; /* another process reads the file; NULL: we do */
	struct wire_in batch; /* of the feed: records to come, and what follows them */
	const uint8_t *batch_end; /* of the records */
	bool fed;             /* there was a batch */
	struct err last;      /* of the feed: what ended it */
};

/* What its attribute says of its records. */
void perfdata_layout(struct perfdata_event *e);

/* The next event, by its attribute as it stands in the file.  0, -EBADMSG, -ENOMEM. */
int perfdata_add_event(struct perfdata *p, const void *bytes, size_t size);

/* Take the name that perf before 3.10 gave a tracepoint: `len` bytes, more than PERFDATA_TYPE_NAME. */
void perfdata_name_type(struct perfdata *p, const char *type, size_t len);

/* -EBADMSG with err: what is wrong, and where. */
int perfdata_broken(struct err *err, uint64_t offset, const char *what);

/* Numbers as they stand in the file. */
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
