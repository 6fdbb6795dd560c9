/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block is in one place at a time: filled by its reader, handed over, in a batch that waits for
 * maps, with a worker, free.  The batch outlives it: it holds the maps, whose references are the
 * tick thread's to count, until the tick has seen that it is done.
 */
#include "sources/consumers/unwinding.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/worker.h"
#include "system/sandbox/sandbox.h"
#include "sources/consumers/proving.h"
#include "sources/consumers/stackcopies.h"
#include "names/objects/maps.h"
#include "names/resolve/fpcheck.h"
#include "names/objects/proved.h"
#include "names/objects/unwound.h"
#include "measure/session/path.h"

#define WORKERS_MAX 8u
#define QUEUE_BYTES (8u << 20)   /* of a reader: 100 ms of 8 KB stacks at 9999 Hz */
#define ALL_BYTES   (256u << 20) /* of all readers */
#define QUEUE_LEAST (1u << 20)

/* Time that a sample waits for its maps: as reading them may take, unless room is short. */
#define PATIENCE_NS       (10 * NSEC_PER_SEC)
#define PATIENCE_TIGHT_NS (NSEC_PER_SEC / 2)
#define PATIENCE_LENT_NS  NSEC_PER_SEC /* others wait with it */

/* Slots, as many as workers: a running worker has one to itself. */
struct slot {
	struct slot *next; /* of the idle ones */
	struct unwinder *unwinder;
	struct unwound_path path;
};

struct queue {
	struct stackcopies *dumps;
	struct combine_total *refused, *left; /* per event; the tick's */
	uint64_t compat, dropped, crowded; /* shared, relaxed; the reader counts */
	uint64_t compat_seen, dropped_seen, crowded_seen;
};

struct batch {
	struct job job;
	struct unwinding *u;
	struct batch *next, *prev; /* of all that is outstanding, in the order it was taken */
	struct dump_block *block;  /* the tick's, then the worker's */
	struct unwinding_loan loan; /* done NULL: its samples become rows */
	unsigned reader;
	uint32_t nr, bytes, since;
	uint64_t oldest;
	uint64_t taken; /* CLOCK_MONOTONIC */
	bool submitted;
	struct slice_unwind counts;    /* the worker's */
	struct combine_total *refused; /* per event; the worker's */
	struct maps *maps[];           /* per sample; NULL: not known yet */
};

struct unwinding {
	struct unwinding_config config;
	int ip; /* perf's number of the program counter's register */
	pid_t self;
	struct workers *workers;
	struct slot *slots, *idle;
	pthread_mutex_t lock; /* guards idle */
	bool over;            /* shared, relaxed: workers unwind no more */
	struct queue *queues;
	struct proving *proving;
	struct maps *nothing; /* for samples whose maps never came */
	struct batch *first, *last;
	uint32_t tick;
	size_t capacity;
	uint64_t waiting, bytes, bytes_max;
	struct slice_unwind counts;
};

unsigned unwinding_workers(unsigned cpus)
{
	unsigned n = cpus / 4;

	return n < 2 ? 2 : n < WORKERS_MAX ? n : WORKERS_MAX;
}

static struct slot *slot_get(struct unwinding *u)
{
	struct slot *slot;

	pthread_mutex_lock(&u->lock);
	slot = u->idle;
	u->idle = slot->next;
	pthread_mutex_unlock(&u->lock);
	return slot;
}

static void put_back_slot(struct unwinding *u, struct slot *slot)
{
	pthread_mutex_lock(&u->lock);
	slot->next = u->idle;
	u->idle = slot;
	pthread_mutex_unlock(&u->lock);
}

static int create_dump_queues(struct unwinding *u)
{
	const struct unwinding_config *c = &u->config;
	size_t each = ALL_BYTES / c->expected;

	each = each < QUEUE_LEAST ? QUEUE_LEAST : each < QUEUE_BYTES ? each : QUEUE_BYTES;
	u->queues = calloc(c->readers, sizeof(*u->queues));
	for (unsigned i = 0; u->queues && i < c->readers; i++) {
		u->queues[i].dumps = stackcopies_create(each);
		u->queues[i].refused = calloc(c->events, sizeof(*u->queues->refused));
		u->queues[i].left = calloc(c->events, sizeof(*u->queues->left));
		if (!u->queues[i].dumps || !u->queues[i].refused || !u->queues[i].left)
			return -1;
		if (i < c->expected)
			u->capacity += stackcopies_capacity(u->queues[i].dumps);
	}
	return u->queues ? 0 : -1;
}

