/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/filesession.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread.h"
#include "base/units.h"
#include "files/decode/order.h"
#include "files/decode/perfdata.h"
#include "sources/replay/file_sandbox.h"
#include "sources/replay/fileevents.h"
#include "sources/replay/replay.h"
#include "names/kernel/kernelsyms.h"
#include "measure/session/kernelnames.h"
#include "measure/session/outbox.h"
#include "core/table/combine.h"

#define ORDER_BYTES (256u << 20) /* most bytes that wait to be sorted */

struct file {
	struct session base;
	int fd, stop_fd; /* stop_fd: an eventfd, readable once `stop` is set */
	int cancel_fd;   /* readable: cancelled by the caller during the opening; then -1 */
	bool own_fd;
	/* Sort by time; false: keep the file's order (before 2.6.38 only samples had times). */
	bool timed;
	struct perfdata_source source;
	struct file_sandbox sandbox; /* used if a helper reads it */
	struct perfdata *data;
	struct tracedat *tracedat; /* data is a stream of it; NULL: not a trace.dat */
	struct fileformats formats;
	struct kernelnames kernel; /* names by the file's own kallsyms, if no helper reads it */
	struct filefields_plan traced;
	struct filewaits_plan waits;
	struct order *order;
	struct replay *replay;
	struct outbox outbox;
	struct requestqueue requestqueue;
	sem_t room;  /* free places of the outbox */
	bool said;                  /* messages of the end were logged */
	_Atomic bool stop, closing; /* closing: no more slices are taken */
	pthread_t thread;
	bool running, sem;
	struct session_event events[COMBINE_EVENTS];
	/* Offset of the newest replayed record, and end of the last one. */
	uint64_t replayed, end_offset;
	struct session_end end;
};

/* --- the ops ------------------------------------------------------------------------------ */

static int file_next(struct session *s, struct slice **slice)
{
	struct file *f = (struct file *)s;
	int ret = outbox_take(&f->outbox, slice);

	if (*slice)
		sem_post(&f->room);
	return ret;
}

static int file_fd(struct session *s)
{
	return ((struct file *)s)->outbox.fd;
}

static int file_command(struct session *s, const struct session_request *rq, struct err *err)
{
	if (rq->command == SESSION_CODE)
		return requestqueue_put(&((struct file *)s)->requestqueue, rq->code, err);
	if (rq->command == SESSION_SNAPSHOT || rq->command == SESSION_DUMP)
		return err_set(err, EOPNOTSUPP, "this is a recording: there are no rings to copy");
	if (rq->command == SESSION_EVENTS)
		return err_set(err, EOPNOTSUPP,
			       "this is a recording: its events cannot be changed");
	if (rq->command == SESSION_RING_SIZE)
		return err_set(err, EOPNOTSUPP, "this is a recording: its rings cannot be changed");
	if (rq->command == SESSION_FETCH)
		return err_set(err, EOPNOTSUPP, "it is already on this machine");
	return err_set(err, EOPNOTSUPP,
		       "this is a recording: it cannot be paused, only stopped at");
}

static void file_stop(struct session *s)
{
	struct file *f = (struct file *)s;

	f->stop = true;
	eventfd_write(f->stop_fd, 1);
}

static void file_end(struct session *s, struct session_end *end)
{
	*end = ((struct file *)s)->end;
}

static void file_close(struct session *s)
{
	struct file *f = (struct file *)s;

	f->closing = true;
	if (f->running) {
		file_stop(s);
		eventfd_write(f->requestqueue.fd, 1);
		sem_post(&f->room);
		pthread_join(f->thread, NULL);
	}
	replay_free(f->replay);
	order_free(f->order);
	filefields_plan_clear(&f->traced);
	fileformats_clear(&f->formats);
	kernelnames_clear(&f->kernel);
	perfdata_close(f->data);
	tracedat_free(f->tracedat);
	file_sandbox_close(&f->sandbox);
	outbox_clear(&f->outbox);
	requestqueue_clear(&f->requestqueue);
	if (f->sem)
		sem_destroy(&f->room);
	if (f->own_fd)
		close(f->fd);
	if (f->stop_fd >= 0)
		close(f->stop_fd);
	free(f);
}

static void file_abandon(struct session *s)
{
	(void)s; /* nothing outlives the process */
}

