/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helper - the process without rights that reads bytes that others chose: its side of
 * system/sandbox/sandbox.h.
 *
 * The program's main calls helper_main where its first argument is HELPER_ARGUMENT.
 *
 * Threads: it has one.
 */
#ifndef RINGTOP_SYSTEM_SANDBOX_HELPER_H
#define RINGTOP_SYSTEM_SANDBOX_HELPER_H

#include "system/sandbox/sandbox.h"

#define HELPER_ARGUMENT "--helper" /* PROCESS_ARGUMENTS has the rest */
#define HELPER_SOCKET   3
#define HELPER_LOGS_MAX 16 /* of one request */
#define HELPER_WANTS_MAX 256 /* files of one request */

/*
 * Call the caller's need(), from within serve, and wait.  *bytes is the reply, malloc'ed, to be
 * read from *in; empty, with *in failed, where it has none.
 */
void helper_need(const struct wire_out *ask, struct wire_in *in, void **bytes);

/* Serve requests; serve: by job, or NULL.  Returns an exit status when ringtop has gone. */
int helper_main(int argc, char *const argv[], helper_serve *const serve[SANDBOX_JOBS]);

/* Put the text and the number of an error, with which every reply begins. */
void helper_put_error(struct wire_out *out, int ret, const struct err *err);

/* Read that error, and return its number (0 or -errno).  Malformed: in has failed. */
int helper_get_error(struct wire_in *in, struct err *err);

#endif
