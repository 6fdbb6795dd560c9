/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_table [ADDS]: what one add costs, beside other people's tables.
 *
 * Every contender does the same work: find or make the row of a flat key (24 bytes, hashed by the
 * same function), add to samples and weight, keep the first and the last time.  All are as large
 * from the start as they will need to be, rows come from memory that is set aside, and all start
 * empty in each run.  A drain is DRAIN adds; what a contender does once a drain (enter and leave,
 * an RCU read-side section, a lock) is part of its cost.  After each run the samples are summed up:
 * a contender that lost one ends the benchmark with an error.
 *
 *   loop          nothing but the drawing of keys: what is in all other figures, too
 *   table+combine this project's table behind its combining cache, as the readers use it
 *   table         the table alone
 *   mutex/drain   open addressing, plain counters, one mutex, taken once a drain
 *   mutex/add     the same, taken for each add
 *   cds_lfht      liburcu's lock-free table, memb flavour; lookup, then add_unique
 *   ck_ht         Concurrency Kit's table: lookups run freely, but it wants one writer at a time,
 *                 so inserts take a mutex
 *
 * A combining cache in front of another table would help that as well; compare "table" with the
 * rest for the tables themselves.  "2 same": two threads add to the same rows, the worst case.
 * "2 own": to rows of their own in the same table, as readers do, whose CPU is part of the key.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/hash.h"
#include "core/table/combine.h"
#include "core/table/table.h"
#include "tests/scatter.h"

#ifdef HAVE_URCU
#define _LGPL_SOURCE /* their inline read side */
#include <urcu/urcu-memb.h>
#include <urcu/rculfhash.h>
#endif
#ifdef HAVE_CK
#include <ck_ht.h>
#endif

#define THREADS 2
#define DRAIN	2048 /* a quarter of a 512 KiB ring of small records */
#define RUNS	9
#define DRAWN	(1u << 18)
#define KEYS	32768u
#define ROWS	(THREADS * KEYS)
#define SLOTS	(2 * ROWS)

struct flat {
	struct table_key key;
	uint64_t ip;
};

/* A row of the others. */
struct row {
	struct flat flat;
	struct table_count count;
#ifdef HAVE_URCU
	struct cds_lfht_node node;
#endif
};

/* Of one thread: bump-allocated, never freed within a run. */
struct pool {
	struct row *rows;
	size_t used;
} cache_aligned;

struct contender {
	const char *name;
	bool (*open)(void); /* once; false: it cannot run */
	void (*thread_start)(void);
	void (*thread_stop)(void);
	void (*begin)(unsigned thread); /* a drain */
	void (*add)(unsigned thread, const struct flat *flat, uint64_t weight, uint64_t time);
	void (*end)(unsigned thread);
	uint64_t (*reset)(void); /* empty it; returns the samples that were in */
	void (*close)(void);
};

static struct pool pools[THREADS];

/* Contenders take turns with them, and each run ends with them empty. */
static bool pools_open(void)
{
	unsigned i;

	if (pools[0].rows)
		return true;
	for (i = 0; i < THREADS; i++) {
		pools[i].rows = calloc(ROWS, sizeof(struct row));
		if (!pools[i].rows)
			return false;
		memset(pools[i].rows, 1, ROWS * sizeof(struct row)); /* resident, as ours is */
		pools[i].used = 0;
	}
	return true;
}

static void pools_close(void)
{
	unsigned i;

	for (i = 0; i < THREADS; i++) {
		free(pools[i].rows);
		pools[i].rows = NULL;
	}
}

static uint64_t pools_reset(void)
{
	uint64_t sum = 0;
	size_t k;
	unsigned i;

	for (i = 0; i < THREADS; i++) {
		for (k = 0; k < pools[i].used; k++)
			sum += pools[i].rows[k].count.samples;
		pools[i].used = 0;
	}
	return sum;
}

static uint64_t flat_hash(const struct flat *f)
{
	uint64_t words[3];

	memcpy(words, f, sizeof(words));
	return hash_mix(hash_mix(words[0], words[1]), words[2]);
}

static void row_start(struct row *r, const struct flat *f, uint64_t weight, uint64_t time)
{
	r->flat = *f;
	r->count = (struct table_count){ 1, weight, time, time };
}

