/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/datafile.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sources/aux/auxinfo.h"
#include "base/atomics.h"
#include "base/log.h"
#include "base/vec.h"
#include "kernel/capture/cursor.h"
#include "kernel/capture/ringset.h"
#include "sources/record/buildids.h"
#include "sources/record/features.h"
#include "sources/record/partfile.h"
#include "sources/record/synthesizer.h"

#define STAGING (1u << 20)

struct file_event {
	struct perf_event_attr attr;
	const char *name;
	uint64_t *ids;
	size_t nids, cap;
};

struct datafile {
	struct partfile file;
	int error;                       /* -errno of the first write that failed */
	struct file_event *events;
	unsigned nevents;
	size_t cap_events;
	pthread_mutex_t lock;            /* for the events' ids, and `closed` */
	bool closed;                     /* ids no longer change */
	uint64_t data;                   /* offset of the records */
	/* Descriptions of the events, as written by datafile_begin. */
	struct perfwrite_section descriptions;
	size_t nids;                     /* number of ids in them */
	struct synthesizer *synthesizer;
	struct record_layout samples, sideband;
	struct buildids *buildids;
	uint64_t first, last;            /* times of samples */
	char *staging;
	size_t staged;
	struct perfwrite_section *aux; /* places and sizes of AUXTRACE records, without the trace */
	size_t naux, cap_aux;
	struct perfwrite features[PERFWRITE_FEATURES];

	/* Shared, relaxed. */
	bool complete;
	uint64_t bytes, written_samples;
};

struct datafile *datafile_create(const char *path, uint64_t bytes, struct err *err)
{
	struct datafile *df = calloc(1, sizeof(*df));

	if (!df)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	df->file.fd = -1;
	pthread_mutex_init(&df->lock, NULL);
	record_layout_init(&df->sideband, RINGSET_SIDEBAND_TYPE);
	df->buildids = buildids_create();
	df->staging = malloc(STAGING);
	if (!df->buildids || !df->staging)
		err_set(err, ENOMEM, "out of memory");
	else if (!partfile_open(&df->file, path, bytes, err))
		return df;
	datafile_free(df);
	return NULL;
}

void datafile_free(struct datafile *df)
{
	if (!df)
		return;
	synthesizer_free(df->synthesizer);
	partfile_close(&df->file);
	for (unsigned i = 0; i < df->nevents; i++)
		free(df->events[i].ids);
	for (size_t i = 0; i < PERFWRITE_FEATURES; i++)
		perfwrite_clear(&df->features[i]);
	buildids_free(df->buildids);
	pthread_mutex_destroy(&df->lock);
	free(df->events);
	free(df->aux);
	free(df->staging);
	free(df);
}

void datafile_discard(struct datafile *df)
{
	df->file.finished = false; /* in case it has its own name by now */
	datafile_free(df);
}

/* --- events ------------------------------------------------------------------------------- */

int datafile_event(struct datafile *df, const struct perf_event_attr *attr, const char *name)
{
	if (!vec_reserve(&df->events, &df->cap_events, df->nevents + 1, sizeof(*df->events)))
		return -ENOMEM;
	df->events[df->nevents] = (struct file_event){.attr = *attr, .name = name};
	return (int)df->nevents++;
}

static int add_event_ids(struct datafile *df, struct file_event *e, bool anew, const uint64_t *ids,
			 size_t nr)
{
	bool room = true;
	size_t at;

	pthread_mutex_lock(&df->lock);
	at = anew ? 0 : e->nids;
	if (!df->closed)
		room = vec_reserve(&e->ids, &e->cap, at + nr, sizeof(*e->ids));
	if (!df->closed && room)
		e->nids = at + nr;
	if (!df->closed && room && nr)
		memcpy(e->ids + at, ids, nr * sizeof(*ids));
	pthread_mutex_unlock(&df->lock);
	return room ? 0 : -ENOMEM;
}

int datafile_ids(struct datafile *df, unsigned event, const uint64_t *ids, size_t nr)
{
	return add_event_ids(df, &df->events[event], true, ids, nr);
}

int datafile_id(struct datafile *df, unsigned event, uint64_t id)
{
	return add_event_ids(df, &df->events[event], false, &id, 1);
}

