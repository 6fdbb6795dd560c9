/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwindfile - stacks that a recording carries, unwound one by one as they are read.
 *
 * Records come in order of time, so the maps of a sample's time are those of the moment.
 *
 * Threads: one owner, the resolver's.
 */
#ifndef RINGTOP_SOURCES_REPLAY_UNWINDFILE_H
#define RINGTOP_SOURCES_REPLAY_UNWINDFILE_H

#include <stdbool.h>

#include "files/decode/perfdata.h"
#include "names/resolve/resolver.h"
#include "measure/session/path.h"
#include "core/slice/slice.h"

struct unwindfile;

/* The most that its samples may have of a stack; 0: they have none. */
uint32_t unwindfile_bytes(const struct perfdata *file);

/* NULL: out of memory. */
struct unwindfile *unwindfile_create(const struct perfdata *file, struct resolver *resolver);
void unwindfile_free(struct unwindfile *u);

/*
 * The path of a sample with a copy of its stack, valid until the next call.  Where nobody can unwind
 * that, the path is the kernel's part and the leaf.  False: it has no copy, or its chain is the path.
 */
bool unwindfile_run(struct unwindfile *u, const struct perfdata_event *event,
		    const struct sample *s, struct path *path);

/* What was counted since the last call. */
void unwindfile_gauge(struct unwindfile *u, struct slice_unwind *g);

#endif
