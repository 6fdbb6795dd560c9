/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/change/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/clock.h"
#include "base/units.h"
#include "base/vec.h"
#include "sources/live/pidset.h"
#include "system/proc/procscan.h"
#include "sources/record/recorder.h"

#define REOPEN_NS (2 * NSEC_PER_SEC) /* how long opening anew may take before a slice is made */

void recording_init(struct recording *rec, struct scope *scope, struct readers *rs,
		    struct resolver *r, struct attach *a)
{
	rec->scope = scope;
	rec->readers = rs;
	rec->resolver = r;
	rec->attach = a;
}

/* --- requests ----------------------------------------------------------------------------- */

int recording_ask(struct recording *rec, const char *path, struct err *err)
{
	struct recorder *r;

	if (atomic_load_acquire(&rec->busy)) /* pairs with retire */
		return err_set(err, EBUSY, "a recording is already running");
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

/* Retire the recorder, but keep it: readers drain full rings without any request. */
static void retire(struct recording *rec)
{
	rec->over = rec->recorder;
	rec->recorder = NULL;
	free(rec->lost_before);
	rec->lost_before = NULL;
	/* Release: pairs with recording_ask. */
	atomic_store_release(&rec->busy, false);
}

/* Free the recorder that is over, while no reader has one of its queues. */
static void free_over(struct recording *rec)
{
	recorder_free(rec->over);
	rec->over = NULL;
}

/* --- threads of the rings ----------------------------------------------------------------- */

/* Return true if a thread is measured now: it is of the target, or forked by a measured one. */
static bool is_measured_thread(const struct recording *rec, const struct pidset *target, pid_t pid,
			       pid_t tid)
{
	if (pidset_has(target, tid) || resolver_saw_fork(rec->resolver, tid))
		return true;
	return rec->scope->target.kind != TARGET_THREADS && pidset_has(target, pid);
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

	if (new < 0 || (new && !VEC_PUSH(to->tid, to->nr, to->cap, tid)))
		to->error = -ENOMEM;
}

/* Add threads whose forks were not applied yet: sideband has only those of measured threads. */
static void add_forked(const struct recording *rec, struct tids *to)
{
	size_t nr;
	struct sideband_fork *forks = sideband_forks(rec->readers->sideband, &nr);

	if (!forks)
		to->error = -ENOMEM;
	for (size_t i = 0; forks && i < nr; i++)
		add_tid(to, forks[i].tid);
	free(forks);
}

/*
 * Add all measured threads: events that are opened anew are inherited by no thread that exists.
 * All sideband up to now has been taken.
 */
static void add_measured_threads(const struct recording *rec, struct tids *to)
{
	const struct target *ours = &rec->scope->target;
	struct pidset target = {.slot = NULL};
	size_t npids;
	pid_t *pids = procscan_pids(&npids);

	for (size_t i = 0; i < ours->ntids; i++)
		if (pidset_add(&target, ours->tids[i]) < 0)
			to->error = -ENOMEM;
	for (size_t i = 0; i < npids; i++) {
		size_t ntids;
		pid_t *tids = procscan_tids(pids[i], &ntids);

		for (size_t k = 0; k < ntids; k++)
			if (is_measured_thread(rec, &target, pids[i], tids[k]))
				add_tid(to, tids[k]);
		free(tids);
	}
	if (ours->inherit)
		add_forked(rec, to);
	free(pids);
	pidset_clear(&target);
}

static int choose_rings(struct recording *rec, struct ringset_config *to, bool record)
{
	struct scope *sc = rec->scope;
	pid_t **tids = &rec->tids[record];
	struct tids all = {.tid = NULL};

	*to = *sc->now;
	to->recorded = record;
	to->overwrite = !record && !sc->no_overwrite;
	to->events = rec->events ? rec->events : to->events;
	callgraph_apply_events(&sc->callgraph, to);
	to->enable_on_exec = false;
	sc->now = to;
	if (sc->target.kind == TARGET_SYSTEM || rec->readers->reader[0].cpu < 0)
		return 0;
	to->by_task = to->inherit;
	add_measured_threads(rec, &all);
	pidset_clear(&all.set);
	free(*tids); /* no reader uses these rings now */
	to->tids = *tids = all.tid;
	to->ntids = all.nr;
	return all.error;
}

/* --- opening anew ------------------------------------------------------------------------- */

/* Take old sideband's rest and new counters' ids of every reader that has replied. */
static int settle_readers(struct recording *rec)
{
	struct readers *rs = rec->readers;
	int ret = 0;

	for (unsigned i = 0; i < rs->nr; i++) {
		struct reader *r = rs->reader[i].reader;
		int error;

		if (!reader_done(r))
			continue;
		if (rec->recorder && recorder_ids(rec->recorder, i, reader_before(r)))
			ret = -ENOMEM;
		readers_take_rest_of(rs, &rs->reader[i]);
		sidequeue_close(reader_sideband(r), &reader_before(r)->sideband);
		ringset_close(reader_before(r));
		error = reader_report(r)->reopen_error;
		ret = error && error != -ESRCH && error != -ENODEV ? error : ret;
		if (rec->recorder && recorder_ids(rec->recorder, i, reader_set(r)))
			ret = -ENOMEM;
	}
	return ret;
}

static bool ask_reopen(struct recording *rec, bool shut_only)
{
	struct readers *rs = rec->readers;

	for (unsigned i = 0; i < rs->nr; i++) {
		struct reader *r = rs->reader[i].reader;

		if (reader_done(r))
			reader_reopen(r,
				      shut_only && !reader_report(r)->shut ? NULL : rec->scope->now,
				      rec->on ? recorder_queue(rec->recorder, i) : NULL);
	}
	return readers_call(rs, READER_REOPEN, REOPEN_NS);
}

static bool any_shut(const struct readers *rs)
{
	for (unsigned i = 0; i < rs->nr; i++)
		if (reader_done(rs->reader[i].reader) && reader_report(rs->reader[i].reader)->shut)
			return true;
	return false;
}

/*
 * Open rings that were shut.  The rest of the old rings counts against the limits of locked memory
 * and of descriptors until it was read: readers without memory for the new ones beside it try again
 * then.
 */
static int open_shut(struct recording *rec)
{
	int ret = settle_readers(rec);

	if (!any_shut(rec->readers))
		return ret;
	ask_reopen(rec, true);
	return settle_readers(rec);
}

/* Open the events of all measured threads in the rings. */
static int attach(struct recording *rec, size_t from)
{
	const struct ringset_config *now = rec->scope->now;
	int ret = attach_again(rec->attach, now->tids, now->ntids, from, false);
	bool shut = any_shut(rec->readers);
	int opened = open_shut(rec);

	if (opened || (!ret && !shut))
		return opened;
	ret = attach_again(rec->attach, now->tids, now->ntids, from, true);
	opened = settle_readers(rec); /* the recorder learns their ids */
	return ret ? ret : opened;
}

/*
 * Report the time without records.  A late reader opens its rings later: until then that goes on.
 */
static void tell_unseen(struct recording *rec)
{
	bool over = readers_all_done(rec->readers) && !rec->redo && !any_shut(rec->readers);

	readers_unseen(rec->readers, rec->unseen);
	rec->unseen = over ? 0 : clock_ns();
}

/*
 * Open the rings anew.  A late reader can get neither the new settings nor the list of threads:
 * then all is done again when it has replied.  Until then it may write to the queue of a recording
 * that is over.
 */
static int reopen_rings(struct recording *rec, bool record)
{
	bool by_task;
	size_t from;
	int ret, more;

	readers_take_rest(rec->readers);
	from = sideband_waiting(rec->readers->sideband);
	ret = choose_rings(rec, record ? &rec->rings : &rec->plain, record);
	by_task = rec->scope->now->by_task;
	rec->on = record;
	rec->unsettled = true;
	rec->unseen = rec->unseen ? rec->unseen : clock_ns();
	rec->redo = !ask_reopen(rec, false) && (by_task || !record);
	more = by_task ? attach(rec, from) : open_shut(rec);
	rec->redo |= by_task && attach_late(rec->attach);
	if (by_task)
		attach_enable(rec->attach);
	tell_unseen(rec);
	return ret ? ret : more;
}

/* Readers that cannot open the new rings go back to the old ones, with their tids. */
int recording_reopen(struct recording *rec, const struct event_list *events)
{
	int ret;

	if (rec->tids[false] && !VEC_PUSH(rec->kept, rec->nkept, rec->cap_kept, rec->tids[false]))
		return -ENOMEM;
	rec->tids[false] = NULL;
	rec->events = events;
	ret = reopen_rings(rec, false);
	return ret || !rec->redo ? ret : -ETIMEDOUT;
}

/* Call take() with the kernel's losses so far; those of late readers are not known. */
static void each_lost(struct recording *rec, void (*take)(struct recording *rec, unsigned reader,
							  unsigned event, uint64_t lost))
{
	for (unsigned i = 0; i < rec->readers->nr; i++) {
		const struct reader *r = rec->readers->reader[i].reader;

		for (unsigned e = 0; e < rec->scope->events.nr && reader_done(r); e++)
			take(rec, i, e, reader_report(r)->input[e].lost_samples);
	}
}

static uint64_t *lost_before(struct recording *rec, unsigned reader, unsigned event)
{
	return &rec->lost_before[reader * rec->scope->events.nr + event];
}

static void note_lost(struct recording *rec, unsigned reader, unsigned event, uint64_t lost)
{
	*lost_before(rec, reader, event) = lost;
}

static void tell_lost(struct recording *rec, unsigned reader, unsigned event, uint64_t lost)
{
	recorder_lost(rec->recorder, reader, event, lost - *lost_before(rec, reader, event));
}

/* Note losses from before the recording, which are not its own. */
static int note_lost_before(struct recording *rec)
{
	rec->lost_before = calloc((size_t)rec->readers->nr * rec->scope->events.nr + 1,
				  sizeof(*rec->lost_before));
	if (!rec->lost_before)
		return -ENOMEM;
	each_lost(rec, note_lost);
	return 0;
}

/*
 * Give the recorder the ids of counters whose records are still in the old sideband rings and go
 * into the file.  For a late reader, which may be opening its rings now, settle_readers() does
 * that.
 */
static int note_ids_before(struct recording *rec)
{
	int ret = 0;

	for (unsigned i = 0; i < rec->readers->nr && !ret; i++)
		if (reader_done(rec->readers->reader[i].reader))
			ret = recorder_ids(rec->recorder, i,
					   reader_set(rec->readers->reader[i].reader));
	return ret;
}

static bool samples_aux(const struct event_list *list)
{
	for (unsigned i = 0; i < list->nr; i++)
		if (list->events[i].attr.aux_sample_size)
			return true;
	return false;
}

/* Set up AUX data: full mode's bytes, and what decoding AUX samples needs, go into the file. */
static int prepare_aux(struct recording *rec)
{
	const struct readers *rs = rec->readers;
	struct auxset_info info;
	unsigned *queues, nr = 0;
	int ret;

	if (!rs->aux)
		return 0;
	auxset_info(rs->aux, &info);
	if (info.mode != AUX_FULL && !samples_aux(&rec->scope->events))
		return 0;
	queues = calloc(rs->nr + 1, sizeof(*queues));
	if (!queues)
		return -ENOMEM;
	for (unsigned i = 0; i < rs->nr; i++)
		if (rs->reader[i].aux)
			queues[nr++] = i;
	ret = recorder_aux(rec->recorder, rs->aux, queues);
	free(queues);
	return ret;
}

static int prepare_recorder(struct recording *rec, const struct ringset_config *rings,
			    struct err *err)
{
	int ret = recorder_queues(rec->recorder, rec->readers->nr, rings, err);

	if (!ret && (note_lost_before(rec) || note_ids_before(rec) || prepare_aux(rec)))
		ret = err_set(err, ENOMEM, "out of memory");
	if (!ret)
		sideband_record(rec->readers->sideband,
				recorder_queue(rec->recorder, rec->readers->nr));
	return ret;
}

/* --- begin and end ------------------------------------------------------------------------ */

static void log_failed(struct recording *rec, struct slice *s, const struct err *err)
{
	slice_log(s, SLICE_WARNING, "%s", err->text);
	recorder_status(rec->recorder, &rec->status);
	rec->status.state = RECORDING_FAILED;
}

static void begin_recording(struct recording *rec, struct slice *s)
{
	struct ringset_config as_recorded = *rec->scope->now;
	struct err err = {.code = 0};
	uint64_t asked = clock_ns();
	char span[UNITS_LEN];
	int ret;

	as_recorded.recorded = true;
	as_recorded.overwrite = false;
	ret = prepare_recorder(rec, &as_recorded, &err);
	if (!ret) {
		ret = reopen_rings(rec, true);
		if (ret)
			err_set(&err, -ret, "cannot record: the rings cannot be reopened: %s",
				strerror(-ret));
	}
	if (!ret)
		ret = recorder_start(rec->recorder, rec->rings.tids, rec->rings.ntids, &err);
	rec->status = (struct slice_recording){.since = clock_ns() - rec->scope->zero};
	if (!ret) {
		slice_log(s, SLICE_INFO,
			  "recording started; the rings were reopened for it, in %s",
			  units_span(span, clock_ns() - asked));
		return;
	}
	log_failed(rec, s, &err);
	if (rec->on)
		reopen_rings(rec, false);
	sideband_record(rec->readers->sideband, NULL);
	retire(rec);
}

/* Open the rings as they were; the file is finished meanwhile. */
static void end_recording(struct recording *rec)
{
	reopen_rings(rec, false);
	each_lost(rec, tell_lost);
	sideband_record(rec->readers->sideband, NULL);
	recorder_end(rec->recorder);
}

static void log_finished(struct recording *rec, struct slice *s)
{
	const struct err *err = recorder_error(rec->recorder);
	char bytes[UNITS_LEN];

	recorder_status(rec->recorder, &rec->status);
	if (err->code) {
		slice_log(s, SLICE_WARNING, "%s", err->text);
		if (rec->at_start || s->last)
			rec->failure = *err;
	} else {
		slice_log(s, SLICE_INFO, "%s is written: %s, %llu samples, %llu lost",
			  rec->status.file, units_bytes(bytes, (double)rec->status.bytes),
			  (unsigned long long)rec->status.samples,
			  (unsigned long long)rec->status.lost);
	}
	retire(rec);
}

int recording_first(struct recording *rec, struct err *err)
{
	static const pid_t nobody;
	const struct readers *rs = rec->readers;
	const struct ringset_config *now = rec->scope->now;
	bool new_command = rec->scope->target.kind == TARGET_COMMAND;
	int ret;

	rec->recorder = rec->wanted;
	rec->wanted = NULL;
	rec->on = rec->at_start = true;
	ret = prepare_recorder(rec, now, err);
	for (unsigned i = 0; i < rs->nr && !ret; i++) {
		reader_record(rs->reader[i].reader, recorder_queue(rec->recorder, i));
		ret = recorder_ids(rec->recorder, i, reader_set(rs->reader[i].reader));
	}
	/* A COMMAND has not begun yet: records will have all of it. */
	if (!ret)
		ret = recorder_start(rec->recorder, new_command ? &nobody : now->tids,
				     new_command ? 0 : now->ntids, err);
	return ret;
}

void recording_step(void *recording, struct tick_now *n)
{
	struct recording *rec = recording;
	bool stop = atomic_load_relaxed(&rec->stop);

	/* Late readers' rest, and counters that were opened since. */
	if (rec->unsettled || rec->recorder) {
		open_shut(rec);
		rec->unsettled = !readers_all_done(rec->readers) || any_shut(rec->readers);
	}
	if (rec->redo && readers_all_done(rec->readers))
		reopen_rings(rec, rec->on);
	else if (rec->unseen)
		tell_unseen(rec);
	if (readers_all_done(rec->readers) && !rec->redo)
		free_over(rec);
	if (!rec->recorder && readers_all_done(rec->readers) && !rec->redo) {
		/* Acquire: pairs with recording_ask. */
		rec->recorder = atomic_take(&rec->wanted);
		if (rec->recorder)
			begin_recording(rec, n->s);
	} else if (rec->recorder && rec->on && (stop || recorder_done(rec->recorder)) &&
		   readers_all_done(rec->readers)) {
		end_recording(rec);
	}
	/* A late reader may still give AUX bytes. */
	if (rec->recorder && !rec->on && recorder_done(rec->recorder) &&
	    readers_all_done(rec->readers))
		log_finished(rec, n->s);
}

void recording_tell(void *recording, struct tick_now *n)
{
	struct recording *rec = recording;

	if (rec->recorder) {
		if (rec->on)
			each_lost(rec, tell_lost);
		if (rec->on && n->on_time)
			recorder_round(rec->recorder);
		recorder_status(rec->recorder, &rec->status);
		/* The recording is over once the next may begin. */
		if (rec->status.state != RECORDING_ON)
			rec->status.state = RECORDING_ENDING;
	}
	n->s->recording = rec->status;
	if (n->last)
		recording_last(rec, n->s);
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

void recording_last(struct recording *rec, struct slice *s)
{
	if (rec->recorder) {
		recording_end(rec);
		log_finished(rec, s);
	}
	s->recording = rec->status;
}

const struct err *recording_failure(const struct recording *rec)
{
	return &rec->failure;
}

bool recording_has_rings(const struct recording *rec)
{
	return rec->recorder != NULL;
}

void recording_clear(struct recording *rec)
{
	recorder_free(rec->recorder);
	recorder_free(rec->wanted);
	free_over(rec);
	free(rec->lost_before);
	for (size_t i = 0; i < rec->nkept; i++)
		free(rec->kept[i]);
	free(rec->kept);
	free(rec->tids[0]);
	free(rec->tids[1]);
}