static int create_slots(struct unwinding *u)
{
	u->slots = calloc(u->config.workers, sizeof(*u->slots));
	for (unsigned i = 0; u->slots && i < u->config.workers; i++) {
		if (!(u->slots[i].unwinder = unwind_create()))
			return -1;
		put_back_slot(u, &u->slots[i]);
	}
	return u->slots ? 0 : -1;
}

static void name_unwinder(void)
{
	pthread_setname_np(pthread_self(), "ringtop-unwind");
}

struct unwinding *unwinding_create(const struct unwinding_config *c, struct err *err)
{
	struct unwinding *u = calloc(1, sizeof(*u));
	int code;

	if (u) {
		u->config = *c;
		u->ip = cfi_arch_here() ? cfi_arch_here()->perf.ip : -1;
		u->self = getpid();
		pthread_mutex_init(&u->lock, NULL);
		u->nothing = maps_create();
		u->proving = proving_create(c->readers);
		if (u->nothing && u->proving && !create_dump_queues(u) && !create_slots(u))
			u->workers = workers_create(c->workers, name_unwinder);
	}
	if (!u || !u->workers) {
		code = errno;
		unwinding_free(u);
		err_room(err, code, "unwinding");
		return NULL;
	}
	return u;
}

static void free_batch(struct batch *b)
{
	for (uint32_t i = 0; i < b->nr; i++)
		maps_put(b->maps[i]);
	free(b->refused);
	free(b);
}

void unwinding_free(struct unwinding *u)
{
	if (!u)
		return;
	atomic_store_relaxed(&u->over, true);
	if (u->workers)
		workers_close(u->workers);
	for (struct batch *b = u->first, *next; b; b = next) {
		next = b->next;
		free_batch(b);
	}
	for (unsigned i = 0; u->slots && i < u->config.workers; i++)
		unwind_free(u->slots[i].unwinder);
	for (unsigned i = 0; u->queues && i < u->config.readers; i++) {
		stackcopies_free(u->queues[i].dumps);
		free(u->queues[i].refused);
		free(u->queues[i].left);
	}
	maps_put(u->nothing);
	proving_free(u->proving);
	pthread_mutex_destroy(&u->lock);
	free(u->slots);
	free(u->queues);
	free(u);
}

/* --- the readers' side -------------------------------------------------------------------- */

/* Return true if there is nothing to unwind: the kernel's alone, or ringtop's own. */
static bool has_no_stack(const struct unwinding *u, const struct sample *s)
{
	return s->pid == (uint32_t)u->self || sandbox_is_helper((pid_t)s->pid) ||
	       s->user_abi == PERF_SAMPLE_REGS_ABI_NONE;
}

bool unwinding_prove(struct unwinding *u, unsigned reader, const struct record_layout *l,
		     const struct sample *s, struct path *path, uint64_t ips[TABLE_PATH_MAX])
{
	return !has_no_stack(u, s) && proving_sample(u->proving, reader, l, s, path, ips);
}

/* `before`: the path's part before the user's. */
static bool copy_stack(struct unwinding *u, unsigned reader, const struct unwinding_copy *c,
		       struct path before, struct path *path, uint64_t ips[TABLE_PATH_MAX])
{
	const struct record_layout *l = c->layout;
	struct queue *q = &u->queues[reader];
	uint64_t leaf, chain[TABLE_PATH_MAX];
	const struct sample *s = c->s;
	struct dump_input in;
	struct path all;
	bool whole;

