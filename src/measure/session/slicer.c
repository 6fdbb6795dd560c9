/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/slicer.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/resident.h"
#include "names/code/codejob.h"
#include "system/fence/fence.h"

#define RSS_NS    NSEC_PER_SEC /* between looks at it */
#define ANSWER_MS 1000         /* between tries to answer, where memory is missing */
#define AGE_NS    NSEC_PER_SEC /* the most that a slice ages what is not used in it */

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

static void add(struct combine_total *sum, const struct table_count *count)
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
			add(&sums->attributed, &row.count);
			continue;
		}
		add(&sums->refused, &row.count);
		failed += row.count.samples;
	}
	s->rows_max = rows > s->rows_max ? rows : s->rows_max;
	table_recycle(s->config.table, gen);
	if (failed)
		slice_log(s->slice, SLICE_WARNING,
			  "%zu samples were dropped: out of memory for their rows", failed);
	return failed ? -ENOMEM : 0;
}

/* What costs more than a slice is worth. */
static void look_at_costs(struct slicer *s)
{
	uint64_t now = clock_ns();

	if (!s->slice->last && s->rss && now - s->rss_time < RSS_NS)
		return;
	s->rss = resident_bytes();
	for (unsigned i = 0; i < FENCE_PROCESSES; i++) {
		fence_figures(i, &s->helpers[i]);
		s->rss += s->helpers[i].resident;
	}
	owncost_look(&s->own, s->helpers);
	resolver_memory(s->config.resolver, s->memory, sizeof(s->memory));
	s->rss_time = now;
}

static void add_self(struct slicer *s, const struct resolver_stats *st)
{
	uint64_t cpu = clock_read(CLOCK_PROCESS_CPUTIME_ID) + fence_cpu();

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

/* True: names are still being looked for. */
static bool stamp(struct slicer *s, uint64_t end)
{
	struct slice *slice = s->slice;
	struct resolver_stats st;

	slice->start = s->last_end;
	slice->end = s->last_end = end;
	/* A slice is one use of what is in it, however long it became: a late tick, a gap or a long file's. */
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
	return stamp(s, end);
}

/* Nothing here points to the slice any more when it is somebody else's. */
void slicer_put(struct slicer *s)
{
	struct slice *slice = s->slice;

	s->slice = NULL;
	s->config.put(s->config.arg, slice);
}

/* False: there is no memory for it now. */
static bool answer(struct slicer *s)
{
	if (!slicer_open(s, 0, 0))
		return false;
	slicer_begin(s);
	askbox_pass(s->config.asks, s->config.resolver);
	s->slice->last = true;
	stamp(s, s->last_end);
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
		if (askbox_waiting(s->config.asks) || fds[1].revents || !answered)
			answered = answer(s);
		/* News that cannot be taken up stay news: a pause, then, instead of a look. */
		fds[1].fd = answered && codejob_pending(r) ? resolver_fd(r) : -1;
		fds[1].revents = 0;
		if (poll(fds, 2, answered ? -1 : ANSWER_MS) > 0 && fds[0].revents)
			eventfd_read(wake_fd, &n);
	}
}
