/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/vec.h"
#include "live/tick.h"
#include "proc/procscan.h"
#include "record/recorder.h"

#define REOPEN_NS (2 * NSEC_PER_SEC) /* how long opening anew may take before a slice is made */

/* --- asking ------------------------------------------------------------------------------- */

int recording_ask(struct recording *rec, const char *path, struct err *err)
{
	struct recorder *r;

	if (atomic_load_acquire(&rec->busy)) /* pairs with retire */
		return err_set(err, EBUSY, "a recording is under way already");
	r = recorder_create(path, err);
	if (!r)
		return -err->code;
	atomic_store_relaxed(&rec->stop, false);
	atomic_store_relaxed(&rec->busy, true);
	/* Release: pairs with recording_step. */
	atomic_store_release(&rec->wanted, r);
	return 0;
}

int recording_ask_stop(struct recording *rec, struct err *err)
{
	if (!atomic_load_acquire(&rec->busy))
		return err_set(err, EINVAL, "nothing is being recorded");
	atomic_store_relaxed(&rec->stop, true);
	return 0;
}

bool recording_busy(const struct recording *rec)
{
	return atomic_load_acquire(&rec->busy); /* pairs with retire */
}

/* Readers drain whenever their rings are full enough, whether they were asked to or not. */
static void retire(struct recording *rec)
{
	rec->over = rec->recorder;
	rec->recorder = NULL;
	free(rec->lost_before);
	rec->lost_before = NULL;
	/* Release: pairs with recording_ask. */
	atomic_store_release(&rec->busy, false);
}

/* Only while no reader has one of its lanes. */
static void free_over(struct recording *rec)
{
	recorder_free(rec->over);
	rec->over = NULL;
}

/* --- whose rings -------------------------------------------------------------------------- */

/* Measured now: of the target, or born of what is. */
static bool is_ours(const struct tick *t, const struct pidset *target, pid_t pid, pid_t tid)
{
	if (pidset_has(target, tid) || resolver_saw_fork(t->resolver, tid))
		return true;
	return t->target.kind != TARGET_THREADS && pidset_has(target, pid);
}

struct tids {
	pid_t *tid;
	size_t nr, cap;
	struct pidset set;
	int error;
};

static void add_tid(struct tids *to, pid_t tid)
{
	int new = pidset_add(&to->set, tid);

	if (new < 0 || (new && !vec_reserve(&to->tid, &to->cap, to->nr + 1, sizeof(*to->tid))))
		to->error = -ENOMEM;
	else if (new)
		to->tid[to->nr++] = tid;
}

/* Those whose births were not applied yet: sideband tells of none but ours. */
static void add_born(const struct tick *t, struct tids *to)
{
	size_t nr;
	struct sideband_fork *forks = sideband_forks(t->sideband, &nr);

	if (!forks)
		to->error = -ENOMEM;
	for (size_t i = 0; forks && i < nr; i++)
		add_tid(to, forks[i].tid);
	free(forks);
}

/*
 * Events that are opened anew are inherited by nobody who is there: all of them are named.  All
 * sideband up to now has been taken.
 */
static void add_all(const struct tick *t, struct tids *to)
{
	struct pidset target = {.slot = NULL};
	size_t npids;
	pid_t *pids = procscan_pids(&npids);

	for (size_t i = 0; i < t->target.ntids; i++)
		if (pidset_add(&target, t->target.tids[i]) < 0)
			to->error = -ENOMEM;
	for (size_t i = 0; i < npids; i++) {
		size_t ntids;
		pid_t *tids = procscan_tids(pids[i], &ntids);

		for (size_t k = 0; k < ntids; k++)
			if (is_ours(t, &target, pids[i], tids[k]))
				add_tid(to, tids[k]);
		free(tids);
	}
	if (t->target.inherit)
		add_born(t, to);
	free(pids);
	pidset_clear(&target);
}

