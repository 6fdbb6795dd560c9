/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/fleetjoin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "core/slice/sliceparts.h"
#include "link/remote/fleetcode.h"

#define LATE_BEATS 3
#define LATE_NS    (3 * NSEC_PER_SEC) /* a quiet machine may send nothing for a second */

/* --- numbers ------------------------------------------------------------------------------ */

/* Make room for the numbers below `nr`.  False: out of memory. */
static bool reserve_numbers(struct fleet_numbers *n, size_t nr)
{
	if (nr <= n->nr)
		return true;
	if (!vec_reserve(&n->at, &n->cap, nr, sizeof(*n->at)))
		return false;
	memset(n->at + n->nr, 0, (nr - n->nr) * sizeof(*n->at));
	n->nr = nr;
	return true;
}

/* Give a CPU a number in the fleet.  Rows and accounts have 16 bits for it. */
static int place_reserve(struct fleet *f, unsigned host, int cpu)
{
	const struct session *session = f->members[host].session;
	struct fleet_numbers *n = &f->members[host].places;
	struct session_info *info = &f->base.info;
	size_t i = (size_t)(cpu + 1);

	if (i < n->nr && n->at[i])
		return 0;
	if (info->nplaces >= INT16_MAX)
		return -E2BIG;
	if (!reserve_numbers(n, i + 1) ||
	    !VEC_PUSH(info->places, info->nplaces, f->cap_places,
		      (struct session_place){
			      .host = (uint16_t)host,
			      .cpu = (int16_t)cpu,
			      .node = session ? numanodes_of(session->info.nodes, cpu) : -1}))
		return -ENOMEM;
	n->at[i] = info->nplaces;
	return 0;
}

/* A member's slice whose numbers become those of the fleet. */
struct joining {
	struct fleet *f;
	struct member *m;
	unsigned host;
	const struct slice *s;
};

static int reserve_cpu(void *arg, const struct part_place *at, int64_t *cpu)
{
	const struct joining *j = arg;
	bool known = *cpu >= 0 || at->member->is == MEMBER_CPU;

	return known ? place_reserve(j->f, j->host, (int)*cpu) : 0;
}

uint32_t fleet_snapshot(const struct fleet *f, uint32_t nr, uint16_t *host)
{
	*host = 0;
	if (!nr || nr > f->nsnapshots || f->nsnapshots - nr >= FLEET_SNAPSHOTS)
		return 0;
	*host = f->snapshots[nr % FLEET_SNAPSHOTS].host;
	return f->snapshots[nr % FLEET_SNAPSHOTS].nr;
}

/* Return the fleet's number of a host's snapshot, and give it one if it has none. */
static uint32_t snapshot_number(struct fleet *f, unsigned host, uint32_t nr)
{
	uint16_t whose;

	for (uint32_t i = f->nsnapshots; i && f->nsnapshots - i < FLEET_SNAPSHOTS; i--)
		if (fleet_snapshot(f, i, &whose) == nr && whose == host)
			return i;
	f->nsnapshots++;
	f->snapshots[f->nsnapshots % FLEET_SNAPSHOTS].nr = nr;
	f->snapshots[f->nsnapshots % FLEET_SNAPSHOTS].host = (uint16_t)host;
	return f->nsnapshots;
}

/* --- texts and numbers of a member -------------------------------------------------------- */

/* Convert a time to the fleet's clock: the member's slice is taken to end on arrival. */
static uint64_t our_time(const struct member *m, const struct slice *s, uint64_t time)
{
	uint64_t ago = s->end > time ? s->end - time : 0;

	return m->arrived > ago ? m->arrived - ago : 0;
}

const char *fleet_words(const struct fleet *f, unsigned host, const char *text)
{
	const char *name = f->base.info.hosts[host].name;
	size_t len = strlen(name);

	return !strncmp(text, name, len) && !strncmp(text + len, ": ", 2) ? text + len + 2 : text;
}

/* Make the text "HOST: text"; without memory it stays. */
static void name_log(const struct fleet *f, unsigned host, struct slice_log *log)
{
	char *named;

	if (asprintf(&named, "%s: %s", f->base.info.hosts[host].name,
		     fleet_words(f, host, log->text)) < 0)
		return;
	free(log->text);
	log->text = named;
}

static void change_words(struct fleet *f, unsigned host, struct slice *s)
{
	for (size_t i = 0; i < s->nlogs; i++)
		name_log(f, host, &s->logs[i]);
	for (size_t i = 0; i < s->nsnapshots; i++) {
		struct slice_snapshot *shot = &s->snapshots[i];

		shot->nr = snapshot_number(f, host, shot->nr);
		shot->changed = f->out->end;
	}
	if (s->pt) {
		s->pt->snapshot = snapshot_number(f, host, s->pt->snapshot);
		s->pt->changed = f->out->end;
	}
}

