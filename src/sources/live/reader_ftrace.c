/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/reader_ftrace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sources/ftrace/ftracering.h"
#include "sources/ftrace/lossshare.h"
#include "sources/live/reader_samples.h"
#include "sources/live/reader_state.h"
#include "sources/consumers/ftracing.h"

/* Head of every record. */
struct common {
	uint16_t type;
	uint8_t flags, preempt_count;
	int32_t pid; /* the thread */
};

enum loss { LOSS_OVERWRITTEN, LOSS_FULL, LOSS_STOLEN, LOSSES };

struct reader_ftrace {
	const struct ftracing *tracing;
	int cpu;
	struct ftrace_ring ring;
	bool again;                /* it was open, and is to be opened again */
	struct ftrace_stats stats; /* after the last drain, plus base */
	struct ftrace_stats base;
	struct ftrace_stats last;  /* as read from the kernel then */
	struct ftrace_stats told;  /* as read when the gauge was handed over */
	unsigned resets;
	unsigned nr;               /* events */
	uint16_t *place;           /* by index in the list of events: its number here, + 1 */
	uint64_t *read;            /* by event: records read */
	uint64_t *lost[LOSSES];    /* by event: its share of the losses */
	uint64_t shared[LOSSES];   /* of the ring: losses shared out so far */
	uint64_t foreign, all;     /* records of none of these events; all that were read */
	uint64_t newest, before;   /* times of the last records of this and the last drain */
	struct slice_gauge gauge, handed;
	int failure;
	struct reader *reader;     /* during a drain */
};

struct reader_ftrace *reader_ftrace_create(const struct ftracing *t, int cpu)
{
	struct reader_ftrace *f = calloc(1, sizeof(*f));
	unsigned nr = ftracing_events(t);
	bool ok = f;

	if (!f)
		return NULL;
	*f = (struct reader_ftrace){
		.tracing = t, .cpu = cpu, .nr = nr, .ring = {.fd = -1, .stats_fd = -1}};
	f->place = calloc(ftracing_listed(t, nr - 1) + 1u, sizeof(*f->place));
	f->read = calloc(nr, sizeof(*f->read));
	for (unsigned i = 0; i < LOSSES; i++)
		ok &= (f->lost[i] = calloc(nr, sizeof(*f->lost[i]))) != NULL;
	if (!ok || !f->place || !f->read) {
		reader_ftrace_free(f);
		return NULL;
	}
	for (unsigned i = 0; i < nr; i++)
		f->place[ftracing_listed(t, i)] = (uint16_t)(i + 1);
	reader_ftrace_publish(f, RING_OFFLINE);
	return f;
}

void reader_ftrace_free(struct reader_ftrace *f)
{
	if (!f)
		return;
	ftrace_ring_close(&f->ring);
	for (unsigned i = 0; i < LOSSES; i++)
		free(f->lost[i]);
	free(f->place);
	free(f->read);
	free(f);
}

int reader_ftrace_open(struct reader_ftrace *f, struct err *err)
{
	if (ftrace_ring_is_open(&f->ring))
		return 0;
	return ftrace_ring_open(&f->ring, ftracing_dir(f->tracing), f->cpu, err);
}

void reader_ftrace_close(struct reader_ftrace *f)
{
	ftrace_ring_close(&f->ring);
}

void reader_ftrace_again(struct reader_ftrace *f, bool open)
{
	if (!open) {
		f->again = ftrace_ring_is_open(&f->ring);
		reader_ftrace_close(f);
	} else if (f->again) {
		int ret = reader_ftrace_open(f, NULL);

		f->failure = f->failure ? f->failure : ret;
		f->again = false;
	}
}

int reader_ftrace_fd(const struct reader_ftrace *f)
{
	return f->failure ? -1 : ftrace_ring_fd(&f->ring);
}

void reader_ftrace_woken(struct reader_ftrace *f)
{
	f->gauge.wakeups++;
}

/* --- records ---------------------------------------------------------------------------------- */

/* Return the path of a function and its callers. */
static struct path path_of_call(struct reader *r, const struct ftrace_record *rec, unsigned nr)
{
	uint64_t *ips = r->ips;

