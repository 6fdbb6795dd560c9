/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/decode/perfwrite.h"
#include "sources/ftrace/lossshare.h"
#include "sources/ftrace/tracedat_comms.h"
#include "sources/ftrace/tracedat_events.h"
#include "sources/ftrace/tracedat_pages.h"
#include "sources/ftrace/tracedat_symbols.h"

#define MAGIC	 "\027\010\104tracing"
#define RAW_MOST 64000u
#define ROUND	 4096u /* records of a round */
#define WRITTEN	 (256u << 10)

enum { PERF_ATTR = 64, PERF_TRACING = 66, PERF_UPDATE = 78, PERF_FEATURE = 80, UPDATE_NAME = 2 };

struct tracedat {
	struct perfdata_source stream;
	struct tracedat_head head;
	struct tracedat_pages pages;
	struct tracedat_events events;
	struct tracedat_comms comms;
	struct tracedat_symbols symbols;
	uint64_t *weights, *shares; /* by event */
	uint64_t first, last;	    /* times of records */
	uint64_t too_long;	    /* records that are too long for perf's */
	struct perfwrite out;
	size_t out_at;
	unsigned in_round;
	bool ended, lost_shared;
};

/* --- first pass ------------------------------------------------------------------------------- */

/* Note the addresses that need names. A caller's address is a return address, behind its call. */
static void want_names(struct tracedat *t, const struct tracedat_event *e,
		       const struct tracedat_record *r)
{
	uint64_t caller = tracedat_event_address(r, e->call.caller, &t->head);

	if (!e->call.function)
		return;
	tracedat_symbols_want(&t->symbols, &t->head.budget,
			      tracedat_event_address(r, e->call.function, &t->head));
	tracedat_symbols_want(&t->symbols, &t->head.budget, caller - (caller != 0));
}

static int look_through(struct tracedat *t, struct err *err)
{
	struct tracedat_record r;
	const struct tracedat_event *e;
	int ret = tracedat_pages_rewind(&t->pages);

	tracedat_events_prepare(&t->events, &t->head);
	while (!ret && (ret = tracedat_pages_next(&t->pages, &r)) > 0) {
		e = tracedat_events_count(&t->events, &t->head, &r, &ret);
		if (e)
			want_names(t, e, &r);
		t->too_long += r.len > RAW_MOST;
		t->first = t->first && t->first < r.time ? t->first : r.time;
		t->last = t->last > r.time ? t->last : r.time;
	}
	if (ret == -E2BIG)
		return err_set(
			err, E2BIG,
			"trace.dat: it has records of more than %zu kinds of events, the maximum",
			t->events.nr);
	return ret;
}

static unsigned events_of(const struct tracedat *t, uint32_t buffer)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->events.nr; i++)
		n += t->events.at[i].buffer == buffer;
	return n;
}

/* Add remarks on the figures. */
static void remark_figures(struct tracedat *t)
{
	struct tracedat_loss loss;
	uint64_t guessed = 0, alone = 0;

	for (size_t i = 0; i < t->pages.nr; i++) {
		tracedat_pages_loss(&t->pages, i, &loss);
		guessed += loss.guessed;
		alone += events_of(t, loss.buffer) ? 0 : loss.all;
		t->lost_shared |= loss.guessed || (loss.all && events_of(t, loss.buffer) > 1);
	}
	if (t->lost_shared && t->events.nr > 1)
		tracedat_remark(
			&t->head,
			"the file does not give losses by event: they are distributed by the "
			"events read");
	if (t->too_long)
		tracedat_remark(&t->head,
				"%" PRIu64 " records are longer than %u bytes and are cut",
				t->too_long, RAW_MOST);
	if (alone)
		tracedat_remark(&t->head,
				"%" PRIu64
				" were lost in buffers without a record and belong to no event",
				alone);
	if (guessed)
		tracedat_remark(&t->head,
				"%" PRIu64 " losses of unknown size count as 1 each", guessed);
}

static int name_events(struct tracedat *t)
{
	t->weights = calloc(t->events.nr + 1, sizeof(*t->weights));
	t->shares = calloc(t->events.nr + 1, sizeof(*t->shares));
	if (!t->weights || !t->shares)
		return -ENOMEM;
	tracedat_events_name(&t->events, &t->head);
	return 0;
}

/* --- records ---------------------------------------------------------------------------------- */

static uint64_t stream_event_id(const struct tracedat *t, const struct tracedat_event *e)
{
	return (uint64_t)(e - t->events.at) + 1;
}

