/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * torture_table [SCALE]: writers add as fast as they can while the drainer does nothing but rotate.
 *
 * Everything about a key follows from its number, which is its first address, so the drainer can
 * tell a torn row.  Half of the keys are added directly, and then what came out must be what
 * table_add took, key by key; the others go through the combining cache, where it must be what
 * combine says, event by event (and key by key where nothing was dropped).  The tables are a roomy
 * one, one with too few rows, and one with too little arena; in the last phase one writer enters
 * and leaves all the time, for the race between entering and rotating.
 *
 * Build it with ThreadSanitizer, too.  SCALE multiplies the work (default 1, about 2 s in all).
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "core/table/combine.h"
#include "core/table/table.h"
#include "tests/scatter.h"

#define WRITERS 4
#define KEYS	2048
#define HOT	16
#ifdef __SANITIZE_THREAD__
#define SLOWER 3 /* what finds races is each step, not how many */
#else
#define SLOWER 1
#endif

struct phase {
	const char *name;
	uint32_t capacity;
	size_t arena;
	unsigned writers;
	unsigned burst; /* a writer stays for less than so many adds */
	uint64_t adds;	/* of each writer */
};

static const struct phase phases[] = {
	{ "roomy", 8192, (size_t)16 << 20, WRITERS, 128, 300000 },
	{ "few rows", 100, (size_t)16 << 20, WRITERS, 128, 300000 },
	{ "small arena", 8192, 1, WRITERS, 128, 300000 },
	{ "short stays", 8192, (size_t)16 << 20, 1, 3, 1000000 },
};

struct writer {
	const struct phase *phase;
	pthread_t thread;
	struct table *t;
	unsigned nr;
	uint64_t adds, seed;
	uint64_t given[KEYS], taken[KEYS];
	struct combine_total event_given[COMBINE_EVENTS];
	struct combine *combine;
};

static struct writer writers[WRITERS];
static uint64_t out[KEYS], seen_gen[KEYS], seen_rows[KEYS], event_out[COMBINE_EVENTS];
static int running; /* shared */
static unsigned long failures;

#define FAIL(...) (failures++ < 20 ? (void)fprintf(stderr, __VA_ARGS__) : (void)0)

static uint64_t next_random(uint64_t *seed)
{
	*seed += 0x9e3779b97f4a7c15ull;
	return scatter(*seed);
}

static bool key_combined(unsigned k)
{
	return k & 1;
}

static uint64_t key_weight(unsigned k)
{
	return k % 97 + 1;
}

static void key_make(unsigned k, struct table_key *key, uint64_t *ips)
{
	uint64_t h = scatter(k + 1);
	unsigned i;

	*key = (struct table_key){
		.pid = (uint32_t)h,
		.tid = (uint32_t)(h >> 32),
		.event = (uint16_t)(k % COMBINE_EVENTS),
		.cpu = (uint16_t)(h >> 7),
		.mode = (uint16_t)(h >> 13 & 7),
		.nr = (uint16_t)(k % 4 < 2 ? 1 : 1 + h % TABLE_PATH_MAX),
	};
	ips[0] = k;
	for (i = 1; i < key->nr; i++)
		ips[i] = scatter(h + i);
}

static void writer_add(struct writer *w, unsigned k, uint64_t time)
{
	uint64_t ips[TABLE_PATH_MAX], weight = key_weight(k);
	struct table_key key;

	key_make(k, &key, ips);
	w->given[k]++;
	if (key_combined(k)) {
		w->event_given[key.event].samples++;
		w->event_given[key.event].weight += weight;
		combine_add(w->combine, &key, ips, weight, time);
		return;
	}
	if (table_add(w->t, w->nr, &key, ips, &(struct table_count){ 1, weight, time, time }))
		w->taken[k]++;
}