	ips[0] = (uint64_t)PERF_CONTEXT_KERNEL;
	memcpy(ips + 1, (const char *)rec->data + sizeof(struct common), nr * sizeof(*ips));
	return (struct path){ips, (uint16_t)(nr + 1)};
}

/* Note records that ftrace lost; of the consumers only pairs take any of that ring. */
static void lose_halves(struct reader *r, uint64_t from, uint64_t to)
{
	const struct consumer *pairs = &r->consumer[CONSUMER_PAIRS];

	if (pairs->ops)
		pairs->ops->gap(pairs->of, r->config.writer, from, to);
}

static void take_ftrace_record(void *arg, const struct ftrace_record *rec)
{
	struct reader_ftrace *f = arg;
	struct reader *r = f->reader;
	struct sample s = {
		.time = rec->time, .period = 1, .cpu = (uint32_t)f->cpu, .mode = TABLE_MODE_EVENT};
	struct common c;
	struct path path;
	unsigned calls;
	uint16_t event;

	f->all++;
	if (rec->len < sizeof(c)) {
		f->foreign++;
		return;
	}
	memcpy(&c, rec->data, sizeof(c));
	event = ftracing_event(f->tracing, c.type);
	if (event == FTRACING_NONE) {
		f->foreign++;
		return;
	}
	f->read[f->place[event] - 1]++;
	if (rec->gap)
		lose_halves(r, f->newest, rec->time);
	f->newest = rec->time;
	s.tid = (uint32_t)c.pid;
	/* The bytes before it are the page's, and are not looked at. */
	s.h = (const void *)((const char *)rec->data - sizeof(uint32_t));
	s.span[SAMPLE_RAW] = (struct sample_span){sizeof(uint32_t), (uint16_t)rec->len};
	s.ip = event;
	path = (struct path){&s.ip, 1};
	calls = ftracing_calls(f->tracing, event);
	if (calls && rec->len >= sizeof(c) + calls * sizeof(uint64_t)) {
		path = path_of_call(r, rec, calls);
		s.mode = PERF_RECORD_MISC_KERNEL;
		s.ip = path.ips[1];
	}
	reader_samples_take(r, event, &s, &path);
}

/* --- losses of the ring ---------------------------------------------------------------------- */

static void share_loss(struct reader_ftrace *f, enum loss what, uint64_t now)
{
	if (now <= f->shared[what])
		return;
	ftrace_share(now - f->shared[what], f->read, f->nr, f->lost[what]);
	f->shared[what] = now;
}

/*
 * Continue the sums where another process emptied the buffer, and the kernel's counts began anew.
 */
static void count_on(struct reader_ftrace *f, struct ftrace_stats *s)
{
	f->last = *s;
	if (s->read + f->base.read < f->stats.read) {
		f->base = f->stats;
		f->resets++;
	}
	s->read += f->base.read;
	s->overrun += f->base.overrun;
	s->commit_overrun += f->base.commit_overrun;
	s->dropped += f->base.dropped;
	f->stats = *s;
}

static void look_at_stats(struct reader_ftrace *f, struct reader *r)
{
	struct ftrace_stats s;
	uint64_t lost = f->stats.dropped + f->stats.commit_overrun;

	if (ftrace_ring_stats(&f->ring, &s))
		return;
	count_on(f, &s);
	share_loss(f, LOSS_OVERWRITTEN, s.overrun);
	share_loss(f, LOSS_FULL, s.dropped + s.commit_overrun);
	share_loss(f, LOSS_STOLEN, s.read > f->all ? s.read - f->all : 0);
	/* Records that a full buffer dropped came between any two of those that were read. */
	if (s.dropped + s.commit_overrun > lost)
		lose_halves(r, f->before, f->newest);
}

/*
 * Return how many of so many bytes are held: the kernel rounds the size up to pages, and has the
 * reader's page beside them, but full is full.
 */
static uint64_t held(const struct reader_ftrace *f, uint64_t bytes)
{
	uint64_t size = ftracing_bytes(f->tracing);

	return bytes < size ? bytes : size;
}

