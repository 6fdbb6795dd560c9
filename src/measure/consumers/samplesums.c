/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/samplesums.h"

#include "measure/session/fieldrows.h"
#include "system/proc/procscan.h"

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

/* Return the number of the sample's path, 0 where there is no room. */
static uint32_t number_path(struct fieldsums *sums, const struct consumer_sample *c, uint16_t epoch)
{
	const struct table_key key = {.pid = c->s->pid,
				      .tid = c->s->tid,
				      .mode = c->s->mode,
				      .nr = (uint8_t)c->path->nr,
				      .epoch = epoch};

	return rawpaths_number(fieldsums_paths(sums), &key, c->path->ips, c->s->time);
}

bool samplesums_add(struct fieldsums *sums, const struct tracekey *key,
		    const struct consumer_sample *c, uint16_t task_epoch, uint16_t path_epoch)
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
			beside.path = number_path(sums, c, path_epoch);
		n = tracekey_take(key, sample_at(s, SAMPLE_RAW), raw->len, &beside, words);
	}
	if (n && key->has_path && !beside.path)
		fieldsums_add_rest(sums, c->event, c->weight, s->time);
	else if (n)
		fieldsums_add(sums, c->event, words, n, c->weight, s->time);
	return n;
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

static uint32_t number_new_path(void *arg, const struct table_row *path)
{
	return resolver_path(((struct names *)arg)->resolver, path);
}

bool samplesums_tell(const struct fieldsums *sums, struct resolver *names, bool here,
		     struct slice *s)
{
	const struct tracekey_comms comms = {thread_comm, here ? process_of_thread : NULL,
					     number_new_path,
					     &(struct names){.resolver = names, .here = here}};

	return fieldrows_add(sums, &comms, s);
}