/* Start a record with its header; end_record() fills in its size. */
static size_t begin_record(struct perfwrite *w, uint32_t type, uint16_t misc)
{
	const struct perf_event_header h = {.type = type, .misc = misc};
	size_t at = w->len;

	perfwrite_bytes(w, &h, sizeof(h));
	return at;
}

static void end_record(struct perfwrite *w, size_t at)
{
	static const char zeros[8];
	uint16_t size;

	perfwrite_bytes(w, zeros, perfwrite_padding(w->len - at));
	size = (uint16_t)(w->len - at);
	if (!w->failed)
		memcpy(w->data + at + offsetof(struct perf_event_header, size), &size,
		       sizeof(size));
}

static struct perf_event_attr attr_of(const struct tracedat *t, const struct tracedat_event *e)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_TRACEPOINT,
		.size = PERF_ATTR_SIZE_VER5,
		.config = e->id,
		.sample_period = 1,
		.sample_id_all = 1,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU |
			       (e->call.function ? PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN : 0) |
			       (t->head.swap ? 0 : PERF_SAMPLE_RAW)};
}

static void put_event_attr(struct tracedat *t, const struct tracedat_event *e)
{
	struct perfwrite *w = &t->out;
	struct perf_event_attr a = attr_of(t, e);
	size_t at = begin_record(w, PERF_ATTR, 0);

	perfwrite_bytes(w, &a, a.size);
	perfwrite_u64(w, stream_event_id(t, e));
	end_record(w, at);
	at = begin_record(w, PERF_UPDATE, 0);
	perfwrite_u64(w, UPDATE_NAME);
	perfwrite_u64(w, stream_event_id(t, e));
	perfwrite_bytes(w, e->name, strlen(e->name) + 1);
	end_record(w, at);
}

static void put_text_feature(struct perfwrite *w, enum perfwrite_feature feature, const char *text)
{
	size_t at;

	if (!*text)
		return;
	at = begin_record(w, PERF_FEATURE, 0);
	perfwrite_u64(w, feature);
	perfwrite_string(w, text);
	end_record(w, at);
}

static void put_head_features(struct tracedat *t)
{
	struct perfwrite *w = &t->out;
	size_t at;

	put_text_feature(w, PERFWRITE_HOSTNAME, t->head.host);
	put_text_feature(w, PERFWRITE_OSRELEASE, t->head.release);
	at = begin_record(w, PERF_FEATURE, 0);
	perfwrite_u64(w, PERFWRITE_NRCPUS);
	perfwrite_u32(w, (uint32_t)t->head.ncpu);
	perfwrite_u32(w, (uint32_t)t->head.ncpu);
	end_record(w, at);
	at = begin_record(w, PERF_FEATURE, 0);
	perfwrite_u64(w, PERFWRITE_SAMPLE_TIME);
	perfwrite_u64(w, t->first);
	perfwrite_u64(w, t->last);
	end_record(w, at);
}

static void put_trace_formats(struct tracedat *t)
{
	size_t at = begin_record(&t->out, PERF_TRACING, 0);

	perfwrite_u32(&t->out, (uint32_t)t->head.formats.len);
	end_record(&t->out, at);
	perfwrite_bytes(&t->out, t->head.formats.data, t->head.formats.len);
}

