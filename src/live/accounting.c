/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/accounting.h"

#include <string.h>

#include "base/clock.h"

static void owe(struct combine_total *owed, uint64_t samples, uint64_t weight)
{
	owed->samples += samples;
	owed->weight += weight;
}

/*
 * Rows for what we had no room for: of the backlog, and of the table.  What finds no memory for its row is
 * owed to a later slice.
 */
static void add_lost_rows(struct tick *t, struct tick_reader *tr, unsigned e,
			  const struct account_input *in, const struct slice_account *a)
{
	struct lost_rows *rows = &tr->lost_rows[e];
	uint64_t samples = in->backlog_samples - rows->backlog.samples;
	uint64_t weight = in->backlog - rows->backlog.weight;
	uint16_t cpu = tr->cpu < 0 ? 0 : (uint16_t)tr->cpu;

	owe(&rows->backlog, samples, weight);
	owe(&rows->owed[RESOLVER_UNWIND_BACKLOG], samples, weight);
	if (a->lost_samples[LOST_DROPPED] > samples)
		owe(&rows->owed[RESOLVER_TABLE_FULL], a->lost_samples[LOST_DROPPED] - samples,
		    a->lost[LOST_DROPPED] - weight);
	for (unsigned loss = 0; loss < RESOLVER_LOSSES; loss++) {
		struct combine_total *owed = &rows->owed[loss];

		if (owed->samples && !resolver_lost(t->resolver, loss, (uint16_t)e, cpu, owed->samples,
						    owed->weight))
			*owed = (struct combine_total){.samples = 0};
	}
}

void accounting_look(struct tick *t, bool counting)
{
	uint64_t now = clock_ns();

	if (!t->cputimes)
		return;
	cputimes_read(t->cputimes);
	for (unsigned i = 0; i < t->nreaders; i++)
		idle_look(&t->readers[i].idle, cputimes_of(t->cputimes, t->readers[i].cpu), now, counting);
}

/* The reader's sums as it answered them, and what the kernel says of its CPU's time up to then. */
static void take_input(struct tick *t, struct tick_reader *tr)
{
	const struct reader_report *rep = reader_report(tr->reader);

	memcpy(tr->input, rep->input, t->events.nr * sizeof(*tr->input));
	for (unsigned e = 0; e < t->events.nr; e++) {
		if (!tr->input[e].clock)
			continue;
		tr->input[e].open += tr->input[e].task ? t->births : 0;
		idle_tell(&tr->idle, t->answered, &tr->input[e]);
	}
}

/* All sums of one event so far: what the reader told, and what came of it since. */
static struct account_input input_of(struct tick *t, unsigned reader, unsigned e)
{
	struct tick_reader *tr = &t->readers[reader];
	struct account_input in = tr->input[e];

	/* What is in the rows so far: the reader may have gone on since it answered. */
	in.samples = tr->sums[e].attributed.samples;
	in.attributed = tr->sums[e].attributed.weight;
	in.dropped_samples += tr->sums[e].refused.samples;
	in.dropped += tr->sums[e].refused.weight;
	if (t->unwinding) {
		const struct combine_total *refused = &unwinding_refused(t->unwinding, reader)[e];
		const struct combine_total *left = &unwinding_left(t->unwinding, reader)[e];

		in.backlog_samples += left->samples;
		in.backlog += left->weight;
		in.dropped_samples += refused->samples + left->samples;
		in.dropped += refused->weight + left->weight;
	}
	return in;
}

void accounting_add(struct tick *t, struct tick_reader *tr, struct slice *s)
{
	/* One that is late said nothing new, but its rows may be here. */
	if (tr->answered)
		take_input(t, tr);
	for (unsigned e = 0; e < t->events.nr; e++) {
		struct slice_account *a = slice_add_account(s);
		struct account_input in = input_of(t, (unsigned)(tr - t->readers), e);

		if (!a)
			return; /* the running sums catch up in the next slice */
		a->event = (uint16_t)e;
		a->cpu = (int16_t)tr->cpu;
		account_step(&tr->account[e], &in, a);
		add_lost_rows(t, tr, e, &in, a);
	}
}