static const struct session_ops file_ops = {
	.name = "file", .next = file_next, .fd = file_fd, .command = file_command,
	.stop = file_stop, .end = file_end, .close = file_close,
	.abandon = file_abandon,
};

/* --- the thread --------------------------------------------------------------------------- */

/* Wait for input, in a pipe. Return 0, 1: stop, or -errno. */
static int await_input(const struct file *f)
{
	struct pollfd p[] = {{.fd = f->source.seekable ? -1 : f->fd, .events = POLLIN},
			     {.fd = f->stop_fd, .events = POLLIN},
			     {.fd = f->cancel_fd, .events = POLLIN}};

	while (poll(p, 3, f->source.seekable ? 0 : -1) < 0)
		if (errno != EINTR)
			return -errno;
	return p[2].revents ? -ECANCELED : p[1].revents != 0;
}

/* Read input: a regular file at the given offset, a pipe in order. */
static ssize_t read_input(void *arg, void *buf, size_t len, uint64_t offset)
{
	struct file *f = arg;
	ssize_t n;

	for (;;) {
		int stop = await_input(f);

		if (stop)
			return stop < 0 ? stop : 0;
		n = f->source.seekable ? pread(f->fd, buf, len, (off_t)offset)
				       : read(f->fd, buf, len);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			return n < 0 ? -errno : n;
	}
}

/* Return the replayed part of the file's records; 0 if their number is not known. */
static float progress(const struct file *f)
{
	uint64_t data = perfdata_info(f->data)->data;

	return f->end_offset > data && f->replayed > data
	       ? (float)(f->replayed - data) / (float)(f->end_offset - data) : 0;
}

/* Log that there is a hardware trace: the file of a snapshot of it would otherwise look empty. */
static void say_trace(const struct file *f, struct slice *s)
{
	uint64_t bytes = perfdata_trace(f->data);
	char text[UNITS_LEN];

	if (bytes)
		slice_log(s, SLICE_INFO,
			  "the file holds %s of hardware trace, which is not decoded here: "
			  "perf script --itrace=i10us", units_bytes(text, (double)bytes));
}

static void say_unknown(const struct file *f, struct slice *s)
{
	uint32_t type;
	uint64_t nr = perfdata_unknown(f->data, &type);

	if (nr)
		slice_log(s, SLICE_INFO,
			  "%llu records skipped, of types unknown to this version (the first: %u)",
			  (unsigned long long)nr, type);
}

static void queue_slice(void *arg, struct slice *s)
{
	struct file *f = arg;

	s->progress = s->last ? 1 : progress(f);
	/* Slices with replies after the end are marked as last, too. */
	if (s->last && !f->said) {
		say_trace(f, s);
		say_unknown(f, s);
		f->said = true;
	}
	while (!f->closing && sem_wait(&f->room) && errno == EINTR)
		;
	if (f->closing)
		slice_free(s);
	else
		outbox_put(&f->outbox, s);
}

/* Replay the records whose order is certain by now. */
static int drain_ordered(struct file *f)
{
	const struct order_record *r;
	int ret = 0;

	while (!ret && !f->stop && (r = order_next(f->order))) {
		f->replayed = r->offset > f->replayed ? r->offset : f->replayed;
		ret = replay_record(f->replay, &r->h, r->event, r->time, r->offset);
	}
	return ret;
}

/*
 * Return how many bytes of a record replay reads: a tracepoint's data and the like need not wait
 * with it.
 */
static uint16_t needed(const struct file *f, const struct perfdata_record *rec)
{
	const struct record_layout *l;

	if (rec->h->type != PERF_RECORD_SAMPLE || rec->event == PERFDATA_NO_EVENT)
		return rec->h->size;
	l = &perfdata_event(f->data, rec->event)->layout;
	return l->nsteps || rec->h->size < l->fixed ? rec->h->size : l->fixed;
}

static int sort_record(struct file *f, const struct perfdata_record *rec)
{
	int ret;

	if (rec->h->type == PERFDATA_FINISHED_ROUND)
		order_round(f->order);
	/* Records without time are valid from the start; or all stay in the file's order. */
	else if (!rec->time || !f->timed)
		return replay_record(f->replay, rec->h, rec->event, rec->time, rec->offset);
	else if ((ret = order_add(f->order, rec->h, needed(f, rec), rec->time, rec->event,
				  rec->offset)))
		return ret;
	return order_ready(f->order) ? drain_ordered(f) : 0;
}

