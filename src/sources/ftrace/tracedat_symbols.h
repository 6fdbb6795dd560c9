/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_symbols - functions of the recorded kernel in records of tracers, as one KSYMBOL record
 * each, by the file's copy of kallsyms.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_SOURCES_FTRACE_TRACEDAT_SYMBOLS_H
#define RINGTOP_SOURCES_FTRACE_TRACEDAT_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "files/decode/perfwrite.h"
#include "sources/ftrace/tracedat_head.h"

struct tracedat_symbols { /* zeroed: none */
	uint64_t *slots; /* addresses; 0: free */
	size_t nr, size; /* a power of two */
	uint64_t refused; /* addresses that found no room */
};

/* Note that an address needs a name; the same address may come again. */
void tracedat_symbols_want(struct tracedat_symbols *s, struct budget *b, uint64_t addr);

/*
 * Append KSYMBOL records for all noted addresses that the file's kallsyms cover; problems with it
 * become remarks. The set is empty afterwards.
 */
void tracedat_symbols_put(struct tracedat_symbols *s, struct tracedat_head *h, struct perfwrite *w);
void tracedat_symbols_clear(struct tracedat_symbols *s);

#endif
