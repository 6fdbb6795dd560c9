/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_wire - transfer of a perf.data file's contents from the process that reads it.
 *
 *   helper:  perfdata_open ─▶ perfdata_put ┐         ┌▶ perfdata_get: an ordinary struct perfdata
 *            perfdata_next ─▶ perfdata_put_batch ─▶ feed->more ─▶ perfdata_next
 *
 * The other process is not trusted: layouts are computed anew from attributes, records are checked
 * by their headers, like those of a ring.
 *
 * Threads: as perfdata.h.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_WIRE_H
#define RINGTOP_FILES_DECODE_PERFDATA_WIRE_H

#include "base/wire.h"
#include "files/decode/perfdata.h"

#define PERFDATA_BATCH (1u << 20) /* approximate bytes of records */

void perfdata_put(const struct perfdata *p, struct wire_out *out);

/* Write the next records, and the state of the file after them. */
void perfdata_put_batch(struct perfdata *p, struct wire_out *out);

struct perfdata_feed {
	/* Get the next batch, 8-byte aligned, valid until the next call. 0 or -errno. */
	int (*more)(void *arg, struct wire_in *in, struct err *err);
	void *arg;
};

/*
 * Read what perfdata_put wrote. The feed must outlive the result. Return NULL with err: EPROTO if
 * it is malformed.
 */
struct perfdata *perfdata_get(struct wire_in *in, const struct perfdata_feed *feed,
			      struct err *err);

/* Do perfdata_next for a file that has a feed. */
int perfdata_next_fed(struct perfdata *p, struct perfdata_record *rec, struct err *err);

#endif