/*
 * Return the events in perfwrite's form, which the caller frees. *ids: number of all their ids.
 * NULL: out of memory.
 */
static struct perfwrite_event *describe_file_events(const struct datafile *df, size_t *ids)
{
	struct perfwrite_event *events = calloc(df->nevents + 1, sizeof(*events));

	*ids = 0;
	for (unsigned i = 0; events && i < df->nevents; i++) {
		const struct file_event *e = &df->events[i];

		events[i] = (struct perfwrite_event){&e->attr, e->name, e->ids, e->nids};
		*ids += e->nids;
	}
	return events;
}

/* --- writing ------------------------------------------------------------------------------ */

static void note_bytes(struct datafile *df)
{
	atomic_store_relaxed(&df->bytes, df->file.pos + df->staged);
}

/* Write all or nothing, bypassing the staging buffer, which is empty. */
static int write_whole(struct datafile *df, struct iovec *parts, unsigned nr)
{
	uint64_t before = df->file.pos;

	df->error = partfile_append(&df->file, parts, nr);
	if (df->error)
		df->file.pos = before;
	note_bytes(df);
	return df->error;
}

/* Return how many of these bytes are whole records, and count the samples. */
static size_t whole_records(const char *bytes, size_t len, uint64_t *samples)
{
	struct cursor c = {.data = bytes, .len = len};
	const struct perf_event_header *h;

	*samples = 0;
	while (cursor_next(&c, &h) == CURSOR_RECORD)
		*samples += h->type == PERF_RECORD_SAMPLE;
	return c.pos;
}

/* Uncount samples that were counted as written and are not. */
static void take_back(struct datafile *df, const char *bytes, size_t len)
{
	uint64_t samples;

	whole_records(bytes, len, &samples);
	atomic_add_relaxed(&df->written_samples, -samples);
}

int datafile_flush(struct datafile *df)
{
	struct iovec part = {df->staging, df->staged};
	uint64_t before = df->file.pos, samples;

	if (df->error || !df->staged)
		return df->error;
	df->error = partfile_append(&df->file, &part, 1);
	if (df->error) {
		size_t kept = whole_records(df->staging, df->file.pos - before, &samples);

		take_back(df, df->staging + kept, df->staged - kept);
		df->file.pos = before + kept;
	}
	df->staged = 0;
	note_bytes(df);
	return df->error;
}

static int stage(struct datafile *df, const char *at, size_t len)
{
	uint64_t samples;

	while (len && !df->error) {
		size_t n = len < STAGING ? len : whole_records(at, STAGING, &samples);

		if (!n && !datafile_flush(df))
			df->error = -EBADMSG; /* not records */
		if (!n || (df->staged + n > STAGING && datafile_flush(df)))
			break;
		memcpy(df->staging + df->staged, at, n);
		df->staged += n;
		at += n;
		len -= n;
	}
	if (len)
		take_back(df, at, len);
	note_bytes(df);
	return df->error;
}

/*
 * Collect the features' data from records. *newest: the time of the last sample, if there is one.
 */
static void note_records(struct datafile *df, const char *bytes, size_t len, uint64_t *newest)
{
	struct cursor c = {.data = bytes, .len = len};
	const struct perf_event_header *h;
	uint64_t time, samples = 0;

	while (cursor_next(&c, &h) == CURSOR_RECORD) {
		if (h->type != PERF_RECORD_SAMPLE) {
			if (buildids_record(df->buildids, &df->sideband, h))
				log_msg(LOG_SESSION, "%s: out of memory for a build-id",
					df->file.path);
			continue;
		}
		samples++;
		if (!df->samples.time || h->size < df->samples.time + sizeof(time))
			continue;
		memcpy(&time, (const char *)h + df->samples.time, sizeof(time));
		df->first = !df->first || time < df->first ? time : df->first;
		df->last = time > df->last ? time : df->last;
		*newest = time;
	}
	atomic_add_relaxed(&df->written_samples, samples);
}

int datafile_records(struct datafile *df, const void *bytes, size_t len, uint64_t *newest)
{
	uint64_t time;

	note_records(df, bytes, len, newest ? newest : &time);
	return stage(df, bytes, len);
}

