/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callstack - a sample's branch records, kept by the processor as a stack of calls (LBR), to a raw path
 * of the table.
 *
 * Threads: pure; for readers: no allocation, no look-up.
 */
#ifndef RINGTOP_SESSION_CALLSTACK_H
#define RINGTOP_SESSION_CALLSTACK_H

#include "decode/record.h"
#include "table/table.h"

/*
 * The kernel's part of the chain, the user's leaf, and the calls that led to it: each record is a
 * call that has not returned, the newest first.  Returns how many words; 0: there are no records, take
 * the chain as it is.
 */
uint16_t callstack_path(const struct record_layout *l, const struct perf_event_header *h,
			const struct sample *s, uint64_t ips[TABLE_PATH_MAX]);

#endif
