/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The aggregation table: open addressing over words that point to rows.
 *
 * A slot is 0 or (high half of the hash << 32 | row offset / 8).  It goes from 0 to a row once in a
 * generation's life and never changes again until the generation is recycled, so a probe that met
 * a row may rely on it.  Rows lie back to back in chunks of the arena; a chunk belongs to one
 * writer, its header has how far it is filled, and the drainer walks it up to there.
 *
 * The writer that published the first row of a key owns it and counts in it without atomic
 * operations.  Another writer that meets the key walks on to the second row, which all but the
 * owner share and count in atomically, or publishes it.  The CPU being part of the key, readers
 * that are pinned never meet: their adds cost a probe and a few plain additions.
 *
 *   generation:   IDLE --rotate--> CURRENT --rotate, grace--> RETIRED --recycle--> IDLE
 *                 (there is no way back from RETIRED to CURRENT but through recycle)
 *   slot:         0 --table_add, one cas--> row --recycle--> 0
 *
 * Refuses to: grow, move a row, free a row, or wait in a writer.
 */
#include "core/table/table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/atomics.h"
#include "base/hash.h"

#define CHUNK_SIZE    ((size_t)16 << 10)
#define CHUNK_MIN     4  /* chunks a writer: one each must not look like a full arena */
#define CREDIT_MAX    64 /* rows that a writer sets aside at once */
#define RELEASE_SLACK 64 /* chunks: less than this is not worth giving back */
#define ROW_SHARED    UINT32_MAX
#define GRACE_SPINS   200
#define GRACE_MIN_NS  20000
#define GRACE_MAX_NS  1000000

/* In the arena; with one address exactly a cache line. */
struct row {
	struct table_key key;
	struct table_count count; /* shared, where the owner is ROW_SHARED */
	uint32_t slot;            /* its index, for recycle */
	uint32_t owner;           /* the one writer that counts here, or ROW_SHARED */
	uint64_t ips[];
};

/* The start of every chunk.  Written by its owner only, read after the grace period. */
struct chunk {
	uint32_t used; /* bytes from the chunk's start, this header included */
	uint32_t rows;
} cache_aligned;

_Static_assert(sizeof(struct table_key) == 16, "a key is two words without holes");
_Static_assert(sizeof(struct row) + sizeof(uint64_t) == CACHE_LINE, "a flat row is one line");
_Static_assert(sizeof(struct chunk) + sizeof(struct row) + 8 * TABLE_PATH_MAX <= CHUNK_SIZE,
	       "the largest row fits into a chunk");

/* A writer's private place in a generation. */
struct share {
	struct chunk *chunk; /* the chunk that it fills, or NULL */
	uint32_t credits;    /* rows that it may still add before it sets aside more */
} cache_aligned;

struct table_gen {
	/* Read-only while current. */
	uint64_t *slots; /* shared */
	unsigned char *arena;
	struct share *shares;
	uint64_t mask; /* slots - 1 */
	uint32_t limit;  /* rows */
	uint32_t chunks; /* in the arena */
	uint32_t batch;  /* rows set aside at once */
	/* Drainer only. */
	bool clean;
	uint32_t filled;  /* chunks in use, once retired */
	uint32_t rows;    /* once retired */
	uint32_t touched; /* chunks that may be resident */

	uint32_t reserved cache_aligned; /* shared: rows set aside; may pass the limit */
	uint32_t taken;                  /* shared: chunks handed out; may pass `chunks` */
};

struct writer {
	struct table_gen *in;  /* shared: the generation it may be writing, NULL outside */
	struct table_gen *gen; /* copy of `in` for its own use */
} cache_aligned;

struct table {
	struct table_gen gens[2];
	struct writer *writers;
	unsigned nwriters;
	uint32_t usual; /* drainer only: chunks that a generation usually fills */
	struct table_gen *current cache_aligned; /* shared */
};

/* --- memory ------------------------------------------------------------------------------- */

/* Map zeroed memory, resident only where touched. */
static void *pages_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/*
	 * A huge page would be 2 MiB zeroed inside a reader's drain, and resident for one row.
	 * A kernel without huge pages refuses, which is as good.
	 */
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

