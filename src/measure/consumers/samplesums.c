/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/samplesums.h"

#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "system/proc/procscan.h"

_Static_assert(SLICE_FIELD_BINS == FIELDSUMS_BINS, "one is a copy of the other");

bool samplesums_weigh(const struct trace_value *by, const struct sample *s, uint64_t *weight)
{
	const struct sample_span *raw = &s->span[SAMPLE_RAW];
	uint64_t n;

	if (!raw->offset || !trace_weight(by, sample_at(s, SAMPLE_RAW), raw->len, &n))
		return false;
	return !__builtin_mul_overflow(*weight, n, weight);
}

struct fieldsums *samplesums_create(const struct tracefields *f, unsigned events, unsigned keys)
{
	struct fieldsums *sums = fieldsums_create(events, tracefields_words(f), keys, f);

	if (!sums || !tracefields_by_path(f) || fieldsums_keep_paths(sums))
		return sums;
	fieldsums_free(sums);
	return NULL;
}

/* --- names ------------------------------------------------------------------------------------ */

struct names {
	struct resolver *resolver;
	bool here;
	char comm[COMM_LEN];
};

/*
 * Return a thread's name.  Threads from before ringtop are looked up in /proc at once: sums are
 * reported once, and under no other name later.
 */
static const char *thread_comm(void *arg, uint32_t tid, uint64_t time)
{
	struct names *n = arg;
	const char *comm = resolver_comm(n->resolver, (pid_t)tid, time);

	if (!comm && n->here && procscan_comm((pid_t)tid, (pid_t)tid, n->comm))
		comm = n->comm;
	return comm;
}

uint32_t samplesums_process(struct resolver *names, uint32_t tid)
{
	pid_t pid = tid ? resolver_pid(names, (pid_t)tid) : 0;

	if (pid < 0)
		pid = procscan_process((pid_t)tid);
	return pid < 0 ? tid : (uint32_t)pid;
}

static uint32_t process_of_thread(void *arg, uint32_t tid)
{
	return samplesums_process(((struct names *)arg)->resolver, tid);
}

/* --- rows ------------------------------------------------------------------------------------ */

void samplesums_key(struct slice_field *to, const char *key)
{
	memset(to->key, 0, sizeof(to->key));
	memcpy(to->key, key, strnlen(key, sizeof(to->key) - 1));
	if (strlen(key) >= sizeof(to->key))
		memcpy(to->key + sizeof(to->key) - 4, "...", 4);
}

static void append_sums_row(const struct fieldsums *sums, const struct fieldsum *from, bool rest,
			    const struct tracekey_comms *comms, struct slice *s)
{
	const struct tracefields *f = fieldsums_of(sums);
	const struct tracekey *k = tracefields_key(f, from->event);
	struct slice_field *to = &s->fields[s->nfields++];
	char key[TRACEKEY_WORDS * sizeof(uint64_t) * 4 + 1];
	struct table_row path;

	*to = (struct slice_field){.event = from->event,
				   .by = tracefields_number(f, from->event),
				   .rest = rest,
				   .count = from->count,
				   .sum = from->sum,
				   .min = from->min,
				   .max = from->max};
	memcpy(to->hist, from->hist, sizeof(to->hist));
	if (rest)
		return;
	if (k->has_path) {
		rawpaths_row(fieldsums_paths(sums), tracekey_path(k, from->key), &path);
		to->path = resolver_path(((struct names *)comms->arg)->resolver, &path);
	}
	tracekey_text(k, from->key, from->time, comms, key, sizeof(key));
	samplesums_key(to, key);
}

bool samplesums_tell(const struct fieldsums *sums, struct resolver *names, bool here,
		     struct slice *s)
{
	const struct tracekey_comms comms = {thread_comm, here ? process_of_thread : NULL,
					     &(struct names){.resolver = names, .here = here}};
	unsigned nr = 0, nevents = tracefields_events(fieldsums_of(sums));

	while (fieldsums_at(sums, nr))
		nr++;
	if (!vec_reserve(&s->fields, &s->cap_fields, s->nfields + nr + nevents, sizeof(*s->fields)))
		return false;
	for (unsigned i = 0; i < nr; i++)
		append_sums_row(sums, fieldsums_at(sums, i), false, &comms, s);
	for (unsigned i = 0; i < nevents; i++)
		if (fieldsums_rest(sums, i)->count)
			append_sums_row(sums, fieldsums_rest(sums, i), true, &comms, s);
	return true;
}

void samplesums_describe(const struct tracefields *f, unsigned event, const struct event *from,
			struct session_event *to)
{
	text_append(to->weight, sizeof(to->weight), 0, "%s", from->weight ? from->weight : "");
	tracefields_names(f, event, to->by, sizeof(to->by), to->by_kinds);
}

void samplesums_describe_pairs(const struct between_plan *plan, struct slice_between *to)
{
	*to = (struct slice_between){.wanted = plan->wanted,
				     .from = (uint16_t)plan->event[BETWEEN_FROM],
				     .to = (uint16_t)plan->event[BETWEEN_TO],
				     .nr = plan->nr};
	text_append(to->key, sizeof(to->key), 0, "%s", plan->key);
}