	leaf = path_user_leaf(l, s, l->user_mask, u->ip);
	whole = l->both && path_has_user(*path, before.nr);
	if (s->user_abi != PERF_SAMPLE_REGS_ABI_64) {
		atomic_add_relaxed(&q->compat, 1);
		*path = whole ? *path : path_cut(before, leaf, TABLE_MARK_BROKEN, ips);
		return false;
	}
	all = l->piece ? path_of(l, s, chain) : l->both ? *path : before;
	in = (struct dump_input){
		.key = c->key, .weight = c->weight, .time = s->time, .mask = l->user_mask,
		.leaf = leaf, .chain = all.ips, .nkernel = before.nr, .nchain = all.nr,
		.piece = l->piece, .at_entry = l->at_entry, .max_stack = l->max_stack,
		.regs = sample_at(s, SAMPLE_REGS_USER),
		.nregs = s->span[SAMPLE_REGS_USER].len / sizeof(uint64_t),
		.stack = sample_at(s, SAMPLE_STACK_USER), .nstack = s->span[SAMPLE_STACK_USER].len,
	};
	if (stackcopies_put(c->to, &in))
		return true;
	atomic_add_relaxed(whole ? &q->crowded : &q->dropped, 1);
	if (l->piece)
		proving_refused(u->proving, reader);
	*path = whole ? *path : path_cut(before, leaf, TABLE_MARK_TRUNCATED, ips);
	return false;
}

bool unwinding_put(struct unwinding *u, unsigned reader, const struct record_layout *l,
		   const struct sample *s, const struct table_key *key, uint64_t weight,
		   bool asks, struct path *path, uint64_t ips[TABLE_PATH_MAX])
{
	const struct unwinding_copy c = {u->queues[reader].dumps, l, s, key, weight};
	uint64_t room[TABLE_PATH_MAX];

	return !has_no_stack(u, s) && (asks || !l->piece) &&
	       copy_stack(u, reader, &c, path_before_user(l, s, room), path, ips);
}

bool unwinding_copy(struct unwinding *u, unsigned reader, const struct unwinding_copy *c,
		    struct path *path, uint64_t ips[TABLE_PATH_MAX])
{
	struct path before = {path->ips, 0};

	while (before.nr < path->nr && path->ips[before.nr] != (uint64_t)PERF_CONTEXT_USER &&
	       path->ips[before.nr] != TABLE_MARK_TRUNCATED)
		before.nr++;
	/* A piece of a stack has proved what it can. */
	return !has_no_stack(u, c->s) && !c->layout->piece &&
	       copy_stack(u, reader, c, before, path, ips);
}

void unwinding_flush(struct unwinding *u, unsigned reader)
{
	stackcopies_flush(u->queues[reader].dumps);
}

bool unwinding_pressed(const struct unwinding *u)
{
	for (unsigned i = 0; u && i < u->config.readers; i++)
		if (stackcopies_pressed(u->queues[i].dumps))
			return true;
	return false;
}

/* --- on a worker -------------------------------------------------------------------------- */

/* Take the chain as the path, its first callers proved; maps NULL: there is no time for that. */
static void keep_chain(struct batch *b, struct slot *slot, const struct stackcopy *d,
		       struct maps *maps)
{
	const struct proved_sample s = {
		.mask = d->mask, .regs = d->words + d->nchain,
		.stack = (const uint8_t *)(d->words + d->nchain + d->nregs), .size = d->nstack,
		.path = d->words, .nr = d->nchain, .nkernel = d->nkernel, .max_stack = d->max_stack,
		.at_entry = d->at_entry,
	};
	const struct proved_place at = {
		.cfis = resolver_cfis(b->u->config.resolver), .maps = maps,
		.pid = (pid_t)d->key.pid, .time = d->time, .cache = proving_rules(b->u->proving),
		.space = d->space,
	};
	struct proved p = maps ? proved_by_maps(&at, &s, slot->path.ips)
			       : proved_by_nothing(&s, slot->path.ips);

	slot->path.nr = p.nr;
	if (p.ips != slot->path.ips)
		memcpy(slot->path.ips, p.ips, p.nr * sizeof(*p.ips));
	b->counts.proved += p.end == PROOF_STANDS;
	b->counts.inserted += p.inserted;
	b->counts.unproved += p.end != PROOF_STANDS;
}

/*
 * Find the path of a sample.  If the chain has the user's part, too, it stays unless the copy may
 * show more, and if the copy ends early, unless that leads farther.
 */
