/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

static const struct {
	int number;
	unsigned bit;
} caught[] = {
	{SIGINT, SIGNALS_QUIT},     {SIGTERM, SIGNALS_QUIT},    {SIGHUP, SIGNALS_QUIT},
	{SIGWINCH, SIGNALS_RESIZE}, {SIGTSTP, SIGNALS_SUSPEND}, {SIGCONT, SIGNALS_CONTINUE},
	{SIGUSR2, SIGNALS_SNAPSHOT}, {SIGUSR1, SIGNALS_MARK},
	{SIGCHLD, SIGNALS_CHILD},
};

#define CAUGHT (sizeof(caught) / sizeof(caught[0]))

static struct sigaction before[CAUGHT];
static int pipe_fds[2] = {-1, -1};

static void on_signal(int number)
{
	int saved = errno;
	unsigned char byte = 0;

	for (size_t i = 0; i < CAUGHT; i++)
		if (caught[i].number == number)
			byte = (unsigned char)caught[i].bit;
	/* A full pipe already contains thousands of these bits: nothing is lost. */
	if (write(pipe_fds[1], &byte, 1) < 0)
		byte = 0;
	errno = saved;
}

/* Block or unblock SIGUSR1 and SIGUSR2, which would kill the process while there is no handler. */
static void mask_user(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(how, &set, NULL);
}

int signals_open(struct err *err)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_NOCLDSTOP};

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_set(err, errno, "cannot make a pipe for signals: %s", strerror(errno));
	sigfillset(&sa.sa_mask);
	for (size_t i = 0; i < CAUGHT; i++) {
		sigaction(caught[i].number, NULL, &before[i]);
		/* nohup and shells without job control ignore on purpose. */
		if (before[i].sa_handler == SIG_IGN &&
		    caught[i].bit & (SIGNALS_QUIT | SIGNALS_SUSPEND))
			continue;
		sigaction(caught[i].number, &sa, NULL);
	}
	mask_user(SIG_UNBLOCK);
	return 0;
}

void signals_close(void)
{
	if (pipe_fds[0] < 0)
		return;
	mask_user(SIG_BLOCK);
	for (size_t i = 0; i < CAUGHT; i++)
		sigaction(caught[i].number, &before[i], NULL);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	pipe_fds[0] = pipe_fds[1] = -1;
}

int signals_fd(void)
{
	return pipe_fds[0];
}

unsigned signals_take(void)
{
	unsigned char bytes[64];
	unsigned bits = 0;
	ssize_t n;

	while ((n = read(pipe_fds[0], bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++)
			bits |= bytes[i];
	return bits;
}

void signals_interrupts(bool heard)
{
	struct sigaction sa = {.sa_handler = heard ? on_signal : SIG_IGN, .sa_flags = SA_RESTART};

	sigfillset(&sa.sa_mask);
	/* If it was ignored from the start it stays ignored. */
	if (before[0].sa_handler != SIG_IGN)
		sigaction(SIGINT, &sa, NULL);
}

void signals_suspend(void)
{
	struct sigaction sa = {.sa_handler = SIG_DFL}, ours;
	sigset_t set, old;

	sigaction(SIGTSTP, &sa, &ours);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	pthread_sigmask(SIG_UNBLOCK, &set, &old);
	raise(SIGTSTP);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &ours, NULL);
}
