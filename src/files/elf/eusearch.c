/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/eusearch.h"

#include <pthread.h>
#include <search.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((weak)) void eu_search_tree_init(void **root)
{
	*root = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(void **root, void (*free_node)(void *))
{
	eu_tdestroy(root, free_node);
}

__attribute__((weak)) void *eu_tsearch(const void *key, void **root, eu_compare *compare)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = tsearch(key, root, compare);
	pthread_mutex_unlock(&lock);
	return found;
}

__attribute__((weak)) void *eu_tfind(const void *key, void **root, eu_compare *compare)
{
	void *found;

	pthread_mutex_lock(&lock);
	found = tfind(key, root, compare);
	pthread_mutex_unlock(&lock);
	return found;
}

__attribute__((weak)) void *eu_tdelete(const void *key, void **root, eu_compare *compare)
{
	void *parent;

	pthread_mutex_lock(&lock);
	parent = tdelete(key, root, compare);
	pthread_mutex_unlock(&lock);
	return parent;
}

static void keep_node(void *node)
{
	(void)node;
}

__attribute__((weak)) void eu_tdestroy(void **root, void (*free_node)(void *))
{
	pthread_mutex_lock(&lock);
	tdestroy(*root, free_node ? free_node : keep_node);
	*root = NULL;
	pthread_mutex_unlock(&lock);
}
