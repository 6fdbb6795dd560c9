/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/callstack.h"

#include <string.h>

#define CALLS_MAX 32 /* records of a processor, the most that any has; older ones have 16 */

/* How far the chain is the kernel's; *leaf: the user's address behind it, 0: none. */
static uint64_t split_chain(const struct sample *s, uint64_t *leaf)
{
	uint64_t n = 0;

	*leaf = 0;
	while (n < s->nr_chain && s->chain[n] != (uint64_t)PERF_CONTEXT_USER)
		n++;
	if (n + 1 < s->nr_chain)
		*leaf = s->chain[n + 1];
	return n;
}

uint16_t callstack_path(const struct record_layout *l, const struct perf_event_header *h,
			const struct sample *s, uint64_t ips[TABLE_PATH_MAX])
{
	struct perf_branch_entry call;
	struct sample_fields f;
	uint64_t kernel, leaf, nr;
	uint16_t n;

	if (!record_sample_fields(l, h, &f))
		return 0;
	nr = f.span[SAMPLE_BRANCH_STACK].len / sizeof(call);
	kernel = split_chain(s, &leaf);
	/* The records alone do not tell how far the newest callee has come. */
	if (!nr || !leaf || kernel > TABLE_PATH_MAX - 2)
		return 0;
	memcpy(ips, s->chain, kernel * sizeof(*ips));
	n = (uint16_t)kernel;
	ips[n++] = TABLE_MARK_UNWOUND;
	ips[n++] = leaf;
	for (uint64_t i = 0; i < nr && n < TABLE_PATH_MAX; i++) {
		memcpy(&call, (const char *)h + f.span[SAMPLE_BRANCH_STACK].offset + i * sizeof(call),
		       sizeof(call));
		ips[n++] = call.from;
	}
	/* As many as there can be: there may have been more. */
	if (nr >= CALLS_MAX && n < TABLE_PATH_MAX)
		ips[n++] = TABLE_MARK_TRUNCATED;
	return n;
}
