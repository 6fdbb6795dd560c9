/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rulecache - a bounded, lock-free cache of unwind rules by address space and address, filled by
 * the threads that read unwind tables, for threads that must neither wait nor read files.
 *
 * A slot is two words: the rule, and the key mixed with the rule.  A reader that loads words of two
 * different writes finds a key that it did not ask for, which is a miss.  So nothing needs an
 * order: each word stands for itself, nothing is reached through it, and all accesses are relaxed.
 * A full set loses one of its rules to a new one; an old rule that is lost is a miss, too.
 *
 * An address space is a process between two changes of its maps.  rulecache_forget begins the next
 * one: rules of the space before are not found any more.
 *
 * Keys are hashes of 64 bits with a secret of this process (base/hash.h), of which two may be
 * equal: with a full cache once in 2^49 look-ups of an address that is not there.
 *
 * Threads: any, at any time, all calls wait-free; create and free: one.
 */
#ifndef RINGTOP_FILES_UNWIND_RULECACHE_H
#define RINGTOP_FILES_UNWIND_RULECACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "files/unwind/cfirows.h"

#define RULECACHE_RULES 32768u /* 512 KB; touched when used */

struct rulecache;

struct rulecache *rulecache_create(void); /* NULL: out of memory */
void rulecache_free(struct rulecache *c);

/* Return the present address space of a process, for the calls below; never 0. */
uint64_t rulecache_space(const struct rulecache *c, uint32_t pid);

/* Note that the maps of a process have changed.  Some other processes' rules may be lost, too. */
void rulecache_forget(struct rulecache *c, uint32_t pid);

/* Get the rule for addr in that space.  False: not known. */
bool rulecache_get(const struct rulecache *c, uint64_t space, uint64_t addr, struct cfi_rule *rule);

/* Keep a rule. */
void rulecache_put(struct rulecache *c, uint64_t space, uint64_t addr, struct cfi_rule rule);

#endif
