/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthesizer - what was there before a recording began (synthesize), collected by a thread of its own: what
 * /proc takes to answer must not keep the recording's writer from what fills up meanwhile.
 *
 *   start ─▶ take, take ... until done ─▶ free
 *
 * Threads: all calls from one at a time; the collecting one is our own, and is never more than one piece
 * ahead.
 */
#ifndef RINGTOP_SOURCES_RECORD_SYNTHESIZER_H
#define RINGTOP_SOURCES_RECORD_SYNTHESIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "files/decode/perfwrite.h"

struct synthesizer;

/*
 * Of the kernel, and of the processes that the tids are of: a single -1 for all, none for none; data: stacks are to be unwound
 * (synthesize.data).  wake_fd,
 * an eventfd, is written when there is a piece or the end; not owned; -1: nobody waits for it.  0 or -errno; *e is to be freed in
 * any case.
 */
int synthesizer_start(struct synthesizer **e, const pid_t *tids, size_t ntids, bool data, int wake_fd);

/* A piece, to be cleared by who takes it; the first one is the kernel's.  False: there is none now, or, having waited, none any more. */
bool synthesizer_take(struct synthesizer *e, struct perfwrite *piece, bool wait);

/* All was taken. */
bool synthesizer_done(struct synthesizer *e);

/* Whatever is left is given up. */
void synthesizer_free(struct synthesizer *e);

#endif
