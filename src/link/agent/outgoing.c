/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/agent/outgoing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "link/agent/slicesplit.h"
#include "link/agent/compact.h"
#include "base/clock.h"
#include "base/vec.h"
#include "core/slice/merge.h"
#include "core/slice/sliceparts.h"
#include "link/wire/message.h"

#define TICK_NS     (100 * NSEC_PER_MSEC) /* length of a session's slices */
#define LOG_BYTES	 (2u << 20)  /* of event log in a slice */
#define LOG_BYTES_PRESSED (16u << 10) /* where the link is slow */
#define EARLY_NS    (600 * NSEC_PER_MSEC) /* of a session: slices until then are not merged */
#define FIRST_RATE  (32u << 10)           /* bytes a second, before one was measured */
#define RATE_MOST   (1u << 30)
#define WINDOW_LEAST (8u << 10)
#define LATE_NS     (500 * NSEC_PER_MSEC) /* beyond the round trip: then the link is slow */
#define UNSENT_MAX  (256u << 10)          /* bytes in the link: more would only wait there */
#define CALM        30                    /* slices in time after which fewer paths are folded */
#define CALM_MAX    (32 * CALM)
#define FOLDING_MAX 64

struct kept {
	uint64_t seq, sent; /* sent: when it was put into the link, 0: not yet */
	struct wire_out bytes;
};

struct outgoing {
	struct outgoing_config config;
	struct compact *compact;
	struct slice *waiting; /* not yet a beat long, or held back */
	struct kept *kept;     /* oldest first */
	size_t nkept, cap_kept, kept_bytes;
	uint64_t seq;          /* of the newest slice */
	uint64_t round_trip;   /* ns, the shortest of any acknowledgement; 0: none yet */
	uint64_t rate;         /* bytes a second that were acknowledged, the recent best */
	uint64_t acknowledged; /* time of the last acknowledgement */
	uint64_t clock;        /* clock_ns() less the session's clock */
	int ended;             /* session_next's last code, or 0 */
	bool hurry, held, away;
	uint32_t folding; /* fold paths with at most this many samples a second; 0: none */
	unsigned calm, calm_wanted; /* slices in time since the last late one; that are wanted */
	struct compact_folded folded;
};

struct outgoing *outgoing_create(const struct outgoing_config *c)
{
	struct outgoing *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->config = *c;
	o->clock = clock_ns();
	o->rate = FIRST_RATE;
	o->calm = o->calm_wanted = CALM;
	o->compact = compact_create();
	if (o->compact && c->lines)
		compact_lines(o->compact);
	if (o->compact)
		return o;
	free(o);
	return NULL;
}

static void forget_kept(struct outgoing *o, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		o->kept_bytes -= o->kept[i].bytes.len;
		wire_clear(&o->kept[i].bytes);
	}
	o->nkept -= nr;
	memmove(o->kept, o->kept + nr, o->nkept * sizeof(*o->kept));
}

void outgoing_free(struct outgoing *o)
{
	if (!o)
		return;
	if (o->nkept)
		forget_kept(o, o->nkept);
	free(o->kept);
	slice_free(o->waiting);
	compact_free(o->compact);
	free(o);
}

uint64_t outgoing_now(const struct outgoing *o)
{
	return clock_ns() - o->clock;
}

void outgoing_hurry(struct outgoing *o)
{
	o->hurry = true;
}

void outgoing_watch(struct outgoing *o, const struct code_place *place)
{
	compact_watch(o->compact, place);
}

void outgoing_lines(struct outgoing *o)
{
	compact_lines(o->compact);
}

bool outgoing_unacknowledged(const struct outgoing *o)
{
	return o->nkept || o->waiting;
}

/* --- timing ----------------------------------------------------------------------------- */

static uint64_t beat_ns(const struct outgoing *o)
{
	return o->config.beat_ms * NSEC_PER_MSEC;
}

static bool is_due(const struct outgoing *o)
{
	const struct slice *s = o->waiting;

	/*
	 * Early slices are not merged, for the first names; later ones end at whole beats, as
	 * reports of that interval do.
	 */
	return s && (o->ended || o->hurry || s->last || parts_count(s, PART_AT_ONCE) ||
		     s->end < EARLY_NS || s->end / beat_ns(o) > s->start / beat_ns(o));
}