/* Hot keys at times, so that writers meet in new rows, and all keys at others. */
static void *writer_run(void *arg)
{
	struct writer *w = arg;
	uint64_t done = 0, r;

	while (done < w->adds) {
		uint64_t burst = next_random(&w->seed) % w->phase->burst;
		unsigned range = next_random(&w->seed) % 2 ? HOT : KEYS;

		table_enter(w->t, w->nr);
		for (; burst; burst--, done++) {
			r = next_random(&w->seed);
			writer_add(w, (unsigned)(r % range), 1 + (r >> 32));
		}
		combine_flush(w->combine);
		table_leave(w->t, w->nr);
		/* At times lose the CPU out here: then generations are short, and many. */
		if (w->phase->writers > 1 && done % 4 == 0)
			sched_yield();
	}
	atomic_add_relaxed(&running, -1); /* pthread_join orders the results */
	return NULL;
}

static void row_check(const struct table_row *row, uint64_t gen)
{
	uint64_t ips[TABLE_PATH_MAX];
	struct table_key key;
	unsigned k;

	if (!row->key.nr || row->ips[0] >= KEYS) {
		FAIL("a row of no key: nr %u\n", row->key.nr);
		return;
	}
	k = (unsigned)row->ips[0];
	key_make(k, &key, ips);
	if (memcmp(&row->key, &key, sizeof(key)) ||
	    memcmp(row->ips, ips, key.nr * sizeof(ips[0])))
		FAIL("key %u: torn\n", k);
	if (!row->count.samples || row->count.weight != row->count.samples * key_weight(k))
		FAIL("key %u: %" PRIu64 " samples of weight %" PRIu64 "\n", k, row->count.samples,
		     row->count.weight);
	if (!row->count.first || row->count.first > row->count.last ||
	    row->count.last > (uint64_t)UINT32_MAX + 1)
		FAIL("key %u: times\n", k);
	if (seen_gen[k] != gen)
		seen_rows[k] = 0;
	seen_gen[k] = gen;
	if (++seen_rows[k] > 2)
		FAIL("key %u: three rows in generation %" PRIu64 "\n", k, gen);
	out[k] += row->count.samples;
	if (key_combined(k))
		event_out[key.event] += row->count.samples;
}

static uint32_t drain(struct table *t, uint64_t gen)
{
	struct table_gen *g = table_rotate(t);
	struct table_row row;
	uint32_t rows = 0;
	size_t pos = 0;

	if (!g) {
		FAIL("generation %" PRIu64 ": none\n", gen);
		return 0;
	}
	for (; table_next(g, &pos, &row); rows++)
		row_check(&row, gen);
	if (rows != table_rows(g))
		FAIL("generation %" PRIu64 ": %u rows, %u told\n", gen, rows, table_rows(g));
	if (rows > table_capacity(t))
		FAIL("generation %" PRIu64 ": %u rows of %u\n", gen, rows, table_capacity(t));
	table_recycle(t, g);
	return rows;
}

static void keys_check(const bool *event_dropped)
{
	uint64_t given, taken;
	unsigned k, w;

	for (k = 0; k < KEYS; k++) {
		given = taken = 0;
		for (w = 0; w < WRITERS; w++) {
			given += writers[w].given[k];
			taken += writers[w].taken[k];
		}
		if (key_combined(k)) {
			if (event_dropped[k % COMBINE_EVENTS])
				continue;
			taken = given;
		}
		if (out[k] != taken)
			FAIL("key %u: %" PRIu64 " in, %" PRIu64 " out\n", k, taken, out[k]);
	}
}

