/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct kernel_job {
	struct job job;
	struct kernel *kernel;
	void (*loaded)(void *arg);
	struct kallsyms syms;
	int result;
	struct err err;
};

static void run(struct job *job)
{
	struct kernel_job *kj = (struct kernel_job *)job;
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		kj->result = err_set(&kj->err, errno, "/proc/kallsyms: %s", strerror(errno));
		return;
	}
	kj->result = kallsyms_load(fd, &kj->syms, &kj->err);
	close(fd);
}

static void finish(struct job *job, void *arg)
{
	struct kernel_job *kj = (struct kernel_job *)job;
	struct kernel *k = kj->kernel;

	k->busy = false;
	k->stale = false;
	if (!kj->result) {
		kallsyms_clear(&k->syms);
		k->syms = kj->syms;
		k->loaded = true;
	} else if (!k->why) {
		k->why = strdup(kj->err.text);
	}
	kj->loaded(arg);
	free(kj);
}

static void discard(struct job *job)
{
	struct kernel_job *kj = (struct kernel_job *)job;

	if (!kj->result)
		kallsyms_clear(&kj->syms);
	free(kj);
}

void kernel_load(struct kernel *k, struct workers *w, void (*loaded)(void *arg))
{
	struct kernel_job *kj;

	if (k->busy || !(kj = calloc(1, sizeof(*kj))))
		return;
	kj->job = (struct job){.run = run, .finish = finish, .discard = discard};
	kj->kernel = k;
	kj->loaded = loaded;
	k->busy = true;
	workers_submit(w, &kj->job, true);
}

void kernel_clear(struct kernel *k)
{
	kallsyms_clear(&k->syms);
	free(k->why);
	*k = (struct kernel){0};
}
