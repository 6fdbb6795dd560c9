/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fnbounds - bounds of functions that have no symbol, found in the background from the unwind
 * information of their objects: opening that reads a file, and a helper may build its rows.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_FNBOUNDS_H
#define RINGTOP_NAMES_OBJECTS_FNBOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "names/objects/dsocfi.h"

struct fnbounds;

/*
 * Request for the bounds of the function at addr, for frame `frame`, and the result: start..start +
 * size holds addr if `found` (size 0: up to an unknown end).
 */
struct bound {
	struct dso *object;
	struct dsocfi_place at;
	/* In the object; if `offset`, in the file until fnbounds_found gets it in the object. */
	uint64_t addr;
	uint32_t frame;
	bool offset;
	bool found;
	uint64_t start, size;
};
typedef void fnbounds_found(void *arg, const struct bound *b);

struct fnbounds *fnbounds_create(struct dsocfis *cfis, fnbounds_found *found);
/* Call after workers_close, before the objects are freed. */
void fnbounds_free(struct fnbounds *w);

/*
 * Queue a request. The `found` callback gets its result during workers_collect(, arg), once
 * fnbounds_run has submitted it. Return 0 or -ENOMEM.
 */
int fnbounds_ask(struct fnbounds *w, struct dso *o, uint32_t frame, uint64_t addr, bool offset);

/* Submit the queued requests to the workers, unless an earlier batch is under way. */
void fnbounds_run(struct fnbounds *w, struct workers *workers);

#endif
