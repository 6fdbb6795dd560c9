/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileformats - layouts of tracepoints' records in a file, as given in the file
 * (files/decode/perfdata.h, perfdata_format). A helper that reads the file also parses them; its
 * results are checked once more.
 *
 * Threads: one owner; fileformats_find any, once it is made.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEFORMATS_H
#define RINGTOP_SOURCES_REPLAY_FILEFORMATS_H

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
	/*
	 * Raw text of the format file, NUL-terminated, for a helper to print by
	 * (measure/trace/print_sandbox.h).
	 */
	char *text;
	size_t len;
};

struct fileformats { /* zeroed: none */
	struct recorded_format *at;
	size_t nr, cap;
	char *list; /* the recorded kernel's printk_formats, raw; NULL: none */
	size_t nlist;
	struct printk texts; /* parsed printk_formats */
};

/*
 * Parse the formats; those that cannot be parsed are left out. Return 0 or -ENOMEM; clear in any
 * case.
 */
int fileformats_of(const struct perfdata *p, struct fileformats *f);
void fileformats_clear(struct fileformats *f);

/* Borrowed; NULL: none. */
const struct recorded_format *fileformats_find(const struct fileformats *f, uint64_t id);

void fileformats_put(const struct fileformats *f, struct wire_out *out);
/* Sets in->failed on errors: *f is empty then. */
void fileformats_get(struct fileformats *f, struct wire_in *in);

#endif
