/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/judge/condition_actions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/notify.h"
#include "base/text.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"

#define REASON sizeof(((struct alert *)0)->reason)

const char *const conditions_options[CONDITIONS_DOES] = {"--snapshot-on", "--mark-on", "--alert"};

int conditions_add(struct conditions *w, enum conditions_does does, const char *condition,
		   struct err *err)
{
	int ret;

	if (w->nr == CONDITIONS_MAX)
		return err_set(err, EINVAL,
			       "%s: at most %d conditions of all kinds together",
			       conditions_options[does], CONDITIONS_MAX);
	w->of[w->nr] = (struct conditions_one){.does = does};
	ret = condition_parse(condition, conditions_options[does], &w->of[w->nr].trigger, err);
	w->nr += !ret;
	return ret;
}

int conditions_command(struct conditions *w, const char *command, int output_fd, struct err *err)
{
	w->notify = notify_create(command, "--on-alert", output_fd, err);
	return w->notify ? 0 : -err->code;
}

int conditions_bind(struct conditions *w, const struct session_info *info, struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < w->nr && !ret; i++)
		ret = condition_bind(&w->of[i].trigger, info, err);
	return ret;
}

/* --- the command ------------------------------------------------------------------------ */

static void note_command_failure(struct alert *a, const char *why)
{
	text_append(a->command, sizeof(a->command), 0, "%s", why);
	log_msg(LOG_SESSION, "--on-alert, for alert %u: %s", a->nr, why);
}

static int run_alert_command(struct conditions *w, struct alert *a, const struct session_info *info)
{
	char condition[4 * sizeof(a->condition)], reason[4 * REASON + 16], escaped[4 * REASON],
		time[64], number[40];
	char *const variables[] = {condition, reason, time, number, NULL};
	uint64_t wall = info->start_wall + a->time;

	text_escape(escaped, sizeof(escaped), a->condition);
	text_append(condition, sizeof(condition), 0, "RINGTOP_ALERT=%s", escaped);
	text_escape(escaped, sizeof(escaped), a->reason);
	text_append(reason, sizeof(reason), 0, "RINGTOP_REASON=%s", escaped);
	snprintf(time, sizeof(time), "RINGTOP_TIME=%llu.%03u",
		 (unsigned long long)(wall / NSEC_PER_SEC),
		 (unsigned)(wall % NSEC_PER_SEC / NSEC_PER_MSEC));
	snprintf(number, sizeof(number), "RINGTOP_NUMBER=%u", a->nr);
	return notify_run(w->notify, a->nr, variables);
}

static void notify_alert(struct conditions *w, struct conditions_one *c, struct alert *a,
			 const struct session_info *info)
{
	uint64_t now = clock_ns();
	char why[80];
	int ret;

	if (!w->notify)
		return;
	if (c->told && now - c->told < CONDITIONS_QUIET_NS) {
		snprintf(why, sizeof(why), "held back: it ran %.1f s earlier",
			 (double)(now - c->told) / (double)NSEC_PER_SEC);
		note_command_failure(a, why);
		return;
	}
	c->told = now;
	ret = run_alert_command(w, a, info);
	if (ret == -EAGAIN)
		snprintf(why, sizeof(why), "held back: %d of them are still running", NOTIFY_MOST);
	else
		snprintf(why, sizeof(why), "cannot be run: %s", strerror(-ret));
	if (ret)
		note_command_failure(a, why);
	else
		text_append(a->command, sizeof(a->command), 0, "running");
}

static bool reap_commands(struct conditions *w, struct model *m)
{
	uint32_t nr;
	int status;
	bool any = false;

	while (w->notify && notify_ended(w->notify, &nr, &status)) {
		struct alert *a = alerts_find(model_alerts(m), nr), gone = {.nr = nr};
		char why[64];

		any = true;
		a = a ? a : &gone;
		if (WIFSIGNALED(status))
			snprintf(why, sizeof(why), "killed by signal %d", WTERMSIG(status));
		else
			snprintf(why, sizeof(why), "exit %d", WEXITSTATUS(status));
		if (status)
			note_command_failure(a, why);
		else
			text_append(a->command, sizeof(a->command), 0, "%s", why);
	}
	return any;
}

/* --- effects ----------------------------------------------------------------------------- */

struct served {
	struct conditions *w;
	struct conditions_one *of;
	struct model *m;
	struct session *s;
	char reason[REASON];
};

/* A refused snapshot is counted by the session. */
static void do_snapshot(struct served *f)
{
	struct session_request rq = {.command = SESSION_SNAPSHOT, .text = f->reason};
	struct err err = {.code = 0};

	if (f->s->ops->command(f->s, &rq, &err))
		log_msg(LOG_SESSION, "snapshot (%s): %s", f->reason, err.text);
}

static void do_mark(struct served *f)
{
	marks_set(f->m, f->s, model_now(f->m), f->reason);
}

static void do_alert(struct served *f)
{
	struct alert *a =
		alerts_add(model_alerts(f->m), model_now(f->m), f->of->trigger.text, f->reason);
	char name[MARK_NAME]; /* of the mark in the saved time line */

	if (!a) {
		log_msg(LOG_SESSION, "alert (%s): out of memory", f->reason);
		return;
	}
	f->of->standing = a->nr;
	text_append(name, sizeof(name), 0, ALERTS_MARK, f->reason);
	marks_save(f->s, model_now(f->m), name);
	notify_alert(f->w, f->of, a, model_info(f->m));
}

static void (*const done[CONDITIONS_DOES])(struct served *f) = {do_snapshot, do_mark, do_alert};

/* End the condition's alert if it no longer holds; returns true if it did. */
static bool end_alert(struct served *f)
{
	struct conditions_one *c = f->of;
	char name[MARK_NAME];
	struct alert *a;

	if (!c->standing || c->trigger.fired)
		return false;
	a = alerts_find(model_alerts(f->m), c->standing);
	if (a)
		a->until = model_now(f->m);
	text_append(name, sizeof(name), 0, ALERTS_OVER, c->trigger.text);
	marks_save(f->s, model_now(f->m), name);
	c->standing = 0;
	return true;
}

bool conditions_serve(struct conditions *w, struct model *m, struct session *s)
{
	struct served f = {.w = w, .m = m, .s = s};
	bool any = reap_commands(w, m);

	for (unsigned i = 0; i < w->nr; i++) {
		bool fires = condition_step(&w->of[i].trigger, m, f.reason, sizeof(f.reason));

		f.of = &w->of[i];
		any |= end_alert(&f) || fires;
		if (fires)
			done[f.of->does](&f);
	}
	return any;
}

void conditions_clear(struct conditions *w)
{
	notify_free(w->notify);
	*w = (struct conditions){.nr = 0};
}
