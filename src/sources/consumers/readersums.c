/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/consumers/readersums.h"

#include "system/proc/procscan.h"
#include "measure/session/fieldrows.h"

#define KEYS_ALL   (1u << 20) /* of all readers: each may take 330 bytes of it twice, once it has
			       * come, and 270 of its path */
#define KEYS_MOST  65536u     /* of one: 100 ms of 650 000 samples a second, no key twice */
#define KEYS_LEAST 4096u

unsigned readersums_keys(unsigned readers)
{
	unsigned share = KEYS_ALL / (readers ? readers : 1);

	return share > KEYS_MOST ? KEYS_MOST : share < KEYS_LEAST ? KEYS_LEAST : share;
}

struct names {
	struct resolver *resolver;
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

	if (!comm && procscan_comm((pid_t)tid, (pid_t)tid, n->comm))
		comm = n->comm;
	return comm;
}

uint32_t readersums_process(struct resolver *r, uint32_t tid)
{
	pid_t pid = tid ? resolver_pid(r, (pid_t)tid) : 0;

	if (pid < 0)
		pid = procscan_process((pid_t)tid);
	return pid < 0 ? tid : (uint32_t)pid;
}

static uint32_t process_of_thread(void *arg, uint32_t tid)
{
	return readersums_process(((struct names *)arg)->resolver, tid);
}

static uint32_t number_new_path(void *arg, const struct table_row *path)
{
	return resolver_path(((struct names *)arg)->resolver, path);
}

void readersums_tell(struct reader *r, unsigned generation, struct resolver *names, struct slice *s)
{
	const struct tracekey_comms comms = {thread_comm, process_of_thread, number_new_path,
					     &(struct names){.resolver = names}};
	bool more = reader_fields_filled(r, generation);

	while (more && fieldrows_add(reader_fields_filled(r, generation), &comms, s)) {
		more = reader_fields_taken(r, generation);
		if (s->nfields > SLICE_FIELDS_MOST)
			s->nfields = slice_fields_limit(s->fields, s->nfields, SLICE_FIELDS_MOST);
	}
}
