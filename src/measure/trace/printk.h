/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * printk - constant texts of the kernel that records only point to: tracefs lists them in
 * printk_formats, and trace files contain a copy of the list.
 *
 * A tracepoint's field of type "const char *" is the address of a constant text; so is a
 * trace_printk's format.  The list has the text at each address.  It may come from a file, so it is
 * bounded; texts beyond that stay addresses.
 *
 * Source: tracing/printk_formats, kernel/trace/trace_printk.c (t_show).
 *
 * Threads: a table belongs to its owner; printk_find() any, once the table is complete.
 */
#ifndef RINGTOP_MEASURE_TRACE_PRINTK_H
#define RINGTOP_MEASURE_TRACE_PRINTK_H

#include <stddef.h>
#include <stdint.h>

#define PRINTK_BYTES (1u << 20) /* bytes of a list at most; the kernel's own have some KiB */
#define PRINTK_TEXTS 16384u

struct printk_text {
	uint64_t addr;
	const char *text; /* raw, without quotes and the newline at its end */
};

struct printk { /* zeroed: empty */
	struct printk_text *at; /* texts by address, each once */
	size_t nr, cap;
	char *bytes; /* bytes that texts point into */
};

/*
 * Parse lines of the form 0xffffffff82345678 : "text"; others are skipped.  0 or -ENOMEM; to be
 * cleared in any case.
 */
int printk_parse(const char *list, size_t len, struct printk *p);
void printk_clear(struct printk *p);

/* Return the text at an address.  NULL: none is known; p may be NULL. */
const char *printk_find(const struct printk *p, uint64_t addr);

/*
 * Return this kernel's list, allocated, with a NUL behind it, and *len bytes; NULL: it cannot be
 * read, or is longer than PRINTK_BYTES.
 */
char *printk_read(size_t *len);

/* Return this kernel's texts, read once; empty if they cannot be read. */
const struct printk *printk_of_kernel(void);

#endif
