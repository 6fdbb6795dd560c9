/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfimage - a perf.data file in memory, written field by field in either byte order.
 *
 * What does not fit ends the test.  Threads: one owner.  Allocates nothing.
 */
#ifndef RINGTOP_TESTS_PERFIMAGE_H
#define RINGTOP_TESTS_PERFIMAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERFIMAGE_MAX  65536
#define PERFIMAGE_ATTR 128 /* bytes of an attribute */

struct perfimage {
	uint8_t data[PERFIMAGE_MAX];
	size_t size;
	bool swap; /* the byte order that is not ours */
};

void image_put(struct perfimage *im, const void *bytes, size_t len);
void image_put16(struct perfimage *im, uint16_t v);
void image_put32(struct perfimage *im, uint32_t v);
void image_put64(struct perfimage *im, uint64_t v);

/* A number of `len` bytes over what stands there. */
void image_put_at(struct perfimage *im, size_t at, uint64_t v, size_t len);

/* Text in a field of `size` bytes. */
void image_put_text(struct perfimage *im, const char *text, size_t size);

/* A record: its header, and once its body is there the size in it. */
size_t image_begin(struct perfimage *im, uint32_t type, uint16_t misc);
void image_end(struct perfimage *im, size_t at);

/* An attribute of a software event with sample_id_all. */
void image_put_attr(struct perfimage *im, uint64_t config, uint64_t sample_type);

/*
 * The head of a file of one software event without ids: all records are its.  They follow, and
 * then image_finish gives the data its size.
 */
void image_start(struct perfimage *im, bool swap, uint64_t sample_type);
void image_finish(struct perfimage *im);

/*
 * A stream (pipe format) of tracepoints: its head; an event without ids that every hit is a sample of, whose format has
 * that number; and the formats of one system, of the kernel's symbols and of its printk_formats a copy (NULL: none).
 */
void image_start_stream(struct perfimage *im);
void image_put_tracepoint(struct perfimage *im, uint64_t number, uint64_t sample_type);
void image_put_tracing(struct perfimage *im, const char *system, const char *const *formats, unsigned nr,
		       const char *kallsyms, const char *printk);

/* The read() of a source whose arg is the image. */
ssize_t image_read(void *im, void *buf, size_t len, uint64_t offset);

/* A file without a name that holds the image; -1 with errno. */
int image_fd(const struct perfimage *im);

#endif
