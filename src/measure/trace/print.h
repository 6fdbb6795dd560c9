/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print - text of a tracepoint's record: a line by its print format, and its fields.
 *
 * The line is made by libtraceevent, whose parser and interpreter of print formats are not safe
 * with untrusted input: they recurse as deep as an expression does, and read beyond a record's end.
 * So this belongs into the sandbox (print_sandbox.h), except print_plain(), which reads only
 * fields, by measure/trace/format.h.  If the library cannot handle a print format the line is
 * "NAME=VALUE
 * ..." of all fields.
 *
 * No plugins of the library are loaded: lines are by the kernel's print formats alone.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_MEASURE_TRACE_PRINT_H
#define RINGTOP_MEASURE_TRACE_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/trace/format.h"
#include "measure/trace/printk.h"

#define PRINT_TEXT   1024u /* bytes of a line, with the NUL; a longer one ends with "..." */
#define PRINT_FIELDS 4096u /* bytes of all fields; those that find no room are left out */

/* Text of a record; both parts are escaped (base/text.h). */
struct print_line {
	char text[PRINT_TEXT];
	/* "NAME\tKVALUE\n" per field, common_* last; K is n (a number in digits) or s (a text). */
	char fields[PRINT_FIELDS];
};

/* Find the kernel function at an address: its raw name and its start address.  False: unknown. */
typedef bool print_names(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start);

struct print;

/* Create; with_fields: print_record() fills in fields, too.  NULL: out of memory. */
struct print *print_create(bool with_fields);
void print_free(struct print *p);

/*
 * Describe the machine that wrote the records: bytes of a long, and the list of texts that records
 * may point to (measure/trace/printk.h; len bytes, copied), which are printed in place of their
 * addresses.  To be called before the first record.  0 or -ENOMEM.
 */
int print_texts(struct print *p, unsigned long_size, const char *list, size_t len);

/*
 * Print names in place of functions' addresses (%ps etc.) from now on; `names` is mostly called
 * once per address.
 */
void print_name_by(struct print *p, print_names *names, void *arg);

/*
 * Add the format file of records of that id; plain: ignore its print format.  0; -EINVAL: it is no
 * format; -ENOMEM.  A print format that the library does not understand is no error.
 */
int print_add(struct print *p, uint32_t id, const char *system, const char *text, size_t len,
	      bool plain, struct err *err);

/*
 * Print a record by the format of its id.  False: there is no such format, and the line is empty.
 */
bool print_record(struct print *p, uint32_t id, int cpu, const void *record, size_t len,
		  struct print_line *line);

/*
 * Print the record by a format's fields alone; texts: the texts that fields may point to, or NULL.
 */
void print_plain(const struct trace_format *f, const struct printk *texts, const void *record,
		 size_t len, struct print_line *line);

#endif