static void find_path(struct batch *b, struct slot *slot, const struct stackcopy *d,
		      struct maps *maps)
{
	const struct unwound_sample s = {
		.dump = {.mask = d->mask, .regs = d->words + d->nchain,
			 .stack = (const uint8_t *)(d->words + d->nchain + d->nregs),
			 .size = d->nstack},
		.kernel = d->words, .nkernel = d->nkernel, .leaf = d->leaf,
		.pid = (pid_t)d->key.pid, .time = d->time, .maps = maps,
	};
	bool both = path_has_user((struct path){d->words, d->nchain}, d->nkernel);
	size_t led = 0;

	if (!d->piece &&
	    (!both || fpcheck_path(maps, d->time, d->words + d->nkernel + 1,
				  d->nchain - d->nkernel - 1u, &led))) {
		unwound_run(slot->unwinder, resolver_cfis(b->u->config.resolver), &s, &slot->path);
		if (!both || slot->path.end == UNWIND_END || slot->path.frames >= led) {
			unwound_count(&b->counts, &slot->path);
			return;
		}
	}
	keep_chain(b, slot, d, maps);
	b->counts.chained += !d->piece;
}

/* Take the chain as the path, or else the leaf alone: there is no time to unwind it. */
static void find_cut(struct batch *b, struct slot *slot, const struct stackcopy *d)
{
	const struct path before = {d->words, d->nkernel};

	if (path_has_user((struct path){d->words, d->nchain}, d->nkernel)) {
		keep_chain(b, slot, d, NULL);
		b->counts.crowded++;
		return;
	}
	slot->path.nr = path_cut(before, d->leaf, TABLE_MARK_TRUNCATED, slot->path.ips).nr;
	b->counts.dropped++;
}

static void count_dump(struct batch *b, struct slot *slot, const struct stackcopy *d)
{
	struct unwinding *u = b->u;
	unsigned writer = u->config.writer + (unsigned)(slot - u->slots);
	const struct table_count count = {1, d->weight, d->time, d->time};
	struct table_key key = d->key;
	bool in;

	key.nr = (uint8_t)slot->path.nr;
	/* Not around the unwinding, which may read a file: a rotation waits for this thread. */
	table_enter(u->config.table, writer);
	in = table_add(u->config.table, writer, &key, slot->path.ips, &count);
	table_leave(u->config.table, writer);
	if (!in) {
		b->refused[key.event].samples++;
		b->refused[key.event].weight += d->weight;
	}
}

/* Put the path into the copy: it has room for registers and stack. */
static void keep_path_in(struct stackcopy *d, const struct unwound_path *path)
{
	size_t room = (d->bytes - sizeof(*d)) / sizeof(*d->words);

	d->nchain = path->nr < room ? (uint16_t)path->nr : (uint16_t)room;
	memcpy(d->words, path->ips, d->nchain * sizeof(*d->words));
	if (d->nchain < path->nr && d->nchain)
		d->words[d->nchain - 1] = TABLE_MARK_TRUNCATED;
}

static void batch_run(struct job *job)
{
	struct batch *b = (struct batch *)job;
	struct slot *slot = slot_get(b->u);
	uint32_t i = 0;

	for (struct stackcopy *d = dump_first(b->block); d; d = dump_next(b->block, d), i++) {
		if (b->loan.done && !d->mask)
			continue;
		if (atomic_load_relaxed(&b->u->over))
			find_cut(b, slot, d);
		else
			find_path(b, slot, d, b->maps[i]);
		if (b->loan.done)
			keep_path_in(d, &slot->path);
		else
			count_dump(b, slot, d);
	}
	if (!b->loan.done)
		stackcopies_give(b->u->queues[b->reader].dumps, b->block);
	put_back_slot(b->u, slot);
}

/* --- the tick's side ---------------------------------------------------------------------- */

static void unlink_batch(struct unwinding *u, struct batch *b)
{
	*(b->prev ? &b->prev->next : &u->first) = b->next;
	*(b->next ? &b->next->prev : &u->last) = b->prev;
}

