/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shallow - whose call stacks end after one function, because their code keeps no frame pointers, or lead to where no code
 * is, because it uses that register for something else; and, where samples
 * have a copy of the stack beside the kernel's chain, which of the two is the path.
 *
 * Threads: shallow_count, shallow_count_astray and shallow_path any; all else the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_SHALLOW_H
#define RINGTOP_NAMES_RESOLVE_SHALLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"
#include "names/objects/maps.h"

struct resolver;

/* So many samples' chains that begin in an object; alone: with one function of it. */
void shallow_count(struct dso_chains *of, uint64_t samples, bool alone);

/* Count `samples` of those that were counted which lead to an address that is in no executable map. */
void shallow_count_astray(struct dso_chains *of, uint64_t samples);

/* Are an object's, of those of all, such that copies of stacks are worth it? */
bool shallow_is(const struct dso_chains *object, const struct dso_chains *all);

/*
 * For --call-graph auto, about once a second: note the objects where frame pointers of late end after one function or
 * lead to no code.  True: there are some that did so since.  names: they, and those whose stacks were unwound of late; files only, for of generated
 * code nothing tells more.
 */
bool resolver_find_shallow(struct resolver *r, char *names, size_t size);

/*
 * The user's part of a chain as the kernel gives it, without its mark, of a sample at that time in these maps.  True: its stack's copy
 * may tell more, because the chain begins in an object that was found to be shallow, ends after one function, or leads to
 * where no code is.  *led: to so many addresses of code.
 */
bool shallow_path(const struct maps *maps, uint64_t time, const uint64_t *ips, size_t nr, size_t *led);

#endif