static int to_fleet_number(void *arg, const struct part_place *at, int64_t *number)
{
	const struct joining *j = arg;
	const struct member *m = j->m;
	size_t cpu = (size_t)(*number + 1);

	switch (at->member->is) {
	case MEMBER_EVENT:
		*number = *number < m->nevents ? m->events[*number] : UINT16_MAX;
		break;
	case MEMBER_COUNTER:
		*number = *number < m->ncounters ? m->counters[*number] : UINT16_MAX;
		break;
	case MEMBER_CPU:
	case MEMBER_RAN_ON: /* not known: it has no place, unless that of threads' counts */
		*number = cpu < m->places.nr ? (int64_t)m->places.at[cpu] - 1 : -1;
		break;
	case MEMBER_HOST:
		*number = j->host;
		break;
	default:
		*number = (int64_t)our_time(m, j->s, (uint64_t)*number);
	}
	return 0;
}

static void change_numbers(struct joining *j, struct slice *s)
{
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; dict_shapes[k].host && i < s->dict.nr[k]; i++)
			*dict_host(dict_entries(&s->dict, k) + i * dict_shapes[k].size, k) =
				(uint16_t)j->host;
	parts_visit(s, MEMBER_EVENT | MEMBER_COUNTER | MEMBER_CPU | MEMBER_RAN_ON | MEMBER_HOST |
			       MEMBER_TIME, to_fleet_number, j);
}

/* --- states -------------------------------------------------------------------------------- */

static uint64_t none_of(uint64_t counted)
{
	return counted == GAUGE_UNKNOWN ? GAUGE_UNKNOWN : 0;
}

static void quiet_gauge(struct slice_gauge *g)
{
	g->unread_max = none_of(g->unread_max);
	g->bytes = none_of(g->bytes);
	g->records = none_of(g->records);
	g->lost = none_of(g->lost);
	g->overwritten_bytes = none_of(g->overwritten_bytes);
	g->late_ns = none_of(g->late_ns);
	g->wakeups = none_of(g->wakeups);
}

static void quiet_aux(struct slice_aux *a)
{
	if (a->records == GAUGE_UNKNOWN)
		return; /* no reader reads it */
	*a = (struct slice_aux){.cpu = a->cpu,
				.mode = a->mode,
				.state = a->state,
				.head = a->head,
				.event = a->event,
				.tid = a->tid,
				.size = a->size,
				.unread = a->unread,
				.measured = a->measured,
				.age_ns = a->age_ns};
}

static void quiet_host(struct slice_host *h)
{
	h->bytes_in = h->bytes_out = h->folded_samples = h->folded_rows = 0;
	h->merged = 0;
	slice_self_quiet(&h->self);
}

void fleet_quiet(struct fleet *f)
{
	for (size_t i = 0; i < f->ngauges; i++)
		quiet_gauge(&f->gauges[i]);
	for (size_t i = 0; i < f->naux; i++)
		quiet_aux(&f->aux[i]);
	for (unsigned i = 0; i < f->base.info.nhosts; i++)
		quiet_host(&f->members[i].host);
}

static void join_gauges(struct fleet *f, struct member *m, const struct slice *s)
{
	for (size_t i = 0; i < s->ngauges; i++) {
		uint32_t *at = &m->gauges.at[i];

		if (*at) {
			slice_gauge_add(&f->gauges[*at - 1], &s->gauges[i]);
			continue;
		}
		f->gauges[f->ngauges++] = s->gauges[i];
		*at = (uint32_t)f->ngauges;
	}
	for (size_t i = 0; i < s->naux; i++) {
		uint32_t *at = &m->aux.at[i];

		if (*at) {
			slice_aux_add(&f->aux[*at - 1], &s->aux[i]);
			continue;
		}
		f->aux[f->naux++] = s->aux[i];
		*at = (uint32_t)f->naux;
	}
}

/* Return the state of a session without a link: it is up. */
static struct slice_host host_here(const struct member *m, const struct slice *s)
{
	return (struct slice_host){
		.state = HOST_UP, .beat_ms = (uint32_t)((s->end - s->start) / NSEC_PER_MSEC),
		.since = m->host.state == HOST_UP ? m->host.since : m->arrived,
		.round_trip_ns = GAUGE_UNKNOWN, .error_ns = GAUGE_UNKNOWN,
	};
}