#if defined(HAVE_URCU) || defined(HAVE_CK)
static void row_add_atomic(struct row *r, uint64_t weight, uint64_t time)
{
	atomic_add_relaxed(&r->count.samples, 1);
	atomic_add_relaxed(&r->count.weight, weight);
	atomic_min_relaxed(&r->count.first, time);
	atomic_max_relaxed(&r->count.last, time);
}
#endif

static void nothing(void)
{
}

static void nothing_thread(unsigned thread)
{
	(void)thread;
}

/* --- loop --------------------------------------------------------------------------------- */

static struct {
	uint64_t samples, sum;
} cache_aligned loops[THREADS];

static bool loop_open(void)
{
	return true;
}

static void loop_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	loops[thread].samples++;
	loops[thread].sum += f->ip + weight + time;
}

static uint64_t loop_reset(void)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < THREADS; i++) {
		sum += loops[i].samples;
		loops[i].samples = 0;
	}
	return sum;
}

/* --- ours --------------------------------------------------------------------------------- */

static struct table *table;
static struct combine *combines[THREADS];

static void own_close(void)
{
	unsigned i;

	for (i = 0; i < THREADS; i++) {
		combine_free(combines[i]);
		combines[i] = NULL;
	}
	table_free(table);
	table = NULL;
}

static bool own_open(void)
{
	unsigned i;

	if (table)
		return true; /* with the cache or without it, it is the same one */
	table = table_create(THREADS, ROWS + ROWS / 8, (size_t)16 << 20);
	if (!table)
		return false;
	for (i = 0; i < THREADS; i++) {
		combines[i] = combine_create(table, i);
		if (!combines[i])
			return false;
	}
	return true;
}

static void own_begin(unsigned thread)
{
	table_enter(table, thread);
}

static void own_end(unsigned thread)
{
	table_leave(table, thread);
}

static void combine_end(unsigned thread)
{
	combine_flush(combines[thread]);
	table_leave(table, thread);
}

static void own_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	struct table_count one = { 1, weight, time, time };

	table_add(table, thread, &f->key, &f->ip, &one);
}

static void combined_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	combine_add(combines[thread], &f->key, &f->ip, weight, time);
}

static uint64_t own_reset(void)
{
	struct table_gen *g = table_rotate(table);
	struct table_row row;
	uint64_t sum = 0;
	size_t pos = 0;

	while (table_next(g, &pos, &row))
		sum += row.count.samples;
	table_recycle(table, g);
	return sum;
}

/* --- a mutex ------------------------------------------------------------------------------ */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct row **locked_slots;

static bool locked_open(void)
{
	if (!locked_slots)
		locked_slots = calloc(SLOTS, sizeof(*locked_slots));
	return locked_slots && pools_open();
}

static void locked_close(void)
{
	free(locked_slots);
	locked_slots = NULL;
	pools_close();
}

static void locked_begin(unsigned thread)
{
	(void)thread;
	pthread_mutex_lock(&lock);
}

static void locked_end(unsigned thread)
{
	(void)thread;
	pthread_mutex_unlock(&lock);
}

static void locked_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	uint64_t i = flat_hash(f) % SLOTS;
	struct row *r;

	while ((r = locked_slots[i]) && memcmp(&r->flat, f, sizeof(*f)))
		i = (i + 1) % SLOTS;
	if (!r) {
		r = &pools[thread].rows[pools[thread].used++];
		row_start(r, f, weight, time);
		locked_slots[i] = r;
		return;
	}
	r->count.samples++;
	r->count.weight += weight;
	if (time < r->count.first)
		r->count.first = time;
	if (time > r->count.last)
		r->count.last = time;
}

static void locked_add_alone(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	pthread_mutex_lock(&lock);
	locked_add(thread, f, weight, time);
	pthread_mutex_unlock(&lock);
}

static uint64_t locked_reset(void)
{
	memset(locked_slots, 0, SLOTS * sizeof(*locked_slots));
	return pools_reset();
}

/* --- cds_lfht ----------------------------------------------------------------------------- */

#ifdef HAVE_URCU
static struct cds_lfht *lfht;