static void events_check(const struct phase *phase, bool *event_dropped,
			 uint64_t *total_dropped)
{
	const struct combine_total *added, *dropped, *given;
	uint64_t sum;
	unsigned e, w;

	for (e = 0; e < COMBINE_EVENTS; e++) {
		sum = 0;
		for (w = 0; w < phase->writers; w++) {
			added = &combine_added(writers[w].combine)[e];
			dropped = &combine_dropped(writers[w].combine)[e];
			given = &writers[w].event_given[e];
			if (added->samples + dropped->samples != given->samples ||
			    added->weight + dropped->weight != given->weight)
				FAIL("event %u: added + dropped is not given\n", e);
			sum += added->samples;
			event_dropped[e] |= dropped->samples != 0;
			*total_dropped += dropped->samples;
		}
		if (sum != event_out[e])
			FAIL("event %u: %" PRIu64 " in, %" PRIu64 " out\n", e, sum, event_out[e]);
	}
}

static void report(const char *name, uint64_t gens, uint64_t rows, uint64_t combine_dropped_sum)
{
	uint64_t given = 0, refused = 0;
	unsigned k, w;

	for (w = 0; w < WRITERS; w++) {
		for (k = 0; k < KEYS; k++) {
			given += writers[w].given[k];
			if (!key_combined(k))
				refused += writers[w].given[k] - writers[w].taken[k];
		}
	}
	printf("%-12s %" PRIu64 " adds, %" PRIu64 " generations, %" PRIu64 " rows, %" PRIu64
	       " refused, %" PRIu64 " dropped\n",
	       name, given, gens, rows, refused, combine_dropped_sum);
}

static void writer_start(unsigned nr, const struct phase *phase, struct table *t, uint64_t scale)
{
	struct writer *w = &writers[nr];

	w->phase = phase;
	w->t = t;
	w->nr = nr;
	w->adds = phase->adds * scale / SLOWER;
	w->seed = nr + 1;
	w->combine = combine_create(t, nr);
	if (!w->combine || pthread_create(&w->thread, NULL, writer_run, w)) {
		fprintf(stderr, "cannot start writer %u\n", nr);
		exit(1);
	}
}

/* Rotate till all writers are done; then both generations once more.  Returns the rotations. */
static uint64_t drain_all(struct table *t, const struct phase *phase, uint64_t *rows)
{
	uint64_t gen = 0;
	uint32_t got;

	while (atomic_load_relaxed(&running)) {
		got = drain(t, ++gen);
		*rows += got;
		if (!got && (phase->writers > 1 || gen % 256 == 0))
			sched_yield(); /* the writers may be waiting for a CPU */
	}
	*rows += drain(t, ++gen);
	*rows += drain(t, ++gen);
	return gen;
}

static bool torture(const struct phase *phase, uint64_t scale)
{
	struct table *t = table_create(WRITERS, phase->capacity, phase->arena);
	uint64_t gens, rows = 0, dropped = 0;
	bool event_dropped[COMBINE_EVENTS] = { false };
	unsigned w;

	if (!t)
		return false;
	memset(writers, 0, sizeof(writers));
	memset(out, 0, sizeof(out));
	memset(seen_gen, 0, sizeof(seen_gen));
	memset(event_out, 0, sizeof(event_out));
	atomic_store_relaxed(&running, (int)phase->writers);
	for (w = 0; w < phase->writers; w++)
		writer_start(w, phase, t, scale);
	gens = drain_all(t, phase, &rows);
	for (w = 0; w < phase->writers; w++)
		pthread_join(writers[w].thread, NULL);
	events_check(phase, event_dropped, &dropped);
	keys_check(event_dropped);
	report(phase->name, gens, rows, dropped);
	for (w = 0; w < phase->writers; w++)
		combine_free(writers[w].combine);
	table_free(t);
	return true;
}

int main(int argc, char **argv)
{
	uint64_t scale = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	size_t i;

	if (!scale) {
		fprintf(stderr, "usage: torture_table [SCALE]\n");
		return 2;
	}
	for (i = 0; i < sizeof(phases) / sizeof(phases[0]); i++) {
		if (!torture(&phases[i], scale)) {
			fprintf(stderr, "out of memory\n");
			return 1;
		}
	}
	if (failures)
		fprintf(stderr, "%lu failures\n", failures);
	return failures != 0;
}
