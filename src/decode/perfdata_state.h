/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perfdata_state - what perfdata.c and perfdata_wire.c know of a file, and nobody else.  Threads: one owner. */
#ifndef RINGTOP_DECODE_PERFDATA_STATE_H
#define RINGTOP_DECODE_PERFDATA_STATE_H

#include "base/wire.h"
#include "decode/perfdata_feature.h"
#include "decode/perfdata_ids.h"

#define PERFDATA_RECENT 8 /* a power of two */
#define PERFDATA_EVENTS_MAX 4096

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

#endif
