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
#include "measure/session/session.h"
#include "measure/consumers/between_plan.h"
#include "measure/trace/tracefields.h"
#include "names/resolve/resolver.h"

/*
 * Multiply the weight, of whole hits, by the tracepoint's field.  False: the record ends before it,
 * or the product is too large.
 */
bool samplesums_weigh(const struct trace_value *by, const struct sample *s, uint64_t *weight);

/* Create sums for the fields of `events` events.  NULL: out of memory. */
struct fieldsums *samplesums_create(const struct tracefields *f, unsigned events, unsigned keys);

/* Return the number of the sample's path, 0 where there is no room. */
static inline uint32_t samplesums_path(struct fieldsums *sums, const struct consumer_sample *c,
				       uint16_t epoch)
{
	const struct table_key key = {.pid = c->s->pid,
				      .tid = c->s->tid,
				      .mode = c->s->mode,
				      .nr = (uint8_t)c->path->nr,
				      .epoch = epoch};

	return rawpaths_number(fieldsums_paths(sums), &key, c->path->ips, c->s->time);
}

/*
 * Add a sample under its key.  Epochs (core/table/split.h) keep tasks of one number and addresses
 * of one value apart, where their meaning has changed.  False: the record ends before a field.
 */
static inline bool samplesums_add(struct fieldsums *sums, const struct tracekey *key,
				  const struct consumer_sample *c, uint16_t task_epoch,
				  uint16_t path_epoch)
{
	const struct sample *s = c->s;
	const struct sample_span *raw = &s->span[SAMPLE_RAW];
	struct tracekey_sample beside;
	uint64_t words[TRACEKEY_WORDS];
	unsigned n = 0;

	if (raw->offset && key->one) {
		n = trace_number(&key->field[0].value, sample_at(s, SAMPLE_RAW), raw->len, words);
	} else if (raw->offset) {
		beside = (struct tracekey_sample){c->cpu, s->pid, s->tid, task_epoch, 0};
		if (key->has_path)
			beside.path = samplesums_path(sums, c, path_epoch);
		n = tracekey_take(key, sample_at(s, SAMPLE_RAW), raw->len, &beside, words);
	}
	if (n && key->has_path && !beside.path)
		fieldsums_add_rest(sums, c->event, c->weight, s->time);
	else if (n)
		fieldsums_add(sums, c->event, words, n, c->weight, s->time);
	return n;
}

/*
 * Put all sums into the slice.  Rows of several fieldsums are not merged: see slice_fields_fold.
 * `names` resolves paths and has names of threads; here: those it lacks are looked up in
 * this machine's /proc.  False: out of memory, nothing was added: keep the sums for a later slice.
 */
bool samplesums_tell(const struct fieldsums *sums, struct resolver *names, bool here,
		     struct slice *s);

/* Copy a key to a row; a longer one is cut, and ends with "...". */
void samplesums_key(struct slice_field *to, const char *key);

/* Describe an event's weight and fields, and pairs, in a session's info. */
void samplesums_describe(const struct tracefields *f, unsigned event, const struct event *from,
			 struct session_event *to);
void samplesums_describe_pairs(const struct between_plan *plan, struct slice_between *to);

/*
 * Return the process of a thread whose record has no process, as of now.  For a thread that is
 * gone, and was not seen before, that is tid itself.
 */
uint32_t samplesums_process(struct resolver *names, uint32_t tid);

#endif