static int replay_all(struct file *f, struct err *err)
{
	struct perfdata_record rec;
	int ret;

	while (!f->stop && (ret = perfdata_next(f->data, &rec, err)) > 0) {
		ret = sort_record(f, &rec);
		if (ret)
			return err_set(err, -ret, "out of memory");
	}
	return f->stop ? 0 : ret;
}

static void log_end(struct file *f, int ret, const struct err *err)
{
	uint64_t bad;
	const struct err *problem = perfdata_problem(f->data, &bad);
	size_t size = sizeof(f->end.text);

	f->end.error = ret;
	if (ret && bad)
		text_append(f->end.text, size, 0,
			    "%s; and %llu more could not be read, the first: %s", err->text,
			    (unsigned long long)bad, problem->text);
	else if (ret)
		text_append(f->end.text, size, 0, "%s", err->text);
	if (ret || !bad)
		return;
	f->end.error = -EBADMSG;
	if (bad > 1)
		text_append(f->end.text, size, 0, "%s, and %llu more", problem->text,
			    (unsigned long long)(bad - 1));
	else
		text_append(f->end.text, size, 0, "%s", problem->text);
}

static void *file_thread(void *arg)
{
	struct file *f = arg;
	struct err err = {.code = 0};
	int ret;

	pthread_setname_np(pthread_self(), "ringtop-file");
	ret = replay_all(f, &err);
	order_finish(f->order);
	/* A file that is cut off: earlier records count. After a failure no more are taken. */
	if (drain_ordered(f) || replay_finish(f->replay))
		ret = ret ? ret : err_set(&err, ENOMEM, "out of memory");
	log_end(f, ret, &err);
	log_msg(LOG_SESSION, "file: %s", f->end.text[0] ? f->end.text : "the whole file was read");
	outbox_end(&f->outbox, -ESHUTDOWN);
	replay_linger(f->replay, f->requestqueue.fd, &f->closing);
	return NULL;
}

/* --- opening ------------------------------------------------------------------------------ */

/* Return the build-id of the recorded kernel, or NULL. */
static const struct perfdata_build_id *recorded_kernel(const struct perfdata *data)
{
	for (size_t i = 0; i < perfdata_build_ids(data); i++) {
		const struct perfdata_build_id *b = perfdata_build_id(data, i);

		if (b->kernel && !strncmp(b->path, "[kernel.kallsyms]", 17))
			return b;
	}
	return NULL;
}

/* Return true if /proc/kallsyms is of the recorded kernel. */
static bool same_kernel(const struct perfdata *data)
{
	const struct perfdata_info *info = perfdata_info(data);
	const struct perfdata_build_id *b = recorded_kernel(data);
	struct build_id ours = kernel_build_id();
	struct utsname u;

	if (b && ours.len)
		return build_id_equal(&b->id, &ours);
	/* Best guess: the same release on the same host. */
	return !uname(&u) && !strcmp(u.nodename, info->host) && !strcmp(u.release, info->release);
}

static bool same_host(const struct perfdata *data)
{
	struct utsname u;

	return !uname(&u) && !strcmp(u.nodename, perfdata_info(data)->host);
}

static int open_input(struct file *f, const char *path, struct err *err)
{
	struct stat st;

	if (!strcmp(path, "-")) {
		f->fd = STDIN_FILENO;
	} else {
		/* If a FIFO has no writer yet, the reading waits for one. */
		f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		f->own_fd = f->fd >= 0;
	}
	if (f->fd < 0 || fstat(f->fd, &st))
		return err_set(err, errno, "cannot read %s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err_set(err, EISDIR,
			       "%s is a directory; recordings of `perf record --threads` "
			       "cannot be replayed", path);
	f->source = (struct perfdata_source){.read = read_input, .arg = f,
					     .seekable = S_ISREG(st.st_mode)};
	return 0;
}

static uint64_t start_wall(const struct file *f)
{
	const struct perfdata_info *info = perfdata_info(f->data);
	struct stat st;
	uint64_t end;

	if (info->wall)
		return info->wall + (info->first - info->clock);
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return clock_read(CLOCK_REALTIME);
	/* perf closes the file when the recording ends. */
	end = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	return info->last - info->first < end ? end - (info->last - info->first) : end;
}

