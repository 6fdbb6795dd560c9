/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/request.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/namefold.h"
#include "base/text.h"
#include "base/units.h"
#include "model/core/backfill.h"
#include "ui/app/app.h"
#include "ui/views/view_changes.h"

int request_snapshot(struct app *a, enum session_command command, const char *reason)
{
	struct session_request rq = {.command = command, .text = reason};
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	if (ret)
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	return ret;
}

int request_change(struct app *a, enum session_change change, const char *text, uint64_t number)
{
	const char *const done[] = {
	    [SESSION_EVENT_ADD] = "added: e shows it",
	    [SESSION_EVENT_REPLACE] = "replaces it: e shows it",
	    [SESSION_EVENT_OFF] = "ends; its past data is kept",
	    [SESSION_EVENT_FILTER] = "has another filter",
	    [SESSION_EVENT_BY] = "is summed by other fields: 0 shows them",
	    [SESSION_EVENT_OFFCPU] = number ? "is measured from now on: o shows it"
					    : "is no longer measured; its past data is kept",
	    [SESSION_EVENT_BETWEEN] = "is measured in pairs: 0 shows them",
	};
	struct session_request rq = {.command = SESSION_EVENTS,
				     .change = change,
				     .event = a->event,
				     .text = text,
				     .number = number};
	bool by_text = change <= SESSION_EVENT_REPLACE || change >= SESSION_EVENT_OFFCPU;
	const struct session_event *e = app_event(a);
	char name[NAMES_BYTES];
	struct err err = {0};
	int ret = a->session->ops->command(a->session, &rq, &err);

	text_escape(name, sizeof(name), by_text ? text : e ? e->name : "");
	if (ret)
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
	else if (change == SESSION_EVENT_FREQUENCY)
		app_say(a, ROLE_TEXT, "%s gets %llu samples a second on each CPU", name,
			(unsigned long long)number);
	else if (change == SESSION_EVENT_PERIOD)
		app_say(a, ROLE_TEXT, "%s gets a sample every %llu%s%s", name,
			(unsigned long long)number, e && *e->unit ? " " : "", e ? e->unit : "");
	else if (change == SESSION_EVENT_BETWEEN && !*text)
		app_say(a, ROLE_TEXT, "there are no pairs any more");
	else
		app_say(a, ROLE_TEXT, "%s %s", name, done[change]);
	return ret;
}

#define FETCH_AMONG 64 /* newest snapshots that can be fetched */

/* Return the file of a number, and replace -1 by the number found; NULL: none is written. */
static const char *fetched_file(const struct app *a, long *number)
{
	const struct slice_recording *r = model_recording(a->own);
	const struct slice_snapshot *s[FETCH_AMONG];
	size_t nr = model_snapshots(a->own, s, FETCH_AMONG);

	for (size_t i = 0; i < nr; i++)
		if (s[i]->state == SNAPSHOT_WRITTEN && s[i]->file &&
		    (*number < 0 || *number == (long)s[i]->nr)) {
			*number = (long)s[i]->nr;
			return s[i]->file;
		}
	if (*number > 0 || !r || r->state != RECORDING_DONE)
		return NULL;
	*number = 0;
	return r->file;
}

void request_fetch(struct app *a, long number, const char *directory)
{
	const char *file = fetched_file(a, &number);
	struct session_request rq = {.command = SESSION_FETCH,
				     .snapshot = (uint32_t)number,
				     .text = *directory ? directory : "."};
	struct err err = {0};
	char name[APP_MESSAGE];
	int ret;

	if (!file) {
		app_say(a, ROLE_WARN,
			number < 0 ? "no file is written yet: S takes a snapshot, R records"
				   : "no file of that number");
		return;
	}
	text_escape(name, sizeof(name), file);
	ret = a->session->ops->command(a->session, &rq, &err);
	if (!ret)
		app_say(a, ROLE_TEXT, "fetching %s", name);
	else if (ret == -EOPNOTSUPP)
		app_say(a, ROLE_WARN, "%s: %s", err.text, name);
	else
		app_say(a, ROLE_WARN, "%s", err.text[0] ? err.text : strerror(-ret));
}

int request_write(struct app *a, const char *text, struct err *err)
{
	struct query q = app_query(a, &a->table[a->view]);
	const char *const *formats = a->options.formats;
	size_t len = strcspn(text, ":");
	char format[32], name[VIEW_CHANGES_NAME];
	struct window w = app_window(a);
	struct ui_compared was;
	bool compared;
	int ret;

	if (!a->options.write)
		return err_set(err, EOPNOTSUPP, "no file can be written here");
	if (!text[len] || !text[len + 1])
		return err_set(err, EINVAL, "FORMAT:FILE is asked for");
	text_append(format, sizeof(format), 0, "%.*s", (int)len, text);
	while (formats && *formats && strcmp(*formats, format) != 0)
		formats++;
	if (!formats || !*formats)
		return err_set(err, EINVAL, "unknown format '%s'; Tab shows them", format);
	compared = view_changes_compared(a, &q, &w, &was, name);
	ret =
	    a->options.write(a->model, &q, w, compared ? &was : NULL, format, text + len + 1, err);
	if (ret >= 0)
		app_say(a, ROLE_GOOD, "%s written%s", text + len + 1,
			!compared ? ""
			: ret	  ? ", without the comparison: not in this format"
				  : ", with changes");
	return ret < 0 ? ret : 0;
}

int request_record(struct app *a, const char *file, struct err *err)
{
	const struct slice_recording *r = model_recording(a->own);
	bool on = r && r->state == RECORDING_ON;
	struct session_request rq = {.command = SESSION_RECORD, .text = on ? NULL : file};
	int ret = a->session->ops->command(a->session, &rq, err);

	if (!ret)
		app_say(a, ROLE_TEXT, on ? "the recording ends" : "recording to %s; R ends it",
			file);
	return ret;
}

int request_save(struct app *a, const char *file, struct err *err)
{
	struct session_backfill past;
	struct session_request rq = {.command = SESSION_SAVE, .text = file, .past = &past};
	uint64_t first = model_first(a->own), now = model_now(a->own);
	char span[UNITS_LEN], name[APP_MESSAGE / 2];
	int ret = model_backfill(a->own, &past);

	if (ret)
		err_room(err, -ret, "the time line");
	else
		ret = a->session->ops->command(a->session, &rq, err);
	session_backfill_clear(&past);
	if (ret)
		return ret;
	text_escape(name, sizeof(name), file);
	app_say(a, ROLE_TEXT, "the time line is saved to %s, with the last %s", name,
		units_span(span, now > first ? (now - first) / NSEC_PER_SEC * NSEC_PER_SEC : 0));
	return 0;
}
