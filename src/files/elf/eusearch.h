/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * eusearch - functions that elfutils' static libraries lack.
 *
 * Since 0.192 libdw.a and libelf.a use search trees of a library, libeu, that elfutils builds but
 * does not install, so nothing can be linked with them statically. This file has libeu's functions
 * under their own names: tsearch(3) and its family with a lock. A tree is a struct that begins with
 * its root; the lock that follows the root is not touched here, one lock for all trees replaces it.
 * The functions are weak: where a libdw.a has its own, either will do.
 *
 * Threads: any number at once.
 */
#ifndef RINGTOP_FILES_ELF_EUSEARCH_H
#define RINGTOP_FILES_ELF_EUSEARCH_H

typedef int eu_compare(const void *a, const void *b);

void eu_search_tree_init(void **root);
void eu_search_tree_fini(void **root, void (*free_node)(void *));
void *eu_tsearch(const void *key, void **root, eu_compare *compare);
void *eu_tfind(const void *key, void **root, eu_compare *compare);
void *eu_tdelete(const void *key, void **root, eu_compare *compare);
void eu_tdestroy(void **root, void (*free_node)(void *));

#endif
