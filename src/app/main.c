/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * main - the composition root: opens a session by the options, and runs a model and a front end on
 * it.  The one place that prints and exits.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/agentmain.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "control/control.h"
#include "app/diff.h"
#include "system/sandbox/sandbox.h"
#include "report/explained.h"
#include "report/export/export.h"
#include "report/headless.h"
#include "report/jsonreport.h"
#include "report/textreport.h"
#include "app/helpermain.h"
#include "app/hostsession.h"
#include "app/list_events.h"
#include "model/rows/rowfilter.h"
#include "model/core/model.h"
#include "model/judge/condition_actions.h"
#include "app/only.h"
#include "app/optionfile.h"
#include "app/options.h"
#include "measure/session/question.h"
#include "app/start.h"
#include "link/timeline/saver.h"

#ifdef HAVE_NCURSES
#include "ui/app/ui.h"
#endif

static int print_all(int (*fill)(char *buf, int size))
{
	int len = fill(NULL, 0);
	char *buf = malloc(len + 1);

	if (!buf)
		return EXIT_FAILED;
	fill(buf, len + 1);
	fputs(buf, stdout);
	free(buf);
	return fflush(stdout) ? EXIT_FAILED : EXIT_DONE;
}

#define EXPLAIN_SECONDS 10
#define END_GRACE_NS (300 * NSEC_PER_MSEC) /* by then a front end that gets a CPU has ended the
					    * session */

static enum front_end choose_front(const struct options *o)
{
	if (o->front != FRONT_AUTO)
		return o->front;
	if (o->explain)
		return FRONT_TEXT;
#ifdef HAVE_NCURSES
	if (isatty(STDOUT_FILENO) && isatty(STDIN_FILENO))
		return FRONT_UI;
#endif
	return FRONT_TEXT;
}

/*
 * Return the duration; --explain of a live machine has one even if none is given: the user waits.
 */
static double choose_duration(const struct options *o)
{
	if (!o->explain || o->show.duration > 0 || o->show.iterations || o->measure.command ||
	    o->measure.input)
		return o->show.duration;
	return o->show.delay > 0 ? o->show.delay : EXPLAIN_SECONDS;
}

/*
 * Return measure_config.doze_ns.  A report shows whole intervals only: while nothing happens slices
 * may be as long, if intervals still end with a slice.  Return 0 for a screen and for conditions,
 * which need slices at once.
 */
static uint64_t doze_ns(const struct options *o, enum front_end front)
{
	double delay = o->show.delay > 0 ? o->show.delay : 1;

	if (front == FRONT_UI || options_watch(o) || fmod(o->show.duration, delay) > 0)
		return 0;
	return (uint64_t)ceil(delay / ceil(delay) * NSEC_PER_SEC);
}

/*
 * Return measure_config.end_ns.  The front end ends a session; if that is too late, as on a busy
 * machine, the session ends by itself.
 */
static uint64_t end_ns(const struct options *o)
{
	double duration = choose_duration(o);

	return duration > 0 ? (uint64_t)(duration * NSEC_PER_SEC) + END_GRACE_NS : 0;
}

/* Add to o->measure what the front end needs. */
static void measure_for_front(struct options *o, enum front_end front, int stop_fd)
{
	o->measure.screen = front == FRONT_UI;
	o->measure.doze_ns = doze_ns(o, front);
	o->measure.end_ns = end_ns(o);
	o->measure.stop_fd = stop_fd;
	o->measure.log_lines = front == FRONT_UI ? START_LOG_SCREEN : 0;
	o->measure.log_fields = front != FRONT_TEXT;
}

static struct session *open_session(const struct options *o, enum front_end front, struct err *err)
{
	struct session *s = o->nhosts ? hostsession_open(o, err) : start_session(o, err), *saved;

	/* A screen may start to save later. */
	if (!s || (!o->save && !o->keep_dir && front != FRONT_UI))
		return s;
	saved = saver_open(
		s,
		&(struct saver_config){.path = o->save,
				       .how.lines = options_by_line(o),
				       .ring = {o->keep_dir, o->keep_ns,
						o->keep_bytes ? o->keep_bytes : TIMERING_BYTES}},
		err);
	if (!saved) {
		err_option(err, o->save ? "--save" : "--keep-for");
		session_close(s);
	}
	return saved;
}