static void link_batch(struct unwinding *u, struct batch *b)
{
	b->prev = u->last;
	*(u->last ? &u->last->next : &u->first) = b;
	u->last = b;
}

static void batch_finish(struct job *job, void *arg)
{
	struct batch *b = (struct batch *)job;
	struct unwinding *u = arg;

	for (unsigned e = 0; e < u->config.events; e++) {
		u->queues[b->reader].refused[e].samples += b->refused[e].samples;
		u->queues[b->reader].refused[e].weight += b->refused[e].weight;
	}
	slice_unwind_add(&u->counts, &b->counts);
	if (b->loan.done)
		b->loan.done(b->loan.arg, b->reader, b->block);
	unlink_batch(u, b);
	free_batch(b);
}

/* Do nothing in workers_close: unwinding_free has the batches in its list. */
static void batch_discard(struct job *job)
{
	(void)job;
}

static struct batch *create_batch(struct unwinding *u, unsigned reader, struct dump_block *block)
{
	struct batch *b = calloc(1, sizeof(*b) + block->nr * sizeof(*b->maps));

	if (!b)
		return NULL;
	b->refused = calloc(u->config.events, sizeof(*b->refused));
	if (!b->refused) {
		free_batch(b);
		return NULL;
	}
	b->job = (struct job){.run = batch_run, .finish = batch_finish, .discard = batch_discard};
	b->u = u;
	b->reader = reader;
	b->block = block;
	b->nr = block->nr;
	b->bytes = block->used;
	b->oldest = block->oldest;
	b->since = u->tick;
	b->taken = clock_ns();
	return b;
}

/* Drop a block, out of memory: its samples are in no row. */
static void drop_block(struct unwinding *u, unsigned reader, struct dump_block *block)
{
	struct queue *q = &u->queues[reader];

	for (struct stackcopy *d = dump_first(block); d; d = dump_next(block, d)) {
		u->counts.dropped++;
		q->left[d->key.event].samples++;
		q->left[d->key.event].weight += d->weight;
	}
	stackcopies_give(q->dumps, block);
}

static uint64_t sum_waiting(const struct unwinding *u, uint64_t *bytes)
{
	uint64_t samples = 0;

	*bytes = 0;
	for (const struct batch *b = u->first; b; b = b->next) {
		samples += b->nr;
		*bytes += b->bytes;
	}
	return samples;
}

bool unwinding_lend(struct unwinding *u, unsigned reader, struct dump_block *block,
		    const struct unwinding_loan *loan)
{
	struct batch *b = create_batch(u, reader, block);

	if (!b)
		return false;
	b->loan = *loan;
	link_batch(u, b);
	return true;
}

void unwinding_recall(struct unwinding *u, const void *arg)
{
	for (struct batch *b = u->first, *next; b; b = next) {
		next = b->next;
		if (b->loan.arg != arg || b->submitted)
			continue;
		unlink_batch(u, b);
		free_batch(b);
	}
	workers_wait(u->workers);
	workers_collect(u->workers, u);
}

void unwinding_collect(struct unwinding *u)
{
	workers_collect(u->workers, u);
}

void unwinding_take(struct unwinding *u)
{
	unwinding_collect(u);
	u->waiting = sum_waiting(u, &u->bytes);
	for (unsigned i = 0; i < u->config.readers; i++) {
		struct dump_block *block = stackcopies_take(u->queues[i].dumps), *next;

		for (; block; block = next) {
			struct batch *b = create_batch(u, i, block);

			next = block->next;
			if (b)
				link_batch(u, b);
			else
				drop_block(u, i, block);
		}
	}
}

/*
 * Return the address space whose rules may be kept: the process's present one, if these maps are
 * its own and no place of them has changed since the sample.  0: none.
 */
static uint64_t find_space(struct unwinding *u, const struct stackcopy *d, const struct maps *maps)
{
	struct maps *now = resolver_maps(u->config.resolver, (pid_t)d->key.pid,
					 (pid_t)d->key.tid, MAPS_NOW);
	bool same = now == maps && !maps_changed(maps, d->time);

	maps_put(now);
	return same ? rulecache_space(proving_rules(u->proving), d->key.pid) : 0;
}

