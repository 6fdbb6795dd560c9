/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_slow - libunwind on a sampled stack, for frames that rows cannot express.
 *
 * libunwind requests words: of the stack's copy, of the registers, and of the object's unwind
 * entries. It is given only the one entry it needs, composed anew from the parts that
 * files/unwind/cfientry read and checked, so that it never sees a hostile length or reference;
 * expressions in it may loop, so the number of words for one sample is limited.
 *
 * Threads: one owner.  Built without libunwind, unwind_slow_create returns NULL.
 */
#ifndef RINGTOP_FILES_UNWIND_UNWIND_SLOW_H
#define RINGTOP_FILES_UNWIND_UNWIND_SLOW_H

#include "files/unwind/unwind.h"

struct unwind_slow;

struct unwind_slow *unwind_slow_create(void); /* NULL: not built in, or out of memory */
void unwind_slow_free(struct unwind_slow *s);

/* Like unwind_run(), but keep the path already in *path if this one ends badly and is no longer. */
enum unwind_end unwind_slow_run(struct unwind_slow *s, const struct unwind_sample *sample,
				const struct unwind_space *space, struct unwind_path *path);

#endif