static bool lfht_open(void)
{
	lfht = cds_lfht_new_flavor(SLOTS, SLOTS, SLOTS, 0, &urcu_memb_flavor, NULL);
	return lfht && pools_open();
}

static void lfht_close(void)
{
	cds_lfht_destroy(lfht, NULL);
	pools_close();
}

static void lfht_start(void)
{
	urcu_memb_register_thread();
}

static void lfht_stop(void)
{
	urcu_memb_unregister_thread();
}

static void lfht_begin(unsigned thread)
{
	(void)thread;
	urcu_memb_read_lock();
}

static void lfht_end(unsigned thread)
{
	(void)thread;
	urcu_memb_read_unlock();
}

static int lfht_match(struct cds_lfht_node *node, const void *key)
{
	return !memcmp(&caa_container_of(node, struct row, node)->flat, key, sizeof(struct flat));
}

static void lfht_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	unsigned long hash = flat_hash(f);
	struct cds_lfht_node *node;
	struct cds_lfht_iter iter;
	struct row *r;

	cds_lfht_lookup(lfht, hash, lfht_match, f, &iter);
	node = cds_lfht_iter_get_node(&iter);
	if (!node) {
		r = &pools[thread].rows[pools[thread].used];
		row_start(r, f, weight, time);
		cds_lfht_node_init(&r->node);
		node = cds_lfht_add_unique(lfht, hash, lfht_match, f, &r->node);
		if (node == &r->node) {
			pools[thread].used++;
			return;
		}
	}
	row_add_atomic(caa_container_of(node, struct row, node), weight, time);
}

static uint64_t lfht_reset(void)
{
	struct cds_lfht_node *node;
	struct cds_lfht_iter iter;

	urcu_memb_register_thread();
	urcu_memb_read_lock();
	cds_lfht_for_each(lfht, &iter, node)
		cds_lfht_del(lfht, node);
	urcu_memb_read_unlock();
	urcu_memb_synchronize_rcu();
	urcu_memb_unregister_thread();
	return pools_reset();
}
#endif

/* --- ck_ht -------------------------------------------------------------------------------- */

#ifdef HAVE_CK
static ck_ht_t ckht;

static void *ckht_malloc(size_t size)
{
	return malloc(size);
}

static void ckht_free(void *p, size_t size, bool defer)
{
	(void)size;
	(void)defer;
	free(p);
}

static struct ck_malloc ckht_memory = { .malloc = ckht_malloc, .free = ckht_free };

static void ckht_hash(ck_ht_hash_t *h, const void *key, size_t len, uint64_t seed)
{
	(void)len;
	(void)seed;
	h->value = flat_hash(key);
}

static bool ckht_open(void)
{
	return ck_ht_init(&ckht, CK_HT_MODE_BYTESTRING, ckht_hash, &ckht_memory, SLOTS, 1) &&
	       pools_open();
}

static void ckht_close(void)
{
	ck_ht_destroy(&ckht);
	pools_close();
}

/* Under the lock: look again, then put. */
static struct row *ckht_insert(unsigned thread, ck_ht_hash_t h, const struct flat *f,
			       uint64_t weight, uint64_t time)
{
	struct row *r = NULL;
	ck_ht_entry_t e;

	pthread_mutex_lock(&lock);
	ck_ht_entry_key_set(&e, f, sizeof(*f));
	if (ck_ht_get_spmc(&ckht, h, &e)) {
		r = ck_ht_entry_value(&e);
	} else {
		struct row *fresh = &pools[thread].rows[pools[thread].used++];

		row_start(fresh, f, weight, time);
		ck_ht_entry_set(&e, h, &fresh->flat, sizeof(*f), fresh);
		if (!ck_ht_put_spmc(&ckht, h, &e))
			pools[thread].used--; /* the missing sample ends the benchmark */
	}
	pthread_mutex_unlock(&lock);
	return r;
}

static void ckht_add(unsigned thread, const struct flat *f, uint64_t weight, uint64_t time)
{
	struct row *r;
	ck_ht_entry_t e;
	ck_ht_hash_t h;

	ck_ht_hash(&h, &ckht, f, sizeof(*f));
	ck_ht_entry_key_set(&e, f, sizeof(*f));
	if (ck_ht_get_spmc(&ckht, h, &e))
		r = ck_ht_entry_value(&e);
	else
		r = ckht_insert(thread, h, f, weight, time);
	if (r)
		row_add_atomic(r, weight, time);
}