static void join_host(struct member *m, const struct slice *s)
{
	struct slice_host was = m->host;

	m->host = s->nhosts ? s->hosts[0] : host_here(m, s);
	if (s->nhosts)
		m->host.since =
			m->host.state == was.state ? was.since : our_time(m, s, m->host.since);
	if (m->over) { /* the slice is older than the end, which is known by now */
		m->host.state = was.state;
		m->host.since = was.since;
		memcpy(m->host.why, was.why, sizeof(was.why));
	}
	m->host.self = s->self;
	m->host.recording = s->recording;
	m->host.recording.since = our_time(m, s, s->recording.since);
	slice_host_add(&m->host, &was);
	memcpy(m->helpers, s->helpers, sizeof(m->helpers));
}

/* A host's name and CPUs may be known late, and change when it reconnects. */
void fleet_join_info(struct fleet *f, unsigned host)
{
	const struct session *session = f->members[host].session;
	struct session_host *to = &f->base.info.hosts[host], was = *to;

	if (!session)
		return;
	if (session->info.nhosts) {
		*to = session->info.hosts[0];
	} else {
		*to = (struct session_host){.cpus = session->info.cpus, .self = session->info.self};
		memcpy(to->host, session->info.host, sizeof(to->host));
		memcpy(to->note, session->info.note, sizeof(to->note));
	}
	memcpy(to->name, was.name, sizeof(to->name));
	f->base.info.cpus += to->cpus - was.cpus;
}

/* --- joining ------------------------------------------------------------------------------ */

static int reserve_fleet_slice(struct fleet *f, struct member *m, struct slice *s)
{
	bool ok = dict_delta_reserve_all(&f->out->dict, &s->dict) &&
		  vec_reserve(&f->gauges, &f->cap_gauges, f->ngauges + s->ngauges,
			      sizeof(*f->gauges)) &&
		  vec_reserve(&f->aux, &f->cap_aux, f->naux + s->naux, sizeof(*f->aux)) &&
		  reserve_numbers(&m->gauges, s->ngauges) && reserve_numbers(&m->aux, s->naux);

	for (const struct slice_part *p = slice_parts; ok && p < slice_parts + PART_NR; p++)
		ok = part_reserve(f->out, s, p);
	return ok ? 0 : -ENOMEM;
}

/* Drop the answers that no question is open for. */
static void choose_codes(struct fleet *f, unsigned host, struct slice *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->ncodes; i++) {
		if (fleet_answer(f, host, s->codes[i]))
			s->codes[kept++] = s->codes[i];
		else
			code_free(s->codes[i]);
	}
	s->ncodes = kept;
}

/* Move all but the states, which fleet_states() puts in, and definitions, which never change. */
static void move_all(struct fleet *f, unsigned host, struct slice *s)
{
	struct slice *out = f->out;

	dict_delta_append(&out->dict, &s->dict);
	choose_codes(f, host, s);
	for (const struct slice_part *p = slice_parts; p < slice_parts + PART_NR; p++)
		if (!(p->flags & (PART_BY_INDEX | PART_DEFINES)))
			part_append(out, s, p);
	part_fold(out, &slice_parts[PART_THROTTLES]);
	slice_logging_add(&out->logging, &s->logging);
	slice_logged_sort(out->logged, out->nlogged);
}

int fleet_join(struct fleet *f, unsigned host)
{
	struct member *m = &f->members[host];
	struct slice *s = m->waiting;
	struct joining j = {f, m, host, s};
	int ret = parts_visit(s, MEMBER_CPU | MEMBER_RAN_ON, reserve_cpu, &j);

	if (!ret)
		ret = fleet_ids_reserve(&m->ids, s);
	if (!ret)
		ret = reserve_fleet_slice(f, m, s);
	if (ret)
		return ret;
	fleet_ids_join(&m->ids, host, s, &f->out->dict);
	change_numbers(&j, s);
	change_words(f, host, s);
	join_gauges(f, m, s);
	join_host(m, s);
	fleet_join_info(f, host);
	move_all(f, host, s);
	slice_free(s);
	m->waiting = m->next;
	m->next = NULL;
	return 0;
}

/* --- all together ------------------------------------------------------------------------- */

static void sum_self(struct slice_self *sum, const struct slice_self *s)
{
	struct slice_unwind *u = &sum->unwind;

	slice_self_add(sum, s);
	sum->rss_bytes += s->rss_bytes;
	sum->queued += s->queued;
	sum->loading += s->loading;
	sum->budget_bytes += s->budget_bytes;
	sum->budget_limit += s->budget_limit;
	sum->cpu_limit += s->cpu_limit;
	if (s->rate_divisor > sum->rate_divisor)
		sum->rate_divisor = s->rate_divisor;
	if (!sum->cause)
		sum->cause = s->cause;
	if (!sum->memory[0])
		memcpy(sum->memory, s->memory, sizeof(sum->memory));
	u->waiting += s->unwind.waiting;
	u->bytes += s->unwind.bytes;
	u->capacity += s->unwind.capacity;
	u->auto_rate += s->unwind.auto_rate;
	u->auto_budget += s->unwind.auto_budget;
	if (s->unwind.auto_stack > u->auto_stack)
		u->auto_stack = s->unwind.auto_stack;
	if (!sum->shallow[0])
		memcpy(sum->shallow, s->shallow, sizeof(sum->shallow));
	if (s->table_capacity > sum->table_capacity)
		sum->table_capacity = s->table_capacity;
	if (s->unwind.stack_bytes > u->stack_bytes)
		u->stack_bytes = s->unwind.stack_bytes;
}

