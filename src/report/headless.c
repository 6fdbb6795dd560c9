/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/headless.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "control/control.h"
#include "model/core/eventlog.h"
#include "model/core/marks.h"
#include "model/judge/condition_actions.h"

#define LOGS 256 /* lines in a report */
#define DURATION_GRACE_NS (200 * NSEC_PER_MSEC)

struct run {
	struct session *s;
	struct model *m;
	const struct headless_options *o;
	struct headless_result *r;
	struct out out;
	struct headless_view view;
	const struct slice_log *logs[LOGS];
	uint64_t delay, duration; /* ns */
	uint64_t deadline;        /* CLOCK_MONOTONIC of the end, in case slices are late; or 0 */
	uint64_t start;           /* start of the first slice */
	uint64_t taken;           /* CLOCK_MONOTONIC when the newest slice came, or we began */
	uint64_t from, next;      /* the interval under way: its start and its due end */
	size_t nlogs;             /* lines that came in it */
	bool started, stopped;
	int failed; /* error of session_next() other than -ESHUTDOWN */
};

static void run_stop(struct run *run)
{
	if (!run->stopped)
		run->s->ops->stop(run->s);
	run->stopped = true;
}

static int report_interval(struct run *run, uint64_t end)
{
	struct headless_view *v = &run->view;

	v->window = (struct window){run->from, end};
	v->time = (double)end / NSEC_PER_SEC;
	v->seconds = (double)(end - run->from) / NSEC_PER_SEC;
	v->top = run->o->show.top;
	v->nlogs = model_logs(run->m, run->logs, run->nlogs < LOGS ? run->nlogs : LOGS);
	if (run->o->format->interval)
		run->o->format->interval(&run->out, v);
	eventlog_mark(run->m);
	run->r->intervals++;
	run->nlogs = 0;
	run->from = end;
	/* Keep the model from merging slices that were reported with slices that were not. */
	model_hold(run->m, (struct window){end, UINT64_MAX});
	if (run->next <= end) /* a file's next slice may be years away */
		run->next += ((end - run->next) / run->delay + 1) * run->delay;
	return out_flush(&run->out);
}

static int report_total(struct run *run)
{
	struct headless_view *v = &run->view;

	v->window = WINDOW_ALL;
	v->time = (double)model_now(run->m) / NSEC_PER_SEC;
	v->seconds = (double)(model_now(run->m) - run->start) / NSEC_PER_SEC;
	v->top = 0;
	v->nlogs = model_logs(run->m, run->logs, LOGS);
	v->end = &run->r->end;
	run->o->format->total(&run->out, v);
	return out_flush(&run->out);
}

/* Take one slice; report where an interval ends with it. */
static int run_slice(struct run *run, struct slice *slice)
{
	uint64_t end = slice->end;
	int ret = 0;

	if (!run->started) {
		run->started = true;
		run->start = run->from = slice->start;
		run->next = slice->start + run->delay;
	}
	run->nlogs += slice->nlogs;
	run->taken = clock_ns();
	if (run->o->log_events && run->o->format->logged)
		run->o->format->logged(&run->out, &run->view, slice);
	model_add(run->m, slice); /* out of memory: counted, and shown by the advice */
	if (run->stopped)
		return 0;
	if (run->o->conditions)
		conditions_serve(run->o->conditions, run->m, run->s);
	if (end >= run->next)
		ret = report_interval(run, end);
	if ((run->o->show.iterations && run->r->intervals >= run->o->show.iterations) ||
	    (run->duration && end - run->start >= run->duration))
		run_stop(run);
	return ret;
}

/*
 * Take one slice that is ready, not all: when we are late there is always another one, and a
 * request to stop must be seen all the same.
 */
static int run_next(struct run *run, bool *more)
{
	struct slice *slice = NULL;
	int ret = session_next(run->s, &slice);

	if (ret && ret != -ESHUTDOWN)
		run->failed = ret;
	*more = slice != NULL;
	if (ret)
		return -ESHUTDOWN;
	return slice ? run_slice(run, slice) : 0;
}

/* Send a command to the session.  Return true if the session accepted it. */
static bool run_session_command(struct run *run, enum session_command command, const char *why)
{
	struct session_request rq = {.command = command, .text = why};
	struct err err = {.code = 0};

	if (run->stopped)
		return false;
	if (run->s->ops->command(run->s, &rq, &err))
		log_msg(LOG_SESSION, "%s: %s", why, err.text);
	return !err.code;
}

/*
 * Set a mark now, behind the newest slice: marks up to that slice may have been reported already.
 * In a file's session time stands still between slices.
 */
static bool run_mark(struct run *run, const char *name)
{
	uint64_t time = model_now(run->m) + (run->s->info.live ? clock_ns() - run->taken : 0);
	char day[MARK_NAME];

	marks_time_of_day(run->s->info.start_wall + time, day, sizeof(day));
	return !marks_set(run->m, run->s, time ? time : 1, *name ? name : day);
}

