/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linework - source lines of frames, found in the background: one worker of low priority, object by
 * object, a bounded batch of addresses at a time, in the order in which they were first met.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_LINEWORK_H
#define RINGTOP_NAMES_OBJECTS_LINEWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/elf/linecache.h"
#include "names/objects/dso.h"

#define LINEWORK_BATCH    512
#define LINEWORK_JOBS_MAX 16u /* under way between two calls of linework_collect */

struct linework;

/*
 * Receive the lines at a frame's address; frames as in lines_find, nr may be 0. All arguments are
 * borrowed.
 */
typedef void linework_found(void *arg, struct dso *o, const struct line_ask *ask,
			    const struct lines_frame *frames, size_t nr);

/* hurry: ordinary priority, for a session that waits. NULL: no memory or threads. */
struct linework *linework_create(bool hurry);
void linework_free(struct linework *w); /* call before the objects are freed */

/*
 * Return true if o is a file that was read and is not known to have no lines: a request makes
 * sense.
 */
bool linework_wants(const struct dso *o);

/*
 * Queue one address. linework_collect reports every queued address, also without lines. 0 or
 * -ENOMEM.
 */
int linework_ask(struct linework *w, struct dso *o, const struct line_ask *ask);

/* Report the lines found so far. */
void linework_collect(struct linework *w, linework_found *found, void *arg);

/* Submit queued addresses to the worker, as far as it has room. */
void linework_run(struct linework *w);

int linework_fd(const struct linework *w);         /* readable when there is something to collect */
size_t linework_pending(const struct linework *w); /* frames queued and not reported yet */

#endif