/* At the size it has: a table that lost its size would grow in the next run. */
static uint64_t ckht_reset(void)
{
	ck_ht_reset_size_spmc(&ckht, SLOTS);
	return pools_reset();
}
#endif

/* --- the measurement ---------------------------------------------------------------------- */

static const struct contender contenders[] = {
	{ "loop", loop_open, nothing, nothing, nothing_thread, loop_add, nothing_thread, loop_reset,
	  nothing },
	{ "table+combine", own_open, nothing, nothing, own_begin, combined_add, combine_end,
	  own_reset, own_close },
	{ "table", own_open, nothing, nothing, own_begin, own_add, own_end, own_reset, own_close },
	{ "mutex/drain", locked_open, nothing, nothing, locked_begin, locked_add, locked_end,
	  locked_reset, locked_close },
	{ "mutex/add", locked_open, nothing, nothing, nothing_thread, locked_add_alone,
	  nothing_thread, locked_reset, locked_close },
#ifdef HAVE_URCU
	{ "cds_lfht", lfht_open, lfht_start, lfht_stop, lfht_begin, lfht_add, lfht_end, lfht_reset,
	  lfht_close },
#endif
#ifdef HAVE_CK
	{ "ck_ht", ckht_open, nothing, nothing, nothing_thread, ckht_add, nothing_thread,
	  ckht_reset, ckht_close },
#endif
};

#define CONTENDERS (sizeof(contenders) / sizeof(contenders[0]))
#define REFERENCE  2 /* "table": the ratios are to it */

struct keyset {
	const char *name;
	unsigned keys;
	bool zipf;
};

static const struct keyset keysets[] = {
	{ "16 hot", 16, false },
	{ "1k", 1024, false },
	{ "32k zipf", KEYS, true },
};

static const struct crew {
	const char *name;
	unsigned threads;
	bool own;
} crews[] = {
	{ "1 thread", 1, false },
	{ "2 same", 2, false },
	{ "2 own", 2, true },
};

#define KEYSETS (sizeof(keysets) / sizeof(keysets[0]))
#define CREWS	(sizeof(crews) / sizeof(crews[0]))

static uint16_t drawn[DRAWN];
static struct flat flats[THREADS][KEYS];

static void flats_make(void)
{
	unsigned i, k;

	for (i = 0; i < THREADS; i++) {
		for (k = 0; k < KEYS; k++) {
			flats[i][k].key = (struct table_key){
				1000 + k % 37, 1000 + k % 61, 0, (uint16_t)i, 2, 1, 0
			};
			flats[i][k].ip = 0x55d000400000ull + k * 20ull;
		}
	}
}

/* Uniform, or Zipf with exponent 1: key k as often as 1 / (k + 1). */
static void draw(const struct keyset *set)
{
	double harmonic = log(set->keys) + 0.5772156649;
	uint64_t seed = 1, h;
	unsigned i, k;

	for (i = 0; i < DRAWN; i++) {
		h = scatter(seed++ * 0x9e3779b97f4a7c15ull);
		k = (unsigned)(h % set->keys);
		if (set->zipf) {
			k = (unsigned)exp((double)(h >> 11) / 9007199254740992.0 * harmonic) - 1;
			k = k < set->keys ? k : set->keys - 1;
		}
		drawn[i] = (uint16_t)(k * 40503u % set->keys); /* hot keys lie apart */
	}
}

struct worker {
	pthread_t thread;
	const struct contender *c;
	unsigned *waiting; /* shared: threads that are not ready */
	unsigned nr;
	const struct flat *flats;
	uint64_t adds, start, stop;
};

static void pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	/* refused (a cpuset): the figures are a little less steady */
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;
	const struct contender *c = w->c;
	uint64_t i, k, at = w->nr * (DRAWN / THREADS);

	pin(w->nr);
	c->thread_start();
	/* Spinning: a thread that had to be woken up would find the other one done. */
	atomic_add_relaxed(w->waiting, -1u);
	while (atomic_load_relaxed(w->waiting))
		cpu_relax();
	w->start = clock_ns();
	for (i = 0; i < w->adds; i += k) {
		uint64_t n = w->adds - i < DRAIN ? w->adds - i : DRAIN;

		c->begin(w->nr);
		for (k = 0; k < n; k++)
			c->add(w->nr, &w->flats[drawn[(at + i + k) % DRAWN]], 1000, i + k);
		c->end(w->nr);
	}
	w->stop = clock_ns();
	c->thread_stop();
	return NULL;
}

