/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_wire - a perf.data file that another process reads: what is in it as bytes, and back.
 *
 *   there:  perfdata_open ─▶ perfdata_put ┐         ┌▶ perfdata_get: a struct perfdata as any other
 *           perfdata_next ─▶ perfdata_put_batch ─▶ feed->more ─▶ perfdata_next
 *
 * The other process is not believed: layouts are worked out anew from attributes, records are checked by
 * their headers, as those of a ring.
 *
 * Threads: as perfdata.h.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_WIRE_H
#define RINGTOP_FILES_DECODE_PERFDATA_WIRE_H

#include "base/wire.h"
#include "files/decode/perfdata.h"

#define PERFDATA_BATCH (1u << 20) /* bytes of records, about */

void perfdata_put(const struct perfdata *p, struct wire_out *out);

/* The records that follow, and what became of the file by then. */
void perfdata_put_batch(struct perfdata *p, struct wire_out *out);

struct perfdata_feed {
	/* The next batch, 8-byte aligned, until the next call.  0 or -errno with err. */
	int (*more)(void *arg, struct wire_in *in, struct err *err);
	void *arg;
};

/* NULL with err: EPROTO where it is none.  The feed outlives it. */
struct perfdata *perfdata_get(struct wire_in *in, const struct perfdata_feed *feed, struct err *err);

/* perfdata_next of such. */
int perfdata_next_fed(struct perfdata *p, struct perfdata_record *rec, struct err *err);

#endif
