/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/buildcache.h"
#include "elf/elffile.h"

bool kernel_halts(const char *name)
{
	static const char *const halting[] = {
		"pv_native_safe_halt", "native_safe_halt", "xen_safe_halt", "tdx_safe_halt",
		"acpi_safe_halt", "acpi_idle_do_entry", "mwait_idle_with_hints", "cpu_do_idle", "poll_idle",
	};
	size_t len = strcspn(name, "."); /* what compilers append: .constprop.0 */

	for (size_t i = 0; i < sizeof(halting) / sizeof(*halting); i++)
		if (strlen(halting[i]) == len && !memcmp(name, halting[i], len))
			return true;
	return false;
}

struct kernel_job {
	struct job job;
	struct kernel *kernel;
	void (*loaded)(void *arg);
	struct kallsyms syms;
	struct build_id id;
	int result;
	struct err err;
};

static int open_kallsyms(struct kernel_job *kj)
{
	int fd;

	if (!kj->id.len) {
		fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
		return fd >= 0 ? fd : err_set(&kj->err, errno, "/proc/kallsyms: %s", strerror(errno));
	}
	fd = buildcache_open(&kj->id, "kallsyms");
	return fd >= 0 ? fd : err_set(&kj->err, ENOENT, "it was recorded on another kernel");
}

static void run(struct job *job)
{
	struct kernel_job *kj = (struct kernel_job *)job;
	int fd = open_kallsyms(kj);

	if (fd < 0) {
		kj->result = fd;
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
		if (asprintf(&k->why, "%s%s%s", kj->err.text, *kj->err.advice ? ": " : "",
			     kj->err.advice) < 0)
			k->why = NULL;
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

	if (k->busy || k->given || !(kj = calloc(1, sizeof(*kj))))
		return;
	kj->job = (struct job){.run = run, .finish = finish, .discard = discard};
	kj->kernel = k;
	kj->loaded = loaded;
	kj->id = k->id;
	k->busy = true;
	workers_submit(w, &kj->job, true);
}

struct build_id kernel_build_id(void)
{
	char notes[4096];
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	return elffile_find_build_id(notes, n > 0 ? (size_t)n : 0, 4);
}

void kernel_clear(struct kernel *k)
{
	kallsyms_clear(&k->syms);
	elfsym_clear(&k->vmlinux.elf);
	free(k->why);
	*k = (struct kernel){0};
}
