/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump_sandbox - reading of jitdumps by a helper, if they are not root's own: both sides.
 *
 * Threads: as jitdump.h.
 */
#ifndef RINGTOP_FILES_JIT_JITDUMP_SANDBOX_H
#define RINGTOP_FILES_JIT_JITDUMP_SANDBOX_H

#include "system/sandbox/helper.h"
#include "files/jit/jitdump.h"

/*
 * Like jitdump_read(), for an empty batch; a helper reads an untrusted file, so errors may be of
 * sandbox_call, too. No request is sent if the file has not grown.
 */
int jitdump_load(const struct jitdump_file *f, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err);

/* Like jitdump_read_lines(), by a helper if untrusted: errors may be of sandbox_call, too. */
int jitdump_load_lines(const struct jitdump_file *f, const struct jitdump_place *at,
		       uint64_t offset, uint64_t size, struct jitdump_lines *lines);

helper_serve jitdump_serve, jitdump_serve_lines;

/* Put a reply, behind its error. */
void jitdump_put(struct wire_out *out, const struct jitdump_place *at,
		 const struct jitdump_batch *b);

/* Read a helper's replies. A malformed one sets in->failed, and nothing of it is kept. */
int jitdump_take(struct wire_in *in, struct jitdump_place *at, struct jitdump_batch *b,
		 struct err *err);
int jitdump_take_lines(struct wire_in *in, uint64_t size, struct jitdump_lines *lines);

#endif
