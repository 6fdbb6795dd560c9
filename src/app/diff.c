/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/diff.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/io.h"
#include "report/changes.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "app/only.h"
#include "measure/session/session.h"
#include "app/start.h"

#define LOGS 64 /* lines of each file, the newest */

/* Profiles of all events of a file, or of a session. */
struct side {
	struct profile *events;
	unsigned nevents;
};

struct diff {
	const struct options *o;
	const char *path[CHANGES_SIDES];
	struct side side[CHANGES_SIDES];
	struct changes changes;
	struct rowfilter *filter;
	struct err partial; /* error of a file that could be read in part only */
	int stop_fd;
};

/* --- reading a file --------------------------------------------------------------------- */

/* Take all slices that are ready.  0, -ESHUTDOWN at the end, or -errno. */
static int take_slices(struct session *s, struct model *m)
{
	struct slice *slice;
	int ret;

	do {
		slice = NULL;
		ret = session_next(s, &slice);
		if (slice && model_add(m, slice))
			return -ENOMEM;
	} while (slice && !ret);
	return ret;
}

/*
 * Check how reading ended.  As with -i, data from before an error in the file is reported all the
 * same.
 */
static int read_end(struct diff *d, struct session *s, const struct model *m, int i,
		    struct err *err)
{
	struct session_end end = {.error = 0};
	const char *text;

	s->ops->end(s, &end);
	if (end.error == -ENOMEM || model_incomplete(m))
		return err_set(err, ENOMEM, "%s: out of memory", d->path[i]);
	if (!end.error)
		return 0;
	text = end.text[0] ? end.text : strerror(-end.error);
	if (!model_now(m))
		return err_set(err, -end.error, "%s: %s", d->path[i], text);
	err_set(&d->partial, -end.error, "%s: %s", d->path[i], text);
	snprintf(d->changes.side[i].error, sizeof(d->changes.side[i].error), "%s", text);
	return 0;
}

static int read_slices(struct diff *d, struct session *s, struct model *m, int i, struct err *err)
{
	struct pollfd p[] = {{.fd = s->ops->fd(s), .events = POLLIN},
			     {.fd = d->stop_fd, .events = POLLIN}};
	int ret;

	while (!(ret = take_slices(s, m))) {
		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return err_set(err, errno, "poll: %s", strerror(errno));
		if (p[1].revents)
			return err_set(err, ECANCELED, "%s: stopped before the end of the file",
				       d->path[i]);
	}
	if (ret == -ESHUTDOWN)
		return read_end(d, s, m, i, err);
	return err_set(err, -ret, "%s: %s", d->path[i],
		       ret == -ENOMEM ? "out of memory" : strerror(-ret));
}

/* Take the profiles of all events.  host: as query.host, 0: all. */
static int take_profiles(struct diff *d, struct model *m, unsigned host, struct side *side,
			 struct err *err)
{
	const struct session_info *info = model_info(m);

	side->events = calloc(info->nevents + 1, sizeof(*side->events));
	if (!side->events)
		return err_set(err, ENOMEM, "out of memory");
	for (; side->nevents < info->nevents; side->nevents++) {
		struct query q = {.event = side->nevents,
				  .show_self = d->o->show.show_self,
				  .filter = d->filter,
				  .host = host};

		if (profile_take(m, &q, WINDOW_ALL, &side->events[side->nevents])) {
			profile_clear(&side->events[side->nevents]);
			return err_set(err, ENOMEM, "out of memory");
		}
	}
	return 0;
}

/* Copy log lines about the file: a recording that is cut off is compared all the same. */
static int copy_logs(const struct model *m, struct changes_side *side, struct err *err)
{
	const struct slice_log *logs[LOGS];
	size_t n = model_logs(m, logs, LOGS);

	side->logs = calloc(n + 1, sizeof(*side->logs));
	while (side->logs && n--) {
		struct changes_log *l = &side->logs[side->nlogs];

		*l = (struct changes_log){logs[n]->level == SLICE_WARNING, strdup(logs[n]->text)};
		if (!l->text)
			return err_set(err, ENOMEM, "out of memory");
		side->nlogs++;
	}
	return side->logs ? 0 : err_set(err, ENOMEM, "out of memory");
}

static void fill_side_head(struct diff *d, const struct session *s, const struct model *m, int i)
{
	struct changes_side *side = &d->changes.side[i];
	struct head head;

	model_head(m, 0, WINDOW_ALL, &head);
	side->file = d->path[i];
	side->start_wall = s->info.start_wall;
	side->seconds = head.seconds;
	snprintf(side->host, sizeof(side->host), "%s", s->info.host);
}

/*
 * Return the options to read a file with.  Beside a session (--baseline) its events are those of
 * the file, whichever were chosen for the session.
 */
static struct options options_of_file(const struct options *o, const char *path)
{
	struct options one = *o;

