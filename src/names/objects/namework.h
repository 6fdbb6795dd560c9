/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namework - mangled names of objects, demangled in the background, each symbol once for any number
 * of frames. An object's names take no more than demangle.h allows; the rest stays mangled, and the
 * object's `names` notes it.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_NAMEWORK_H
#define RINGTOP_NAMES_OBJECTS_NAMEWORK_H

#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"

struct namework;

/* Report that frame `frame` is in symbol e of o, whose name e has now. All borrowed. */
typedef void namework_found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame);

struct namework *namework_create(namework_found *found);
void namework_free(struct namework *w); /* call after workers_close, before the objects are freed */

/*
 * Queue a symbol for a frame. The `found` callback reports it during workers_collect(, arg), once
 * namework_run has submitted it. Return 0 or -ENOMEM.
 */
int namework_ask(struct namework *w, struct dso *o, const struct symtab_entry *e, uint32_t frame);

/* Submit the queued names to the workers, unless an earlier batch is under way. */
void namework_run(struct namework *w, struct workers *workers);

#endif
