/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats - the kernel's statistics of one CPU's ftrace ring: per_cpu/cpuN/stats of an instance.
 * Every event that was hit is in one of these: hits = read + overrun + commit_overrun + dropped +
 * entries. Source: kernel/trace/trace.c, tracing_stats_read;
 * Documentation/trace/ring-buffer-design.rst.
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
	uint64_t entries;        /* events in the ring, not read yet */
	uint64_t bytes;          /* bytes of these events */
	uint64_t read;           /* events taken by any reader; falls to 0 when the ring is reset */
	/* Events that cannot be read any more: */
	uint64_t overrun;        /* overwritten unread */
	/* The ring was filled by interrupts all round, to the event that they interrupted. */
	uint64_t commit_overrun;
	uint64_t dropped;        /* producer/consumer: the ring was full */
	/* By the instance's clock, to the us; oldest 0: the ring is empty. */
	uint64_t oldest_ns, now_ns;
};

/* Parse the text of a stats file. False: not such a text. */
bool ftrace_stats_parse(const char *text, size_t len, struct ftrace_stats *s);

#endif
