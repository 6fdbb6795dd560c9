/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats - what the kernel says of one CPU's ftrace ring: per_cpu/cpuN/stats of an instance.
 *
 * Every event that was hit is in one of four: hits = read + overrun + commit_overrun + dropped + entries.
 * Source: kernel/trace/trace.c, tracing_stats_read; Documentation/trace/ring-buffer-design.rst.
 *
 * Threads: pure.
 */
#ifndef RINGTOP_SOURCES_FTRACE_STATS_H
#define RINGTOP_SOURCES_FTRACE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FTRACE_STATS_BYTES 512 /* eight lines; the kernel's have 250 */

struct ftrace_stats {
	uint64_t entries;        /* in the ring and not read */
	uint64_t bytes;          /* of them */
	uint64_t read;           /* events that readers took, whoever they were; it falls to 0 when the ring is reset */
	/* Events that nobody can read any more. */
	uint64_t overrun;        /* overwritten unread */
	uint64_t commit_overrun; /* the ring went all round in interrupts, back to the event that they interrupted */
	uint64_t dropped;        /* producer/consumer: the ring was full */
	uint64_t oldest_ns, now_ns; /* by the instance's clock, to the us; oldest 0: nothing is in it */
};

/* False: it is no such text. */
bool ftrace_stats_parse(const char *text, size_t len, struct ftrace_stats *s);

#endif
