/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/readersums.h"

#include "proc/procscan.h"
#include "session/fieldrows.h"

struct names {
	struct resolver *resolver;
	char comm[COMM_LEN];
};

/* Who is from before us is asked at once: what is summed up is told once, and under no other name later. */
static const char *comm_of(void *arg, uint32_t tid, uint64_t time)
{
	struct names *n = arg;
	const char *comm = resolver_comm(n->resolver, (pid_t)tid, time);

	if (!comm && procscan_comm((pid_t)tid, (pid_t)tid, n->comm))
		comm = n->comm;
	return comm;
}

void readersums_tell(const struct tracefields *f, struct reader *r, struct resolver *names, struct slice *s)
{
	const struct fieldsums *sums = reader_report(r)->fields;
	const struct tracekey_comms comms = {comm_of, &(struct names){.resolver = names}};

	if (sums && fieldrows_add(f, sums, &comms, s))
		reader_fields_taken(r);
}
