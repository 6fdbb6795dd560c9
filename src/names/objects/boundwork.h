/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boundwork - bounds of functions that have no symbol, found in the background from the unwind
 * information of their objects: opening that reads a file, and a helper may build its rows.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_BOUNDWORK_H
#define RINGTOP_NAMES_OBJECTS_BOUNDWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "names/objects/dsocfi.h"

struct boundwork;

/*
 * Request for the bounds of the function at addr, for frame `frame`, and the result: start..start +
 * size holds addr if `found` (size 0: up to an unknown end).
 */
struct bound {
	struct dso *object;
	struct dsocfi_place at;
	/* In the object; if `offset`, in the file until boundwork_found gets it in the object. */
	uint64_t addr;
	uint32_t frame;
	bool offset;
	bool found;
	uint64_t start, size;
};
typedef void boundwork_found(void *arg, const struct bound *b);

struct boundwork *boundwork_create(struct dsocfis *cfis, boundwork_found *found);
/* Call after workers_close, before the objects are freed. */
void boundwork_free(struct boundwork *w);

/*
 * Queue a request. The `found` callback gets its result during workers_collect(, arg), once
 * boundwork_run has submitted it. Return 0 or -ENOMEM.
 */
int boundwork_ask(struct boundwork *w, struct dso *o, uint32_t frame, uint64_t addr, bool offset);

/* Submit the queued requests to the workers, unless an earlier batch is under way. */
void boundwork_run(struct boundwork *w, struct workers *workers);

#endif