	one.measure.input = path;
	if (o->against)
		return one;
	one.at = one.measure.by = one.measure.between = NULL;
	one.measure.nevents = 0;
	one.measure.log_events = false;
	return one;
}

static int open_compared_file(struct diff *d, const char *path, struct session **s,
			      struct model **m, struct err *err)
{
	struct options one = options_of_file(d->o, path);

	one.measure.stop_fd = d->stop_fd;
	*m = NULL;
	*s = start_session(&one, err);
	if (!*s)
		return err->code ? -err->code : err_set(err, ENOMEM, "%s: out of memory", path);
	*m = model_create(&(*s)->info, one.history_bytes ? one.history_bytes : MODEL_BUDGET);
	return *m ? 0 : err_set(err, ENOMEM, "out of memory");
}

static int take_compared_side(struct diff *d, const struct session *s, struct model *m, int i,
			      struct err *err)
{
	int ret = take_profiles(d, m, 0, &d->side[i], err);

	if (!ret)
		ret = copy_logs(m, &d->changes.side[i], err);
	if (!ret)
		fill_side_head(d, s, m, i);
	return ret;
}

static int read_side(struct diff *d, int i, struct err *err)
{
	struct session *s;
	struct model *m;
	int ret = open_compared_file(d, d->path[i], &s, &m, err);

	if (!ret)
		ret = read_slices(d, s, m, i, err);
	if (!ret)
		ret = take_compared_side(d, s, m, i, err);
	model_free(m);
	session_close(s);
	return ret;
}

/* --- comparing -------------------------------------------------------------------------- */

static struct profile *find_profile(struct side *s, const char *name)
{
	for (unsigned i = 0; i < s->nevents; i++)
		if (!strcmp(s->events[i].event, name))
			return &s->events[i];
	return NULL;
}

/* Compare two profiles, which are moved into the comparison. */
static int compare_event(struct diff *d, struct profile *was, struct profile *now, struct err *err)
{
	struct changes_event *e = &d->changes.events[d->changes.nevents++];

	e->profile[CHANGES_WAS] = *was;
	e->profile[CHANGES_NOW] = *now;
	*was = *now = (struct profile){.event = ""};
	if (compare(&e->profile[CHANGES_WAS], &e->profile[CHANGES_NOW],
		    &(struct compare_how){.again = false}, &e->comparison))
		return err_set(err, ENOMEM, "out of memory");
	d->changes.significant += e->comparison.significant;
	return 0;
}

static int compare_events(struct diff *d, struct err *err)
{
	struct side *was = &d->side[CHANGES_WAS], *now = &d->side[CHANGES_NOW];
	int ret = 0;

	d->changes.events = calloc(now->nevents + 1, sizeof(*d->changes.events));
	if (!d->changes.events)
		return err_set(err, ENOMEM, "out of memory");
	for (unsigned i = 0; i < now->nevents && !ret; i++) {
		struct profile *same = find_profile(was, now->events[i].event);

		if (same)
			ret = compare_event(d, same, &now->events[i], err);
	}
	if (!ret && !d->changes.nevents)
		return err_set(err, EBADMSG, "%s and %s have no event in common: %s, %s",
			       d->path[CHANGES_WAS], d->path[CHANGES_NOW],
			       was->nevents ? was->events[0].event : "none",
			       now->nevents ? now->events[0].event : "none");
	return ret;
}

static int report(struct diff *d, struct err *err)
{
	struct out out;
	int ret;

	d->changes.failed_allocations = heap_failures();
	d->changes.failed_reads = io_failures();
	out_init(&out, STDOUT_FILENO, d->stop_fd);
	if (d->o->front == FRONT_JSON)
		changes_json(&out, &d->changes);
	else
		changes_text(&out, &d->changes);
	ret = out_flush(&out);
	out_clear(&out);
	if (ret && ret != -EPIPE)
		return err_set(err, -ret, "cannot write the report: %s", strerror(-ret));
	return 0;
}

static void diff_clear(struct diff *d)
{
	for (int i = 0; i < CHANGES_SIDES; i++) {
		for (unsigned e = 0; e < d->side[i].nevents; e++)
			profile_clear(&d->side[i].events[e]);
		free(d->side[i].events);
		while (d->changes.side[i].nlogs)
			free(d->changes.side[i].logs[--d->changes.side[i].nlogs].text);
		free(d->changes.side[i].logs);
	}
	for (size_t e = 0; e < d->changes.nevents; e++) {
		compare_clear(&d->changes.events[e].comparison);
		profile_clear(&d->changes.events[e].profile[CHANGES_WAS]);
		profile_clear(&d->changes.events[e].profile[CHANGES_NOW]);
	}
	free(d->changes.events);
	rowfilter_free(d->filter);
}

