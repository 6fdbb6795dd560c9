/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/fleet.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "link/remote/fleetcode.h"
#include "link/remote/fleetjoin.h"
#include "link/remote/sshlog.h"
#include "core/slice/merge.h"

#define TAKE_MAX    16 /* slices of one member at a time */
/* until then slices are short, so that the first rows show early */
#define FIRST_NS    NSEC_PER_SEC
#define FIRST_BEAT  (100 * NSEC_PER_MSEC)
#define LEAVE_NS    (3 * NSEC_PER_SEC)
#define LATE_LEAVE_NS (500 * NSEC_PER_MSEC)

static struct fleet *fleet_of(struct session *s)
{
	return (struct fleet *)s;
}

static const char *member_name(const struct fleet *f, unsigned host)
{
	return f->base.info.hosts[host].name;
}

static uint64_t now(const struct fleet *f)
{
	return f->clock() - f->zero;
}

/* --- slices of members ------------------------------------------------------------------- */

static void set_state(struct fleet *f, unsigned host, enum host_state state, const char *why)
{
	struct slice_host *h = &f->members[host].host;

	h->state = (uint8_t)state;
	h->since = now(f);
	text_append(h->why, sizeof(h->why), 0, "%s", why);
}

/* A session may fail without a reason; the user gets a text all the same. */
static const char *member_failure_text(const struct fleet *f, unsigned host, const char *text)
{
	const char *why = fleet_words(f, host, text);

	return sshlog_blank(why) ? "it failed, and gave no reason" : why;
}

static void fail_member(struct fleet *f, unsigned host, const char *why)
{
	struct member *m = &f->members[host];

	why = member_failure_text(f, host, why);
	set_state(f, host, HOST_FAILED, why);
	slice_log(f->out, SLICE_WARNING, "%s: %s", member_name(f, host), why);
	session_close(m->session);
	m->session = NULL;
	m->over = true;
}

/* The session stays open: replies about code may follow. */
static void end_member(struct fleet *f, unsigned host)
{
	struct member *m = &f->members[host];
	struct session_end end = {.error = 0};

	if (m->over)
		return;
	m->session->ops->end(m->session, &end);
	m->over = true;
	if (m->host.state != HOST_FAILED)
		set_state(f, host, end.error ? HOST_FAILED : HOST_ENDED,
			  end.error ? member_failure_text(f, host, end.text)
				    : fleet_words(f, host, end.text));
	if (end.error)
		slice_log(f->out, SLICE_WARNING, "%s: %s", member_name(f, host),
			  member_failure_text(f, host, end.text));
}

/* Merge into the member's slice of this beat, which is no delay: `merged` must not count it. */
static void add_to_waiting(struct fleet *f, struct member *m, struct slice *s)
{
	m->arrived = now(f);
	if (!m->waiting)
		m->waiting = s;
	else if (slice_merge(m->waiting, s))
		m->next = s;
	else
		m->waiting->self.merged--;
}

static void take_member(struct fleet *f, unsigned host)
{
	struct member *m = &f->members[host];
	struct slice *s = NULL;
	int ret = 0;

	for (unsigned i = 0; i < TAKE_MAX && !m->next; i++) {
		ret = session_next(m->session, &s);
		if (ret || !s)
			break;
		add_to_waiting(f, m, s);
	}
	if (ret == -ESHUTDOWN)
		end_member(f, host);
	else if (ret)
		fail_member(f, host, strerror(-ret));
}

static void take_ready(struct fleet *f)
{
	struct epoll_event ready[FLEET_MAX + 1];
	int nr = epoll_wait(f->epoll, ready, FLEET_MAX + 1, 0);
	uint64_t beats;

	for (int i = 0; i < nr; i++)
		if (ready[i].data.u32 < f->base.info.nhosts)
			take_member(f, ready[i].data.u32);
		else if (!f->last && read(f->timer, &beats, sizeof(beats)) < 0)
			continue; /* the timer was set again meanwhile */
}

