/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "system/proc/user.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

extern char **environ;

/* Start id(1) with its output into fd, and its errors dropped. */
static int start_id(char *const argv[], int fd, pid_t *pid)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int ret;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&files, fd, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDERR_FILENO);
	ret = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -ret;
}

/* Read all text until its end or `until`.  0 or -errno.  Text that is too long is cut. */
static int read_answer(int fd, char *text, size_t size, uint64_t until)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len + 1 < size) {
		uint64_t now = clock_ns();
		struct timespec left = clock_timespec(until > now ? until - now : 0);
		int ready = ppoll(&p, 1, &left, NULL);

		if (!ready)
			return -ETIME;
		n = ready > 0 ? read(fd, text + len, size - len - 1) : -1;
		if (n < 0 && errno != EINTR)
			return -errno;
		len += n > 0 ? (size_t)n : 0;
		n = n < 0 ? 1 : n;
	}
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return 0;
}

static int ask_id(char *const argv[], char *text, size_t size)
{
	int fds[2], ret;
	pid_t pid;

	*text = '\0';
	if (pipe2(fds, O_CLOEXEC))
		return -errno;
	ret = start_id(argv, fds[1], &pid);
	close(fds[1]);
	if (!ret) {
		ret = read_answer(fds[0], text, size, clock_ns() + USER_WAIT_NS);
		kill(pid, SIGKILL); /* it has written all; or it hangs */
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	close(fds[0]);
	return !ret && !*text ? -ESRCH : ret;
}

int user_find(const char *name, uid_t *uid)
{
	char *const argv[] = {"id", "-u", "--", (char *)name, NULL};
	char text[32], *end;
	unsigned long number;
	int ret = ask_id(argv, text, sizeof(text));

	if (ret)
		return ret;
	number = strtoul(text, &end, 10);
	if (*end || number >= (uid_t)-1)
		return -ESRCH;
	*uid = (uid_t)number;
	return 0;
}

void user_own_name(char *name, size_t size)
{
	char *const argv[] = {"id", "-run", NULL};

	if (ask_id(argv, name, size))
		snprintf(name, size, "%u", getuid());
}

bool user_name(uid_t uid, char *name, size_t size)
{
	char number[16], *const argv[] = {"id", "-nu", "--", number, NULL};

	snprintf(number, sizeof(number), "%u", (unsigned)uid);
	if (!ask_id(argv, name, size))
		return true;
	snprintf(name, size, "%s", number);
	return false;
}
