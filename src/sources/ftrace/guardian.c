/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "sources/ftrace/instance.h"

#define TRIES 200 /* processes about to end have descriptors that keep a directory busy */
#define WAIT  (50 * NSEC_PER_MSEC)

static const char *program;

void guardian_allow(const char *name)
{
	program = name;
}

static int spawn_guardian(int fd, const char *path, pid_t *pid)
{
	char *argv[] = {"ringtop-guardian", "--helper", GUARDIAN_NAME, (char *)path, NULL},
	     *environment[] = {NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int ret;

	sigfillset(&all);
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						POSIX_SPAWN_SETPGROUP);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setpgroup(&attr, 0); /* keep signals to the owner's group away */
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_RDWR, 0);
	ret = posix_spawn(pid, program, &files, &attr, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -ret;
}

void guardian_start(struct guardian *g, const char *path)
{
	int pair[2], ret;

	*g = (struct guardian){.fd = -1};
	if (!program)
		return;
	ret = pipe2(pair, O_CLOEXEC) ? -errno : 0;
	if (!ret) {
		ret = spawn_guardian(pair[0], path, &g->pid);
		close(pair[0]);
		g->fd = pair[1];
	}
	if (!ret)
		return;
	log_msg(LOG_CAPTURE, "ftrace: cannot start a guardian for %s: %s", path, strerror(-ret));
	if (g->fd >= 0)
		close(g->fd);
	*g = (struct guardian){.fd = -1};
}

void guardian_end(struct guardian *g, bool removed)
{
	if (g->pid <= 0)
		return;
	close(g->fd);
	while (waitpid(g->pid, NULL, removed ? 0 : WNOHANG) < 0 && errno == EINTR)
		;
	*g = (struct guardian){.fd = -1};
}

int guardian_main(const char *path)
{
	const struct timespec wait = clock_timespec(WAIT);
	int ret = -EBUSY;
	char byte;

	prctl(PR_SET_NAME, "ringtop-guard");
	/*
	 * A signal to the owner's group or cgroup lets the owner remove the instance, and that ends
	 * the guardian, too.
	 */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
		;
	for (int i = 0; i < TRIES && (ret == -EBUSY || ret == -EWOULDBLOCK); i++) {
		ret = instance_remove(path);
		if (ret)
			nanosleep(&wait, NULL);
	}
	return ret && ret != -ENOENT;
}
