/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helper - the process without rights that reads what others chose: its side of system/fence/fence.h.
 *
 * The program's main calls helper_main where its first argument is HELPER_ARGUMENT.
 *
 * Threads: it has one.
 */
#ifndef RINGTOP_SYSTEM_FENCE_HELPER_H
#define RINGTOP_SYSTEM_FENCE_HELPER_H

#include "system/fence/fence.h"

#define HELPER_ARGUMENT "--helper" /* PROCESS_ARGUMENTS has the rest */
#define HELPER_SOCKET   3
#define HELPER_LOGS_MAX 16 /* of one question */
#define HELPER_WANTS_MAX 256 /* files, likewise */

/*
 * Ask the caller's need(), from within serve: its answer, malloc'ed, in *bytes and to be read from *in; all
 * failed and empty where it has none to give.
 */
void helper_need(const struct wire_out *ask, struct wire_in *in, void **bytes);

/* serve: by job, NULL where there is none.  Returns when we have gone: an exit status. */
int helper_main(int argc, char *const argv[], helper_serve *const serve[FENCE_JOBS]);

/* The text of an error and its number, as every answer begins with. */
void helper_put_error(struct wire_out *out, int ret, const struct err *err);

/* The same on our side: the number (0 or -errno); err as it was there.  Nonsense: in has failed. */
int helper_get_error(struct wire_in *in, struct err *err);

#endif