/* Obey signals; several of one kind that came since the last look count as one. */
static void run_signals(struct run *run)
{
	struct signalfd_siginfo info;
	bool snapshot = false, mark = false;

	while (read(run->o->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		snapshot |= info.ssi_signo == SIGUSR2;
		mark |= info.ssi_signo == SIGUSR1;
	}
	if (mark)
		run_mark(run, "");
	if (snapshot)
		run_session_command(run, SESSION_SNAPSHOT, "signal");
}

/* Obey an order of --control.  Return false if that failed. */
static bool run_order(void *arg, const struct control_order *order)
{
	struct run *run = arg;

	switch (order->word) {
	case CONTROL_MARK:
		return run_mark(run, order->text);
	case CONTROL_RESUME:
		return run_session_command(run, SESSION_RESUME, "control");
	case CONTROL_PAUSE:
		return run_session_command(run, SESSION_PAUSE, "control");
	case CONTROL_SNAPSHOT:
		return run_session_command(run, SESSION_SNAPSHOT, "control");
	case CONTROL_STOP:
		run_stop(run);
		return true;
	case CONTROL_PING:
		return true;
	default:
		log_msg(LOG_SESSION, "control: unknown order '%s'", order->text);
		return false;
	}
}

static void run_control(struct run *run)
{
	control_serve(run->o->control, run_order, run);
}

/* Return the ms until the duration is over; -1: it is in a file's time, or there is none. */
static int poll_timeout(const struct run *run)
{
	uint64_t now = clock_ns();

	if (!run->deadline || run->stopped)
		return -1;
	return run->deadline > now ? (int)((run->deadline - now) / NSEC_PER_MSEC) + 1 : 0;
}

static int run_loop(struct run *run, struct err *err)
{
	struct pollfd p[4] = {{.fd = run->s->ops->fd(run->s), .events = POLLIN},
			      {.fd = run->o->stop_fd, .events = POLLIN},
			      {.fd = run->o->signal_fd, .events = POLLIN},
			      {.fd = control_fd(run->o->control), .events = POLLIN}};

	for (;;) {
		bool more;
		int ret = run_next(run, &more);

		if (ret)
			return ret == -ESHUTDOWN ? 0 : ret;
		if (poll(p, 4, more ? 0 : poll_timeout(run)) < 0) {
			if (errno != EINTR)
				return err_set(err, errno, "poll: %s", strerror(errno));
			p[0].revents = p[1].revents = p[2].revents = p[3].revents = 0;
		}
		if (p[2].revents)
			run_signals(run);
		if (p[3].revents)
			run_control(run);
		if (run->deadline && clock_ns() >= run->deadline)
			run_stop(run);
		if (p[1].fd >= 0 && p[1].revents) {
			run_stop(run);
			p[1].fd = -1; /* stays readable */
		}
	}
}

static int run_reports(struct run *run, struct err *err)
{
	int ret;

	if (run->o->format->header)
		run->o->format->header(&run->out, &run->view);
	ret = out_flush(&run->out);
	if (!ret)
		ret = run_loop(run, err);
	if (ret)
		return ret;
	run_signals(run); /* signals that came with the last slice */
	run_control(run);
	run->s->ops->end(run->s, &run->r->end);
	if (!run->r->end.error)
		run->r->end.error = run->failed;
	return report_total(run);
}

static int run_verdict(struct run *run, int ret, struct err *err)
{
	const struct session_end *end = &run->r->end;

	if (run->out.error == -EPIPE) {
		run->r->reader_gone = true;
		return 0;
	}
	if (run->out.error == -ETIMEDOUT)
		return err_set(err, ETIMEDOUT, "cannot write the report: nothing reads it");
	if (run->out.error)
		return err_set(err, -run->out.error, "cannot write the report: %s",
			       strerror(-run->out.error));
	if (ret)
		return ret;
	if (end->error)
		return err_set(err, -end->error, "%s",
			       end->text[0] ? end->text : strerror(-end->error));
	if (model_incomplete(run->m))
		return err_set(err, ENOMEM,
			       "out of memory: the counts of some CPUs are not in the sums");
	return 0;
}

/*
 * Return the default interval in seconds, at least a 100th of a file's length: reports for each
 * second of an hour's recording would be too many to read, and each has all functions.
 */
static double default_delay(const struct session_info *info)
{
	double part = (double)(info->length / NSEC_PER_SEC / 100);

	return part > 1 ? part : 1;
}

int headless_run(struct session *s, struct model *m, const struct headless_options *o,
		 struct headless_result *r, struct err *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	double delay = o->show.delay > 0 ? o->show.delay : default_delay(&s->info);
	struct run *run = calloc(1, sizeof(*run));
	int ret;

	*r = (struct headless_result){0};
	if (!run)
		return err_set(err, ENOMEM, "out of memory");
	run->s = s;
	run->m = m;
	run->o = o;
	run->r = r;
	run->taken = clock_ns();
	run->delay = (uint64_t)(delay * NSEC_PER_SEC);
	run->delay = run->delay ? run->delay : 1;
	run->duration = (uint64_t)(o->show.duration * NSEC_PER_SEC);
	/*
	 * Later than the duration: slices that are on time end it, and their last interval is
	 * whole.
	 */
	if (run->duration && s->info.live)
		run->deadline = clock_ns() + run->duration + DURATION_GRACE_NS;
	run->view =
		(struct headless_view){.model = m,
				       .top = o->show.top,
				       .show_self = o->show.show_self,
				       .paths = o->show.paths,
				       .log_events = o->log_events,
				       .group = o->group,
				       .sort = o->sort,
				       .filter = o->filter,
				       .version = o->version,
				       .delay = delay,
				       .logs = run->logs,
				       .control = o->control ? control_counts(o->control) : NULL};
	out_init(&run->out, o->out_fd, o->stop_fd);
	/* let write() fail if the reader of the report has gone, instead of ending this process */
	sigaction(SIGPIPE, &ignore, &before);
	ret = run_verdict(run, run_reports(run, err), err);
	sigaction(SIGPIPE, &before, NULL);
	out_clear(&run->out);
	free(run);
	return ret;
}