/* Return the offset of the records' end; 0: not known. */
static uint64_t records_end(const struct file *f)
{
	const struct perfdata_info *info = perfdata_info(f->data);
	struct stat st;

	if (info->data_end != UINT64_MAX)
		return info->data_end;
	return !fstat(f->fd, &st) && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

/*
 * Return the wall time of the recording's end as given in the file; else the file's time, which is
 * later for a copy.
 */
static uint64_t end_wall(const struct file *f)
{
	const struct perfdata_info *info = perfdata_info(f->data);
	struct stat st;

	if (info->wall && info->last > info->clock)
		return info->wall + (info->last - info->clock);
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode))
		return clock_read(CLOCK_REALTIME);
	return (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
}

static const char *recorded_call_graph(const struct perfdata *data)
{
	uint64_t types = 0;
	bool calls = false;

	for (unsigned i = 0; i < perfdata_events(data); i++) {
		types |= perfdata_event(data, i)->attr.sample_type;
		calls |= perfdata_event(data, i)->layout.calls;
	}
	if (!(types & PERF_SAMPLE_CALLCHAIN))
		return "";
	return types & PERF_SAMPLE_STACK_USER ? "dwarf" : calls ? "lbr" : "fp";
}

static void describe_recording(struct file *f, const struct measure_config *c)
{
	const char *path = c->input;
	const struct perfdata_info *in = perfdata_info(f->data);
	struct session_info *info = &f->base.info;

	snprintf(info->host, sizeof(info->host), "%s", in->host);
	if (in->command[0])
		snprintf(info->target, sizeof(info->target), "%.80s: %.160s", path, in->command);
	else
		snprintf(info->target, sizeof(info->target), "%.200s", path);
	snprintf(info->call_graph, sizeof(info->call_graph), "%s", recorded_call_graph(f->data));
	if (perfdata_problem(f->data, NULL)->code)
		snprintf(info->note, sizeof(info->note), "%.500s",
			 perfdata_problem(f->data, NULL)->text);
	else
		snprintf(info->note, sizeof(info->note), "%s", in->remark);
	info->debuginfod = c->debuginfod;
	info->start_wall = start_wall(f);
	info->length = in->last > in->first ? in->last - in->first : 0;
	info->cpus = in->cpus;
	info->events = f->events;
	info->nevents = fileevents_describe(f->data, f->events);
}

/* Name an address by the file's copy of kallsyms. */
static bool name_by_file(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start)
{
	struct file *f = arg;

	return f->sandbox.life ? file_sandbox_name(&f->sandbox, addr, name, size, start)
			     : kernelnames_find(&f->kernel, addr, name, size, start);
}

static int start_replay(struct file *f, const struct measure_config *c, struct err *err)
{
	struct replay_config rc = {.file = f->data,
				   .asks = &f->requestqueue,
				   .kernel = same_kernel(f->data),
				   .lines = !c->no_lines,
				   .debuginfod = c->debuginfod,
				   .vmlinux = c->vmlinux,
				   .kallsyms = c->kallsyms,
				   .here = same_host(f->data),
				   .piped = !f->source.seekable,
				   .consumers.traced = &f->traced,
				   .consumers.waits = &f->waits,
				   .consumers.log = {.formats = &f->formats,
					   .long_size = perfdata_info(f->data)->long_size,
					   .all = c->log_events,
					   .with_fields = c->log_fields,
					   .names = c->kallsyms ? NULL : name_by_file,
					   .names_arg = f,
					   .kallsyms = c->kallsyms	      ? c->kallsyms
						       : same_kernel(f->data) ? "/proc/kallsyms"
									      : NULL,
					   .wanted = c->log_lines &&
						     !perfdata_info(f->data)->swapped},
				   .start_wall = f->base.info.start_wall,
				   .stop_fd = f->stop_fd,
				   .put = queue_slice,
				   .arg = f};
	size_t len;
	const char *kallsyms = perfdata_kallsyms(f->data, &len);
	int ret;

	kernelnames_init_text(&f->kernel, kallsyms, len);
	if (recorded_kernel(f->data)) {
		rc.kernel_id = recorded_kernel(f->data)->id;
	} else if (!rc.kernel) {
		rc.kernel_why = *perfdata_info(f->data)->release
				? "it was recorded on another kernel"
				: "the file does not say on which kernel it was recorded";
	}
	rc.files =
		(struct objfile_rules){.symfs = c->symfs, .recorded = true, .until = end_wall(f)};
	if (!rc.here && perfdata_info(f->data)->host[0])
		rc.files.host = perfdata_info(f->data)->host;
	rc.here &= rc.kernel;
	f->order = order_create(ORDER_BYTES);
	if (!f->order)
		return err_set(err, ENOMEM, "out of memory");
	f->replay = replay_create(&rc, err);
	if (!f->replay)
		return -err->code;
	ret = thread_start(&f->thread, file_thread, f);
	f->running = !ret;
	return ret ? err_set(err, -ret, "cannot start a thread for the file: %s", strerror(-ret))
		   : 0;
}

