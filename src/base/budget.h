/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget - the memory for what others choose: symbols, lines, unwind tables and code of files, maps of
 * processes, and the names that JITs write.  One limit for the process (--max-memory); a part of it, a
 * struct budget, for each object or process that memory is taken for.
 *
 * Memory is taken before it is allocated: what does not fit is never touched.  Either by the block
 * (budget_alloc, budget_reserve: the block knows what it took), or by number (budget_take), for what is
 * allocated elsewhere: names in an intern, tables of a library.
 *
 * One object may keep a quarter of the limit, and hold half of it while it is read.  What could not be
 * had is remembered in its struct budget, so that callers may pass on -ENOMEM or NULL as for any other
 * lack of memory, and the one who knows the object's name says why: budget_say.
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

/* budget_class_names has them in words. */
enum budget_class {
	BUDGET_READING, /* held while something is read, such as sections: not kept */
	BUDGET_SYMBOLS,
	BUDGET_LINES,
	BUDGET_CFI,  /* unwind tables */
	BUDGET_MAPS,
	BUDGET_JIT,  /* perf-PID.map and jitdumps */
	BUDGET_CODE, /* of the Code view */
	BUDGET_NAMES, /* the session's dictionary, and who is in it: of a quarter of the limit that is its own */
	BUDGET_CLASSES
};

extern const char *const budget_class_names[BUDGET_CLASSES];

/*
 * Of one object or process.  Zeroed to begin with; nothing to free.  What is read of one object apart, such as
 * its symbols and its lines, has a budget each, whose `whole` is the one they share: what was refused to one
 * is no matter of the other's.
 */
struct budget {
	struct budget *whole; /* whose share is taken; NULL: its own */
	uint64_t taken, kept; /* shared: of all classes; without BUDGET_READING */
	uint64_t refused;     /* shared: what it would have come to, 0: nothing was refused */
	bool crowded;         /* shared: refused because of others, not for its own size */
};

/* Once, before anything is taken.  Without it: BUDGET_DEFAULT. */
void budget_set_limit(uint64_t bytes);
uint64_t budget_limit(void);

/*
 * Take bytes, and give them back.  b may be NULL: part of no object, only the limit counts.
 * False: refused and counted; nothing was taken.
 */
bool budget_take(struct budget *b, enum budget_class c, uint64_t bytes);
void budget_give(struct budget *b, enum budget_class c, uint64_t bytes);

/* malloc, calloc, realloc and free of a block that is taken from b.  NULL: refused, or out of memory. */
void *budget_alloc(struct budget *b, enum budget_class c, size_t bytes);
void *budget_zalloc(struct budget *b, enum budget_class c, size_t nr, size_t size);
void *budget_resize(void *block, size_t bytes); /* not of NULL */
void budget_free(void *block);                  /* NULL is fine */

/* Change the class of a block, such as what was read and is kept.  False: refused, nothing changed. */
bool budget_keep(void *block, enum budget_class c);

/* As vec_reserve, for a vector that is a block of b's (or NULL). */
bool budget_reserve(struct budget *b, enum budget_class c, void *data, size_t *cap, size_t need,
		    size_t size);

/* qsort, whose room for a copy is taken meanwhile.  False: refused, nothing was sorted. */
bool budget_sort(struct budget *b, void *list, size_t nr, size_t size,
		 int (*compare)(const void *, const void *));

/* Was anything refused to b since budget_forgive? */
bool budget_refused(const struct budget *b);

/* For another try. */
void budget_forgive(struct budget *b);

/*
 * What was refused, in words: "WHAT would take 533M: more than one object may of --max-memory 512M".
 * -ENOBUFS, or 0 where nothing was refused.
 */
int budget_say(const struct budget *b, const char *what, struct err *err);

/* Is little left?  Then whoever keeps what can be read again should drop what was used longest ago. */
bool budget_tight(void);

struct budget_figures {
	uint64_t limit, taken;
	uint64_t of[BUDGET_CLASSES];
	uint64_t refusals; /* so far */
};

void budget_figures(struct budget_figures *f);

#endif
