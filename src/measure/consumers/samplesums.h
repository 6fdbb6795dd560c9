/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samplesums - weights of samples by a field of their records (weight=), and sums by fields (--by).
 *
 * Threads: samplesums_weigh and samplesums_add the owner of the sums, for readers: no allocation,
 * no look-up; samplesums_tell the resolver's.
 */
#ifndef RINGTOP_MEASURE_CONSUMERS_SAMPLESUMS_H
#define RINGTOP_MEASURE_CONSUMERS_SAMPLESUMS_H

#include "core/slice/slice.h"
#include "core/table/fieldsums.h"
#include "measure/consumers/consumer.h"
#include "measure/trace/tracefields.h"
#include "names/resolve/resolver.h"

/*
 * Multiply the weight, of whole hits, by the tracepoint's field.  False: the record ends before it,
 * or the product is too large.
 */
bool samplesums_weigh(const struct trace_value *by, const struct sample *s, uint64_t *weight);

/* Create sums for the fields of `events` events.  NULL: out of memory. */
struct fieldsums *samplesums_create(const struct tracefields *f, unsigned events, unsigned keys);

/*
 * Add a sample under its key.  Epochs (core/table/split.h) keep tasks of one number and addresses
 * of one value apart, where their meaning has changed.  False: the record ends before a field.
 */
bool samplesums_add(struct fieldsums *sums, const struct tracekey *key,
		    const struct consumer_sample *s, uint16_t task_epoch, uint16_t path_epoch);

/*
 * Put all sums into the slice.  here: names that `names` lacks are looked up in this machine's
 * /proc.  False: out of memory, nothing was added.
 */
bool samplesums_tell(const struct fieldsums *sums, struct resolver *names, bool here,
		     struct slice *s);

/*
 * Return the process of a thread whose record has no process, as of now.  For a thread that is
 * gone, and was not seen before, that is tid itself.
 */
uint32_t samplesums_process(struct resolver *names, uint32_t tid);

#endif
