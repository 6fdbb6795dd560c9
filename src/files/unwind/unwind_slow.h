/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_slow - libunwind over a sampled stack, for what rows cannot express.
 *
 * libunwind asks for words: of the stack's copy, of the registers, and of the object's unwind
 * entries.  It is given the one entry it needs, put together anew from what files/unwind/cfientry read
 * and checked, so that it never sees a hostile length or reference; expressions in it may loop, so
 * the words it may ask for in one sample are limited.
 *
 * Threads: one owner.  Built without libunwind, unwind_slow_create returns NULL.
 */
#ifndef RINGTOP_FILES_UNWIND_UNWIND_SLOW_H
#define RINGTOP_FILES_UNWIND_UNWIND_SLOW_H

#include "files/unwind/unwind.h"

struct unwind_slow;

struct unwind_slow *unwind_slow_create(void); /* NULL: not built in, or out of memory */
void unwind_slow_free(struct unwind_slow *s);

/* As unwind_run; a path that is there already stays where this one ends badly and is no longer. */
enum unwind_end unwind_slow_run(struct unwind_slow *s, const struct unwind_sample *sample,
				const struct unwind_space *space, struct unwind_path *path);

#endif
