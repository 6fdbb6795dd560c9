/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture_stackcopies [SCALE]: one thread fills blocks as fast as it can, one takes them, and several give
 * them back, as the readers, the tick and the unwinders do.
 *
 * Every sample put must come out once, whole; what is refused is counted, and the two add up.
 * Build it with ThreadSanitizer, too.  SCALE multiplies the work (default 1, about 2 s in all).
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "sources/consumers/stackcopies.h"
#include "tests/scatter.h"

#define GIVERS 3
#define BLOCKS 6u
#define SLOTS  64u /* of the hand-over from the taker to the givers */

static struct stackcopies *queue;
static struct dump_block *slot[SLOTS]; /* shared: NULL, or for the giver who takes it */
static int putting = 1, taking = 1;    /* shared */
#ifdef __SANITIZE_THREAD__
static uint64_t puts_wanted = 100000; /* what finds races is each step, not how many */
#else
static uint64_t puts_wanted = 300000;
#endif
static uint64_t put_nr, put_sum, refused;
static uint64_t out_nr, out_sum; /* shared, relaxed */
static unsigned long failures;   /* shared, relaxed */

static void *putter(void *arg)
{
	uint64_t words[32], stack[600], seed = 1;

	(void)arg;
	for (uint64_t n = 1; n <= puts_wanted; n++) {
		struct table_key key = {.pid = (uint32_t)n};
		struct dump_input in = {.key = &key, .weight = n, .time = n, .chain = words,
					.regs = words, .stack = stack};

		seed = scatter(seed + n);
		in.nchain = seed % 32;
		in.nregs = seed / 32 % DUMPS_REGS;
		in.nstack = seed / 1024 % 600 * 8;
		for (unsigned i = 0; i < 32; i++)
			words[i] = n;
		for (unsigned i = 0; i < in.nstack / 8; i++)
			stack[i] = n;
		if (stackcopies_put(queue, &in)) {
			put_nr++;
			put_sum += scatter(n);
		} else {
			refused++;
			sched_yield();
		}
		if (seed % 257 == 0)
			stackcopies_flush(queue);
	}
	stackcopies_flush(queue);
	atomic_store_release(&putting, 0); /* pairs with the taker's acquire */
	return NULL;
}

static void *taker(void *arg)
{
	unsigned at = 0;
	int last;

	(void)arg;
	do {
		struct dump_block *b, *next;

		last = !atomic_load_acquire(&putting); /* pairs with the putter's release */
		for (b = stackcopies_take(queue); b; b = next) {
			struct dump_block *none = NULL;

			next = b->next;
			/* pairs with the givers' atomic_take */
			while (!atomic_cas_publish(&slot[at % SLOTS], &none, b)) {
				none = NULL;
				at++;
			}
			at++;
		}
	} while (!last);
	atomic_store_release(&taking, 0); /* pairs with the givers' acquire */
	return NULL;
}

static void check_block(struct dump_block *b)
{
	uint64_t nr = 0, sum = 0;

	for (struct stackcopy *d = dump_first(b); d; d = dump_next(b, d)) {
		uint64_t words = d->nchain + (uint64_t)d->nregs + d->nstack / 8;

		for (uint64_t i = 0; i < words; i++)
			if (d->words[i] != d->weight)
				atomic_add_relaxed(&failures, 1);
		if (d->key.pid != d->weight || d->time != d->weight)
			atomic_add_relaxed(&failures, 1);
		nr++;
		sum += scatter(d->weight);
	}
	if (nr != b->nr)
		atomic_add_relaxed(&failures, 1);
	atomic_add_relaxed(&out_nr, nr);
	atomic_add_relaxed(&out_sum, sum);
}

static void *giver(void *arg)
{
	unsigned found;
	int last;

	(void)arg;
	do {
		found = 0;
		last = !atomic_load_acquire(&taking); /* pairs with the taker's release */
		for (unsigned i = 0; i < SLOTS; i++) {
			struct dump_block *b = atomic_take(&slot[i]);

			if (!b)
				continue;
			found++;
			check_block(b);
			stackcopies_give(queue, b);
		}
		if (!found)
			sched_yield();
	} while (!last || found);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t put, take, give[GIVERS];

	if (argc > 1)
		puts_wanted *= strtoul(argv[1], NULL, 0);
	queue = stackcopies_create(BLOCKS * DUMPS_BLOCK);
	if (!queue)
		return 1;
	pthread_create(&put, NULL, putter, NULL);
	pthread_create(&take, NULL, taker, NULL);
	for (int i = 0; i < GIVERS; i++)
		pthread_create(&give[i], NULL, giver, NULL);
	pthread_join(put, NULL);
	pthread_join(take, NULL);
	for (int i = 0; i < GIVERS; i++)
		pthread_join(give[i], NULL);
	stackcopies_free(queue);
	printf("%" PRIu64 " put, %" PRIu64 " refused, %" PRIu64 " out, %lu torn\n", put_nr, refused,
	       out_nr, failures);
	if (put_nr + refused != puts_wanted || put_nr != out_nr || put_sum != out_sum || failures ||
	    !put_nr) {
		printf("not ok: what went in and what came out differ\n");
		return 1;
	}
	return 0;
}