/* --- slices ------------------------------------------------------------------------------- */

static bool all_over(const struct fleet *f)
{
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (!f->members[i].over)
			return false;
	return true;
}

static bool any_waiting(const struct fleet *f)
{
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (f->members[i].waiting)
			return true;
	return false;
}

/* Set the timer to a time on the fleet's clock, once. */
static void set_timer(struct fleet *f, uint64_t at)
{
	struct itimerspec it = {.it_value = clock_timespec(f->zero + at)};

	timerfd_settime(f->timer, TFD_TIMER_ABSTIME, &it, NULL);
}

/*
 * No host's beat is exactly the fleet's: a host whose slices come about when a beat ends would be
 * in one beat twice, and in another one not at all.  So members that send once a beat are waited
 * for, a little; beats are then as long as the slowest of these has them.
 */
static bool all_came(const struct fleet *f)
{
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (f->members[i].expected && !f->members[i].waiting && !f->members[i].over)
			return false;
	return true;
}

static bool slice_due(struct fleet *f)
{
	uint64_t grace = f->beat_ns / 4, at = now(f);

	if (f->last)
		return any_waiting(f);
	if (all_over(f) || at >= f->due + grace)
		return true;
	if (at < f->due)
		return false;
	if (!all_came(f))
		set_timer(f, f->due + grace);
	return all_came(f);
}

static void join_member(struct fleet *f, unsigned host)
{
	struct member *m = &f->members[host];
	int ret = m->waiting ? fleet_join(f, host) : 0;

	if (ret && ret != -ENOMEM) {
		if (!m->over)
			fail_member(f, host, ret == -E2BIG
						     ? "the hosts have more than 32767 CPUs"
						     : "it has more names or call paths than a "
						       "host among several may have");
		slice_free(m->waiting);
		m->waiting = NULL;
	}
	if (m->over && !m->waiting && !m->released)
		m->released = !fleet_ids_release(&m->ids, host, f->out);
}

static void next_beat(struct fleet *f, uint64_t at)
{
	f->due = at + (at < FIRST_NS && f->beat_ns > FIRST_BEAT ? FIRST_BEAT : f->beat_ns);
	set_timer(f, f->due);
}

/* Repeat a pause or resume that an unconnected member missed: all members pause, or none. */
static void tell_missed(struct member *m)
{
	struct session_request rq = {.command = m->missed};

	if (m->has_missed && !m->over && m->host.state == HOST_UP)
		m->has_missed = m->session->ops->command(m->session, &rq, NULL) == -EBUSY;
}

/* To be done once: ids that `out` releases may mean something else in a member's next slice. */
static void join_all(struct fleet *f)
{
	for (unsigned i = 0; i < f->base.info.nhosts; i++) {
		struct member *m = &f->members[i];
		bool came = m->waiting;

		join_member(f, i);
		tell_missed(m);
		m->expected = came && m->host.state == HOST_UP && m->host.beat_ms &&
			      m->host.beat_ms * NSEC_PER_MSEC <= f->beat_ns;
	}
}

/* Without memory, the data stays for the next slice. */
static int make_fleet_slice(struct fleet *f, struct slice **slice)
{
	struct slice *out = f->out, *next = slice_create();
	uint64_t at = now(f);

	next_beat(f, at);
	out->start = f->end;
	out->end = at > f->end ? at : f->end;
	out->wall = clock_read(CLOCK_REALTIME);
	if (!f->joined)
		join_all(f);
	f->joined = true;
	if (!next || fleet_states(f)) {
		slice_free(next);
		return 0;
	}
	f->joined = false;
	fleet_quiet(f);
	out->last = !f->last && all_over(f) && !any_waiting(f);
	f->last |= out->last;
	if (out->last)
		set_timer(f, 0); /* keeps the fleet's fd readable until -ESHUTDOWN was returned */
	f->end = out->end;
	f->out = next;
	*slice = out;
	return 0;
}