/* Return a signalfd of SIGUSR1 and SIGUSR2, which start_process() has blocked. */
static int user_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static struct conditions conditions;
static struct control *control;

static int condition_words(enum conditions_does does, const struct option_words *words,
			   struct err *err)
{
	int ret = 0;

	for (unsigned i = 0; i < words->nr && !ret; i++)
		ret = conditions_add(&conditions, does, words->word[i], err);
	return ret;
}

/* Parse the conditions before anything is measured: errors in them are errors of usage. */
static int parse_conditions(const struct options *o, enum front_end front, struct err *err)
{
	int ret = condition_words(CONDITIONS_SNAPSHOT, &o->snapshot_on, err);

	if (!ret)
		ret = condition_words(CONDITIONS_MARK, &o->mark_on, err);
	if (!ret)
		ret = condition_words(CONDITIONS_ALERT, &o->alert, err);
	if (!ret && o->on_alert)
		ret = conditions_command(&conditions, o->on_alert,
					 front == FRONT_UI ? -1 : STDERR_FILENO, err);
	return ret;
}

static const struct headless_format *choose_format(const struct options *o, enum front_end front)
{
	if (o->explain)
		return front == FRONT_JSON ? &explained_json : &explained_text;
	return front == FRONT_JSON ? &json_format : &text_format;
}

/* Return the index of --group or --sort, which set_word() checked; 0: not given. */
static unsigned choose_word(const struct show_word *words, const char *given)
{
	unsigned i = 0;

	while (given && words[i].name && strcmp(words[i].name, given) != 0)
		i++;
	return i;
}

static int run_headless(struct session *s, struct model *m, const struct options *o,
			enum front_end front, int stop_fd, struct session_end *end, struct err *err)
{
	struct headless_options ho = {
		.show = o->show,
		.log_events = o->measure.log_events,
		.group = choose_word(group_words, o->show.group),
		.sort = choose_word(sort_words, o->show.sort),
		.format = choose_format(o, front),
		.version = RINGTOP_VERSION,
		.out_fd = STDOUT_FILENO,
		.stop_fd = stop_fd,
		.signal_fd = user_signals(),
		.conditions = &conditions,
		.control = control,
	};
	struct headless_result result = {.intervals = 0};
	struct rowfilter *filter = NULL;
	int ret = only_compile(o, &s->info, &filter, err);

	if (ret)
		return ret;
	ho.filter = filter;
	ho.show.duration = choose_duration(o);
	ret = headless_run(s, m, &ho, &result, err);
	*end = result.end;
	rowfilter_free(filter);
	return ret;
}

#ifdef HAVE_NCURSES
/* Write an export for key w of the screen.  1: written, but the format has no comparison. */
static int write_from_screen(struct model *m, const struct query *q, struct window w,
			     const struct ui_compared *was, const char *format, const char *file,
			     struct err *err)
{
	struct export_baseline baseline;
	struct export_source src = {.model = m, .query = q, .window = w,
				    .version = RINGTOP_VERSION};
	int ret;

	if (was) {
		baseline = (struct export_baseline){was->model, was->window, was->host, was->name,
						    was->how};
		src.baseline = &baseline;
	}
	for (const struct export_format *const *f = export_formats; *f; f++) {
		if (strcmp((*f)->name, format) != 0)
			continue;
		ret = export_write(*f, file, &src, err);
		return ret ? ret : was && !(*f)->compares;
	}
	return err_set(err, EINVAL, "unknown format '%s'", format);
}

/* Return the names of the formats, NULL-ended. */
static const char *const *export_names(void)
{
	static const char *names[16];

	for (size_t i = 0; export_formats[i] && i + 1 < sizeof(names) / sizeof(*names); i++)
		names[i] = export_formats[i]->name;
	return names;
}
#endif

