/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A remote session hands out the agent's slices on its own time line, and slices of no length with
 * the host's state while none come.  Where a new session there follows a lost one, a slice in
 * between releases all ids of the old one and accounts for its pending counts, so that consumers of
 * slices need not know.
 */
#include "link/remote/remote_slice.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "names/code/rawcode.h"
#include "link/remote/remote_events.h"
#include "link/remote/remote_frames.h"
#include "measure/session/change.h"
#include "core/slice/code.h"
#include "core/slice/sliceparts.h"

uint64_t remote_time(const struct remote *r)
{
	uint64_t now = r->now + (uint64_t)r->ahead;

	/* `ahead` is known from the first slice on */
	return r->check && now < CLOCKSYNC_LATEST && now > r->newest ? now : r->newest;
}

void remote_state(struct remote *r, enum host_state state, const char *why)
{
	if (r->state.state != state) {
		r->state.state = (uint8_t)state;
		r->state.since = remote_time(r);
		r->told = 0;
	}
	snprintf(r->state.why, sizeof(r->state.why), "%s", why);
}

/* --- own log lines ------------------------------------------------------------------------ */

static struct slice *said(struct remote *r)
{
	if (!r->said)
		r->said = slice_create();
	return r->said;
}

void remote_say(struct remote *r, enum slice_log_level level, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (said(r))
		slice_log(r->said, level, "%s: %s", r->c.host, text);
}

void remote_line(void *remote, const char *text)
{
	struct remote *r = remote;

	if (!r->c.once || r->phase != REMOTE_UP) /* a COMMAND's output may be long */
		remote_say(r, SLICE_INFO, "%s", text);
}

void remote_answer(struct remote *r, const struct code_place *place, const char *why)
{
	struct code *c = said(r) ? code_create(place) : NULL;

	if (!c)
		return;
	c->again = true;
	c->why = strdup(why);
	slice_add_code(r->said, c);
}

/* --- state of the host -------------------------------------------------------------------- */

static void count_bytes(struct remote *r)
{
	uint64_t in = r->link ? link_bytes_in(r->link) : 0,
		 out = r->link ? link_bytes_out(r->link) : 0;

	r->state.bytes_in += in - r->bytes_in;
	r->state.bytes_out += out - r->bytes_out;
	r->bytes_in = in;
	r->bytes_out = out;
}

void remote_link_gone(struct remote *r)
{
	count_bytes(r);
	r->bytes_in = r->bytes_out = 0;
}

/* Set the slice's host; `theirs`: the agent's figures of its slice, or NULL. */
static int add_host(struct remote *r, struct slice *s, const struct slice_host *theirs)
{
	const struct clocksync_sample *best = clocksync_best(&r->clock);
	struct slice_host *h = &r->state, *to;

	s->nhosts = 0;
	to = slice_add_host(s);
	if (!to)
		return -ENOMEM;
	count_bytes(r);
	h->behind_ns = r->check ? remote_time(r) - r->newest : GAUGE_UNKNOWN;
	h->round_trip_ns = best ? best->round_trip : GAUGE_UNKNOWN;
	h->error_ns = best ? best->round_trip / 2 : GAUGE_UNKNOWN;
	h->offset_ns = best ? best->wall : 0;
	h->self = s->self;
	h->recording = s->recording;
	h->beat_ms = theirs && theirs->beat_ms ? theirs->beat_ms : h->beat_ms;
	*to = *h;
	to->merged = theirs ? theirs->merged : 0;
	to->folded_samples = theirs ? theirs->folded_samples : 0;
	to->folded_rows = theirs ? theirs->folded_rows : 0;
	h->bytes_in = h->bytes_out = 0;
	r->told = r->now;
	return 0;
}