/* Return the bytes that the link takes in a second and a round trip: more would only wait. */
static uint64_t window(const struct outgoing *o)
{
	uint64_t bytes = o->rate * (NSEC_PER_SEC + o->round_trip) / NSEC_PER_SEC;

	if (o->away || bytes > o->config.window)
		return o->config.window;
	return bytes > WINDOW_LEAST ? bytes : WINDOW_LEAST;
}

/* Return true if the link has no room for another slice now. */
static bool is_link_full(const struct outgoing *o)
{
	if (!o->nkept)
		return false;
	if (o->kept_bytes >= window(o))
		return true;
	return !o->away && o->kept[0].sent &&
	       clock_ns() - o->kept[0].sent > LATE_NS + 2 * o->round_trip;
}

bool outgoing_wants(const struct outgoing *o)
{
	return !o->held;
}

/* --- slices ----------------------------------------------------------------------------- */

/* Fold more or fewer paths, by whether the link keeps up with slices of a second. */
static void adjust_folding(struct outgoing *o, const struct slice *s)
{
	uint64_t most = beat_ns(o) > NSEC_PER_SEC ? beat_ns(o) : NSEC_PER_SEC;
	bool late = o->held && !o->away && s->end - s->start > most + most / 2;

	if (!late) {
		if (++o->calm >= o->calm_wanted && o->folding) {
			o->folding /= 2;
			o->calm = 0;
		}
		return;
	}
	/* Late again soon after folding ended: end it after a longer calm next time. */
	if (!o->folding)
		o->calm_wanted = o->calm < 2 * o->calm_wanted && o->calm_wanted < CALM_MAX
					 ? 2 * o->calm_wanted
					 : CALM;
	o->folding = o->folding ? 2 * o->folding : 1;
	if (o->folding > FOLDING_MAX)
		o->folding = FOLDING_MAX;
	o->calm = 0;
}

/* Add the facts that home cannot know.  Merging up to a beat was requested: it is not counted. */
static int add_host_figures(struct outgoing *o, struct slice *s)
{
	uint64_t length = s->end - s->start, beat = beat_ns(o);
	struct slice_host *h = slice_add_host(s);

	if (!h)
		return -ENOMEM;
	h->state = HOST_UP;
	h->beat_ms = o->config.beat_ms;
	h->merged =
		s->self.merged +
		(uint32_t)(o->held && length > beat ? (length - beat + TICK_NS / 2) / TICK_NS : 0);
	h->folded_rows = o->folded.rows;
	h->folded_samples = o->folded.samples;
	h->behind_ns = h->round_trip_ns = h->error_ns = GAUGE_UNKNOWN;
	s->self.merged = 0;
	return 0;
}

static int keep_slice(struct outgoing *o, struct slice *s)
{
	struct message_slice m = {.seq = o->seq + 1, .sent_ns = outgoing_now(o), .slice = s};
	struct kept k = {.seq = m.seq};

	message_put(&k.bytes, WIRE_SLICE, &m);
	if (k.bytes.failed || !VEC_PUSH(o->kept, o->nkept, o->cap_kept, k)) {
		wire_clear(&k.bytes);
		return -ENOMEM;
	}
	o->seq = m.seq;
	o->kept_bytes += k.bytes.len;
	return 0;
}

/* Thin the waiting slice and keep it, in as many messages as it needs. */
static int encode_waiting(struct outgoing *o)
{
	struct slice *s = o->waiting, *part = NULL;
	uint64_t length = s->end - s->start;
	int ret;

	adjust_folding(o, s);
	o->waiting = NULL;
	o->folded = (struct compact_folded){
		.most = o->folding *
			(uint32_t)((length < NSEC_PER_SEC ? NSEC_PER_SEC : length) / NSEC_PER_SEC)};
	slice_logged_fit(s->logged, &s->nlogged, o->folding ? LOG_BYTES_PRESSED : LOG_BYTES,
			 &s->logging);
	if (compact_run(o->compact, s, o->folding ? &o->folded : NULL))
		slice_log(s, SLICE_WARNING, "out of memory: names of some rows could not be sent");
	ret = add_host_figures(o, s);
	o->hurry = o->held = false;
	while (!ret && slicesplit_take(s, &part, &ret)) {
		ret = keep_slice(o, part);
		slice_free(part);
	}
	if (!ret)
		ret = keep_slice(o, s);
	slice_free(s);
	return ret;
}

static int push_kept(struct outgoing *o, struct link *l)
{
	int ret = 0;

	for (size_t i = 0; i < o->nkept && !ret && link_unsent(l) < UNSENT_MAX; i++) {
		if (o->kept[i].sent)
			continue;
		ret = link_put(l, WIRE_SLICE, &o->kept[i].bytes, message_packed(WIRE_SLICE));
		o->kept[i].sent = clock_ns();
	}
	return ret;
}

