/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget - a limit on memory whose size the profiled programs decide: symbols, lines, unwind tables
 * and code of files, maps of processes, and the names that JITs write.  One limit holds for the
 * whole process (--max-memory); a struct budget accounts the part of one object or profiled
 * process.
 *
 * Memory is taken from the budget before it is allocated, so memory over the limit is never
 * touched.  Blocks (budget_alloc, budget_reserve) remember their size; budget_take takes bare
 * numbers, for memory that is allocated elsewhere: names in an intern, tables of a library.
 *
 * One object may keep a quarter of the limit, and hold half of it while it is read.  Its struct
 * budget remembers a refusal, so that callers may pass on -ENOMEM or NULL as for any other lack of
 * memory, and the caller that knows the object's name reports the reason: budget_say.
 *
 * Threads: any.  A struct budget outlives all that was taken from it.
 */
#ifndef RINGTOP_BASE_BUDGET_H
#define RINGTOP_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define BUDGET_DEFAULT (512ull << 20)
#define BUDGET_MIN     (16ull << 20)

/* Purposes of memory; budget_class_names has their names. */
enum budget_class {
	BUDGET_READING, /* held while a file is read, such as sections: not kept */
	BUDGET_SYMBOLS,
	BUDGET_LINES,
	BUDGET_CFI,  /* unwind tables */
	BUDGET_MAPS,
	BUDGET_JIT,  /* perf-PID.map and jitdumps */
	BUDGET_CODE, /* instructions of the Code view */
	BUDGET_NAMES, /* the session's dictionary, with a quarter of the limit of its own */
	BUDGET_CLASSES
};

extern const char *const budget_class_names[BUDGET_CLASSES];

/*
 * Account of one object or process.  Zeroed at first; nothing to free.  Parts of an object that are
 * read separately, such as its symbols and its lines, have a budget each, whose `whole` is the one
 * they share: a refusal is recorded only in the part that it concerns.
 */
struct budget {
	struct budget *whole; /* budget whose share is taken; NULL: this one */
	uint64_t taken, kept; /* shared: bytes; kept: those not of BUDGET_READING */
	uint64_t refused;     /* shared: largest total refused, plus 1; 0: nothing was refused */
	bool crowded;         /* shared: refused as others fill the limit, not for its own size */
};

/* Set the limit, once, before memory is taken and threads start.  Default: BUDGET_DEFAULT. */
void budget_set_limit(uint64_t bytes);
uint64_t budget_limit(void);

/*
 * Take bytes, and give them back.  b may be NULL: part of no object, only the limit counts.
 * False: refused, which is counted and recorded in b; nothing was taken.
 */
bool budget_take(struct budget *b, enum budget_class c, uint64_t bytes);
void budget_give(struct budget *b, enum budget_class c, uint64_t bytes);

/* malloc, calloc, realloc and free for blocks taken from b.  NULL: refused, or out of memory. */
void *budget_alloc(struct budget *b, enum budget_class c, size_t bytes);
void *budget_zalloc(struct budget *b, enum budget_class c, size_t nr, size_t size);
void *budget_resize(void *block, size_t bytes); /* block must not be NULL */
void budget_free(void *block);                  /* NULL is fine */

/* Move a BUDGET_READING block to class c, to keep it.  False: refused, nothing changed. */
bool budget_keep(void *block, enum budget_class c);

/* Like vec_reserve(), for a vector whose data is NULL or a block taken from b. */
bool budget_reserve(struct budget *b, enum budget_class c, void *data, size_t *cap, size_t need,
		    size_t size);

/* Sort with qsort, taking the room for its copy meanwhile.  False: refused, nothing was sorted. */
bool budget_sort(struct budget *b, void *list, size_t nr, size_t size,
		 int (*compare)(const void *, const void *));

/* True if anything was refused to b since budget_forgive. */
bool budget_refused(const struct budget *b);

/* Forget refusals before another try. */
void budget_forgive(struct budget *b);

/*
 * Fill err with the refusal: "WHAT would take 533M: more than one object may of --max-memory 512M".
 * -ENOBUFS, or 0 where nothing was refused.
 */
int budget_say(const struct budget *b, const char *what, struct err *err);

/* True if little is left: caches should then drop the least recently used. */
bool budget_tight(void);

struct budget_figures {
	uint64_t limit, taken;
	uint64_t of[BUDGET_CLASSES];
	uint64_t refusals; /* since the start */
};

void budget_figures(struct budget_figures *f);

#endif
