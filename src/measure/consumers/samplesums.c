/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/consumers/samplesums.h"

#include "measure/consumers/fieldrows.h"
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