#ifdef HAVE_NCURSES
/* Save a view in the user's file of settings on this machine. */
static int save_view(const char *written, struct err *err)
{
	char *name = optionfile_name();
	int ret =
		name ? optionfile_add(name, "saved-view", written, err)
		     : err_set(err, ENOENT,
			       "it is kept for this session only: neither XDG_CONFIG_HOME nor "
			       "HOME is set");

	free(name);
	return ret;
}
#endif

#ifdef HAVE_NCURSES
/*
 * Return the commands that the screen begins with, in buf if --group, --sort or --question gives
 * them.
 */
static const char *choose_view(const struct options *o, char *buf, size_t size)
{
	const struct show_options *show = &o->show;
	size_t at = 0;

	if (show->view || (!show->group && !show->sort && !o->question))
		return show->view;
	if (o->question && !show->group)
		at = text_append(buf, size, at, "%s%s", o->question->view, show->sort ? "; " : "");
	if (show->group)
		at = text_append(buf, size, at, "group %s%s", show->group, show->sort ? "; " : "");
	if (show->sort)
		text_append(buf, size, at, "sort %s down", show->sort);
	return buf;
}

/* Return the first complaint about the file of settings: a screen hides standard error. */
static const char *file_notice(const struct optionfile *f)
{
	return f && f->ncomplaints ? f->complaint[0] : NULL;
}
#endif

static int run_ui(struct session *s, struct model *m, const struct options *o,
		  struct model *baseline, struct session_end *end, struct err *err)
{
#ifdef HAVE_NCURSES
	char begin[64];
	struct ui_options uo = {.show = o->show,
				.notice = file_notice(o->file),
				.saved = o->saved_views.word,
				.nsaved = o->saved_views.nr,
				.conditions = &conditions,
				.control = control,
				.write = write_from_screen,
				.save_view = save_view,
				.formats = export_names(),
				.baseline = baseline};
	int ret;

	uo.show.view = choose_view(o, begin, sizeof(begin));
	ret = ui_run(s, m, &uo, err);

	s->ops->end(s, end);
	return ret;
#else
	(void)s, (void)m, (void)o, (void)baseline, (void)end;
	return err_set(err, EINVAL,
		       "this build has no screen (--without-ncurses): use --text or --json");
#endif
}

static void print_helpers(void)
{
	char text[FIGURES_TEXT], trouble[FIGURES_TEXT];
	struct sandbox_figures f;

	for (unsigned i = 0; i < SANDBOX_PROCESSES; i++) {
		sandbox_figures(i, &f);
		figures_trouble(trouble, &f);
		if (f.starts || *trouble)
			fprintf(stderr, "ringtop: its helper for %s%s%s\n", figures_text(text, &f),
				*trouble ? "; " : "", trouble);
	}
}

static void print_self(const struct session *s)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	fprintf(stderr, "ringtop: %s session: %.3f s user, %.3f s system, %ld KB resident at most, "
			"%ld voluntary and %ld other context switches\n", s->ops->name,
		(double)ru.ru_utime.tv_sec + (double)ru.ru_utime.tv_usec / 1e6,
		(double)ru.ru_stime.tv_sec + (double)ru.ru_stime.tv_usec / 1e6, ru.ru_maxrss,
		ru.ru_nvcsw, ru.ru_nivcsw);
	print_helpers();
}

/*
 * Let the session finish its work, and return an error of that.  Memory is freed for a leak checker
 * only: the process ends.
 */
static int abandon_session(struct session *s, struct model *m, struct err *err)
{
	struct session_end end = {.error = 0};
	bool reports = s->info.live || s->info.saving;

	sandbox_abandon();
	s->ops->abandon(s);
	s->ops->end(s, &end);
#ifdef __SANITIZE_ADDRESS__
	session_close(s);
	model_free(m);
#else
	(void)m;
#endif
	if (!end.error || !reports || err->code)
		return 0;
	return err_set(err, -end.error, "%s", end.text[0] ? end.text : strerror(-end.error));
}

