/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * namework - mangled names of objects made readable in the background, each symbol once however many
 * frames ask for it.  An object's names take no more than demangle.h has for them; what is left
 * stays mangled, and the object says so.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_NAMEWORK_H
#define RINGTOP_NAMES_OBJECTS_NAMEWORK_H

#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"

struct namework;

/* Frame `frame` is in the symbol e of o, which is called name. */
typedef void namework_found(void *arg, struct dso *o, const struct symtab_entry *e, uint32_t frame);

struct namework *namework_create(namework_found *found);
void namework_free(struct namework *w); /* after workers_close, before the objects */

/* The answer comes from workers_collect(, arg), if namework_run is called.  0 or -ENOMEM. */
int namework_ask(struct namework *w, struct dso *o, const struct symtab_entry *e, uint32_t frame);

/* Submit the names that were asked for to the workers, unless an earlier batch is under way. */
void namework_run(struct namework *w, struct workers *workers);

#endif
