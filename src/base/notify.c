/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shellwords.h"

struct notify {
	char **words;
	int output_fd;
	struct {
		pid_t pid; /* 0: free */
		uint32_t tag;
	} running[NOTIFY_MOST];
};

struct notify *notify_create(const char *command, const char *option, int output_fd,
			     struct err *err)
{
	struct notify *n = calloc(1, sizeof(*n));

	if (!n)
		return err_null(err_room(err, ENOMEM, "%s", option));
	n->output_fd = output_fd;
	n->words = shellwords_split(command, option, err);
	if (n->words)
		return n;
	free(n);
	return NULL;
}

void notify_free(struct notify *n)
{
	if (!n)
		return;
	free(n->words);
	free(n);
}

/* Build ringtop's environment with `variables` replaced or added; for free(), texts borrowed. */
static char **environment(char *const variables[])
{
	size_t nr = 0, more = 0, at = 0;
	char **all;

	while (environ[nr])
		nr++;
	while (variables[more])
		more++;
	all = calloc(nr + more + 1, sizeof(*all));
	for (size_t i = 0; all && i < nr; i++) {
		bool anew = false;

		for (size_t k = 0; k < more; k++)
			anew |= !strncmp(environ[i], variables[k], strcspn(variables[k], "=") + 1);
		if (!anew)
			all[at++] = environ[i];
	}
	if (all)
		memcpy(all + at, variables, more * sizeof(*all));
	return all;
}

/* Reset signal mask and handlers, which are ringtop's own; set process group, input, output. */
static int prepare_spawn(const struct notify *n, posix_spawnattr_t *attr,
			 posix_spawn_file_actions_t *files)
{
	sigset_t none, all;
	int ret;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawnattr_setsigmask(attr, &none);
	posix_spawnattr_setsigdefault(attr, &all);
	posix_spawnattr_setpgroup(attr, 0);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
					       POSIX_SPAWN_SETPGROUP);
	ret = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO && !ret; fd++)
		ret = n->output_fd < 0 ? posix_spawn_file_actions_addopen(files, fd, "/dev/null",
									  O_WRONLY, 0)
				       : posix_spawn_file_actions_adddup2(files, n->output_fd, fd);
	return ret;
}

static int spawn_command(const struct notify *n, char *const variables[], pid_t *pid)
{
	char **all = environment(variables);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int ret = all ? posix_spawnattr_init(&attr) : ENOMEM;

	if (ret) {
		free(all);
		return -ret;
	}
	ret = posix_spawn_file_actions_init(&files);
	if (!ret) {
		ret = prepare_spawn(n, &attr, &files);
		if (!ret)
			ret = posix_spawnp(pid, n->words[0], &files, &attr, n->words, all);
		posix_spawn_file_actions_destroy(&files);
	}
	posix_spawnattr_destroy(&attr);
	free(all);
	return -ret;
}

int notify_run(struct notify *n, uint32_t tag, char *const variables[])
{
	for (size_t i = 0; i < NOTIFY_MOST; i++) {
		pid_t pid = 0;
		int ret;

		if (n->running[i].pid)
			continue;
		ret = spawn_command(n, variables, &pid);
		if (ret)
			return ret;
		n->running[i].pid = pid;
		n->running[i].tag = tag;
		return 0;
	}
	return -EAGAIN;
}

int notify_ended(struct notify *n, uint32_t *tag, int *status)
{
	for (size_t i = 0; i < NOTIFY_MOST; i++) {
		if (!n->running[i].pid ||
		    waitpid(n->running[i].pid, status, WNOHANG) != n->running[i].pid)
			continue;
		*tag = n->running[i].tag;
		n->running[i].pid = 0;
		return 1;
	}
	return 0;
}