static int choose_rings(struct tick *t, struct ringset_config *to, bool record)
{
	pid_t **tids = &t->recording.tids[record];
	struct tids all = {.tid = NULL};

	*to = *t->now;
	to->recorded = record;
	to->overwrite = !record && !t->no_overwrite;
	to->enable_on_exec = false;
	t->now = to;
	if (t->target.kind == TARGET_SYSTEM || t->readers[0].cpu < 0)
		return 0;
	to->by_task = to->inherit;
	add_all(t, &all);
	pidset_clear(&all.set);
	free(*tids); /* nobody uses these rings now */
	to->tids = *tids = all.tid;
	to->ntids = all.nr;
	return all.error;
}

/* --- opening anew ------------------------------------------------------------------------- */

/* The rest of the old sideband ring, and the ids of new counters, of every reader that answered. */
static int settle(struct tick *t)
{
	struct recording *rec = &t->recording;
	int ret = 0;

	for (unsigned i = 0; i < t->nreaders; i++) {
		struct tick_reader *tr = &t->readers[i];
		struct ringset *before = reader_before(tr->reader);
		int error;

		if (!reader_done(tr->reader))
			continue;
		attach_take_one(t, tr);
		sidequeue_close(reader_sideband(tr->reader), &before->sideband);
		ringset_close(before);
		error = reader_report(tr->reader)->reopen_error;
		ret = error && error != -ESRCH && error != -ENODEV ? error : ret;
		if (rec->recorder && recorder_ids(rec->recorder, i, reader_set(tr->reader)))
			ret = -ENOMEM;
	}
	return ret;
}

static bool all_done(const struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		if (!reader_done(t->readers[i].reader))
			return false;
	return true;
}

static bool ask_reopen(struct tick *t, bool shut_only)
{
	struct recording *rec = &t->recording;

	for (unsigned i = 0; i < t->nreaders; i++) {
		struct reader *r = t->readers[i].reader;

		if (reader_done(r))
			reader_reopen(r, shut_only && !reader_report(r)->shut ? NULL : t->now,
				      rec->on ? recorder_lane(rec->recorder, i) : NULL);
	}
	return tick_ask(t, READER_REOPEN, REOPEN_NS);
}

static bool any_shut(const struct tick *t)
{
	for (unsigned i = 0; i < t->nreaders; i++)
		if (reader_done(t->readers[i].reader) && reader_report(t->readers[i].reader)->shut)
			return true;
	return false;
}

/*
 * What is left of the old rings counts against the limits of locked memory and of descriptors until it
 * was read: who had no room for the new ones beside it tries again then.
 */
static int open_shut(struct tick *t)
{
	int ret = settle(t);

	if (!any_shut(t))
		return ret;
	ask_reopen(t, true);
	return settle(t);
}

/* The rings with all who are measured. */
static int attach(struct tick *t, size_t from)
{
	int ret = attach_again(t, t->now->tids, t->now->ntids, from, false);
	bool shut = any_shut(t);
	int opened = open_shut(t);

	if (opened || (!ret && !shut))
		return opened;
	ret = attach_again(t, t->now->tids, t->now->ntids, from, true);
	opened = settle(t); /* the recorder learns their ids */
	return ret ? ret : opened;
}

/*
 * A reader that is late can neither be told how its rings are to be, nor who is measured: then all is
 * done again when it has answered.  Until then it may put into the lane of a recording that is over.
 */
static int reopen(struct tick *t, bool record)
{
	struct recording *rec = &t->recording;
	size_t from;
	int ret, more;

	attach_take(t);
	from = sideband_waiting(t->sideband);
	ret = choose_rings(t, record ? &rec->rings : &rec->plain, record);
	rec->on = record;
	rec->redo = !ask_reopen(t, false) && (t->now->by_task || !record);
	more = t->now->by_task ? attach(t, from) : open_shut(t);
	rec->redo |= t->now->by_task && t->attach.late;
	if (t->now->by_task)
		attach_let(t);
	return ret ? ret : more;
}

