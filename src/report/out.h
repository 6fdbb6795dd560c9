/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out - a report on its way to a descriptor: built in memory, written whole at every interval.
 *
 * Errors stick: after the first one nothing is written any more and out_flush says which.
 * Threads: one owner.
 */
#ifndef RINGTOP_REPORT_OUT_H
#define RINGTOP_REPORT_OUT_H

#include <stddef.h>
#include <stdint.h>

struct out {
	char *data;
	size_t len, cap;
	int fd;
	int stop_fd; /* readable: do not wait for a reader who does not read; -1: none */
	int error;   /* 0 or -errno */
};

void out_init(struct out *o, int fd, int stop_fd);
void out_clear(struct out *o);

void out_bytes(struct out *o, const char *data, size_t len);
void out_text(struct out *o, const char *text);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A number without printf's cost: reports have many. */
void out_number(struct out *o, uint64_t n);

/* A name from outside, escaped (base/text.h); at most `width` columns where not 0, padded to it. */
void out_name(struct out *o, const char *name, int width);

/* A function's, in exactly `width` columns: what of it is too long is folded (base/namefold.h), so that rows can be told apart. */
void out_function(struct out *o, const char *name, int width);

/*
 * Write all of it.  0; -EPIPE: the reader has gone; -ETIMEDOUT: told to stop and nobody reads;
 * other -errno.
 */
int out_flush(struct out *o);

#endif