static void sum_figures(struct sandbox_figures *sum, const struct sandbox_figures *f)
{
	struct sandbox_figures was = *sum;

	if (!f->name)
		return;
	if (!was.name || (!was.why[0] && f->why[0]))
		*sum = *f;
	sum->calls = was.calls + f->calls;
	sum->starts = was.starts + f->starts;
	sum->ends = was.ends + f->ends;
	sum->refused = was.refused + f->refused;
	sum->cpu_ns = was.cpu_ns + f->cpu_ns;
	sum->resident = was.resident + f->resident;
	sum->peak = was.peak + f->peak;
}

/*
 * A recording in progress has precedence over one that failed, and that one over one that is done.
 */
static void sum_recording(struct slice_recording *sum, const struct slice_recording *r)
{
	static const uint8_t rank[RECORDING_STATES] = {
		[RECORDING_ON] = 4,
		[RECORDING_ENDING] = 3,
		[RECORDING_FAILED] = 2,
		[RECORDING_DONE] = 1,
	};
	struct slice_recording was = *sum;

	if (r->state == RECORDING_NONE)
		return;
	if (rank[r->state] > rank[was.state] || (r->state == was.state && r->since > was.since))
		*sum = *r;
	sum->bytes = was.bytes + r->bytes;
	sum->samples = was.samples + r->samples;
	sum->lost = was.lost + r->lost;
	sum->lost_sideband = was.lost_sideband + r->lost_sideband;
	sum->lost_aux = was.lost_aux + r->lost_aux;
}

/* Return the member's state; late if nothing has come for long. */
static struct slice_host host_now(const struct fleet *f, const struct member *m)
{
	struct slice_host h = m->host;
	uint64_t age = f->out->end - m->arrived, late = LATE_BEATS * f->beat_ns;

	if (!m->arrived)
		return h;
	if (h.behind_ns != GAUGE_UNKNOWN)
		h.behind_ns += age;
	if (h.state == HOST_UP && age >= (late > LATE_NS ? late : LATE_NS)) {
		h.state = HOST_LATE;
		h.since = m->arrived;
		snprintf(h.why, sizeof(h.why), "no data was received from it");
	}
	return h;
}

/* Mark the rings of members that are over as offline. */
static void rings_gone(struct fleet *f)
{
	for (size_t i = 0; i < f->ngauges; i++)
		if (f->members[session_place(&f->base.info, f->gauges[i].cpu).host].over)
			f->gauges[i].state = RING_OFFLINE;
	for (size_t i = 0; i < f->naux; i++)
		if (f->members[session_place(&f->base.info, f->aux[i].cpu).host].over)
			f->aux[i].state = RING_OFFLINE;
}

int fleet_states(struct fleet *f)
{
	struct slice *out = f->out;
	unsigned nhosts = f->base.info.nhosts;

	if (!vec_reserve(&out->gauges, &out->cap_gauges, f->ngauges, sizeof(*out->gauges)) ||
	    !vec_reserve(&out->aux, &out->cap_aux, f->naux, sizeof(*out->aux)) ||
	    !vec_reserve(&out->hosts, &out->cap_hosts, nhosts, sizeof(*out->hosts)))
		return -ENOMEM;
	rings_gone(f);
	if (f->ngauges)
		memcpy(out->gauges, f->gauges, f->ngauges * sizeof(*out->gauges));
	for (size_t i = 0; i < f->ngauges; i++)
		if (out->gauges[i].unread != GAUGE_UNKNOWN &&
		    out->gauges[i].unread_max < out->gauges[i].unread)
			out->gauges[i].unread_max = out->gauges[i].unread;
	if (f->naux)
		memcpy(out->aux, f->aux, f->naux * sizeof(*out->aux));
	out->ngauges = f->ngauges;
	out->naux = f->naux;
	for (out->nhosts = 0; out->nhosts < nhosts; out->nhosts++) {
		const struct member *m = &f->members[out->nhosts];

		out->hosts[out->nhosts] = host_now(f, m);
		sum_self(&out->self, &m->host.self);
		sum_recording(&out->recording, &m->host.recording);
		for (int p = 0; p < SANDBOX_PROCESSES; p++)
			sum_figures(&out->helpers[p], &m->helpers[p]);
	}
	return 0;
}