/* What the kernel had lost by then is no loss of the recording's. */
static int note_lost_before(struct tick *t)
{
	struct recording *rec = &t->recording;

	rec->lost_before = calloc((size_t)t->nreaders * t->events.nr, sizeof(*rec->lost_before));
	if (!rec->lost_before)
		return -ENOMEM;
	for (unsigned i = 0; i < t->nreaders; i++)
		for (unsigned e = 0; e < t->events.nr && reader_done(t->readers[i].reader); e++)
			rec->lost_before[i * t->events.nr + e] =
				reader_report(t->readers[i].reader)->input[e].lost_samples;
	return 0;
}

/* What the old sideband rings still hold goes into the file: it must know who wrote it. */
static int note_ids_before(struct tick *t)
{
	int ret = 0;

	for (unsigned i = 0; i < t->nreaders && !ret; i++)
		ret = recorder_ids(t->recording.recorder, i, reader_set(t->readers[i].reader));
	return ret;
}

/* What full mode drains goes into the file, too, and what is needed to decode AUX samples. */
static int prepare_aux(struct tick *t)
{
	struct auxset_info info;
	bool sampled = false;
	unsigned *lanes, nr = 0;
	int ret;

	if (!t->aux)
		return 0;
	auxset_info(t->aux, &info);
	for (unsigned i = 0; i < t->events.nr; i++)
		sampled |= t->events.events[i].attr.aux_sample_size != 0;
	if (info.mode != AUX_FULL && !sampled)
		return 0;
	lanes = calloc(t->nreaders + 1, sizeof(*lanes));
	if (!lanes)
		return -ENOMEM;
	for (unsigned i = 0; i < t->nreaders; i++)
		if (t->readers[i].aux)
			lanes[nr++] = i;
	ret = recorder_aux(t->recording.recorder, t->aux, lanes);
	free(lanes);
	return ret;
}

static int prepare(struct tick *t, const struct ringset_config *rings, struct err *err)
{
	struct recording *rec = &t->recording;
	int ret = recorder_lanes(rec->recorder, t->nreaders, rings, err);

	if (!ret && (note_lost_before(t) || note_ids_before(t) || prepare_aux(t)))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret)
		sideband_record(t->sideband, recorder_lane(rec->recorder, t->nreaders));
	return ret;
}

/* --- begin and end ------------------------------------------------------------------------ */

static void say_failed(struct recording *rec, struct slice *s, const struct err *err)
{
	slice_log(s, SLICE_WARNING, "%s", err->text);
	recorder_status(rec->recorder, &rec->status);
	rec->status.state = RECORDING_FAILED;
}

static void begin(struct tick *t, struct slice *s)
{
	struct recording *rec = &t->recording;
	struct ringset_config as_recorded = *t->now;
	struct err err = {.code = 0};
	uint64_t asked = clock_ns();
	char span[UNITS_LEN];
	int ret;

	as_recorded.recorded = true;
	as_recorded.overwrite = false;
	ret = prepare(t, &as_recorded, &err);
	if (!ret) {
		ret = reopen(t, true);
		if (ret)
			err_set(&err, -ret, "cannot record: the rings cannot be opened for it: %s",
				strerror(-ret));
	}
	if (!ret)
		ret = recorder_start(rec->recorder, rec->rings.tids, rec->rings.ntids, &err);
	rec->status = (struct slice_recording){.since = clock_ns() - t->zero};
	if (!ret) {
		slice_log(s, SLICE_INFO, "recording began; the rings were opened anew for it, in %s",
			  units_span(span, clock_ns() - asked));
		return;
	}
	say_failed(rec, s, &err);
	if (rec->on)
		reopen(t, false);
	sideband_record(t->sideband, NULL);
	retire(rec);
}

static void tell_lost(struct tick *t)
{
	struct recording *rec = &t->recording;

	for (unsigned i = 0; i < t->nreaders; i++)
		for (unsigned e = 0; e < t->events.nr && reader_done(t->readers[i].reader); e++)
			recorder_lost(rec->recorder, i, e,
				      reader_report(t->readers[i].reader)->input[e].lost_samples -
					      rec->lost_before[i * t->events.nr + e]);
}

