/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boundwork - the bounds of functions that have no symbol, by the unwind information of their objects, found
 * in the background: opening that reads a file, and a helper may build its rows.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_BOUNDWORK_H
#define RINGTOP_NAMES_OBJECTS_BOUNDWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "names/objects/dsocfi.h"

struct boundwork;

/* Frame `frame` was asked for with addr; it is in start..start + size (0: up to an unknown end) where found. */
struct bound {
	struct dso *object;
	struct dsocfi_place at;
	uint64_t addr; /* the object's own, or with offset the file's; then what it is for the object */
	uint32_t frame;
	bool offset;
	bool found;
	uint64_t start, size;
};
typedef void boundwork_found(void *arg, const struct bound *b);

struct boundwork *boundwork_create(struct dsocfis *cfis, boundwork_found *found);
void boundwork_free(struct boundwork *w); /* after workers_close, before the objects */

/* The answer comes from workers_collect(, arg), if boundwork_run is called.  0 or -ENOMEM. */
int boundwork_ask(struct boundwork *w, struct dso *o, uint32_t frame, uint64_t addr, bool offset);

/* Submit what was asked for to the workers, unless an earlier batch is under way. */
void boundwork_run(struct boundwork *w, struct workers *workers);

#endif
