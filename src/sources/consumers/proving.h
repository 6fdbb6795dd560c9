/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proving - the readers' side of proved callers: paths by cached unwind rules, and how many are
 * proved (names/objects/proved.h).
 *
 * Threads: proving_sample and proving_refused from the reader of that number; proving_rules any;
 * all else from the tick's thread.
 */
#ifndef RINGTOP_SOURCES_CONSUMERS_PROVING_H
#define RINGTOP_SOURCES_CONSUMERS_PROVING_H

#include <stdbool.h>

#include "core/slice/slice.h"
#include "files/decode/record.h"
#include "files/unwind/rulecache.h"
#include "measure/session/path.h"

struct proving;

struct proving *proving_create(unsigned readers); /* NULL: out of memory */
void proving_free(struct proving *p);

/*
 * Put callers that the chain of a sample lacks into its path, in `ips`, or a mark where they are
 * not known.  Return true if a rule is not known yet; then the sample is not counted.
 */
bool proving_sample(struct proving *p, unsigned reader, const struct record_layout *l,
		    const struct sample *s, struct path *path, uint64_t ips[TABLE_PATH_MAX]);

/* Count a sample for which a rule is not known, and workers have no room. */
void proving_refused(struct proving *p, unsigned reader);

/* Note a record of sideband: rules of its process's old maps hold no more. */
void proving_changed(struct proving *p, const struct record *rec);

/* Add the counts since the last call. */
void proving_gauge(struct proving *p, struct slice_unwind *g);

/* Return the rules, which workers add to. */
struct rulecache *proving_rules(const struct proving *p);

#endif