/* The rings as they were; the file is finished meanwhile. */
static void end(struct tick *t)
{
	reopen(t, false);
	tell_lost(t);
	sideband_record(t->sideband, NULL);
	recorder_end(t->recording.recorder);
}

static void say_done(struct tick *t, struct slice *s)
{
	struct recording *rec = &t->recording;
	const struct err *err = recorder_error(rec->recorder);
	char bytes[UNITS_LEN];

	recorder_status(rec->recorder, &rec->status);
	if (err->code) {
		slice_log(s, SLICE_WARNING, "%s", err->text);
		if ((rec->at_start || s->last) && !t->end.error) {
			t->end.error = -err->code;
			snprintf(t->end.text, sizeof(t->end.text), "%s", err->text);
		}
	} else {
		slice_log(s, SLICE_INFO, "%s is written: %s, %llu samples, %llu lost", rec->status.file,
			  units_bytes(bytes, (double)rec->status.bytes),
			  (unsigned long long)rec->status.samples, (unsigned long long)rec->status.lost);
	}
	retire(rec);
}

int recording_first(struct tick *t, struct err *err)
{
	static const pid_t nobody;
	struct recording *rec = &t->recording;
	bool new_command = t->target.kind == TARGET_COMMAND;
	int ret;

	rec->recorder = rec->wanted;
	rec->wanted = NULL;
	rec->on = rec->at_start = true;
	ret = prepare(t, t->now, err);
	for (unsigned i = 0; i < t->nreaders && !ret; i++) {
		reader_record(t->readers[i].reader, recorder_lane(rec->recorder, i));
		ret = recorder_ids(rec->recorder, i, reader_set(t->readers[i].reader));
	}
	/* A COMMAND has not begun yet: all that there will be of it is told by its records. */
	if (!ret)
		ret = recorder_start(rec->recorder, new_command ? &nobody : t->now->tids,
				     new_command ? 0 : t->now->ntids, err);
	return ret;
}

void recording_step(struct tick *t, struct slice *s)
{
	struct recording *rec = &t->recording;
	bool stop = atomic_load_relaxed(&rec->stop);

	open_shut(t); /* of one that was late */
	if (rec->redo && all_done(t))
		reopen(t, rec->on);
	if (all_done(t) && !rec->redo)
		free_over(rec);
	if (!rec->recorder && all_done(t) && !rec->redo) {
		/* Acquire: pairs with recording_ask. */
		rec->recorder = atomic_take(&rec->wanted);
		if (rec->recorder)
			begin(t, s);
	} else if (rec->recorder && rec->on && (stop || recorder_done(rec->recorder)) && all_done(t)) {
		end(t);
	}
	/* One that is late may still give AUX bytes. */
	if (rec->recorder && !rec->on && recorder_done(rec->recorder) && all_done(t))
		say_done(t, s);
}

void recording_tell(struct tick *t, struct slice *s, bool all)
{
	struct recording *rec = &t->recording;

	if (rec->recorder) {
		if (rec->on)
			tell_lost(t);
		if (rec->on && all)
			recorder_round(rec->recorder);
		recorder_status(rec->recorder, &rec->status);
		/* It is over once the next may begin. */
		if (rec->status.state != RECORDING_ON)
			rec->status.state = RECORDING_ENDING;
	}
	s->recording = rec->status;
}

void recording_end(struct recording *rec)
{
	if (!rec->recorder)
		return;
	recorder_end(rec->recorder);
	recorder_wait(rec->recorder);
}

void recording_discard(struct recording *rec)
{
	if (rec->recorder)
		recorder_discard(rec->recorder);
}

void recording_last(struct tick *t, struct slice *s)
{
	struct recording *rec = &t->recording;

	if (rec->recorder) {
		recording_end(rec);
		say_done(t, s);
	}
	s->recording = rec->status;
}

void recording_clear(struct recording *rec)
{
	recorder_free(rec->recorder);
	recorder_free(rec->wanted);
	free_over(rec);
	free(rec->lost_before);
	free(rec->tids[0]);
	free(rec->tids[1]);
}
