/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linework - finding the source lines of frames in the background: one worker of low
 * priority, object by object, a bounded batch of addresses at a time, those first that were met
 * first.
 *
 * What was opened is kept while it is used, up to a part of the budget (or the last object's, if that alone
 * is more) and LINEWORK_OPEN_MAX files; where memory is short, only the last object's.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_RESOLVE_LINEWORK_H
#define RINGTOP_RESOLVE_LINEWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/lines.h"
#include "resolve/dso.h"

#define LINEWORK_BATCH    512
#define LINEWORK_KEPT_PART 4 /* of the limit of all memory: what all that is open may take */
#define LINEWORK_OPEN_MAX 64u
#define LINEWORK_JOBS_MAX 16u /* under way between two calls of linework_collect */

struct linework;

/* What is at a frame's address; frames as lines_find says, nr may be 0. */
typedef void linework_found(void *arg, struct dso *o, const struct line_ask *ask,
			    const struct lines_frame *frames, size_t nr);

/* hurry: at ordinary priority, for a session that waits.  NULL: no memory or threads. */
struct linework *linework_create(bool hurry);
void linework_free(struct linework *w); /* before the objects */

/* Whether it makes sense to ask: it is a file that was read, and not known to have no lines. */
bool linework_wants(const struct dso *o);

/* The answer comes from linework_collect, for every one asked.  0 or -ENOMEM. */
int linework_ask(struct linework *w, struct dso *o, const struct line_ask *ask);

/* Hand over what was found by now. */
void linework_collect(struct linework *w, linework_found *found, void *arg);

/* Send what was asked to the worker, as far as it has room. */
void linework_run(struct linework *w);

int linework_fd(const struct linework *w);         /* readable when there is something to collect */
size_t linework_pending(const struct linework *w); /* frames asked for and not answered */

/* Close what was last used before `tick`. */
void linework_sweep(struct linework *w, uint32_t tick);

#endif
