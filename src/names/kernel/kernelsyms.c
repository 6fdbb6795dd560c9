/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/kernel/kernelsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/io.h"
#include "files/elf/buildcache.h"
#include "files/elf/elffile.h"

bool kernel_halts(const char *name)
{
	static const char *const halting[] = {
		"pv_native_safe_halt",	 "native_safe_halt", "xen_safe_halt",
		"tdx_safe_halt",	 "acpi_safe_halt",   "acpi_idle_do_entry",
		"mwait_idle_with_hints", "cpu_do_idle",	     "poll_idle",
	};
	size_t len = strcspn(name, "."); /* suffixes of compilers: .constprop.0 */

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
	const char *kallsyms_file, *modules_file;
	bool look;        /* read symbols only if modules differ */
	/* Hash of the modules when the present symbols were read; then, when the new ones were. */
	uint64_t modules;
	int result;
	struct err err;
};

static int open_kallsyms(struct kernel_job *kj)
{
	int fd;

	if (!kj->id.len) {
		const char *file = kj->kallsyms_file ? kj->kallsyms_file : "/proc/kallsyms";

		fd = open(file, O_RDONLY | O_CLOEXEC);
		return fd >= 0 ? fd : err_set(&kj->err, errno, "%s: %s", file, strerror(errno));
	}
	fd = buildcache_open(&kj->id, "kallsyms");
	return fd >= 0 ? fd : err_set(&kj->err, ENOENT, "it was recorded on another kernel");
}

/*
 * Return a hash of the loaded modules: of each line's name, size, state and address. Their users
 * change all the time and are left out. 0: there are none, or it cannot be read.
 */
static uint64_t read_modules(const char *file)
{
	FILE *f = fopen(file ? file : "/proc/modules", "re");
	char *line = NULL, name[64], state[16], where[32];
	size_t size = 0;
	uint64_t hash = 0;
	unsigned long bytes;

	while (f && getline(&line, &size, f) > 0)
		if (sscanf(line, "%63s %lu %*s %*s %15s %31s", name, &bytes, state, where) == 4) {
			hash = hash_mix(hash, hash_bytes(name, strlen(name)) + bytes);
			hash = hash_mix(hash, hash_bytes(where, strlen(where)) +
						      hash_bytes(state, strlen(state)));
		}
	free(line);
	if (f)
		fclose(f);
	return hash;
}

static void run_kernel_job(struct job *job)
{
	struct kernel_job *kj = (struct kernel_job *)job;
	uint64_t modules = kj->id.len ? 0 : read_modules(kj->modules_file);
	int fd;

	if (kj->look && modules == kj->modules) {
		kj->result = -EALREADY;
		return;
	}
	/* Modules are read before the symbols: the next look finds one that comes in between. */
	kj->modules = modules;
	fd = open_kallsyms(kj);
	if (fd < 0) {
		kj->result = fd;
		return;
	}
	kj->result = kallsyms_load(fd, &kj->syms, &kj->err);
	close(fd);
}

static void finish_kernel_job(struct job *job, void *arg)
{
	struct kernel_job *kj = (struct kernel_job *)job;
	struct kernel *k = kj->kernel;

	k->busy = k->looking = false;
	if (kj->result == -EALREADY) {
		free(kj);
		return;
	}
	if (!kj->result) {
		kallsyms_clear(&k->syms);
		k->syms = kj->syms;
		k->modules = kj->modules;
		k->loaded = true;
		k->times++;
	} else if (!k->why) {
		if (asprintf(&k->why, "%s%s%s", kj->err.text, *kj->err.advice ? ": " : "",
			     kj->err.advice) < 0)
			k->why = NULL;
	}
	kj->loaded(arg);
	free(kj);
}

static void discard_kernel_job(struct job *job)
{
	struct kernel_job *kj = (struct kernel_job *)job;

	if (!kj->result)
		kallsyms_clear(&kj->syms);
	free(kj);
}

static void submit_kernel_job(struct kernel *k, struct workers *w, bool look,
			      void (*loaded)(void *arg))
{
	struct kernel_job *kj;

	if (k->busy || k->looking || k->given || !(kj = calloc(1, sizeof(*kj))))
		return;
	*kj = (struct kernel_job){
		.job = {.run = run_kernel_job, .finish = finish_kernel_job,
			.discard = discard_kernel_job},
		.kernel = k, .loaded = loaded,
		.id = k->id, .look = look, .modules = k->modules,
		.kallsyms_file = k->kallsyms_file, .modules_file = k->modules_file,
	};
	k->busy = !look;
	k->looking = look;
	workers_submit(w, &kj->job, !look);
}

void kernel_load(struct kernel *k, struct workers *w, void (*loaded)(void *arg))
{
	submit_kernel_job(k, w, false, loaded);
}

void kernel_look(struct kernel *k, struct workers *w, void (*loaded)(void *arg))
{
	submit_kernel_job(k, w, true, loaded);
}

struct build_id kernel_build_id(void)
{
	char notes[4096 + 1];
	ssize_t n = io_read_text("/sys/kernel/notes", notes, sizeof(notes));

	return elffile_find_build_id(notes, n > 0 ? (size_t)n : 0, 4);
}

void kernel_clear(struct kernel *k)
{
	kallsyms_clear(&k->syms);
	elfsym_clear(&k->vmlinux.elf);
	free(k->why);
	*k = (struct kernel){0};
}
