/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/agentmain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "link/agent/agent.h"
#include "link/agent/linger.h"
#include "base/clock.h"
#include "names/code/rawcode.h"
#include "system/sandbox/sandbox.h"
#include "app/options.h"
#include "app/start.h"

/* Words and options that the session was opened with; it keeps pointers into them. */
static struct {
	char **words;
	struct options options;
	struct session *session;
} start;

/* Return an argv with copies of the words, which belong to the connection.  NULL: out of memory. */
static char **copy_words(char *const words[], unsigned nr)
{
	char **argv = calloc(nr + 2, sizeof(*argv));

	if (argv)
		argv[0] = strdup("ringtop");
	for (unsigned i = 0; argv && i < nr; i++) {
		argv[i + 1] = strdup(words[i] ? words[i] : "");
		if (!argv[i + 1])
			return NULL; /* not freed: the process ends */
	}
	return argv && argv[0] ? argv : NULL;
}

static struct session *open_words(void *arg, char *const words[], unsigned nwords, uint32_t beat_ms,
				  struct err *err)
{
	enum options_action action;

	(void)arg;
	rawcode_want();
	start.words = copy_words(words, nwords);
	if (!start.words)
		return err_null(err_set(err, ENOMEM, "out of memory"));
	if (options_parse((int)nwords + 1, start.words, &start.options, &action, err))
		return NULL;
	if (action != OPTIONS_RUN || start.options.nhosts) {
		err_set(err, EINVAL,
			"cannot be run by an agent, which measures only the machine it runs on");
		return NULL;
	}
	start.options.measure.doze_ns = beat_ms < 1000 ? 0 : NSEC_PER_SEC;
	start.options.measure.log_lines = beat_ms < 1000 ? START_LOG_FAR : 0;
	start.options.measure.log_fields = true;
	if (!start_settings(&start.options, err))
		start.session = start_session(&start.options, err);
	return start.session;
}

static void leave_session(void *arg, struct session *s)
{
	(void)arg;
	sandbox_abandon();
	s->ops->abandon(s);
}

/* Move stdin and stdout to descriptors out of reach of COMMAND and of code that prints. */
static int take_ends(struct agent_config *c)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), ret = 0;

	c->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	c->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (null < 0 || c->in < 0 || c->out < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0)
		ret = -errno;
	if (null >= 0)
		close(null);
	return ret;
}

static int print_error(const struct err *err)
{
	start_complain(err);
	return start_exit_of(err->code);
}

/* Free memory, for a leak checker only: the process ends. */
static void free_for_leak_checker(void)
{
#ifdef __SANITIZE_ADDRESS__
	session_close(start.session);
	options_clear(&start.options);
	for (char **word = start.words; word && *word; word++)
		free(*word);
	free(start.words);
#endif
}

static int serve_agent(void)
{
	struct agent_config c = {
		.version = RINGTOP_VERSION, .open = open_words, .leave = leave_session};
	struct err err = {.code = 0};
	int status, ret;

	if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO)) {
		err_set(&err, EINVAL,
			"--agent is for a ringtop at the other end of ssh, not for a terminal: "
			"see -H");
		return print_error(&err);
	}
	ret = take_ends(&c);
	if (ret) {
		err_set(&err, -ret, "--agent: cannot duplicate file descriptors: %s",
			strerror(-ret));
		return print_error(&err);
	}
	status = agent_run(&c);
	free_for_leak_checker();
	return status;
}

int agentmain_run(int argc, char *argv[])
{
	struct err err = {.code = 0};
	char wire[32];

	start_name("ringtop-agent", argc, argv);
	if (argc == 2)
		return serve_agent();
	if (argc == 3 && !strcmp(argv[2], "--wire")) {
		agent_wire(wire, sizeof(wire));
		return printf("%s\n", wire) < 0 || fflush(stdout);
	}
	if (argc == 4 && !strcmp(argv[2], "--resume"))
		return linger_resume(argv[3], &err) ? print_error(&err) : EXIT_DONE;
	err_set(&err, EINVAL, "--agent takes nothing, or --wire, or --resume TOKEN");
	return print_error(&err);
}