/* Fill in a slice made here, from the newest to `end`: states stay as they were. */
static int fill_own_slice(struct remote *r, struct slice *s, uint64_t end)
{
	s->start = r->newest;
	s->end = end;
	s->wall = r->wall;
	s->self = r->self;
	slice_self_quiet(&s->self);
	s->recording = r->recording;
	memcpy(s->helpers, r->helpers, sizeof(s->helpers));
	return add_host(r, s, NULL);
}

void remote_tell(struct remote *r)
{
	struct slice *s = said(r);

	if (!s || r->nready == REMOTE_READY || fill_own_slice(r, s, r->newest))
		return; /* without memory: tried again the next time */
	r->said = NULL;
	s->last = r->phase == REMOTE_OVER && !r->last;
	r->last |= s->last;
	r->ready[r->nready++] = s;
}

/* --- the agent's slices ------------------------------------------------------------------- */

#define ACCOUNTS_MOST 32768u /* a model has as many */

static struct remote_pending *find_pending_account(struct remote *r, const struct slice_account *a,
						   size_t hint)
{
	struct remote_pending *p = r->pending;

	if (hint < r->npending && p[hint].event == a->event && p[hint].cpu == a->cpu)
		return &p[hint];
	for (size_t i = 0; i < r->npending; i++)
		if (p[i].event == a->event && p[i].cpu == a->cpu)
			return &p[i];
	p += r->npending++;
	return p;
}

static int remember_pending(struct remote *r, const struct slice *s, struct err *err)
{
	if (!vec_reserve(&r->pending, &r->cap_pending, r->npending + s->naccounts,
			 sizeof(*r->pending)))
		return err_room(err, ENOMEM, "a slice");
	for (size_t i = 0; i < s->naccounts; i++) {
		const struct slice_account *a = &s->accounts[i];

		*find_pending_account(r, a, i) =
			(struct remote_pending){a->event, a->cpu, a->exact, a->pending};
	}
	return r->npending <= ACCOUNTS_MOST
		       ? 0
		       : err_set(err, EPROTO, "it has more accounts than possible CPUs");
}

/* Add counts that were pending at the loss as lost: no later account resolves them. */
static int settle_pending(struct remote *r, struct slice *s)
{
	for (size_t i = 0; i < r->npending; i++) {
		const struct remote_pending *p = &r->pending[i];
		uint64_t period =
			p->event < r->base.info.nevents ? r->base.info.events[p->event].period : 0;
		struct slice_account *a;

		if (!p->pending)
			continue;
		a = slice_add_account(s);
		if (!a)
			return -ENOMEM;
		*a = (struct slice_account){.event = p->event, .cpu = p->cpu, .exact = p->exact};
		a->lost[LOST_UNKNOWN] = p->pending;
		a->lost_samples[LOST_UNKNOWN] = period ? p->pending / period : 0;
	}
	return 0;
}

static int gap_fill(struct remote *r, struct slice *s, uint64_t end)
{
	int ret = settle_pending(r, s);

	if (!ret)
		ret = slicecheck_release(r->check, s);
	if (!ret)
		ret = slice_log(s, SLICE_WARNING,
				"%s: reconnected to a new session: %.1f s are missing (%s)%s",
				r->c.host, (double)(end - r->newest) / NSEC_PER_SEC, r->lost,
				s->naccounts ? "; events pending before count as lost" : "");
	return ret ? ret : fill_own_slice(r, s, end);
}

/*
 * Queue the slice between the lost session and this one, whose time began at `end` of session time.
 */
static int take_gap(struct remote *r, uint64_t end, struct err *err)
{
	struct slicecheck *check;
	struct slice *s = slice_create();
	int ret = s ? gap_fill(r, s, end) : -ENOMEM;

	ret = ret ? ret : remote_events_gap(r, s);
	check = ret ? NULL : remote_events_check(r);
	if (!check) {
		slice_free(s);
		return err_room(err, ENOMEM, "the gap");
	}
	slicecheck_free(r->check);
	r->check = check;
	r->npending = 0;
	r->newest = end;
	r->ready[r->nready++] = s;
	return 0;
}