static struct perfdata *open_unsandboxed(struct file *f, struct err *err)
{
	struct perfdata *p = file_open_any(&f->source, &f->tracedat, err);

	if (p && fileformats_of(p, &f->formats)) {
		err_set(err, ENOMEM, "out of memory");
		perfdata_close(p);
		return NULL;
	}
	return p;
}

static int check_log(const struct file *f, const struct measure_config *c, struct err *err)
{
	bool any = false;

	for (unsigned i = 0; i < perfdata_events(f->data); i++) {
		const struct perf_event_attr *a = &perfdata_event(f->data, i)->attr;

		any |= a->type == PERF_TYPE_TRACEPOINT && a->sample_type & PERF_SAMPLE_RAW;
	}
	if (c->log_events && !any)
		return err_set(err, EINVAL, "--log-events: the file has no tracepoints' records");
	if (c->log_events && perfdata_info(f->data)->swapped)
		return err_set(
			err, EOPNOTSUPP,
			"--log-events: the file has the other byte order: its records cannot be "
			"printed");
	return 0;
}

static int prepare_session(struct file *f, const struct measure_config *c, struct err *err)
{
	struct err why = {.code = 0};
	int ret = open_input(f, c->input, err);

	if (ret)
		return ret;
	f->cancel_fd = c->stop_fd > STDIN_FILENO ? c->stop_fd : -1;
	f->data = f->source.seekable && !sandbox_trusts(f->fd, c->input)
			  ? file_sandbox_open(&f->sandbox, f->fd, &f->formats, &why)
			  : open_unsandboxed(f, &why);
	f->cancel_fd = -1;
	if (!f->data && why.code == ECANCELED)
		return err_set(err, ECANCELED, "stopped before the header of %.200s was read",
			       c->input);
	if (!f->data) {
		err_set(err, why.code, "%.200s: %s", c->input, why.text);
		return *why.advice ? err_advise(err, "%s", why.advice) : -why.code;
	}
	f->end_offset = records_end(f);
	f->timed = perfdata_event(f->data, 0)->attr.sample_id_all;
	describe_recording(f, c);
	ret = check_log(f, c, err);
	if (!ret)
		ret = filefields_plan_make(&f->traced, f->data, &f->formats, c, err);
	if (ret)
		return ret;
	filefields_plan_describe(&f->traced, &f->base.info);
	if (c->off_cpu)
		ret = filewaits_plan_make(&f->waits, f->data, &f->formats,
					  same_kernel(f->data) && same_host(f->data), &f->base.info,
					  f->events, err);
	if (ret)
		return ret;
	return start_replay(f, c, err);
}

struct session *file_open(const struct measure_config *c, struct err *err)
{
	struct file *f = calloc(1, sizeof(*f));
	int outbox, requestqueue;

	if (!f)
		return err_null(err_room(err, ENOMEM, "the session"));
	f->base.ops = &file_ops;
	f->fd = f->cancel_fd = -1;
	outbox = outbox_init(&f->outbox);
	requestqueue = requestqueue_init(&f->requestqueue);
	f->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->sem = !sem_init(&f->room, 0, OUTBOX_MAX);
	if (outbox || requestqueue || f->stop_fd < 0 || !f->sem)
		err_room(err, errno, "the session");
	else if (!prepare_session(f, c, err))
		return &f->base;
	file_close(&f->base);
	return NULL;
}
