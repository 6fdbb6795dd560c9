/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * formats - what tracepoints' records in a file consist of, as the file says (files/decode/perfdata.h, perfdata_format).
 *
 * Where a helper reads the file it parses them, too: what comes of it is checked once more.
 *
 * Threads: one owner; formats_find any, once it is made.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FORMATS_H
#define RINGTOP_SOURCES_REPLAY_FORMATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/wire.h"
#include "files/decode/perfdata.h"
#include "measure/trace/format.h"
#include "measure/trace/printk.h"

struct recorded_format {
	uint64_t id; /* perf_event_attr.config */
	char system[FORMAT_NAME];
	struct trace_format format;
	char *text; /* text of its file, raw, and a NUL behind it: for a helper to print by (measure/trace/print_fence.h) */
	size_t len;
};

struct formats { /* zeroed: none */
	struct recorded_format *at;
	size_t nr, cap;
	char *list; /* the recorded kernel's printk_formats, raw; NULL: none */
	size_t nlist;
	struct printk texts; /* texts that printk_formats has */
};

/* Those that can be parsed.  0 or -ENOMEM; to be cleared in any case. */
int formats_of(const struct perfdata *p, struct formats *f);
void formats_clear(struct formats *f);

const struct recorded_format *formats_find(const struct formats *f, uint64_t id); /* NULL: none */

void formats_put(const struct formats *f, struct wire_out *out);
void formats_get(struct formats *f, struct wire_in *in); /* in->failed as there; to be cleared in any case */

#endif
