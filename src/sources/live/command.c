/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/live/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void redirect(int output)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (output >= 0) {
		dup2(output, STDOUT_FILENO);
		return;
	}
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
}

static void default_signals(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void exec_command(char *const argv[], int output, int go, int fail)
{
	char byte;
	int code;

	default_signals();
	/* The parent closes the pipe without a byte when it gives up. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	redirect(output);
	execvp(argv[0], argv);
	code = errno;
	if (write(fail, &code, sizeof(code)) < 0)
		_exit(126);
	_exit(127);
}

void command_init(struct command *c)
{
	*c = (struct command){.go_fd = -1, .fail_fd = -1, .lock = PTHREAD_MUTEX_INITIALIZER};
}

int command_fork(struct command *c, char *const argv[], int output, struct err *err)
{
	int go[2], fail[2], code;

	command_init(c);
	if (pipe2(go, O_CLOEXEC))
		return err_set(err, errno, "no pipe: %s", strerror(errno));
	if (pipe2(fail, O_CLOEXEC)) {
		code = errno;
		close(go[0]);
		close(go[1]);
		return err_set(err, code, "no pipe: %s", strerror(code));
	}
	c->pid = fork();
	if (c->pid < 0) {
		code = errno;
		close(go[0]);
		close(go[1]);
		close(fail[0]);
		close(fail[1]);
		c->pid = 0;
		return err_set(err, code, "cannot start a process: %s", strerror(code));
	}
	if (c->pid == 0) {
		close(go[1]);
		exec_command(argv, output, go[0], fail[1]);
	}
	close(go[0]);
	close(fail[1]);
	c->go_fd = go[1];
	c->fail_fd = fail[0];
	return 0;
}

int command_go(struct command *c, const char *name, struct err *err)
{
	int code = 0;

	if (write(c->go_fd, "g", 1) != 1)
		return err_set(err, EPIPE, "'%s' ended before it was started", name);
	/* End of file: exec closed it, all is well. */
	if (read(c->fail_fd, &code, sizeof(code)) != sizeof(code))
		return 0;
	return err_set(err, code, "cannot run '%s': %s", name, strerror(code));
}

static bool check_child_ended(struct command *c)
{
	if (c->pid && !c->ended)
		c->ended = waitpid(c->pid, &c->status, WNOHANG) == c->pid;
	return c->ended;
}

bool command_ended(struct command *c)
{
	bool ended;

	pthread_mutex_lock(&c->lock);
	ended = check_child_ended(c);
	pthread_mutex_unlock(&c->lock);
	return ended;
}

void command_end(struct command *c)
{
	pthread_mutex_lock(&c->lock);
	if (c->pid && !check_child_ended(c)) {
		kill(c->pid, SIGTERM);
		/*
		 * A child that was never released ends by itself; ringtop waits for none of them.
		 */
		kill(c->pid, SIGCONT);
	}
	pthread_mutex_unlock(&c->lock);
}

void command_close(struct command *c)
{
	command_end(c);
	if (c->go_fd >= 0)
		close(c->go_fd);
	if (c->fail_fd >= 0)
		close(c->fail_fd);
	pthread_mutex_destroy(&c->lock);
	command_init(c);
}
