/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * out - a report on its way to a descriptor: built in memory, written whole at every interval.
 *
 * Errors stick: after the first one nothing is written any more, and out_flush returns it.
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
	int stop_fd; /* readable: do not wait long for a reader that does not read; -1: none */
	int error;   /* 0 or -errno */
};

/*
 * Set up an empty buffer for fd, which stays the caller's; -1: for memory only, without out_flush.
 */
void out_init(struct out *o, int fd, int stop_fd);
void out_clear(struct out *o); /* frees the buffer */

/* Append bytes, a text, formatted text; as they are, without escaping. */
void out_bytes(struct out *o, const char *data, size_t len);
void out_text(struct out *o, const char *text);
void out_printf(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Append a number without printf's cost: reports have many. */
void out_number(struct out *o, uint64_t n);

/* Append a raw name, escaped (base/text.h); cut or padded to `width` columns unless that is 0. */
void out_name(struct out *o, const char *name, int width);

/*
 * Append a function's raw name in exactly `width` columns: parts of a name that is too long are
 * folded (base/namefold.h), so that rows can be told apart.
 */
void out_function(struct out *o, const char *name, int width);

/*
 * Write the whole buffer and empty it.  0; -EPIPE: the reader has gone; -ETIMEDOUT: stop_fd is
 * readable and the reader does not read; other -errno.
 */
int out_flush(struct out *o);

#endif