static int status_of(const struct options *o, const struct session_end *end)
{
	if (!o->propagate || !end->command)
		return EXIT_DONE;
	return WIFSIGNALED(end->command_status) ? 128 + WTERMSIG(end->command_status)
						: WEXITSTATUS(end->command_status);
}

static int check_exports(const struct options *o, struct err *err)
{
	const struct export_format *format;
	const char *path;
	int ret = 0;

	for (unsigned i = 0; i < o->nexports && !ret; i++)
		ret = export_parse(o->exports[i], &format, &path, err);
	return ret;
}

/* Write all exports even if one fails; print the error of each. */
static int write_exports(struct model *m, const struct options *o, struct model *was,
			 const struct session_end *end)
{
	struct err err = {.code = 0};
	struct rowfilter *filter = NULL;
	struct query q = {.show_self = o->show.show_self};
	struct export_baseline baseline = {.model = was, .window = WINDOW_ALL,
					   .name = o->show.baseline};
	struct export_source src = {.model = m, .query = &q, .window = WINDOW_ALL, .end = end,
				    .version = RINGTOP_VERSION, .baseline = was ? &baseline : NULL};
	int ret = o->nexports ? only_compile(o, model_info(m), &filter, &err) : 0;

	q.filter = filter;
	if (o->show.by_host) { /* the second host, compared with the first */
		baseline = (struct export_baseline){.model = m, .window = WINDOW_ALL, .host = 1,
						    .name = model_info(m)->hosts[0].name};
		src.baseline = &baseline;
		q.host = 2;
	}
	if (ret) {
		start_complain(&err);
		return ret;
	}
	for (unsigned i = 0; i < o->nexports; i++) {
		const struct export_format *format;
		const char *path;

		if (export_parse(o->exports[i], &format, &path, &err) ||
		    export_write(format, path, &src, &err)) {
			start_complain(&err);
			ret = -err.code;
		} else if (src.baseline && !format->compares) {
			fprintf(stderr, "ringtop: %s has the current data only: format %s has no "
					"comparison\n", path, format->name);
		}
	}
	rowfilter_free(filter);
	return ret;
}

static int run_front(struct session *s, struct model *m, const struct options *o,
		     enum front_end front, int stop_fd, struct diff_baseline *baseline,
		     bool *changed, struct session_end *end, struct err *err)
{
	int ret;

	if (front == FRONT_UI)
		return run_ui(s, m, o, baseline ? diff_baseline_model(baseline) : NULL, end, err);
	ret = run_headless(s, m, o, front, stop_fd, end, err);
	if (ret || (!baseline && !o->show.by_host))
		return ret;
	if (o->show.by_host)
		return diff_hosts_report(o, stop_fd, s, m, changed, err);
	return diff_baseline_report(baseline, s, m, changed, err);
}

static int run_beside(const struct options *o, enum front_end front, int stop_fd,
		      struct diff_baseline *baseline, struct err *err)
{
	struct session_end end = {.command = false};
	struct session *s;
	struct model *m;
	int ret, exported, left;
	bool changed = false;

	s = open_session(o, front, err);
	if (!s) {
		if (!err->code) /* out of memory where there is no err to set */
			err_set(err, ENOMEM, "out of memory");
		return start_exit_of(err->code);
	}
	if (only_check(o, &s->info, err) || conditions_bind(&conditions, &s->info, err)) {
		session_close(s);
		return EXIT_USAGE;
	}
	m = model_create(&s->info, o->history_bytes ? o->history_bytes : MODEL_BUDGET);
	if (!m) {
		session_close(s);
		err_set(err, ENOMEM, "out of memory");
		return EXIT_FAILED;
	}
	ret = run_front(s, m, o, front, stop_fd, baseline, &changed, &end, err);
	exported = write_exports(m, o, baseline ? diff_baseline_model(baseline) : NULL, &end);
	if (o->self_stats)
		print_self(s);
	left = abandon_session(s, m, err);
	if (!ret && (exported || left))
		return EXIT_FAILED;
	if (!ret && changed && o->fail_on_change)
		return EXIT_CHANGED;
	return ret ? (ret == -EINVAL ? EXIT_USAGE : EXIT_FAILED) : status_of(o, &end);
}

