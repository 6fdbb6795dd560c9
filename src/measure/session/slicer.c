/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/slicer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/resident.h"
#include "names/code/codejob.h"
#include "system/sandbox/sandbox.h"

#define RSS_NS    NSEC_PER_SEC /* between reads of the resident size */
#define ANSWER_MS 1000         /* between tries to reply without memory */
#define AGE_NS    NSEC_PER_SEC /* most that a slice adds to `age` */

void slicer_init(struct slicer *s, const struct slicer_config *c)
{
	*s = (struct slicer){.config = *c};
}

void slicer_clear(struct slicer *s)
{
	slice_free(s->slice);
	s->slice = NULL;
	owncost_clear(&s->own);
}

struct slice *slicer_open(struct slicer *s, size_t accounts, size_t gauges)
{
	s->slice = slice_create_for(accounts, gauges);
	s->idle = false;
	return s->slice;
}

void slicer_begin(struct slicer *s)
{
	resolver_begin(s->config.resolver, s->slice, s->age);
}

static void add_table_count(struct combine_total *sum, const struct table_count *count)
{
	sum->samples += count->samples;
	sum->weight += count->weight;
}

int slicer_rows(struct slicer *s, struct table_gen *gen, slicer_whose *whose, void *arg)
{
	uint32_t rows = table_rows(gen);
	struct table_row row;
	size_t pos = 0, failed = 0;

	while (table_next(gen, &pos, &row)) {
		struct slicer_sums *sums = whose(arg, &row);

		if (!resolver_row(s->config.resolver, &row)) {
			add_table_count(&sums->attributed, &row.count);
			continue;
		}
		add_table_count(&sums->refused, &row.count);
		failed += row.count.samples;
	}
	s->rows_max = rows > s->rows_max ? rows : s->rows_max;
	table_recycle(s->config.table, gen);
	if (failed)
		slice_log(s->slice, SLICE_WARNING,
			  "%zu samples were dropped: out of memory for their rows", failed);
	return failed ? -ENOMEM : 0;
}

/* Update the figures that are too expensive to read for each slice. */
static void look_at_costs(struct slicer *s)
{
	uint64_t now = clock_ns();

	if (!s->slice->last && s->rss && now - s->rss_time < RSS_NS)
		return;
	s->rss = resident_bytes();
	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		sandbox_figures(i, &s->helpers[i]);
		s->rss += s->helpers[i].resident;
	}
	owncost_look(&s->own, s->helpers);
	resolver_memory(s->config.resolver, s->memory, sizeof(s->memory));
	s->rss_time = now;
}

static void add_self(struct slicer *s, const struct resolver_stats *st)
{
	uint64_t cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID) + sandbox_cpu();

	look_at_costs(s);
	memcpy(s->slice->helpers, s->helpers, sizeof(s->helpers));
	s->slice->self = (struct slice_self){
		.cpu_ns = cpu - s->cpu_ns, .rss_bytes = s->rss, .table_rows = s->rows_max,
		.table_capacity = table_capacity(s->config.table), .unresolved = st->unresolved,
		.queued = st->queued, .loading = st->loading,
		.budget_bytes = st->budget.taken, .budget_limit = st->budget.limit,
		.budget_refusals = st->budget.refusals - s->refusals,
		.process_maps_forgotten = st->maps_forgotten - s->maps_forgotten,
		.names_given_up = st->names_given_up - s->names_given_up,
		.cause = (uint8_t)owncost_most(&s->own),
	};
	memcpy(s->slice->self.memory, s->memory, sizeof(s->memory));
	s->cpu_ns = cpu;
	s->rows_max = 0;
	s->refusals = st->budget.refusals;
	s->maps_forgotten = st->maps_forgotten;
	s->names_given_up = st->names_given_up;
}

/*
 * Set the slice's times and ringtop's own figures.  Return true if names are still being resolved.
 */
static bool complete_slice(struct slicer *s, uint64_t end)
{
	struct slice *slice = s->slice;
	struct resolver_stats st;

	slice->start = s->last_end;
	slice->end = s->last_end = end;
	/*
	 * However long a slice is (a late tick, a gap, a file's), its entries were used only once.
	 */
	if (!s->idle)
		s->age += end - slice->start < AGE_NS ? end - slice->start : AGE_NS;
	slice->wall = s->config.recorded ? s->config.start_wall + end : clock_read(CLOCK_REALTIME);
	resolver_stats(s->config.resolver, &st);
	add_self(s, &st);
	return st.loading || st.lines;
}

bool slicer_end(struct slicer *s, uint64_t settled, uint64_t end)
{
	resolver_end(s->config.resolver, settled);
	return complete_slice(s, end);
}

/* The slicer must not point to the slice any more when its new owner gets it. */
void slicer_put(struct slicer *s)
{
	struct slice *slice = s->slice;

	s->slice = NULL;
	s->config.put(s->config.arg, slice);
}

/* Put a slice with replies to requests.  False: no memory now. */
static bool put_replies(struct slicer *s)
{
	if (!slicer_open(s, 0, 0))
		return false;
	slicer_begin(s);
	requestqueue_pass(s->config.asks, s->config.resolver);
	s->slice->last = true;
	complete_slice(s, s->last_end);
	resolver_done(s->config.resolver);
	slicer_put(s);
	return true;
}

void slicer_linger(struct slicer *s, int wake_fd, const _Atomic bool *closing)
{
	struct resolver *r = s->config.resolver;
	struct pollfd fds[] = {{.fd = wake_fd, .events = POLLIN},
			       {.fd = resolver_fd(r), .events = POLLIN}};
	bool answered = true;
	eventfd_t n;

	while (!*closing) {
		if (requestqueue_waiting(s->config.asks) || fds[1].revents || !answered)
			answered = put_replies(s);
		/* Without memory the resolver's fd stays readable: pause instead of polling it. */
		fds[1].fd = answered && codejob_pending(r) ? resolver_fd(r) : -1;
		fds[1].revents = 0;
		if (poll(fds, 2, answered ? -1 : ANSWER_MS) > 0 && fds[0].revents)
			eventfd_read(wake_fd, &n);
	}
}