void unwinding_changed(struct unwinding *u, const struct record *rec)
{
	proving_changed(u->proving, rec);
}

/*
 * Find the maps of a batch.  Return false if some are not known yet.  Hopeless: their samples are
 * unwound by no maps, and end broken.
 */
static bool find_maps(struct unwinding *u, struct batch *b, bool hopeless)
{
	uint32_t i = 0;
	bool all = true;

	for (struct stackcopy *d = dump_first(b->block); d; d = dump_next(b->block, d), i++) {
		if (!b->maps[i] && d->mask)
			b->maps[i] = resolver_maps(u->config.resolver, (pid_t)d->key.pid,
						   (pid_t)d->key.tid, d->time);
		if (b->maps[i])
			d->space = find_space(u, d, b->maps[i]);
		if (!b->maps[i] && (hopeless || !d->mask))
			b->maps[i] = maps_get(u->nothing);
		all &= b->maps[i] != NULL;
	}
	return all;
}

static bool submit_ready(struct unwinding *u, bool hopeless)
{
	uint64_t now = clock_ns();
	uint64_t patience = u->bytes > u->capacity / 4 ? PATIENCE_TIGHT_NS : PATIENCE_NS;
	bool all = true;

	for (struct batch *b = u->first; b; b = b->next) {
		if (b->submitted)
			continue;
		b->submitted =
			find_maps(u, b,
				  hopeless || now - b->taken >
						      (b->loan.done ? PATIENCE_LENT_NS : patience));
		if (b->submitted)
			workers_submit(u->workers, &b->job, false);
		all &= b->submitted;
	}
	return all;
}

void unwinding_go(struct unwinding *u, uint32_t tick)
{
	u->tick = tick;
	sum_waiting(u, &u->bytes);
	u->bytes_max = u->bytes > u->bytes_max ? u->bytes : u->bytes_max;
	submit_ready(u, false);
}

bool unwinding_finish(struct unwinding *u, bool hopeless, uint64_t until)
{
	bool all;

	if (clock_ns() >= until)
		atomic_store_relaxed(&u->over, true); /* nothing is begun any more */
	all = submit_ready(u, hopeless);
	if (!workers_wait_until(u->workers, until) && (all || hopeless)) {
		atomic_store_relaxed(&u->over, true);
		workers_wait(u->workers);
	}
	workers_collect(u->workers, u);
	u->waiting = sum_waiting(u, &u->bytes);
	return all;
}

bool unwinding_busy(const struct unwinding *u)
{
	return u->first;
}

uint64_t unwinding_oldest(const struct unwinding *u, uint32_t tick, uint32_t *ticks)
{
	uint64_t oldest = UINT64_MAX;

	*ticks = u->first ? tick - u->first->since : 0;
	for (const struct batch *b = u->first; b; b = b->next)
		oldest = b->oldest < oldest ? b->oldest : oldest;
	return oldest;
}

const struct combine_total *unwinding_refused(const struct unwinding *u, unsigned reader)
{
	return u->queues[reader].refused;
}

const struct combine_total *unwinding_left(const struct unwinding *u, unsigned reader)
{
	return u->queues[reader].left;
}

void unwinding_gauge(struct unwinding *u, struct slice_unwind *g)
{
	*g = u->counts;
	proving_gauge(u->proving, g);
	u->counts = (struct slice_unwind){0};
	for (unsigned i = 0; i < u->config.readers; i++) {
		struct queue *q = &u->queues[i];
		g->crowded += atomic_growth(&q->crowded, &q->crowded_seen);
		g->compat += atomic_growth(&q->compat, &q->compat_seen);
		g->dropped += atomic_growth(&q->dropped, &q->dropped_seen);
	}
	g->waiting = u->waiting;
	g->bytes = u->bytes;
	g->bytes_max = u->bytes_max;
	g->stack_bytes = u->config.stack_bytes;
	g->capacity = u->capacity;
	u->bytes_max = 0;
}

void unwinding_copies(struct unwinding *u, uint32_t stack_bytes)
{
	if (stack_bytes > u->config.stack_bytes)
		u->config.stack_bytes = stack_bytes;
}