static int run_session(struct options *o, struct err *err)
{
	enum front_end front = choose_front(o);
	int stop_fd = front == FRONT_UI ? -1 : start_stop_signals();
	struct diff_baseline *baseline = NULL;
	int ret = only_check(o, NULL, err);

	if (!ret)
		ret = check_exports(o, err);
	if (!ret)
		ret = parse_conditions(o, front, err);
	if (!ret && front != FRONT_UI && stop_fd < 0)
		ret = err_room(err, -stop_fd, "signals");
	if (!ret && o->control && !(control = control_open(o->control, err)))
		ret = -err->code;
	/*
	 * Before anything is measured: a missing file must not show only when a long COMMAND ends.
	 */
	if (!ret && o->show.baseline && !(baseline = diff_baseline_open(o, stop_fd, err)))
		ret = -err->code;
	if (ret)
		return start_exit_of(-ret);
	measure_for_front(o, front, stop_fd);
	ret = run_beside(o, front, stop_fd, baseline, err);
	diff_baseline_free(baseline);
	return ret;
}

/* Print the complaints about the file of settings, which are no reason to end. */
static void print_file(const struct optionfile *f)
{
	struct err err = {.code = 0};

	for (unsigned i = 0; f && i < f->ncomplaints && i < OPTIONFILE_COMPLAINTS; i++) {
		err_set(&err, EINVAL, "%s", f->complaint[i] ? f->complaint[i] : "out of memory");
		start_complain(&err);
	}
	if (f && f->ncomplaints > OPTIONFILE_COMPLAINTS)
		fprintf(stderr, "ringtop: and %u more errors in the settings file\n",
			f->ncomplaints - OPTIONFILE_COMPLAINTS);
}

/* Print a note after an error: a setting of the file may have caused it. */
static void print_settings(const struct options *o)
{
	struct err err = {.code = 0};

	if (!o->settings)
		return;
	err_set(&err, EINVAL, "settings from %s apply too; --no-config ignores them",
		o->file->name);
	start_complain(&err);
}

/* Print how many log lines could not be written: the log itself does not show that it has holes. */
static void print_log_lost(const struct options *o)
{
	struct err err = {.code = 0};
	const char *why;
	unsigned long n = o->log_file ? log_lost(&why) : 0;

	if (!n)
		return;
	err_set(&err, EIO, "--log: %lu line%s missing from %s: %s", n, n > 1 ? "s are" : " is",
		o->log_file, why);
	start_complain(&err);
}

int main(int argc, char *argv[])
{
	enum options_action action;
	struct err err = {.code = 0};
	struct options o;
	int ret;

	if (argc > 1 && !strcmp(argv[1], HELPER_ARGUMENT))
		return helpermain(argc, argv);
	start_process();
	if (argc > 1 && !strcmp(argv[1], AGENT_ARGUMENT))
		return agentmain_run(argc, argv);
	ret = options_parse_user(argc, argv, &o, &action, start_check_setting, &err);
	if (!ret && action == OPTIONS_HELP)
		return print_all(options_help);
	if (!ret && action == OPTIONS_VERSION)
		return printf("ringtop " RINGTOP_VERSION "\n") < 0 || fflush(stdout);
	if (!ret)
		print_file(o.file);
	if (ret || start_settings(&o, &err)) {
		start_complain(&err);
		if (!ret)
			print_settings(&o);
		return EXIT_USAGE;
	}
	if (o.against) {
		ret = diff_run(&o, &err);
	} else if (action == OPTIONS_LIST) {
		ret = list_events(o.measure.command, o.front == FRONT_JSON, &err);
		ret = ret ? start_exit_of(-ret) : EXIT_DONE;
	} else {
		ret = run_session(&o, &err);
		hostsession_forget();
		control_close(control);
		conditions_clear(&conditions);
	}
	if (err.code && (ret || action == OPTIONS_LIST))
		start_complain(&err);
	if (err.code && ret)
		print_settings(&o);
	print_log_lost(&o);
	options_clear(&o);
	return ret;
}
