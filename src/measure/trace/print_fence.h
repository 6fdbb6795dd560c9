/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_fence - tracepoints' records printed by a helper (system/fence/fence.h): both sides.
 *
 * A printer knows formats by tracepoints' ids.  A question is a batch of records, with those formats that the helper has not yet;
 * the answer is a line for each.  One format at which the helper is lost is found out, by asking for each alone, and
 * printed by its fields from then on, here.  Where no helper may be started it is all done here.
 *
 * Threads: a printer has one owner; in this process one prints at a time.
 */
#ifndef RINGTOP_MEASURE_TRACE_PRINT_FENCE_H
#define RINGTOP_MEASURE_TRACE_PRINT_FENCE_H

#include "system/fence/helper.h"
#include "measure/trace/print.h"

struct printer;

/*
 * A format when it is first needed: its system's name, and its text, allocated, of *len bytes.  0 or -errno: there is
 * none, and nobody will ask again.
 */
typedef int printer_find(void *arg, uint32_t id, char *system, size_t size, char **text, size_t *len);

/* with_fields: or lines alone, and `fields` are "".  NULL: out of memory. */
struct printer *printer_create(printer_find *find, void *arg, bool with_fields);
void printer_free(struct printer *p);

/*
 * Set, before the first question, how long a long is in records, and the list of texts that they may point to
 * (measure/trace/printk.h), both borrowed.  Without this call a long is as here, and there is no list.
 */
void printer_texts(struct printer *p, unsigned long_size, const char *list, size_t len);

/* Before the first question: who knows the kernel's functions; `arg` is printer_create's. */
void printer_name_by(struct printer *p, print_names *names);

/* A record, borrowed; text and fields come out, allocated, as print_line's; NULL: nothing can be said of it. */
struct printer_job {
	uint32_t id;
	int cpu;
	const void *record;
	uint32_t len;
	char *text, *fields;
};

/* How many have a line. */
size_t printer_print(struct printer *p, struct printer_job *jobs, size_t nr);

/* What was lost on the way since it was asked last, in words; "": nothing. */
void printer_trouble(struct printer *p, char *text, size_t size);

helper_serve print_serve;

/* An answer to nr jobs.  1: it lacks formats; where it is nonsense in has failed. */
int print_take(struct wire_in *in, struct printer_job *jobs, size_t nr);

#endif