static void pages_unmap(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

static void *lines_alloc(size_t nr, size_t size)
{
	void *p = aligned_alloc(CACHE_LINE, nr * size);

	if (p)
		memset(p, 0, nr * size);
	return p;
}

static size_t gen_slot_bytes(const struct table_gen *g)
{
	return (g->mask + 1) * sizeof(*g->slots);
}

static size_t gen_arena_bytes(const struct table_gen *g)
{
	return g->chunks * CHUNK_SIZE;
}

static bool gen_init(struct table_gen *g, unsigned writers, uint32_t capacity, size_t arena)
{
	uint64_t slots = 4, batch = capacity / (16 * (uint64_t)writers);
	size_t chunks = arena / CHUNK_SIZE + !!(arena % CHUNK_SIZE);

	while (slots / 4 * 3 < capacity)
		slots *= 2;
	if (chunks < (size_t)CHUNK_MIN * writers)
		chunks = (size_t)CHUNK_MIN * writers;
	if (chunks > ((uint64_t)UINT32_MAX * 8) / CHUNK_SIZE)
		return false; /* a slot could not name the last row */
	g->mask = slots - 1;
	g->limit = capacity;
	g->chunks = (uint32_t)chunks;
	g->batch = batch < 1 ? 1 : batch > CREDIT_MAX ? CREDIT_MAX : (uint32_t)batch;
	g->clean = true;
	g->slots = pages_map(gen_slot_bytes(g));
	g->arena = pages_map(gen_arena_bytes(g));
	g->shares = lines_alloc(writers, sizeof(*g->shares));
	return g->slots && g->arena && g->shares;
}

static void gen_exit(struct table_gen *g)
{
	pages_unmap(g->slots, gen_slot_bytes(g));
	pages_unmap(g->arena, gen_arena_bytes(g));
	free(g->shares);
}

struct table *table_create(unsigned writers, uint32_t capacity, size_t arena)
{
	struct table *t;

	if (!writers || writers > 1u << 16 || !capacity || capacity > 1u << 31)
		return NULL;
	t = lines_alloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->nwriters = writers;
	t->writers = lines_alloc(writers, sizeof(*t->writers));
	if (!t->writers || !gen_init(&t->gens[0], writers, capacity, arena) ||
	    !gen_init(&t->gens[1], writers, capacity, arena)) {
		table_free(t);
		return NULL;
	}
	t->gens[0].clean = false;
	atomic_store_relaxed(&t->current, &t->gens[0]); /* no other thread has t yet */
	return t;
}

void table_free(struct table *t)
{
	if (!t)
		return;
	gen_exit(&t->gens[0]);
	gen_exit(&t->gens[1]);
	free(t->writers);
	free(t);
}

uint32_t table_capacity(const struct table *t)
{
	return t->gens[0].limit;
}

/* --- writers ------------------------------------------------------------------------------ */

/*
 * Announce, then look again.  The drainer does the reverse: it changes `current`, then reads the
 * announcements.  All four are seq_cst, so one of the two sees the other: either we see the change
 * and repeat, or the drainer sees us in the old generation and waits.  An announcement that is
 * withdrawn by repeating has touched nothing.
 */
void table_enter(struct table *t, unsigned writer)
{
	struct writer *w = &t->writers[writer];
	struct table_gen *g = atomic_load_relaxed(&t->current), *again;

	for (;; g = again) {
		/* pairs with the load in writer_wait */
		atomic_store_seq(&w->in, g);
		/* pairs with the store in table_rotate; acquires what recycle cleared */
		again = atomic_load_seq(&t->current);
		if (again == g)
			break;
	}
	w->gen = g;
}

void table_leave(struct table *t, unsigned writer)
{
	struct writer *w = &t->writers[writer];

	w->gen = NULL;
	/* pairs with the load in writer_wait: our rows and chunk headers become readable */
	atomic_store_release(&w->in, NULL);
}

unsigned table_entered(const struct table *t, unsigned writer)
{
	return table_number(t, t->writers[writer].gen);
}

unsigned table_number(const struct table *t, const struct table_gen *g)
{
	return g == &t->gens[1];
}

static uint64_t hash_row_key(const struct table_key *key, const uint64_t *ips)
{
	uint64_t words[2], a, b;
	unsigned i;

	memcpy(words, key, sizeof(words));
	a = hash_mix(words[0], words[1]);
	b = hash_mix(words[1], ips[0]);
	/* two chains: a deep path would wait for one multiplication after the other */
	for (i = 1; i + 1 < key->nr; i += 2) {
		a = hash_mix(a, ips[i]);
		b = hash_mix(b, ips[i + 1]);
	}
	if (i < key->nr)
		a = hash_mix(a, ips[i]);
	return hash_mix(a, b);
}

static size_t row_size(unsigned nr)
{
	return sizeof(struct row) + nr * sizeof(uint64_t);
}

static struct row *row_of_slot(const struct table_gen *g, uint64_t slot)
{
	return (struct row *)(g->arena + (size_t)(uint32_t)slot * 8);
}

static bool row_is(const struct row *r, const struct table_key *key, const uint64_t *ips)
{
	return !memcmp(&r->key, key, sizeof(*key)) &&
	       !memcmp(r->ips, ips, key->nr * sizeof(*ips));
}

static void row_count_own(struct row *r, const struct table_count *count)
{
	r->count.samples += count->samples;
	r->count.weight += count->weight;
	r->count.first = count->first < r->count.first ? count->first : r->count.first;
	r->count.last = count->last > r->count.last ? count->last : r->count.last;
}

/* Relaxed: the sums are read only after the grace period, which orders them. */
static void row_count_shared(struct row *r, const struct table_count *count)
{
	atomic_add_relaxed(&r->count.samples, count->samples);
	atomic_add_relaxed(&r->count.weight, count->weight);
	atomic_min_relaxed(&r->count.first, count->first);
	atomic_max_relaxed(&r->count.last, count->last);
}

/* Load before adding, to keep a counter that passed its limit from creeping on. */
static bool share_credit(struct table_gen *g, struct share *s)
{
	uint32_t old;

	if (s->credits)
		return true;
	if (atomic_load_relaxed(&g->reserved) >= g->limit)
		return false;
	old = atomic_add_relaxed(&g->reserved, g->batch);
	if (old >= g->limit)
		return false;
	s->credits = g->limit - old < g->batch ? g->limit - old : g->batch;
	return true;
}

static bool share_room(struct table_gen *g, struct share *s, size_t size)
{
	uint32_t nr;

	if (s->chunk && CHUNK_SIZE - s->chunk->used >= size)
		return true;
	if (atomic_load_relaxed(&g->taken) >= g->chunks)
		return false;
	nr = atomic_add_relaxed(&g->taken, 1);
	if (nr >= g->chunks)
		return false;
	s->chunk = (struct chunk *)(g->arena + nr * CHUNK_SIZE);
	s->chunk->used = sizeof(struct chunk);
	s->chunk->rows = 0;
	return true;
}

/*
 * Write a row where the share's chunk is filled to.  The chunk's header does not know of it before
 * share_commit, so a row that loses its race needs no giving back: the next one overwrites it.
 */
static struct row *share_prepare(struct table_gen *g, struct share *s, const struct table_key *key,
				 const uint64_t *ips, const struct table_count *count)
{
	struct row *r;

	if (!share_credit(g, s) || !share_room(g, s, row_size(key->nr)))
		return NULL;
	r = (struct row *)((unsigned char *)s->chunk + s->chunk->used);
	r->key = *key;
	r->count = *count;
	memcpy(r->ips, ips, key->nr * sizeof(*ips));
	return r;
}

static void share_commit(struct share *s, const struct row *r)
{
	s->chunk->used += (uint32_t)row_size(r->key.nr);
	s->chunk->rows++;
	s->credits--;
}

static uint64_t slot_make(const struct table_gen *g, uint64_t hash, const struct row *r)
{
	return (hash >> 32) << 32 | (uint64_t)((const unsigned char *)r - g->arena) / 8;
}

/* The probe ends: at most 3/4 of the slots are ever filled. */
bool table_add(struct table *t, unsigned writer, const struct table_key *key, const uint64_t *ips,
	       const struct table_count *count)
{
	struct table_gen *g = t->writers[writer].gen;
	struct share *s = &g->shares[writer];
	struct row *mine = NULL, *r;
	uint32_t owner = writer;
	uint64_t hash, i, slot;

	if (!key->nr || key->nr > TABLE_PATH_MAX)
		return false;
	hash = hash_row_key(key, ips);
	for (i = hash & g->mask;; i = (i + 1) & g->mask) {
		/* pairs with the cas below: the row behind the slot is whole */
		slot = atomic_load_acquire(&g->slots[i]);
		if (!slot) {
			if (!mine)
				mine = share_prepare(g, s, key, ips, count);
			if (!mine)
				return false;
			mine->owner = owner;
			mine->slot = (uint32_t)i;
			/* pairs with the load above, and with itself where it fails */
			if (atomic_cas_publish(&g->slots[i], &slot, slot_make(g, hash, mine))) {
				share_commit(s, mine);
				return true;
			}
		}
		if (slot >> 32 != hash >> 32)
			continue;
		r = row_of_slot(g, slot);
		if (!row_is(r, key, ips))
			continue;
		if (r->owner == writer) {
			row_count_own(r, count);
			return true;
		}
		if (r->owner == ROW_SHARED) {
			row_count_shared(r, count);
			return true;
		}
		owner = ROW_SHARED; /* the next row of this key is shared */
	}
}

bool table_pressed(const struct table *t)
{
	/* pairs with the store in table_rotate, for the fields set at creation only */
	const struct table_gen *g = atomic_load_acquire(&t->current);

	return atomic_load_relaxed(&g->reserved) >= g->limit - g->limit / 4 ||
	       atomic_load_relaxed(&g->taken) >= g->chunks - g->chunks / 4;
}

/* --- the drainer -------------------------------------------------------------------------- */

/* A drain takes microseconds, so spin first; a writer that lost its CPU meanwhile takes longer. */
static void writer_wait(const struct writer *w, const struct table_gen *old)
{
	struct timespec nap = { 0, GRACE_MIN_NS };
	unsigned spins = 0;

	/* pairs with table_enter (the announcement) and with table_leave (the rows written) */
	while (atomic_load_seq(&w->in) == old) {
		if (spins++ < GRACE_SPINS) {
			cpu_relax();
			continue;
		}
		nanosleep(&nap, NULL); /* woken early is as good */
		if (nap.tv_nsec < GRACE_MAX_NS / 2)
			nap.tv_nsec *= 2;
		else
			nap.tv_nsec = GRACE_MAX_NS;
	}
}

static const struct chunk *gen_chunk(const struct table_gen *g, size_t nr)
{
	return (const struct chunk *)(g->arena + nr * CHUNK_SIZE);
}

struct table_gen *table_rotate(struct table *t)
{
	struct table_gen *old = atomic_load_relaxed(&t->current); /* only we change it */
	struct table_gen *fresh = &t->gens[old == &t->gens[0]];
	uint32_t i;

	if (!fresh->clean)
		return NULL;
	fresh->clean = false;
	/* pairs with the second load in table_enter, which must not see a half cleared one */
	atomic_store_seq(&t->current, fresh);
	for (i = 0; i < t->nwriters; i++)
		writer_wait(&t->writers[i], old);
	old->filled = atomic_load_relaxed(&old->taken);
	if (old->filled > old->chunks)
		old->filled = old->chunks;
	old->rows = 0;
	for (i = 0; i < old->filled; i++)
		old->rows += gen_chunk(old, i)->rows;
	return old;
}

/* Return the row at arena offset *pos or the first after it; *pos becomes its end. */
static struct row *gen_row(const struct table_gen *g, size_t *pos)
{
	size_t nr, off;
	struct row *r;

	for (nr = *pos / CHUNK_SIZE; nr < g->filled; nr++, *pos = nr * CHUNK_SIZE) {
		off = *pos % CHUNK_SIZE;
		if (off == 0)
			off = sizeof(struct chunk);
		if (off >= gen_chunk(g, nr)->used)
			continue;
		r = (struct row *)(g->arena + nr * CHUNK_SIZE + off);
		*pos = nr * CHUNK_SIZE + off + row_size(r->key.nr);
		return r;
	}
	return NULL;
}

bool table_next(const struct table_gen *g, size_t *pos, struct table_row *row)
{
	const struct row *r = gen_row(g, pos);

	if (!r)
		return false;
	row->key = r->key;
	row->count = r->count;
	row->ips = r->ips;
	return true;
}

uint32_t table_rows(const struct table_gen *g)
{
	return g->rows;
}

/*
 * Keep twice the usual number of chunks, give the rest back.  A refusal (memory locked by the user)
 * leaves the pages resident, and that is all.  True: memory was given back, and the caller should
 * give back other memory, too.
 */
static bool gen_release(struct table_gen *g, uint32_t usual)
{
	uint32_t keep = 2 * usual;

	if (g->touched < g->filled)
		g->touched = g->filled;
	if (g->touched <= 2 * keep + RELEASE_SLACK)
		return false;
	madvise(g->arena + keep * CHUNK_SIZE, (g->touched - keep) * CHUNK_SIZE, MADV_DONTNEED);
	g->touched = keep;
	return true;
}

static void gen_clear_slots(struct table_gen *g)
{
	size_t pos = 0;
	struct row *r;

	/* eight slots share a line: with many rows one sweep is cheaper than jumping about */
	if (g->rows > g->mask / 16) {
		memset(g->slots, 0, gen_slot_bytes(g));
		return;
	}
	while ((r = gen_row(g, &pos)))
		g->slots[r->slot] = 0;
}

void table_recycle(struct table *t, struct table_gen *g)
{
	uint32_t filled = g->filled, i;

	gen_clear_slots(g);
	if (gen_release(g, t->usual))
		madvise(g->slots, gen_slot_bytes(g), MADV_DONTNEED); /* clear either way */
	t->usual = (uint32_t)(((uint64_t)t->usual * 7 + filled + 7) / 8);
	for (i = 0; i < t->nwriters; i++) {
		g->shares[i].chunk = NULL;
		g->shares[i].credits = 0;
	}
	/* atomic for table_pressed, which may look at any time */
	atomic_store_relaxed(&g->reserved, 0);
	atomic_store_relaxed(&g->taken, 0);
	g->filled = g->rows = 0;
	g->clean = true;
}