static int fleet_next(struct session *s, struct slice **slice)
{
	struct fleet *f = fleet_of(s);

	*slice = NULL;
	take_ready(f);
	if (slice_due(f))
		return make_fleet_slice(f, slice);
	if (!f->last)
		return 0;
	timerfd_settime(f->timer, 0, &(struct itimerspec){.it_value = {0}}, NULL);
	return -ESHUTDOWN;
}

static int fleet_fd(struct session *s)
{
	return fleet_of(s)->epoll;
}

/* --- commands ----------------------------------------------------------------------------- */

/* Send a command to all members; one success is enough. */
static int command_all(struct fleet *f, const struct session_request *rq, struct err *err)
{
	struct err last = {.code = 0};
	unsigned able = 0;

	for (unsigned i = 0; i < f->base.info.nhosts; i++) {
		struct member *m = &f->members[i];
		struct err why = {.code = 0};
		bool refused;

		if (!m->session || m->over)
			continue;
		refused = m->session->ops->command(m->session, rq, &why);
		if (rq->command == SESSION_PAUSE || rq->command == SESSION_RESUME) {
			m->has_missed = why.code == EBUSY;
			m->missed = rq->command;
		}
		able += !refused;
		if (!refused)
			continue;
		err_prefix(&why, member_name(f, i));
		slice_log(f->out, SLICE_WARNING, "%s", why.text);
		last = why;
	}
	if (able)
		return 0;
	if (!last.code)
		return err_set(err, ENOTCONN, "no host is connected");
	if (err)
		*err = last;
	return -last.code;
}

/* Fetch a snapshot from its host, by its number there. */
static int fetch_snapshot(struct fleet *f, const struct session_request *rq, struct err *err)
{
	struct session_request theirs = *rq;
	uint16_t host;

	theirs.snapshot = fleet_snapshot(f, rq->snapshot, &host);
	if (!theirs.snapshot || !f->members[host].session)
		return err_set(err, ENOENT, "snapshot %u: its host is no longer connected",
			       rq->snapshot);
	if (!f->members[host].session->ops->command(f->members[host].session, &theirs, err))
		return 0;
	return err_prefix(err, member_name(f, host));
}

static int fleet_command(struct session *s, const struct session_request *rq, struct err *err)
{
	if (rq->command == SESSION_EVENTS)
		return err_set(
			err, EOPNOTSUPP,
			"the events of several hosts cannot be changed: start again with %s, or "
			"with one host", rq->change == SESSION_EVENT_OFFCPU ? "--off-cpu" : "-e");
	if (rq->command == SESSION_RING_SIZE)
		return err_set(
			err, EOPNOTSUPP,
			"the ring size of other machines cannot be changed: start again with -m");
	if (rq->command == SESSION_CODE)
		return fleet_ask(fleet_of(s), rq->code, err);
	if (rq->command == SESSION_FETCH && rq->snapshot)
		return fetch_snapshot(fleet_of(s), rq, err);
	return command_all(fleet_of(s), rq, err);
}

static void fleet_stop(struct session *s)
{
	struct fleet *f = fleet_of(s);

	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (f->members[i].session && !f->members[i].over)
			f->members[i].session->ops->stop(f->members[i].session);
}

/* The fleet has failed if all members have; the first nonzero status of a COMMAND counts. */
static void fleet_end(struct session *s, struct session_end *end)
{
	struct fleet *f = fleet_of(s);
	unsigned failed = 0;
	int error = 0;

	*end = (struct session_end){.error = 0};
	for (unsigned i = 0; i < f->base.info.nhosts; i++) {
		const struct member *m = &f->members[i];
		struct session_end one = {.error = 0};

		if (m->session)
			m->session->ops->end(m->session, &one);
		end->command |= one.command;
		if (!end->command_status)
			end->command_status = one.command_status;
		if (m->host.state != HOST_FAILED && !one.text[0])
			continue;
		text_append(end->text, sizeof(end->text), strlen(end->text), "%s%s: %s",
			    end->text[0] ? "; " : "", member_name(f, i),
			    one.text[0] ? fleet_words(f, i, one.text) : m->host.why);
		failed += m->host.state == HOST_FAILED;
		error = error ? error : one.error;
	}
	if (failed == f->base.info.nhosts)
		end->error = error ? error : -EIO;
}