/* Find the session time at which a new session there began, from its first slice. */
static int take_first(struct remote *r, const struct message_slice *m, struct err *err)
{
	const struct clocksync_sample *best = clocksync_best(&r->clock);
	int64_t session = best ? best->session : (int64_t)(m->sent_ns - r->now);
	uint64_t zero = (uint64_t)(r->ahead - session);
	int ret = 0;

	if (!r->check) {
		r->check = remote_events_check(r);
		ret = r->check ? 0 : err_room(err, ENOMEM, "what comes");
		zero = 0;
	} else {
		zero = zero < CLOCKSYNC_LATEST && zero > r->newest ? zero : r->newest;
		ret = take_gap(r, zero, err);
		homefile_gone(r->files, "the session that wrote it has ended with the connection");
	}
	if (ret)
		return ret;
	r->shift = zero;
	r->ahead = session + (int64_t)zero;
	r->fresh = false;
	return 0;
}

static int check_message(struct remote *r, const struct message_slice *m, struct err *err)
{
	const struct slice *s = m->slice;

	if (m->seq != r->seq + 1)
		return err_set(err, EPROTO, "slice %llu arrived after slice %llu",
			       (unsigned long long)m->seq, (unsigned long long)r->seq);
	if (!s || m->sent_ns > CLOCKSYNC_LATEST || s->wall > INT64_MAX)
		return err_set(err, EPROTO, "an invalid slice, or one with an impossible time");
	return 0;
}

static void say_resumed(struct remote *r)
{
	if (r->resuming)
		remote_say(
			r, SLICE_INFO,
			"reconnected after %.1f s (%s): the data measured meanwhile follows",
			(double)(r->now - r->cut) / NSEC_PER_SEC, r->lost);
	r->resuming = false;
}

/* Queue a slice that was checked; there is room, so this cannot fail. */
static void accept_slice(struct remote *r, const struct message_slice *m,
			 const struct slice_host *theirs)
{
	struct slice *s = m->slice;

	slice_shift(s, r->shift);
	r->seq = m->seq;
	r->credit = true;
	r->newest = s->end;
	r->self = s->self;
	r->recording = s->recording;
	memcpy(r->helpers, s->helpers, sizeof(r->helpers));
	r->wall = s->wall;
	r->last |= s->last;
	r->sliced = r->now;
	r->tries = 0;
	say_resumed(r);
	homefile_note(r->files, s);
	for (size_t i = 0; i < s->ncodes; i++) {
		rawcode_decode(s->codes[i]); /* on failure the code has the reason */
		remote_answered(r, &s->codes[i]->place);
	}
	if (r->phase == REMOTE_UP)
		remote_state(r, s->last ? HOST_ENDED : HOST_UP, "");
	add_host(r, s, theirs);
	r->ready[r->nready++] = s;
}

int remote_take(struct remote *r, struct message_slice *m, struct err *err)
{
	struct slice *s = m->slice;
	struct slice_host theirs = s && s->nhosts ? s->hosts[0] : (struct slice_host){0};
	int ret = check_message(r, m, err);

	if (!ret && r->fresh)
		ret = take_first(r, m, err);
	if (!ret)
		ret = slicecheck_take(r->check, s, err);
	if (!ret)
		ret = remote_events_take(r, s, err);
	if (!ret)
		ret = remember_pending(r, s, err);
	if (!ret && !s->nhosts && !slice_add_host(s)) /* for add_host */
		ret = err_room(err, ENOMEM, "a slice");
	if (!ret)
		accept_slice(r, m, &theirs);
	return ret;
}

void remote_hand_out(struct remote *r, struct slice **slice)
{
	*slice = r->ready[0];
	session_changes(&r->base.info, *slice);
	memmove(r->ready, r->ready + 1, --r->nready * sizeof(*r->ready));
}
