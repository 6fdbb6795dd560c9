/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump_fence - jitdumps that a helper reads, where they are not root's own: both sides.
 *
 * Threads: as jitdump.h.
 */
#ifndef RINGTOP_FILES_JIT_JITDUMP_FENCE_H
#define RINGTOP_FILES_JIT_JITDUMP_FENCE_H

#include "system/fence/helper.h"
#include "files/jit/jitdump.h"

/* As jitdump_read into an empty batch, and what fence_call says; nobody is asked where nothing came. */
int jitdump_load(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err);

/* As jitdump_read_lines, and what fence_call says. */
int jitdump_load_lines(const struct jitdump_file *f, const struct jitdump_place *at, uint64_t offset,
		       uint64_t size, struct jitdump_lines *lines);

helper_serve jitdump_serve, jitdump_serve_lines;

/* Their answers.  Of what is nonsense (in has failed) nothing stays. */
int jitdump_take(struct wire_in *in, struct jitdump_place *at, struct jitdump_batch *b, struct err *err);
int jitdump_take_lines(struct wire_in *in, uint64_t size, struct jitdump_lines *lines);

#endif
