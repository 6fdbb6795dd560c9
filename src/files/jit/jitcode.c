/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pieces do not overlap: they are in a treap by address, whose priorities the process cannot guess.
 * The parts that a new piece covers are cut out and move to `old`, in the order of their removal.
 */
#include "files/jit/jitcode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "base/hash.h"

struct piece {
	uint64_t start, end;
	struct jitcode_function *function;
	struct piece *left, *right;
	uint64_t priority;
};

struct old_piece {
	uint64_t start, end, gone;
	struct jitcode_function *function;
};

struct jitcode {
	struct piece *root;
	struct old_piece old[JITCODE_OLD]; /* a ring, starting with the oldest at `first` */
	size_t first, nold;
	uint64_t serial, settled, refused;
	size_t nr, npieces, bytes;
	struct budget budget;
};

struct jitcode *jitcode_create(void)
{
	struct jitcode *j = calloc(1, sizeof(*j));

	return j;
}

static size_t function_bytes(const char *name)
{
	return sizeof(struct jitcode_function) + strlen(name) + 1;
}

static void function_put(struct jitcode *j, struct jitcode_function *f)
{
	if (--f->refs)
		return;
	j->nr--;
	j->bytes -= function_bytes(f->name);
	budget_free(f);
}

static struct piece *piece_new(struct jitcode *j, struct jitcode_function *f, uint64_t start,
			       uint64_t end)
{
	struct piece *p = budget_alloc(&j->budget, BUDGET_JIT, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct piece){.start = start, .end = end, .function = f,
			    .priority = hash_u64(start ^ hash_u64(++j->serial))};
	f->refs++;
	j->npieces++;
	return p;
}

static void piece_free(struct jitcode *j, struct piece *p)
{
	function_put(j, p->function);
	j->npieces--;
	budget_free(p);
}

/* Split a tree: pieces that start before `at` to *left, the others to *right. */
static void split(struct piece *p, uint64_t at, struct piece **left, struct piece **right)
{
	while (p) {
		if (p->start < at) {
			*left = p;
			left = &p->right;
			p = p->right;
		} else {
			*right = p;
			right = &p->left;
			p = p->left;
		}
	}
	*left = *right = NULL;
}

/* Join two trees; all of a is before all of b. */
static struct piece *join_pieces(struct piece *a, struct piece *b)
{
	struct piece *root, **at = &root;

	while (a && b) {
		if (a->priority > b->priority) {
			*at = a;
			at = &a->right;
			a = a->right;
		} else {
			*at = b;
			at = &b->left;
			b = b->left;
		}
	}
	*at = a ? a : b;
	return root;
}

static struct piece *last_of(struct piece *p)
{
	while (p && p->right)
		p = p->right;
	return p;
}

/* --- removed pieces -------------------------------------------------------------------------- */

static void forget_first(struct jitcode *j)
{
	function_put(j, j->old[j->first].function);
	j->first = (j->first + 1) % JITCODE_OLD;
	j->nold--;
}

static void bury(struct jitcode *j, struct jitcode_function *f, uint64_t start, uint64_t end,
		 uint64_t time)
{
	if (time <= j->settled || start >= end)
		return;
	if (j->nold == JITCODE_OLD)
		forget_first(j);
	f->refs++;
	j->old[(j->first + j->nold++) % JITCODE_OLD] = (struct old_piece){start, end, time, f};
}

void jitcode_settle(struct jitcode *j, uint64_t time)
{
	j->settled = time;
	while (j->nold && j->old[j->first].gone <= time)
		forget_first(j);
}

/* --- changes ------------------------------------------------------------------------------ */

/* Rotate the tree p until its first piece is the root, without recursion. */
static struct piece *turn_up(struct piece *p)
{
	struct piece *left;

	while ((left = p->left)) {
		p->left = left->right;
		left->right = p;
		p = left;
	}
	return p;
}

/* Free the tree p, all of which is covered now. */
static void drop_pieces(struct jitcode *j, struct piece *p, uint64_t time)
{
	while (p) {
		struct piece *next;

		p = turn_up(p);
		next = p->right;
		bury(j, p->function, p->start, p->end, time);
		piece_free(j, p);
		p = next;
	}
}

void jitcode_free(struct jitcode *j)
{
	if (!j)
		return;
	drop_pieces(j, j->root, 0);
	while (j->nold)
		forget_first(j);
	free(j);
}

/*
 * Take [start, end) out: the pieces before it to *left, after it to *right. A piece that reaches
 * into it from before is cut short; if it also extends beyond the end, *tail becomes that rest,
 * whose memory the caller has allocated.
 */
static void cut_out(struct jitcode *j, uint64_t start, uint64_t end, uint64_t time,
		    struct piece **tail, struct piece **left, struct piece **right)
{
	struct piece *covered, *reaching, *edge;

