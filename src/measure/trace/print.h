/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print - a tracepoint's record in words: a line as its format's print format has it, and its fields.
 *
 * The line is libtraceevent's work, whose parser and interpreter of print formats are not made for what others chose: they
 * recurse as deep as an expression does, and look behind a record's end.  So this belongs behind the fence
 * (print_fence.h), but for print_plain, which reads fields alone, by measure/trace/format.h.  Where the library can make nothing
 * of a print format the line is " NAME=VALUE ..." of all fields.
 *
 * No plugins of the library are loaded: lines are the kernel's own, not a program's.
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
#define PRINT_FIELDS 4096u /* of all its fields; those that find no room are left out */

/* Both escaped (base/text.h). */
struct print_line {
	char text[PRINT_TEXT];
	char fields[PRINT_FIELDS]; /* of each "NAME\tKVALUE\n", K n: a number in digits, s: a text; common_* last */
};

/* What a kernel's address is: its function's name, raw, and where that begins.  False: it is not known. */
typedef bool print_names(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start);

struct print;

/* with_fields: lines have fields, too.  NULL: out of memory. */
struct print *print_create(bool with_fields);
void print_free(struct print *p);

/*
 * Where records were written a long has so many bytes, and texts stand as `list` says (measure/trace/printk.h; of len bytes, copied):
 * a field that is a text's address is that text.  Before the first record.  0 or -ENOMEM.
 */
int print_texts(struct print *p, unsigned long_size, const char *list, size_t len);

/* Addresses of functions (%ps and its kin) are names from now on, each asked for once. */
void print_name_by(struct print *p, print_names *names, void *arg);

/*
 * One more format, of records of that id.  plain: without its print format.  0; -EINVAL: it is none; -ENOMEM.  A print format that the library
 * does not understand is no error.
 */
int print_add(struct print *p, uint32_t id, const char *system, const char *text, size_t len, bool plain, struct err *err);

/* False: there is no format of that id, and the line is empty. */
bool print_record(struct print *p, uint32_t id, int cpu, const void *record, size_t len, struct print_line *line);

/* Print the record by a format's fields alone; texts: those that fields may point to, or NULL. */
void print_plain(const struct trace_format *f, const struct printk *texts, const void *record, size_t len,
		 struct print_line *line);

#endif
