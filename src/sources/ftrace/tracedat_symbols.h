/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracedat_symbols - the functions of the recorded kernel that records of tracers tell of, by the file's copy of kallsyms:
 * as KSYMBOL records, one for each that is met.
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
	uint64_t refused; /* there was no room for them */
};

/* An address that is to have a name; once or often. */
void tracedat_symbols_want(struct tracedat_symbols *s, struct budget *b, uint64_t addr);

/* Names for all of them, as far as the file has them; what is wrong with its copy of kallsyms is remarked. */
void tracedat_symbols_put(struct tracedat_symbols *s, struct tracedat_head *h, struct perfwrite *w);
void tracedat_symbols_clear(struct tracedat_symbols *s);

#endif