int diff_run(const struct options *o, struct err *err)
{
	struct diff d = {.o = o, .path = {o->show.baseline, o->against},
			 .stop_fd = start_stop_signals(),
			 .changes = {.version = RINGTOP_VERSION, .top = o->show.top}};
	int ret = only_compile(o, NULL, &d.filter, err);
	bool changed;

	if (!ret && d.stop_fd < 0)
		ret = err_room(err, -d.stop_fd, "signals");
	for (int i = 0; i < CHANGES_SIDES && !ret; i++)
		ret = read_side(&d, i, err);
	if (!ret)
		ret = compare_events(&d, err);
	if (!ret)
		ret = report(&d, err);
	if (!ret && d.partial.code)
		*err = d.partial;
	changed = d.changes.significant > 0;
	diff_clear(&d);
	if (ret)
		return start_exit_of(err->code);
	if (err->code)
		return EXIT_FAILED;
	return changed && o->fail_on_change ? EXIT_CHANGED : EXIT_DONE;
}

/* --- a file beside a session -------------------------------------------------------------- */

struct diff_baseline {
	struct diff d;
	struct session *session;
	struct model *model;
};

struct diff_baseline *diff_baseline_open(const struct options *o, int stop_fd, struct err *err)
{
	struct diff_baseline *b = calloc(1, sizeof(*b));
	int ret;

	if (!b)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	b->d = (struct diff){
		.o = o,
		.path = {o->show.baseline},
		.stop_fd = stop_fd,
		.changes = {.version = RINGTOP_VERSION, .top = o->show.top, .beside = true}};
	ret = open_compared_file(&b->d, o->show.baseline, &b->session, &b->model, err);
	if (!ret)
		ret = read_slices(&b->d, b->session, b->model, CHANGES_WAS, err);
	if (!ret && b->d.partial.code) /* a screen would not show that it is a part only */
		ret = err_set(err, b->d.partial.code, "--baseline: %s", b->d.partial.text);
	if (!ret)
		return b;
	diff_baseline_free(b);
	return NULL;
}

struct model *diff_baseline_model(const struct diff_baseline *b)
{
	return b->model;
}

int diff_baseline_report(struct diff_baseline *b, const struct session *s, struct model *m,
			 bool *changed, struct err *err)
{
	int ret;

	b->d.path[CHANGES_NOW] = b->d.o->measure.input ? b->d.o->measure.input : s->info.target;
	ret = only_compile(b->d.o, &s->info, &b->d.filter, err);
	if (!ret)
		ret = take_compared_side(&b->d, b->session, b->model, CHANGES_WAS, err);
	if (!ret)
		ret = take_compared_side(&b->d, s, m, CHANGES_NOW, err);
	if (!ret)
		ret = compare_events(&b->d, err);
	if (!ret)
		ret = report(&b->d, err);
	*changed = b->d.changes.significant > 0;
	return ret;
}

void diff_baseline_free(struct diff_baseline *b)
{
	if (!b)
		return;
	model_free(b->model);
	session_close(b->session);
	diff_clear(&b->d);
	free(b);
}

/* --- a host beside another ------------------------------------------------------------------ */

static int take_host(struct diff *d, const struct session *s, struct model *m, unsigned i,
		     struct err *err)
{
	struct changes_side *side = &d->changes.side[i];
	int ret = take_profiles(d, m, i + 1, &d->side[i], err);

	d->path[i] = s->info.hosts[i].name;
	side->start_wall = s->info.start_wall;
	side->seconds = d->side[i].nevents ? d->side[i].events->seconds : 0;
	snprintf(side->host, sizeof(side->host), "%s", s->info.hosts[i].name);
	return ret;
}

/* Return 0 if the host has samples, else -ENODATA with err. */
static int check_host(struct diff *d, unsigned i, struct err *err)
{
	for (unsigned e = 0; e < d->side[i].nevents; e++)
		if (d->side[i].events[e].weight)
			return 0;
	snprintf(d->changes.side[i].error, sizeof(d->changes.side[i].error),
		 "no data was received");
	return err_set(err, ENODATA, "--by host: no data was received from %s, so nothing can be "
				     "compared", d->path[i]);
}

/* Compare and report; a host without samples is an error and also in the report. */
static int compare_hosts(struct diff *d, struct err *err)
{
	int absent = check_host(d, CHANGES_WAS, err), ret;

	absent = absent ? absent : check_host(d, CHANGES_NOW, err);
	ret = absent ? 0 : compare_events(d, err);
	if (!ret)
		ret = report(d, err);
	return ret ? ret : absent;
}

int diff_hosts_report(const struct options *o, int stop_fd, const struct session *s,
		      struct model *m, bool *changed, struct err *err)
{
	struct diff d = {.o = o,
			 .stop_fd = stop_fd,
			 .changes = {.version = RINGTOP_VERSION, .top = o->show.top,
				     .beside = true}};
	int ret = only_compile(o, &s->info, &d.filter, err);

	for (unsigned i = 0; i < CHANGES_SIDES && !ret; i++)
		ret = take_host(&d, s, m, i, err);
	if (!ret)
		ret = compare_hosts(&d, err);
	*changed = d.changes.significant > 0;
	diff_clear(&d);
	return ret;
}
