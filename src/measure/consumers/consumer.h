/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * consumer - results made of samples beside the table's rows: one table of operations for all, by
 * which a reader of a live session and a file drive them.
 *
 *   begin ─▶ sample, other, gap ... ─▶ end ─▶ flush ─▶ the owner's thread
 *
 * A file is one reader that has no thread: its consumers add to the slice's results at once, and
 * numbers of readers are its CPUs.
 *
 * Threads: the reader's, but `pressed` any.  Of a live session no operation allocates, locks or
 * formats.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_CONSUMER_H
#define RINGTOP_MEASURE_CONSUMERS_CONSUMER_H

#include <stdbool.h>
#include <stdint.h>

#include "files/decode/record.h"
#include "measure/session/path.h"

/* Consumers, in the order in which they get a sample: sums refuse records that end too early. */
enum consumer_kind { CONSUMER_SUMS, CONSUMER_OFFCPU, CONSUMER_PAIRS, CONSUMER_LOG, CONSUMERS };

struct consumer_sample {
	const struct sample *s;
	const struct path *path;
	const struct record_layout *layout;
	uint64_t weight;
	unsigned reader, event;
	int cpu; /* -1: its reader is a thread's */
};

/* NULL: the consumer has no use for it. */
struct consumer_ops {
	void (*begin)(void *of, bool newest_first); /* a batch; its samples stay until `end` */
	/* False: the record ends before a field, and no other consumer shall have the sample. */
	bool (*sample)(void *of, const struct consumer_sample *s);
	void (*other)(void *of, unsigned reader, const struct record_layout *l,
		      const struct perf_event_header *h, uint64_t time);
	/* Records between these times were lost, of the reader's clock. */
	void (*gap)(void *of, unsigned reader, uint64_t from, uint64_t to);
	void (*end)(void *of);
	void (*flush)(void *of, unsigned reader, bool asked); /* asked: the owner waits for it */
	bool (*pressed)(const void *of); /* so much waits that the owner should not wait */
};

struct consumer {
	const struct consumer_ops *ops; /* NULL: not wanted */
	void *of;
};

/* Call an operation of all that have it. */
#define CONSUMERS_EACH(list, op, ...)                                                            \
	do {                                                                                     \
		for (const struct consumer *c_ = (list); c_ < (list) + CONSUMERS; c_++)          \
			if (c_->ops && c_->ops->op)                                              \
				c_->ops->op(c_->of, ##__VA_ARGS__);                              \
	} while (0)

/* Hand a sample to the consumers in `kinds`, a set of 1 << enum consumer_kind. */
static inline bool consumers_sample(const struct consumer list[CONSUMERS], unsigned kinds,
				    const struct consumer_sample *s)
{
	for (; kinds; kinds &= kinds - 1) {
		const struct consumer *c = &list[__builtin_ctz(kinds)];

		if (!c->ops->sample(c->of, s))
			return false;
	}
	return true;
}

static inline bool consumers_pressed(const struct consumer list[CONSUMERS])
{
	for (unsigned i = 0; i < CONSUMERS; i++)
		if (list[i].ops && list[i].ops->pressed && list[i].ops->pressed(list[i].of))
			return true;
	return false;
}

#endif
