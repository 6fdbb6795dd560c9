/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linework - finding the source lines of frames in the background: one worker of low
 * priority, object by object, a bounded batch of addresses at a time, those first that were met
 * first.
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

/* Hand over the lines that were found by now. */
void linework_collect(struct linework *w, linework_found *found, void *arg);

/* Submit the addresses that were asked for to the worker, as far as it has room. */
void linework_run(struct linework *w);

int linework_fd(const struct linework *w);         /* readable when there is something to collect */
size_t linework_pending(const struct linework *w); /* frames asked for and not answered */

#endif
