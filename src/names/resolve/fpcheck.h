/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fpcheck - finds objects whose call stacks end after one function, because their code keeps no
 * frame pointers, or lead to no code, because it uses that register for other values; and chooses,
 * if a sample has a copy of the stack beside the kernel's chain, which of the two is the path.
 *
 * Threads: fpcheck_count, fpcheck_count_astray and fpcheck_path any; all else the resolver's.
 */
#ifndef RINGTOP_NAMES_RESOLVE_FPCHECK_H
#define RINGTOP_NAMES_RESOLVE_FPCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "names/objects/dso.h"
#include "names/objects/maps.h"

struct resolver;

/* Count samples whose chains begin in an object; alone: they have only one function of it. */
void fpcheck_count(struct dso_chains *of, uint64_t samples, bool alone);

/*
 * Count samples, already counted by fpcheck_count(), that lead to an address in no executable map.
 */
void fpcheck_count_astray(struct dso_chains *of, uint64_t samples);

/*
 * Return true if an object's chains, among all objects' chains, are bad enough that copies of
 * stacks are worth it.
 */
bool fpcheck_is(const struct dso_chains *object, const struct dso_chains *all);

/*
 * Mark the objects whose chains recently ended after one function or led to no code: for
 * --call-graph auto, about once a second.  Return true if there are any. names: these, and those
 * whose stacks were recently unwound; files only, as there is nothing better for generated code.
 */
bool resolver_find_shallow(struct resolver *r, char *names, size_t size);

/*
 * Check the user's part of a sample's chain as the kernel gives it, without its mark, in these maps
 * at that time.  Return true if the copy of its stack may be better, because the chain begins in a
 * shallow object, ends after one function, or leads to no code. *led: number of its leading
 * addresses that are in code.
 */
bool fpcheck_path(const struct maps *maps, uint64_t time, const uint64_t *ips, size_t nr,
		  size_t *led);

#endif
