/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthesizer - collects the state before a recording (synthesize) in a thread of its own: slow
 * reads of /proc must not keep the recording's writer from the queues that fill meanwhile.
 *
 *   start ─▶ take, take ... until done ─▶ free
 *
 * Threads: all calls from one at a time; the collecting thread is its own, and is never more than
 * one piece ahead.
 */
#ifndef RINGTOP_SOURCES_RECORD_SYNTHESIZER_H
#define RINGTOP_SOURCES_RECORD_SYNTHESIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "files/decode/perfwrite.h"

struct synthesizer;

/*
 * Start collecting the kernel's state and that of the processes of the tids (copied): a single -1
 * for all, none for none. data: stacks are to be unwound (synthesize.data). wake_fd, an eventfd, is
 * written when there is a piece or the end; not owned; -1: none. Return 0 or -errno; free *e in any
 * case.
 */
int synthesizer_start(struct synthesizer **e, const pid_t *tids, size_t ntids, bool data,
		      int wake_fd);

/*
 * Take a piece, which the caller clears; the first one is the kernel's. False: there is none now,
 * or, with wait, no more will come.
 */
bool synthesizer_take(struct synthesizer *e, struct perfwrite *piece, bool wait);

/* Return true if all pieces were taken. */
bool synthesizer_done(struct synthesizer *e);

/* Stop, dropping what is left, and free. */
void synthesizer_free(struct synthesizer *e);

#endif
