/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err - an error as a result: what failed, on what, why, and what to do.
 *
 * Engine functions return 0 or -errno; those whose failure a person must understand take a `struct
 * err *` last and fill it.  NULL is allowed everywhere and drops the text; functions that return
 * -err->code return -EINVAL then: a failure stays one.
 *
 * Threads: a struct err belongs to its caller.  Allocates: never.
 */
#ifndef RINGTOP_BASE_ERR_H
#define RINGTOP_BASE_ERR_H

#include <stddef.h>

struct err {
	int code;         /* the errno value, positive; 0: no error */
	char text[512];   /* what failed, on what, why */
	char advice[512]; /* what to do about it, or "" */
	char quote[256];  /* the user's input, or a part of it, that is wrong; or "" */
	unsigned caret;   /* index into quote of the error */
};

/* Fill err and return -code, so that `return err_set(err, EINVAL, ...)` reads as one step. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Fill err after a failed allocation or creation of the thing that fmt names; `code` (errno) tells
 * which resource was short: memory, descriptors, threads.  The advice names a limit that can be
 * raised.  Returns -code.
 */
int err_room(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Return NULL, where a pointer is returned: `return err_null(err_set(err, EINVAL, ...))`. */
static inline void *err_null(int code)
{
	(void)code;
	return NULL;
}

/* Set the advice, replacing an earlier one.  Returns -err->code. */
int err_advise(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Quote the part of `written` around `at`, a pointer into it.  Returns -err->code. */
int err_point(struct err *err, const char *written, const char *at);

/* Put "WHAT: " in front of the text, if there is room.  Returns -err->code. */
int err_prefix(struct err *err, const char *what);

/* Put the option in front of a usage error (EINVAL) that does not name one.  Returns -err->code. */
int err_option(struct err *err, const char *option);

#endif
