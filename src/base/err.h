/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err - an error as an answer: what failed, on what, why, and what to do.
 *
 * Engine functions return 0 or -errno; those whose failure a person must understand take a
 * `struct err *` last and fill it.  NULL is allowed everywhere and drops the text; what returns -err->code returns -EINVAL
 * then: a failure stays one.
 *
 * Threads: a struct err belongs to its caller.  Allocates: never.
 */
#ifndef RINGTOP_BASE_ERR_H
#define RINGTOP_BASE_ERR_H

struct err {
	int code;         /* the errno value, positive; 0: no error */
	char text[512];   /* what failed, on what, why */
	char advice[512]; /* what to do about it, or "" */
	char quote[256];  /* what a person wrote, or a part of it, where it is wrong; or "" */
	unsigned caret;   /* where in the quote */
};

/* Fill err and return -code, so that `return err_set(err, EINVAL, ...)` reads as one step. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/*
 * Something could not be made, and `code` (errno) says what there was not enough of: memory, descriptors,
 * threads.  The text is about what fmt names; where a limit can be raised, the advice says so.
 */
int err_room(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Add what the user can do.  Replaces an earlier advice.  Returns -err->code. */
int err_advise(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Of what was written, `at` (in it) is wrong: a piece around it is quoted.  Returns -err->code. */
int err_point(struct err *err, const char *written, const char *at);

/* Put "WHAT: " in front, where there is room.  Returns -err->code. */
int err_prefix(struct err *err, const char *what);

/* Of a usage error that does not name the option at fault: put it in front.  Returns -err->code. */
int err_option(struct err *err, const char *option);

#endif
