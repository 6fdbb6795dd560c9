/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print_sandbox - printing of tracepoints' records by a sandboxed helper process
 * (system/sandbox/sandbox.h): both sides.
 *
 * A printer knows formats by tracepoints' ids.  A request is a batch of records, with the formats
 * that the helper lacks; the reply is a line for each.  If the helper dies of a format, that format
 * is found by sending records one by one, and its records are printed in this process by their
 * fields from then on.  If no helper may be started everything is done in this process.
 *
 * Threads: a printer has one owner; in this process one prints at a time.
 */
#ifndef RINGTOP_MEASURE_TRACE_PRINT_SANDBOX_H
#define RINGTOP_MEASURE_TRACE_PRINT_SANDBOX_H

#include "system/sandbox/helper.h"
#include "measure/trace/print.h"

struct printer;

/*
 * Return the format of an id when it is first needed: its system's name, and its text, allocated,
 * of *len bytes.  0 or -errno: there is none, and it is not requested again.
 */
typedef int printer_find(void *arg, uint32_t id, char *system, size_t size, char **text,
			 size_t *len);

/* Create; without with_fields only lines are made, and `fields` are "".  NULL: out of memory. */
struct printer *printer_create(printer_find *find, void *arg, bool with_fields);
void printer_free(struct printer *p);

/*
 * Set, before the first request, the bytes of a long in records, and the list of texts that they
 * may point to (measure/trace/printk.h; borrowed).  Without this call a long is as here, and there
 * is no list.
 */
void printer_texts(struct printer *p, unsigned long_size, const char *list, size_t len);

/*
 * Set, before the first request, the source of kernel functions' names; it gets printer_create()'s
 * `arg`.
 */
void printer_name_by(struct printer *p, print_names *names);

/*
 * A record to be printed (borrowed), and its text and fields like print_line's: allocated; NULL:
 * none.
 */
struct printer_job {
	uint32_t id;
	int cpu;
	const void *record;
	uint32_t len;
	char *text, *fields;
};

/* Print records; returns the number of those that got a line. */
size_t printer_print(struct printer *p, struct printer_job *jobs, size_t nr);

/* Return the last trouble since the previous call in words; "": none. */
void printer_trouble(struct printer *p, char *text, size_t size);

helper_serve print_serve;

/*
 * Decode the reply to nr jobs.  0; 1: the helper lacks formats.  A malformed one sets in->failed.
 */
int print_take(struct wire_in *in, struct printer_job *jobs, size_t nr);

#endif