/* ns from the first start to the last stop, for one add of one thread. */
static double run(const struct contender *c, const struct crew *crew, uint64_t adds)
{
	struct worker w[THREADS];
	unsigned waiting = crew->threads;
	uint64_t start = UINT64_MAX, stop = 0, in;
	unsigned i;

	for (i = 0; i < crew->threads; i++) {
		w[i] = (struct worker){ .c = c, .waiting = &waiting, .nr = i, .adds = adds };
		w[i].flats = flats[crew->own ? i : 0];
		if (pthread_create(&w[i].thread, NULL, worker_run, &w[i])) {
			fprintf(stderr, "cannot start a thread\n");
			exit(1);
		}
	}
	for (i = 0; i < crew->threads; i++) {
		pthread_join(w[i].thread, NULL);
		start = w[i].start < start ? w[i].start : start;
		stop = w[i].stop > stop ? w[i].stop : stop;
	}
	in = c->reset();
	if (in != adds * crew->threads) {
		fprintf(stderr, "%s: %llu samples of %llu\n", c->name, (unsigned long long)in,
			(unsigned long long)(adds * crew->threads));
		exit(1);
	}
	return (double)(stop - start) / (double)adds;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The contenders take turns, so that what else the machine does hits all of them alike. */
static void measure(const struct crew *crew, uint64_t adds, double *medians, size_t stride)
{
	double ns[CONTENDERS][RUNS];
	unsigned c, i;

	for (c = 0; c < CONTENDERS; c++)
		run(&contenders[c], crew, adds); /* to warm up */
	for (i = 0; i < RUNS; i++)
		for (c = 0; c < CONTENDERS; c++)
			ns[c][i] = run(&contenders[c], crew, adds);
	for (c = 0; c < CONTENDERS; c++) {
		qsort(ns[c], RUNS, sizeof(ns[c][0]), compare);
		medians[c * stride] = ns[c][RUNS / 2];
	}
}

static void head_print(uint64_t adds)
{
	unsigned k, n;

	printf("ns an add and thread (median of %d runs, %llu adds each); in brackets: to \"%s\"\n\n",
	       RUNS, (unsigned long long)adds, contenders[REFERENCE].name);
	printf("%-14s", "");
	for (k = 0; k < KEYSETS; k++)
		printf("  %-41s", keysets[k].name);
	printf("\n%-14s", "");
	for (k = 0; k < KEYSETS; k++)
		for (n = 0; n < CREWS; n++)
			printf("  %-12s", crews[n].name);
	printf("\n");
}

int main(int argc, char **argv)
{
	static double results[CONTENDERS][KEYSETS][CREWS];
	uint64_t adds = argc > 1 ? strtoull(argv[1], NULL, 10) : 300000;
	unsigned c, k, n;

	if (!adds) {
		fprintf(stderr, "usage: bench_table [ADDS]\n");
		return 2;
	}
	flats_make();
	for (c = 0; c < CONTENDERS; c++) {
		if (!contenders[c].open()) {
			fprintf(stderr, "%s: cannot be set up\n", contenders[c].name);
			return 1;
		}
	}
	for (k = 0; k < KEYSETS; k++) {
		draw(&keysets[k]);
		for (n = 0; n < CREWS; n++)
			measure(&crews[n], adds, &results[0][k][n], KEYSETS * CREWS);
	}
	for (c = 0; c < CONTENDERS; c++)
		contenders[c].close();
	head_print(adds);
	for (c = 0; c < CONTENDERS; c++) {
		printf("%-14s", contenders[c].name);
		for (k = 0; k < KEYSETS; k++)
			for (n = 0; n < CREWS; n++)
				printf("  %6.1f(%4.1f)", results[c][k][n],
				       results[c][k][n] / results[REFERENCE][k][n]);
		printf("\n");
	}
	return 0;
}
