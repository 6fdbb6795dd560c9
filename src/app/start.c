/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/start.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/heap.h"
#include "base/log.h"
#include "base/text.h"
#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "system/sandbox/sandbox.h"
#include "sources/ftrace/guardian.h"
#include "sources/ftrace/instance.h"
#include "sources/live/live.h"
#include "sources/change/cpulimit.h"
#include "app/options.h"
#include "sources/replay/filesession.h"
#include "link/timeline/timefile.h"

#define LOG_LINES 10000 /* lines of the event log in 100 ms, with --log-events: a helper formats as
			 * many in half of the time */

int start_exit_of(int code)
{
	switch (code) {
	case EINVAL:
		return EXIT_USAGE;
	case EACCES:
	case EPERM:
		return EXIT_NOT_PERMITTED;
	default:
		return EXIT_FAILED;
	}
}

void start_complain(const struct err *err)
{
	char text[2100], advice[2100];

	text_escape(text, sizeof(text), err->text);
	text_escape(advice, sizeof(advice), err->advice);
	fprintf(stderr, "ringtop: %s%s%s%s\n", text, *advice ? " (" : "", advice,
		*advice ? ")" : "");
	/* Only a plain text: escapes would make it longer, and the caret's column wrong. */
	if (*err->quote && text_plain(err->quote, strlen(err->quote)) == strlen(err->quote))
		fprintf(stderr, "  %s\n  %*s^\n", err->quote, (int)err->caret, "");
}

/*
 * Open standard descriptors that are closed, so that they do not become descriptors of our own: the
 * report would be written into an event counter.  Writing to the replacement fails with EBADF.
 */
static void hold_standard_fds(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_RDWR) < 0)
			_exit(EXIT_FAILED);
}

void start_process(void)
{
	sigset_t set;

	/*
	 * Blocked from the start on: signals that come early wait instead of killing the process.
	 */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	hold_standard_fds();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not grow is an error of its own */
	/*
	 * Threads allocate little, and from shared arenas: one each would be resident for nothing.
	 */
	mallopt(M_ARENA_MAX, 2);
	heap_return_large();
}

/*
 * Move the arguments in place: the kernel reads them there, as one piece that ends with the last
 * NUL.
 */
void start_name(const char *name, int argc, char *argv[])
{
	size_t most = strlen(argv[0]), len = strlen(name), rest;

	prctl(PR_SET_NAME, name);
	for (int i = 0; i + 1 < argc; i++)
		if (argv[i + 1] != argv[i] + strlen(argv[i]) + 1)
			return;
	if (len > most || strncmp(argv[0], "/proc/self/fd/", 14) != 0)
		return;
	rest = (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) - (argv[0] + most));
	memcpy(argv[0], name, len);
	memmove(argv[0] + len, argv[0] + most, rest + 1);
	memset(argv[0] + len + rest + 1, 0, most - len);
	for (int i = 1; i < argc; i++)
		argv[i] -= most - len;
}

static int open_log(const struct options *o, struct err *err)
{
	int fd = STDERR_FILENO;

	if (o->log_file)
		fd = open(o->log_file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
			  0600);
	if (fd < 0)
		return err_set(err, errno, "--log: cannot write %s: %s", o->log_file,
			       strerror(errno));
	if ((o->verbose || o->log_file) && log_enable(o->verbose_domain, fd))
		return err_set(err, EINVAL, "-v%s: unknown domain; domains are %s",
			       o->verbose_domain, log_domains());
	if (o->log_file)
		log_msg(LOG_SESSION, "ringtop " RINGTOP_VERSION " begins, process %d",
			(int)getpid());
	return 0;
}

int start_settings(const struct options *o, struct err *err)
{
	const char *tracefs = geteuid() ? NULL : tracepoint_mounted();
	int ret = open_log(o, err);

	if (ret)
		return ret;
	if (o->max_memory)
		budget_set_limit(o->max_memory);
	guardian_allow("/proc/self/exe");
	if (tracefs)
		instance_sweep(tracefs); /* instances of owners killed with their guardians */
	if (!o->no_helper)
		sandbox_allow(&(struct sandbox_config){.program = NULL});
	return 0;
}

int start_check_setting(const char *key, const char *value, struct err *err)
{
	struct event_list list = {.nr = 0};
	int ret = 0;

	if (strcmp(key, "event") && strcmp(key, "aux-event") && strcmp(key, "stat"))
		return 0;
	if (strcmp(value, COUNTED_DEFAULT))
		ret = event_parse(value, &list, err);
	event_list_clear(&list);
	/* other errors, such as missing rights, do not mean that it is no event */
	return ret == -EINVAL ? err_option(err, key) : 0;
}

/*
 * Check the options beside --in-kernel, on any kernel; the limits of the kernel's histograms are
 * checked by sources/consumers/inkernel.h.
 */
static int check_in_kernel(const struct measure_config *c, struct err *err)
{
	if (!c->by)
		return err_set(err, EINVAL,
			       "--in-kernel needs --by, the fields that the kernel sums up by");
	if (c->input)
		return err_set(err, EINVAL,
			       "--in-kernel cannot be used with -i: a file has records, not sums");
	if (c->nftraces || c->between || c->log_events)
		return err_set(err, EINVAL,
			       "--in-kernel leaves no records, which %s needs: choose one",
			       c->nftraces  ? "--ftrace"
			       : c->between ? "--between"
					    : "--log-events");
	return 0;
}

static struct session *open_timeline(const struct options *o, struct err *err)
{
	const struct measure_config *c = &o->measure;

	if (!c->by && !c->between && !c->nevents && !c->off_cpu)
		return timefile_open(&(struct timefile_config){.path = c->input,
							       .stretch = c->screen,
							       .at = o->at},
				     err);
	err_set(err, EINVAL,
		"%s: %.200s is a saved time line, which does not keep tracepoint records",
		c->by	     ? "--by"
		: c->between ? "--between"
		: c->off_cpu ? "--off-cpu"
			     : "-e",
		c->input);
	return NULL;
}

struct session *start_session(const struct options *o, struct err *err)
{
	struct measure_config c = o->measure;

	c.max_cpu = c.max_cpu ? c.max_cpu : CPULIMIT_MAX_CPU;
	c.log_lines = c.log_events ? LOG_LINES : c.log_lines;
	/* With conditions, errors of the directory had better show now. */
	if (!c.snapshot_dir && o->snapshot_on.nr)
		c.snapshot_dir = ".";
	if (c.in_kernel && check_in_kernel(&c, err))
		return NULL;
	if (c.input && timefile_is_one(c.input))
		return open_timeline(o, err);
	if (o->at) {
		err_set(err, EINVAL, "--at: %.200s is not a saved time line (--save writes one)",
			c.input);
		return NULL;
	}
	return c.input ? file_open(&c, err) : live_open(&c, err);
}

int start_stop_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