/* --- opening and closing ------------------------------------------------------------------ */

static void clear_member(struct member *m)
{
	session_close(m->session);
	slice_free(m->waiting);
	slice_free(m->next);
	fleet_ids_clear(&m->ids);
	free(m->places.at);
	free(m->gauges.at);
	free(m->aux.at);
	free(m->events);
	free(m->counters);
}

/* Return true while a member may still end in order; silent ones get less time. */
static bool worth_waiting(const struct fleet *f, uint64_t waited)
{
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (!f->members[i].over &&
		    waited < (f->members[i].host.state == HOST_LATE ? LATE_LEAVE_NS : LEAVE_NS))
			return true;
	return false;
}

/* Let all members end at the same time, each with a moment for it; their slices are dropped. */
static void wait_for_members_to_end(struct fleet *f)
{
	uint64_t begun = clock_ns(), waited = 0;
	struct pollfd p = {.fd = f->epoll, .events = POLLIN};

	fleet_stop(&f->base);
	for (; worth_waiting(f, waited); waited = clock_ns() - begun) {
		poll(&p, 1, (int)((LEAVE_NS - waited) / NSEC_PER_MSEC) + 1);
		take_ready(f);
		for (unsigned i = 0; i < f->base.info.nhosts; i++) {
			slice_free(f->members[i].waiting);
			slice_free(f->members[i].next);
			f->members[i].waiting = f->members[i].next = NULL;
		}
	}
}

static void fleet_close(struct session *s)
{
	struct fleet *f = fleet_of(s);

	wait_for_members_to_end(f);
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		clear_member(&f->members[i]);
	fleet_ask_clear(f);
	slice_free(f->out);
	free(f->gauges);
	free(f->aux);
	free(f->members);
	free(f->base.info.events);
	free(f->base.info.counters);
	free(f->base.info.hosts);
	free(f->base.info.places);
	if (f->epoll >= 0)
		close(f->epoll);
	if (f->timer >= 0)
		close(f->timer);
	free(f);
}

static void fleet_abandon(struct session *s)
{
	struct fleet *f = fleet_of(s);

	wait_for_members_to_end(f);
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		if (f->members[i].session && f->members[i].session->ops->abandon)
			f->members[i].session->ops->abandon(f->members[i].session);
}

static const struct session_ops fleet_ops = {
	.name = "fleet",
	.next = fleet_next,
	.fd = fleet_fd,
	.command = fleet_command,
	.stop = fleet_stop,
	.end = fleet_end,
	.close = fleet_close,
	.abandon = fleet_abandon,
};

static void merge_info(struct fleet *f, unsigned host, const struct session_info *from, bool first)
{
	struct session_info *to = &f->base.info;

	if (first) {
		memcpy(to->target, from->target, sizeof(to->target));
		memcpy(to->call_graph, from->call_graph, sizeof(to->call_graph));
		memcpy(to->aux_event, from->aux_event, sizeof(to->aux_event));
		memcpy(to->pmus, from->pmus, sizeof(to->pmus));
	}
	if (strcmp(to->target, from->target))
		to->target[0] = '\0';
	to->debuginfod |= from->debuginfod;
	if (from->note[0])
		text_append(to->note, sizeof(to->note), strlen(to->note), "%s%s: %s",
			    to->note[0] ? "; " : "", member_name(f, host), from->note);
}