int datafile_put(struct datafile *df, struct perfwrite *w)
{
	int ret = w->failed ? -ENOMEM : datafile_records(df, w->data, w->len, NULL);
	uint64_t trailer = w->trailer;

	if (w->failed)
		log_msg(LOG_SESSION, "%s: out of memory for records", df->file.path);
	perfwrite_clear(w);
	w->trailer = trailer;
	return ret;
}

int datafile_auxtrace(struct datafile *df, const struct perfwrite_auxtrace *a,
		      const struct iovec *parts, unsigned nr)
{
	static char zeros[8];
	struct iovec iov[DATAFILE_PARTS + 2];
	struct perfwrite w = {.failed = false};
	uint64_t before;
	int ret = datafile_flush(df);

	if (ret)
		return ret;
	before = df->file.pos;
	perfwrite_auxtrace(&w, a);
	iov[0] = (struct iovec){w.data, w.len};
	memcpy(iov + 1, parts, nr * sizeof(*iov));
	iov[nr + 1] = (struct iovec){zeros, perfwrite_padding(a->size)};
	/* A trace that is missing in the index would not be found. */
	if (w.failed || !vec_reserve(&df->aux, &df->cap_aux, df->naux + 1, sizeof(*df->aux)))
		df->error = -ENOMEM;
	else if (!write_whole(df, iov, nr + 2))
		df->aux[df->naux++] = (struct perfwrite_section){before, PERFWRITE_AUXTRACE_RECORD};
	perfwrite_clear(&w);
	return df->error;
}

/* --- beginning ---------------------------------------------------------------------------- */

int datafile_begin(struct datafile *df)
{
	struct perfwrite head = {.failed = false}, body = {.failed = false};
	struct perfwrite_event *events = describe_file_events(df, &df->nids);
	struct iovec parts[2];

	df->error = -ENOMEM;
	if (!events)
		return -ENOMEM;
	record_layout_init_attr(&df->samples, events[0].attr);
	perfwrite_events(&body, PERFWRITE_HEADER, events, df->nevents, &df->descriptions);
	df->data = PERFWRITE_HEADER + body.len;
	perfwrite_header(&head, df->nevents, df->descriptions,
			 (struct perfwrite_section){df->data, 0}, 0);
	parts[0] = (struct iovec){head.data, head.len};
	parts[1] = (struct iovec){body.data, body.len};
	if (!head.failed && !body.failed)
		write_whole(df, parts, 2);
	perfwrite_clear(&head);
	perfwrite_clear(&body);
	free(events);
	return df->error;
}

/* ringtop can read AUX data that perf has no decoder for. */
int datafile_aux(struct datafile *df, const struct auxset_info *info, bool per_cpu)
{
	struct perfwrite w = {.failed = false};
	struct auxinfo words;

	auxinfo_make(info, per_cpu, &words);
	perfwrite_auxtrace_info(&w, words.type, words.words, words.nr);
	w.failed |= words.failed;
	auxinfo_clear(&words);
	return datafile_put(df, &w);
}

int datafile_earlier(struct datafile *df, const pid_t *tids, size_t ntids, int wake_fd)
{
	bool stacks = false;

	for (size_t i = 0; i < df->nevents; i++)
		stacks |= (df->events[i].attr.sample_type & PERF_SAMPLE_STACK_USER) != 0;
	return synthesizer_start(&df->synthesizer, tids, ntids, stacks, wake_fd);
}

/* Write separately from collected records, which may turn out not to fit. */
static int write_needed(struct datafile *df, const struct perfwrite *piece)
{
	struct iovec part = {piece->data, piece->len}, again = part;
	uint64_t before;
	int ret = datafile_flush(df);

	if (!ret)
		ret = write_whole(df, &part, 1);
	if (ret != -ENOSPC)
		return ret;
	before = df->file.pos;
	ret = partfile_append_kept(&df->file, again);
	if (ret)
		df->file.pos = before;
	note_bytes(df);
	return ret;
}

int datafile_take_earlier(struct datafile *df, bool wait)
{
	struct perfwrite piece;
	uint64_t time;
	int ret = 0;

	if (synthesizer_take(df->synthesizer, &piece, wait)) {
		note_records(df, piece.data, piece.len, &time);
		if (piece.len)
			ret = write_needed(df, &piece);
		if (piece.failed)
			ret = -ENOMEM;
		perfwrite_clear(&piece);
	}
	if (!synthesizer_done(df->synthesizer))
		return ret;
	/*
	 * Join the synthesizer here: a session that is abandoned at exit frees nothing, and would
	 * leave the thread behind.
	 */
	synthesizer_free(df->synthesizer);
	df->synthesizer = NULL;
	atomic_store_relaxed(&df->complete, true);
	return ret;
}

