/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fileunwind - unwinds the stack copies of a recording, one by one as they are read, and completes
 * chains by the link register that perf records beside them on aarch64.
 *
 * Records come in order of time, so the current maps are those of the sample's time.
 *
 * Threads: one owner, the resolver's.
 */
#ifndef RINGTOP_SOURCES_REPLAY_FILEUNWIND_H
#define RINGTOP_SOURCES_REPLAY_FILEUNWIND_H

#include <stdbool.h>

#include "files/decode/perfdata.h"
#include "names/resolve/resolver.h"
#include "measure/session/path.h"
#include "core/slice/slice.h"

struct unwindfile;

/* Return the most bytes of a stack that a sample of the file may have; 0: none. */
uint32_t fileunwind_bytes(const struct perfdata *file);

/* Return true if samples have a copy of a stack or a link register. */
bool fileunwind_wanted(const struct perfdata *file);

/* Create; both arguments are borrowed. NULL: out of memory. */
struct unwindfile *fileunwind_create(const struct perfdata *file, struct resolver *resolver);
void fileunwind_free(struct unwindfile *u);

/*
 * Get the path of a sample with a copy of its stack, valid until the next call. If it cannot be
 * unwound, the path is the kernel's part and the leaf. Without a copy, the chain with the leaf's
 * caller from the link register. False: the chain is the path.
 */
bool fileunwind_run(struct unwindfile *u, const struct perfdata_event *event,
		    const struct sample *s, struct path *path);

/* Report the counts since the last call. */
void fileunwind_gauge(struct unwindfile *u, struct slice_unwind *g);

#endif