/* Map a member's events to the fleet's, which are those of the first member that can be reached. */
static bool map_events(struct fleet *f, struct member *m, const struct session_info *from)
{
	m->events = calloc(from->nevents + 1, sizeof(*m->events));
	if (!m->events || from->nevents != f->base.info.nevents)
		return false;
	for (unsigned i = 0; i < from->nevents; i++) {
		/* Events with filters may share a name. */
		bool same = !strcmp(from->events[i].name, f->base.info.events[i].name);
		unsigned at = i;

		if (!same && !session_event_named(&f->base.info, from->events[i].name, NULL, &at))
			return false;
		m->events[i] = (uint16_t)at;
	}
	m->nevents = from->nevents;
	return true;
}

static unsigned find_counter_named(const struct session_info *info, const char *name)
{
	unsigned i = 0;

	while (i < info->ncounters && strcmp(info->counters[i].name, name) != 0)
		i++;
	return i;
}

/* Machines differ in hardware: the fleet has the counters of all members. */
static int map_counters(struct fleet *f, struct member *m, const struct session_info *from)
{
	struct session_info *info = &f->base.info;
	struct session_counter *all =
		reallocarray(info->counters, info->ncounters + from->ncounters + 1, sizeof(*all));

	if (all)
		info->counters = all;
	m->counters = calloc(from->ncounters + 1, sizeof(*m->counters));
	if (!all || !m->counters)
		return -ENOMEM;
	for (unsigned i = 0; i < from->ncounters; i++) {
		unsigned at = find_counter_named(info, from->counters[i].name);

		if (at == info->ncounters)
			all[info->ncounters++] = from->counters[i];
		else if (!from->counters[i].why[0])
			all[at].why[0] = '\0'; /* some member counts it */
		m->counters[i] = (uint16_t)at;
	}
	m->ncounters = from->ncounters;
	return 0;
}

static void write_event_names(char *text, size_t size, const struct session_info *info)
{
	text[0] = '\0';
	for (unsigned i = 0; i < info->nevents; i++)
		text_append(text, size, strlen(text), "%s%s", i ? "," : "", info->events[i].name);
}

static void fail_events(struct fleet *f, unsigned host, const struct session_info *from)
{
	char theirs[100], ours[100], why[sizeof(f->members->host.why)];

	write_event_names(theirs, sizeof(theirs), from);
	write_event_names(ours, sizeof(ours), &f->base.info);
	text_append(why, sizeof(why), 0, "it measures %s, the others %s: choose with -e", theirs,
		    ours);
	fail_member(f, host, why);
}

static bool first_events(struct fleet *f, const struct session_info *from)
{
	f->base.info.events = calloc(from->nevents + 1, sizeof(*from->events));
	if (!f->base.info.events)
		return false;
	memcpy(f->base.info.events, from->events, from->nevents * sizeof(*from->events));
	f->base.info.nevents = from->nevents;
	f->base.info.between = from->between;
	return true;
}

/* Times of pairs can be summed only if all members pair the same events by the same fields. */
static bool has_same_pairs(const struct fleet *f, const struct member *m,
			   const struct session_info *from)
{
	const struct slice_between *a = &f->base.info.between, *b = &from->between;

	if (!a->wanted || !b->wanted)
		return a->wanted == b->wanted;
	return m->events[b->from] == a->from && m->events[b->to] == a->to &&
	       !strcmp(a->key, b->key);
}