static void gauge_before(struct reader_ftrace *f)
{
	struct slice_gauge *g = &f->gauge;
	struct ftrace_stats s;

	if (ftrace_ring_stats(&f->ring, &s))
		return;
	g->unread = held(f, s.bytes);
	g->unread_max = g->unread > g->unread_max ? g->unread : g->unread_max;
	g->oldest_ns = s.entries && s.now_ns > s.oldest_ns ? s.now_ns - s.oldest_ns : 0;
}

void reader_ftrace_drain(struct reader_ftrace *f, struct reader *r, bool last)
{
	struct ftrace_drained d = {.records = 0};
	int more = 1;

	if (!ftrace_ring_is_open(&f->ring))
		return;
	gauge_before(f);
	f->reader = r;
	f->before = f->newest;
	/* No more pages than there were at the start: a writer may never stop. */
	while (more > 0 && (last || d.pages <= f->ring.npages + 1)) {
		reader_samples_begin(r, false);
		more = ftrace_ring_take(&f->ring, last, take_ftrace_record, f, &d);
		reader_samples_end(r);
	}
	f->failure = more < 0 ? more : f->failure;
	f->gauge.records += d.records;
	f->gauge.bytes += d.bytes;
	if (d.newest > r->newest)
		r->newest = d.newest;
	look_at_stats(f, r);
	CONSUMERS_EACH(r->consumer, flush, r->config.writer, false);
	f->reader = NULL;
}

void reader_ftrace_sum(const struct reader_ftrace *f, struct reader *r)
{
	for (unsigned i = 0; i < f->nr; i++) {
		struct loss_input *in = &r->report.input[ftracing_listed(f->tracing, i)];

		in->overwritten_samples = f->lost[LOSS_OVERWRITTEN][i];
		in->lost_samples = f->lost[LOSS_FULL][i];
		in->counted = f->read[i] + in->overwritten_samples + in->lost_samples +
			      f->lost[LOSS_STOLEN][i];
		in->shared = f->nr > 1;
	}
}

/* --- the gauge -------------------------------------------------------------------------------- */

void reader_ftrace_publish(struct reader_ftrace *f, enum ring_state cpu)
{
	struct slice_gauge *g = &f->gauge;

	g->cpu = (int16_t)f->cpu;
	g->kind = RING_FTRACE;
	g->mode = ftracing_overwrites(f->tracing) ? RING_OVERWRITE : RING_FORWARD;
	g->state = ftrace_ring_is_open(&f->ring) ? cpu : RING_OFFLINE;
	g->size = ftracing_bytes(f->tracing);
	g->lost = f->stats.dropped + f->stats.commit_overrun -
		  (f->handed.ftrace.dropped + f->handed.ftrace.commit_overrun);
	g->overwritten_bytes = GAUGE_UNKNOWN; /* the kernel counts events */
	g->late_ns = GAUGE_UNKNOWN;
	g->ftrace = (struct slice_ftrace){f->stats.entries, f->stats.overrun,
					  f->stats.commit_overrun, f->stats.dropped, f->stats.read};
	f->handed = *g;
	f->told = f->last;
	*g = (struct slice_gauge){.unread = held(f, f->stats.bytes), .oldest_ns = GAUGE_UNKNOWN};
}

const struct slice_gauge *reader_ftrace_gauge(const struct reader_ftrace *f)
{
	return &f->handed;
}

uint64_t reader_ftrace_foreign(const struct reader_ftrace *f)
{
	return f->foreign;
}

uint64_t reader_ftrace_stolen(const struct reader_ftrace *f)
{
	return f->shared[LOSS_STOLEN];
}

unsigned reader_ftrace_resets(const struct reader_ftrace *f)
{
	return f->resets;
}

int reader_ftrace_failure(const struct reader_ftrace *f)
{
	return f->failure;
}

/* Records that came and went between two turns are in none of them: an empty ring can have news. */
bool reader_ftrace_has_news(const struct reader_ftrace *f)
{
	struct ftrace_stats s;

	if (f->failure || !ftrace_ring_is_open(&f->ring))
		return false;
	return ftrace_ring_stats(&f->ring, &s) || s.entries || s.read != f->told.read ||
	       s.overrun != f->told.overrun || s.dropped != f->told.dropped ||
	       s.commit_overrun != f->told.commit_overrun;
}