bool datafile_complete(const struct datafile *df)
{
	return atomic_load_relaxed(&df->complete);
}

/* --- the end ------------------------------------------------------------------------------ */

static void fill_features(struct datafile *df, const struct perfwrite_event *events)
{
	struct perfwrite *times = &df->features[PERFWRITE_SAMPLE_TIME];
	struct perfwrite *aux = &df->features[PERFWRITE_AUXTRACE];

	if (df->first) {
		perfwrite_u64(times, df->first);
		perfwrite_u64(times, df->last);
	}
	features_write(df->features, events, df->nevents);
	buildids_write(df->buildids, &df->features[PERFWRITE_BUILD_ID]);
	/* Index of the AUXTRACE records: perf finds them without reading everything before. */
	if (df->naux) {
		perfwrite_u64(aux, df->naux);
		perfwrite_bytes(aux, df->aux, df->naux * sizeof(*df->aux));
	}
}

/*
 * Append the features, but for those that ran out of memory. Return the set of those that were
 * appended.
 */
static uint64_t put_feature_sections(const struct datafile *df, struct perfwrite *tail)
{
	uint64_t set = 0, at = df->file.pos;

	for (unsigned i = 0; i < PERFWRITE_FEATURES; i++)
		if (df->features[i].len && !df->features[i].failed)
			set |= 1ull << i;
	at += (uint64_t)__builtin_popcountll(set) * sizeof(struct perfwrite_section);
	for (uint64_t bits = set; bits; bits &= bits - 1) {
		const struct perfwrite *f = &df->features[__builtin_ctzll(bits)];

		perfwrite_u64(tail, at);
		perfwrite_u64(tail, f->len);
		at += f->len;
	}
	for (uint64_t bits = set; bits; bits &= bits - 1) {
		const struct perfwrite *f = &df->features[__builtin_ctzll(bits)];

		perfwrite_bytes(tail, f->data, f->len);
	}
	return set;
}

/* Write everything behind the records, and the header with its offsets. */
static int write_end(struct datafile *df, const struct perfwrite_event *events, size_t ids,
		     struct err *err)
{
	struct perfwrite tail = {.failed = false}, head = {.failed = false};
	struct perfwrite_section data = {df->data, df->file.pos - df->data};
	uint64_t features = put_feature_sections(df, &tail);
	int ret;

	/* Counters were opened meanwhile: write the descriptions again, with their ids. */
	if (ids != df->nids)
		perfwrite_events(&tail, df->file.pos + tail.len, events, df->nevents,
				 &df->descriptions);
	perfwrite_header(&head, df->nevents, df->descriptions, data, features);
	ret = tail.failed || head.failed
		      ? partfile_keep(&df->file, -ENOMEM, err)
		      : partfile_finish(&df->file, (struct iovec){tail.data, tail.len},
					(struct iovec){head.data, head.len}, err);
	perfwrite_clear(&tail);
	perfwrite_clear(&head);
	return ret;
}

int datafile_finish(struct datafile *df, struct err *err)
{
	struct perfwrite_event *events;
	size_t ids;
	int ret;

	pthread_mutex_lock(&df->lock);
	df->closed = true;
	pthread_mutex_unlock(&df->lock);
	events = describe_file_events(df, &ids);
	if (!events)
		return partfile_keep(&df->file, -ENOMEM, err);
	fill_features(df, events);
	datafile_flush(df); /* a failure is reported to the caller that added the records */
	ret = write_end(df, events, ids, err);
	note_bytes(df);
	free(events);
	return ret;
}

int datafile_failed(const struct datafile *df)
{
	return df->error;
}

const char *datafile_path(const struct datafile *df)
{
	return df->file.path;
}

uint64_t datafile_bytes(const struct datafile *df)
{
	return atomic_load_relaxed(&df->bytes);
}

uint64_t datafile_samples(const struct datafile *df)
{
	return atomic_load_relaxed(&df->written_samples);
}