/* Note the names in the lines "TID NAME". */
static void take_names(struct tracedat *t)
{
	char comm[TRACEDAT_COMM], *save = NULL;

	if (!t->head.names)
		return;
	for (char *line = strtok_r(t->head.names, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *name;
		unsigned long tid = strtoul(line, &name, 10);

		if (name == line || *name != ' ' || !name[1] || !tid || tid > INT32_MAX)
			continue;
		memset(comm, 0, sizeof(comm));
		memcpy(comm, name + 1, strnlen(name + 1, sizeof(comm) - 1));
		tracedat_comms_know(&t->comms, &t->head.budget, (uint32_t)tid, comm);
	}
	budget_free(t->head.names);
	t->head.names = NULL;
	if (t->comms.refused)
		tracedat_remark(&t->head, "%" PRIu64 " task names were dropped (--max-memory)",
				t->comms.refused);
}

static void put_stream_head(struct tracedat *t)
{
	perfwrite_bytes(&t->out, "PERFILE2", 8);
	perfwrite_u64(&t->out, 16);
	t->out.trailer =
		PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	for (size_t i = 0; i < t->events.nr; i++)
		put_event_attr(t, &t->events.at[i]);
	put_trace_formats(t);
	put_head_features(t);
	take_names(t);
	tracedat_symbols_put(&t->symbols, &t->head, &t->out);
}

/* Put LOST records, the loss divided among the buffer's events. */
static void put_lost_record(struct tracedat *t, uint32_t buffer, uint32_t cpu, uint64_t time,
			    uint64_t nr)
{
	const struct tracedat_events *e = &t->events;

	if (!events_of(t, buffer))
		return;
	for (size_t i = 0; i < e->nr; i++) {
		t->weights[i] = e->at[i].buffer == buffer ? e->at[i].records : 0;
		t->shares[i] = 0;
	}
	ftrace_share(nr, t->weights, (unsigned)e->nr, t->shares);
	for (size_t i = 0; i < e->nr; i++) {
		const struct perfwrite_id id = {.time = time, .id = stream_event_id(t, &e->at[i]),
						.cpu = cpu};

		if (t->shares[i])
			perfwrite_lost(&t->out, &id, t->shares[i]);
	}
}

static void put_comm(struct tracedat *t, const struct tracedat_event *e,
		     const struct tracedat_record *r, uint32_t tid, const char *comm)
{
	struct {
		struct perf_event_header h;
		uint32_t pid, tid;
		char comm[TRACEDAT_COMM];
	} c = {.h = {.type = PERF_RECORD_COMM}, .pid = tid, .tid = tid};
	const struct perfwrite_id id = {.time = r->time, .id = stream_event_id(t,
									       e), .cpu = r->cpu};

	memcpy(c.comm, comm, sizeof(c.comm));
	perfwrite_again(&t->out, &c.h, sizeof(c), &id);
}

/* Report the task names in the record, then the name of its own task if it has none yet. */
static void put_comms(struct tracedat *t, const struct tracedat_event *e,
		      const struct tracedat_record *r)
{
	char comm[TRACEDAT_COMM];
	const char *listed;
	uint32_t tid;

	for (unsigned i = 0; i < e->renames; i++)
		if (tracedat_event_comm(e, r, i, t->head.swap, &tid, comm) &&
		    tracedat_comms_set(&t->comms, &t->head.budget, tid, comm))
			put_comm(t, e, r, tid, comm);
	tid = (uint32_t)tracedat_number(r->data + 4, 4, t->head.swap);
	listed = tid ? tracedat_comms_ask(&t->comms, tid) : NULL;
	if (listed)
		put_comm(t, e, r, tid, listed);
}

/* Put the call chain: the function, and its caller. */
static void put_call(struct tracedat *t, const struct tracedat_event *e,
		     const struct tracedat_record *r)
{
	uint64_t function = tracedat_event_address(r, e->call.function, &t->head);
	uint64_t caller = tracedat_event_address(r, e->call.caller, &t->head);

	perfwrite_u64(&t->out, function ? 2u + (caller != 0) : 0);
	if (!function)
		return;
	perfwrite_u64(&t->out, PERF_CONTEXT_KERNEL);
	perfwrite_u64(&t->out, function);
	if (caller)
		perfwrite_u64(&t->out, caller);
}

/* Put the raw data, padded so that with its size field it is a multiple of 8. */
static void put_raw(struct perfwrite *w, const struct tracedat_record *r)
{
	uint32_t len = r->len < RAW_MOST ? r->len : RAW_MOST, pad = 4u * !(len & 4);

	perfwrite_u32(w, len + pad);
	perfwrite_bytes(w, r->data, len);
	perfwrite_bytes(w, "\0\0\0", pad);
}

static void put_trace_sample(struct tracedat *t, const struct tracedat_event *e,
			     const struct tracedat_record *r)
{
	uint32_t tid = (uint32_t)tracedat_number(r->data + 4, 4, t->head.swap);
	struct perfwrite *w = &t->out;
	size_t at = begin_record(w, PERF_RECORD_SAMPLE,
				 e->call.function ? PERF_RECORD_MISC_KERNEL : 0);

	perfwrite_u64(w, stream_event_id(t, e));
	if (e->call.function)
		perfwrite_u64(w, tracedat_event_address(r, e->call.function, &t->head));
	perfwrite_u32(w, tid);
	perfwrite_u32(w, tid);
	perfwrite_u64(w, r->time);
	perfwrite_u32(w, r->cpu);
	perfwrite_u32(w, 0);
	if (e->call.function)
		put_call(t, e, r);
	if (!t->head.swap)
		put_raw(w, r);
	end_record(w, at);
}

static void put_record(struct tracedat *t, const struct tracedat_record *r)
{
	const struct tracedat_event *e = tracedat_events_find(&t->events, &t->head, r);

	if (r->lost)
		put_lost_record(t, r->buffer, r->cpu, r->time, r->lost);
	if (!e) /* the file has changed since the first pass */
		return;
	put_comms(t, e, r);
	put_trace_sample(t, e, r);
	if (++t->in_round >= ROUND) {
		perfwrite_round(&t->out);
		t->in_round = 0;
	}
}

/* Report losses with no record behind them. */
static void put_final_losses(struct tracedat *t)
{
	struct tracedat_loss loss;

	for (size_t i = 0; i < t->pages.nr; i++) {
		tracedat_pages_loss(&t->pages, i, &loss);
		if (loss.behind)
			put_lost_record(t, loss.buffer, loss.cpu, t->last, loss.behind);
	}
}

/* --- the stream ------------------------------------------------------------------------------- */

static int fill_stream(struct tracedat *t)
{
	struct tracedat_record r;
	int ret = 1;

	t->out.len = t->out_at = 0;
	while (ret > 0 && t->out.len < WRITTEN) {
		ret = tracedat_pages_next(&t->pages, &r);
		if (ret > 0)
			put_record(t, &r);
	}
	t->ended = !ret;
	if (t->ended)
		put_final_losses(t);
	return ret < 0 ? ret : t->out.failed ? -ENOMEM : 0;
}

static ssize_t read_stream(void *arg, void *buf, size_t len, uint64_t offset)
{
	struct tracedat *t = arg;
	size_t left = t->out.len - t->out_at;
	int ret = 0;

	(void)offset;
	if (!left && !t->ended)
		ret = fill_stream(t);
	if (ret)
		return ret;
	left = t->out.len - t->out_at;
	len = len < left ? len : left;
	if (len)
		memcpy(buf, t->out.data + t->out_at, len);
	t->out_at += len;
	return (ssize_t)len;
}

/* --- interface -------------------------------------------------------------------------------- */

bool tracedat_is_one(const char bytes[TRACEDAT_MAGIC_BYTES])
{
	return !memcmp(bytes, MAGIC, TRACEDAT_MAGIC_BYTES);
}

static int no_records_error(const struct tracedat *t, struct err *err)
{
	if (t->head.problems)
		return err_set(err, EBADMSG, "%s; it has no records", t->head.problem.text);
	err_set(err, EOPNOTSUPP, "trace.dat: it has no records%s%s", *t->head.remark ? ": " : "",
		t->head.remark);
	return err_advise(err, "trace-cmd report shows its other contents");
}

static int open_trace(struct tracedat *t, const struct perfdata_source *file, struct err *err)
{
	int ret = tracedat_head_read(&t->head, file, err);

	if (!ret)
		tracedat_head_add_rest(&t->head);
	ret = ret ? ret : tracedat_pages_open(&t->pages, &t->head, err);
	ret = ret ? ret : t->head.formats.failed ? -ENOMEM : look_through(t, err);
	if (!ret && !t->events.nr)
		return no_records_error(t, err);
	ret = ret ? ret : name_events(t);
	if (ret)
		return ret;
	remark_figures(t);
	put_stream_head(t);
	ret = tracedat_pages_rewind(&t->pages);
	return ret ? ret : t->out.failed ? -ENOMEM : 0;
}

struct tracedat *tracedat_open(const struct perfdata_source *file, struct err *err)
{
	struct tracedat *t = calloc(1, sizeof(*t));
	struct err why = {.code = 0};
	int ret;

	if (!t)
		return err_room(err, ENOMEM, "a reader of trace.dat"), NULL;
	t->stream = (struct perfdata_source){.read = read_stream, .arg = t};
	ret = open_trace(t, file, &why);
	if (!ret)
		return t;
	if (why.code)
		*err = why;
	else if (ret == -ENOMEM && !budget_say(&t->head.budget, "trace.dat: what it has", err))
		err_room(err, ENOMEM, "a reader of trace.dat");
	else if (ret != -ENOMEM)
		err_set(err, -ret, "trace.dat: cannot read it: %s", strerror(-ret));
	tracedat_free(t);
	return NULL;
}

void tracedat_free(struct tracedat *t)
{
	if (!t)
		return;
	tracedat_pages_close(&t->pages);
	tracedat_events_clear(&t->events);
	tracedat_comms_clear(&t->comms);
	tracedat_symbols_clear(&t->symbols);
	tracedat_head_clear(&t->head);
	perfwrite_clear(&t->out);
	free(t->weights);
	free(t->shares);
	free(t);
}

const struct perfdata_source *tracedat_stream(const struct tracedat *t)
{
	return &t->stream;
}

const struct err *tracedat_problem(const struct tracedat *t, uint64_t *nr)
{
	*nr = t->head.problems;
	return &t->head.problem;
}

const char *tracedat_remarks(const struct tracedat *t)
{
	return t->head.remark;
}

bool tracedat_lost_shared(const struct tracedat *t)
{
	return t->lost_shared;
}
