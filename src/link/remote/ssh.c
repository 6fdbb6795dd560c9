/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/remote/ssh.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shellwords.h"

/* These come after the user's options: ssh takes the first of an option that is given twice. */
static const char *const ssh_options[] = {
	"-T", "-e", "none", "-a", "-x",
	"-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=6",
	"-o", "ClearAllForwardings=yes", "-o", "Compression=no", "-o", "RemoteCommand=none",
};
static const char *const batch_options[] = {"-o", "BatchMode=yes", "-o", "ConnectTimeout=15"};

#define LOOK_MS 5 /* between checks whether it has ended */

#define NR(array) (sizeof(array) / sizeof((array)[0]))

int ssh_host_check(const char *host, struct err *err)
{
	const char *at = strrchr(host, '@'), *name = at ? at + 1 : host;

	if (!*name || host == at)
		return err_set(err, EINVAL, "'%s' does not name a host", host);
	if (*host == '-' || *name == '-')
		return err_set(err, EINVAL, "'%s' is not a host name: it begins with -", host);
	for (const char *s = host; *s; s++)
		if ((unsigned char)*s <= ' ' || *s == 0x7f)
			return err_set(err, EINVAL,
				       "'%s' is not a host name: it has blanks or control "
				       "characters", host);
	return 0;
}

/* Return the command's words with options and host: borrowed texts, in an array to be freed. */
static char **arguments(char *const words[], const char *host, bool batch)
{
	size_t n = 0, nwords = 0;
	const char **argv;
	bool whole = false;

	while (words[nwords])
		nwords++;
	argv = calloc(nwords + NR(ssh_options) + NR(batch_options) + 5, sizeof(*argv));
	for (; argv && n < nwords; n++) {
		bool place = !strcmp(words[n], "%h");

		argv[n] = place ? host : words[n];
		whole |= place;
	}
	if (!argv || whole)
		return (char **)argv;
	for (size_t i = 0; i < NR(ssh_options); i++)
		argv[n++] = ssh_options[i];
	for (size_t i = 0; batch && i < NR(batch_options); i++)
		argv[n++] = batch_options[i];
	argv[n++] = "--";
	argv[n++] = host;
	argv[n] = "exec /bin/sh"; /* words that sh, csh and fish understand alike */
	return (char **)argv;
}

/* Each pipe is [0] read and [1] written; the child has [0] of stdin, and [1] of the others. */
enum { PIPE_IN, PIPE_OUT, PIPE_ERR, PIPE_FAIL, PIPES };

static void close_pipes(int p[PIPES][2])
{
	for (int i = 0; i < PIPES; i++)
		for (int k = 0; k < 2; k++)
			if (p[i][k] >= 0)
				close(p[i][k]);
}

static int make_pipes(int p[PIPES][2])
{
	memset(p, -1, PIPES * sizeof(p[0]));
	for (int i = 0; i < PIPES; i++)
		if (pipe2(p[i], O_CLOEXEC))
			return -errno;
	for (int i = 0; i < PIPE_FAIL; i++)
		fcntl(p[i][i == PIPE_IN], F_SETFL, O_NONBLOCK);
	return 0;
}

static void run_child(char *const argv[], int p[PIPES][2], pid_t parent)
{
	sigset_t none;
	int code;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, sig == SIGINT || sig == SIGQUIT ? SIG_IGN : SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	for (int i = PIPE_IN; i <= PIPE_ERR; i++)
		dup2(p[i][i != PIPE_IN], i);
	execvp(argv[0], argv);
	code = errno;
	if (write(p[PIPE_FAIL][1], &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

static int fork_command(struct transport *t, char *const argv[], struct err *err)
{
	pid_t parent = getpid();
	int p[PIPES][2], code = make_pipes(p);

	if (!code)
		t->pid = fork();
	if (code || t->pid < 0) {
		code = code ? -code : errno;
		close_pipes(p);
		t->pid = 0;
		return err_room(err, code, "running %s", argv[0]);
	}
	if (t->pid == 0)
		run_child(argv, p, parent);
	t->out = p[PIPE_IN][1];
	t->in = p[PIPE_OUT][0];
	t->err = p[PIPE_ERR][0];
	p[PIPE_IN][1] = p[PIPE_OUT][0] = p[PIPE_ERR][0] = -1;
	close(p[PIPE_FAIL][1]);
	p[PIPE_FAIL][1] = -1;
	/* End of file: exec closed it, all is well. */
	if (read(p[PIPE_FAIL][0], &code, sizeof(code)) != sizeof(code))
		code = 0;
	close_pipes(p);
	return code ? err_set(err, code, "cannot run '%s': %s", argv[0], strerror(code)) : 0;
}

int ssh_start(struct transport *t, const char *host, const char *command, bool batch,
	      struct err *err)
{
	char **words, **argv;
	int r = ssh_host_check(host, err);

	*t = (struct transport){.in = -1, .out = -1, .err = -1};
	if (r)
		return r;
	words = shellwords_split(command ? command : "ssh", "--ssh", err);
	if (!words)
		return err ? -err->code : -EINVAL;
	argv = arguments(words, host, batch);
	r = argv ? fork_command(t, argv, err) : err_room(err, ENOMEM, "running %s", words[0]);
	free(argv);
	free(words);
	if (r)
		transport_close(t);
	return r;
}

static bool reap_if_ended(struct transport *t)
{
	pid_t pid = t->pid > 0 ? waitpid(t->pid, &t->status, WNOHANG) : 0;

	if (!pid)
		return false;
	t->ended = pid > 0;
	t->pid = 0;
	return true;
}

bool transport_ended(struct transport *t, unsigned ms, char *text, size_t size)
{
	while (t->pid > 0 && !reap_if_ended(t) && ms >= LOOK_MS) {
		poll(NULL, 0, LOOK_MS);
		ms -= LOOK_MS;
	}
	if (t->ended && WIFSIGNALED(t->status))
		snprintf(text, size, "ssh was ended by signal %d (%s)", WTERMSIG(t->status),
			 strsignal(WTERMSIG(t->status)));
	else if (t->ended)
		snprintf(text, size, "ssh ended with status %d", WEXITSTATUS(t->status));
	return t->ended;
}

/*
 * ssh ends by itself once its pipes are closed, but would wait on a dead connection; the remote end
 * sees its side of the connection close all the same.
 */
static void end_child(pid_t pid)
{
	static const struct {
		int signal, ms;
	} ways[] = {{0, 100}, {SIGTERM, 500}, {SIGKILL, INT_MAX}};

	for (size_t i = 0; i < NR(ways); i++) {
		if (ways[i].signal)
			kill(pid, ways[i].signal);
		for (int ms = 0; ms < ways[i].ms; ms += LOOK_MS) {
			if (waitpid(pid, NULL, WNOHANG) != 0)
				return;
			poll(NULL, 0, LOOK_MS);
		}
	}
}

void transport_close(struct transport *t)
{
	int *fds[] = {&t->in, &t->out, &t->err};

	for (size_t i = 0; i < NR(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
	free(t->early);
	t->early = NULL;
	t->nearly = 0;
	if (t->pid > 0)
		end_child(t->pid);
	t->pid = 0;
}