static int take_from_session(struct outgoing *o, struct slice *s)
{
	uint32_t merged = s->self.merged + (o->waiting ? o->waiting->self.merged : 0);

	agentfile_note(o->config.files, s);
	if (o->config.live)
		o->clock = clock_ns() - (clock_read(CLOCK_REALTIME) - s->wall) - s->end;
	/* After a change of an event its counts mean something else: never merge them. */
	if (o->waiting && parts_count(s, PART_ANEW)) {
		int ret = encode_waiting(o);

		if (ret) {
			slice_free(s);
			return ret;
		}
	}
	if (!o->waiting) {
		o->waiting = s;
		return 0;
	}
	if (slice_merge(o->waiting, s)) {
		slice_free(s);
		return -ENOMEM;
	}
	o->waiting->self.merged = merged;
	return 0;
}

static int fail(int ret, struct err *err)
{
	if (ret == -EFBIG)
		return err_set(err, EFBIG, "a slice larger than a message");
	return err_set(err, -ret, "the slices cannot be sent: %s", strerror(-ret));
}

int outgoing_pump(struct outgoing *o, struct session *s, struct link *l, struct err *err)
{
	struct slice *slice = NULL;
	int ret = 0;

	o->away = !l;
	while (!ret) {
		bool due = is_due(o);

		o->held |= due && is_link_full(o);
		if (due && is_link_full(o))
			break;
		slice = NULL;
		if (!due || o->held) /* a slice that is held takes in all that had to wait */
			o->ended = session_next(s, &slice);
		if (slice)
			ret = take_from_session(o, slice);
		else if (is_due(o))
			ret = encode_waiting(o);
		else
			break;
	}
	if (!ret && l)
		ret = push_kept(o, l);
	if (ret)
		return fail(ret, err);
	return o->ended && !o->waiting && (!o->nkept || o->kept[o->nkept - 1].sent) ? -ESHUTDOWN
										    : 0;
}

/* --- acknowledgements ------------------------------------------------------------------ */

static size_t up_to(const struct outgoing *o, uint64_t seq)
{
	size_t i = 0;

	while (i < o->nkept && o->kept[i].seq <= seq)
		i++;
	return i;
}

/*
 * Measure the rate of the first `nr` kept, which have arrived since they were sent, or since the
 * last acknowledgement.
 */
static void measure_link_rate(struct outgoing *o, size_t nr, uint64_t now)
{
	uint64_t since = o->kept[0].sent > o->acknowledged ? o->kept[0].sent : o->acknowledged,
		 bytes = 0, rate;

	for (size_t i = 0; i < nr; i++)
		bytes += o->kept[i].bytes.len;
	rate = bytes * NSEC_PER_SEC / (now > since ? now - since : 1);
	o->rate = rate > o->rate - o->rate / 8 ? rate : o->rate - o->rate / 8;
	o->rate = o->rate < RATE_MOST ? o->rate : RATE_MOST;
	o->acknowledged = now;
}

int outgoing_acknowledge(struct outgoing *o, uint64_t seq, struct err *err)
{
	size_t nr = up_to(o, seq);
	uint64_t now = clock_ns(),
		 took = nr && o->kept[nr - 1].sent ? now - o->kept[nr - 1].sent : 0;

	if (seq > o->seq || (nr && !o->kept[nr - 1].sent))
		return err_set(err, EPROTO, "slice %llu is acknowledged but was never sent",
			       (unsigned long long)seq);
	if (took && (!o->round_trip || took < o->round_trip))
		o->round_trip = took;
	if (!nr)
		return 0;
	measure_link_rate(o, nr, now);
	forget_kept(o, nr);
	return 0;
}

int outgoing_resume(struct outgoing *o, uint64_t seq, struct err *err)
{
	size_t nr = up_to(o, seq);

	if (seq > o->seq || seq + 1 < (o->nkept ? o->kept[0].seq : o->seq + 1))
		return err_set(err, EPROTO, "the data after slice %llu is not available (any more)",
			       (unsigned long long)seq);
	if (nr)
		forget_kept(o, nr);
	for (size_t i = 0; i < o->nkept; i++)
		o->kept[i].sent = 0;
	o->round_trip = 0;
	o->rate = FIRST_RATE;
	return 0;
}