	split(j->root, start, left, right);
	split(*right, end, &covered, right);
	reaching = last_of(*left);
	if (reaching && reaching->end > start) {
		bury(j, reaching->function, start, reaching->end < end ? reaching->end : end, time);
		if (reaching->end > end) {
			(*tail)->start = end;
			(*tail)->end = reaching->end;
			(*tail)->function = reaching->function;
			reaching->function->refs++;
			*right = join_pieces(*tail, *right);
			j->npieces++;
			*tail = NULL;
		}
		reaching->end = start;
	}
	/* The last covered piece may extend beyond: its start moves, but not its place. */
	edge = last_of(covered);
	if (edge && edge->end > end) {
		bury(j, edge->function, edge->start, end, time);
		split(covered, edge->start, &covered, &edge);
		edge->start = end;
		*right = join_pieces(edge, *right);
	}
	drop_pieces(j, covered, time);
}

static struct piece *spare_piece(struct jitcode *j)
{
	struct piece *p = budget_zalloc(&j->budget, BUDGET_JIT, 1, sizeof(*p));

	if (p)
		p->priority = hash_u64(++j->serial);
	return p;
}

static struct jitcode_function *function_new(struct jitcode *j, const struct jitcode_function *from,
					     const char *name, uint64_t time)
{
	size_t bytes = function_bytes(name);
	struct jitcode_function *f = budget_alloc(&j->budget, BUDGET_JIT, bytes);

	if (!f)
		return NULL;
	*f = (struct jitcode_function){.serial = ++j->serial, .start = from->start,
				       .size = from->size, .born = time, .index = from->index,
				       .code = from->code, .lines = from->lines,
				       .unwind = from->unwind, .dump = from->dump};
	memcpy(f->name, name, strlen(name) + 1);
	j->nr++;
	j->bytes += bytes;
	return f;
}

/* Return the error for lack of memory: of the budget, or of the machine. */
static int refuse_function(struct jitcode *j)
{
	if (!budget_refused(&j->budget))
		return -ENOMEM;
	j->refused++;
	return -EFBIG;
}

int jitcode_load(struct jitcode *j, const struct jitcode_function *from, const char *name,
		 uint64_t time)
{
	struct jitcode_function *f;
	struct piece *piece, *tail, *left, *right;

	/* A function in the middle of another splits it into two pieces: those count, too. */
	if (j->nr >= JITCODE_MAX || j->npieces >= 2 * JITCODE_MAX ||
	    j->bytes + function_bytes(name) > JITCODE_BYTES) {
		j->refused++;
		return -EFBIG;
	}
	if (!from->size || from->start + from->size < from->start)
		return -EINVAL;
	tail = spare_piece(j);
	f = tail ? function_new(j, from, name, time) : NULL;
	if (!f) {
		budget_free(tail);
		return refuse_function(j);
	}
	f->refs = 1; /* our reference, until the piece has one */
	piece = piece_new(j, f, f->start, f->start + f->size);
	if (piece) {
		cut_out(j, piece->start, piece->end, time, &tail, &left, &right);
		j->root = join_pieces(join_pieces(left, piece), right);
	}
	function_put(j, f);
	budget_free(tail);
	return piece ? 0 : refuse_function(j);
}

static struct piece *piece_at(const struct jitcode *j, uint64_t addr)
{
	struct piece *p = j->root;

	while (p && (addr < p->start || addr >= p->end))
		p = addr < p->start ? p->left : p->right;
	return p;
}

/* Free the addresses of f, as far as they still belong to it. */
static void vacate(struct jitcode *j, struct jitcode_function *f, uint64_t time)
{
	struct piece *p, *before, *after;
	uint64_t at = f->start, end = f->start + f->size;

	split(j->root, at, &before, &after);
	split(after, end, &p, &after);
	j->root = before;
	while (p) { /* as drop_pieces, but pieces of other functions go back */
		struct piece *next;

		p = turn_up(p);
		next = p->right;
		p->right = NULL;
		if (p->function == f) {
			bury(j, f, p->start, p->end, time);
			piece_free(j, p);
		} else {
			j->root = join_pieces(j->root, p);
		}
		p = next;
	}
	j->root = join_pieces(j->root, after);
}

int jitcode_move(struct jitcode *j, uint64_t from, uint64_t to, uint64_t index, uint64_t time)
{
	struct piece *p = piece_at(j, from);
	struct jitcode_function *f = p ? p->function : NULL, moved;
	int ret;

	if (!f || f->start != from || f->index != index)
		return -ENOENT;
	moved = *f;
	moved.start = to;
	f->refs++;
	vacate(j, f, time);
	ret = jitcode_load(j, &moved, f->name, time);
	function_put(j, f);
	return ret;
}

/* --- queries ---------------------------------------------------------------------------------- */

const struct jitcode_function *jitcode_find(const struct jitcode *j, uint64_t addr, uint64_t time)
{
	const struct piece *p = piece_at(j, addr);

	if (p && p->function->born <= time)
		return p->function;
	for (size_t i = j->nold; i--;) {
		const struct old_piece *o = &j->old[(j->first + i) % JITCODE_OLD];

		if (o->start <= addr && addr < o->end && o->function->born <= time &&
		    time < o->gone)
			return o->function;
	}
	return p && p->function->born - time <= JITCODE_EARLY_NS ? p->function : NULL;
}

size_t jitcode_count(const struct jitcode *j)
{
	return j->nr;
}

size_t jitcode_bytes(const struct jitcode *j)
{
	return sizeof(*j) + j->bytes + j->npieces * sizeof(struct piece);
}

uint64_t jitcode_refused(const struct jitcode *j)
{
	return j->refused;
}