static int add_member(struct fleet *f, unsigned host, const struct fleet_member *from)
{
	struct member *m = &f->members[host];
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = host};
	const struct session_info *info = from->session ? &from->session->info : NULL;
	bool first = !f->base.info.events;

	m->host = (struct slice_host){.state = HOST_CONNECTING, .behind_ns = GAUGE_UNKNOWN,
				      .round_trip_ns = GAUGE_UNKNOWN, .error_ns = GAUGE_UNKNOWN};
	if (!info) {
		fail_member(f, host, from->why ? from->why : "it was not reachable");
		return 0;
	}
	if (epoll_ctl(f->epoll, EPOLL_CTL_ADD, m->session->ops->fd(m->session), &event))
		return -errno;
	if (first && !first_events(f, info))
		return -ENOMEM;
	if (!map_events(f, m, info)) {
		fail_events(f, host, info);
		return m->events ? 0 : -ENOMEM;
	}
	if (!has_same_pairs(f, m, info)) {
		fail_member(f, host,
			    "its pairs have other tracepoints or fields than the first host's");
		return 0;
	}
	if (map_counters(f, m, info))
		return -ENOMEM;
	merge_info(f, host, info, first);
	fleet_join_info(f, host);
	return 0;
}

static int add_members(struct fleet *f, const struct fleet_member *members, unsigned nr)
{
	struct session_info *info = &f->base.info;
	int ret = 0;

	for (unsigned i = 0; i < nr; i++) {
		snprintf(info->hosts[i].name, sizeof(info->hosts[i].name), "%s", members[i].name);
		text_append(info->host, sizeof(info->host), strlen(info->host), "%s%s",
			    i ? "," : "", members[i].name);
	}
	for (unsigned i = 0; !ret && i < nr; i++)
		ret = add_member(f, i, &members[i]);
	if (!info->target[0])
		snprintf(info->target, sizeof(info->target), "%u hosts, %u CPUs", nr, info->cpus);
	return ret;
}

/* Set up the fleet.  Once info.nhosts is set, it owns the members' sessions. */
static int fleet_init(struct fleet *f, const struct fleet_member *members, unsigned nr,
		      const struct fleet_config *c, struct err *err)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = UINT32_MAX};

	f->base.ops = &fleet_ops;
	f->base.info.live = true;
	f->base.info.start_wall = clock_read(CLOCK_REALTIME);
	f->clock = c->clock ? c->clock : clock_ns;
	f->zero = f->clock();
	f->beat_ns = c->beat_ms * NSEC_PER_MSEC;
	f->epoll = epoll_create1(EPOLL_CLOEXEC);
	f->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (f->epoll < 0 || f->timer < 0 || epoll_ctl(f->epoll, EPOLL_CTL_ADD, f->timer, &event))
		return err_room(err, errno, "%u hosts", nr);
	f->members = calloc(nr, sizeof(*f->members));
	f->base.info.hosts = calloc(nr, sizeof(*f->base.info.hosts));
	f->out = slice_create();
	if (!f->members || !f->base.info.hosts || !f->out)
		return err_room(err, ENOMEM, "%u hosts", nr);
	f->base.info.nhosts = nr;
	for (unsigned i = 0; i < nr; i++)
		f->members[i].session = members[i].session;
	return 0;
}

static int fleet_begin(struct fleet *f, const struct fleet_member *members, unsigned nr,
		       struct err *err)
{
	int ret = add_members(f, members, nr);

	if (ret)
		return err_room(err, -ret, "%u hosts", nr);
	if (all_over(f))
		return err_set(err, ENOTCONN, "%s: %s", member_name(f, 0), f->members[0].host.why);
	next_beat(f, 0);
	return 0;
}

struct session *fleet_open(const struct fleet_member *members, unsigned nr,
			   const struct fleet_config *config, struct err *err)
{
	struct fleet *f = calloc(1, sizeof(*f));

	if (f)
		f->epoll = f->timer = -1;
	if (!f)
		err_room(err, ENOMEM, "%u hosts", nr);
	else if (nr > FLEET_MAX)
		err_set(err, E2BIG, "%u hosts: at most %u at a time", nr, FLEET_MAX);
	else if (!fleet_init(f, members, nr, config, err) && !fleet_begin(f, members, nr, err))
		return &f->base;
	for (unsigned i = 0; (!f || !f->base.info.nhosts) && i < nr; i++)
		session_close(members[i].session);
	if (f)
		fleet_close(&f->base);
	return NULL;
}
