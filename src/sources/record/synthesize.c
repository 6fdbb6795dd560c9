/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/synthesize.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>

#include "system/proc/procscan.h"

#define HOST_KERNEL UINT32_MAX /* pid of the kernel's maps */

/* --- the kernel --------------------------------------------------------------------------- */

#define LINES 2000 /* lines of /proc/kallsyms in a step */

/*
 * Look for the start and the end of the kernel's text in some more lines. False: no more lines are
 * needed.
 */
static bool find_text(struct synthesize *ps)
{
	char line[512];

	for (unsigned i = 0; i < LINES; i++) {
		char *rest, *name;
		uint64_t addr;

		if ((ps->text && ps->etext) || !fgets(line, sizeof(line), ps->kallsyms))
			return false;
		addr = strtoull(line, &rest, 16);
		if (rest == line || strlen(rest) < 4)
			continue;
		name = rest + 3;
		name[strcspn(name, " \t\n")] = '\0';
		if (!strcmp(name, "_text"))
			ps->text = addr;
		else if (!strcmp(name, "_etext"))
			ps->etext = addr;
	}
	return true;
}

/* Return the file names of modules in modules.dep; NULL: not known. */
static char *read_modules_dep(const char *release)
{
	char path[256], *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", release);
	f = fopen(path, "re");
	if (!f)
		return NULL;
	if (getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/*
 * Return true if this file of a module ("kernel/fs/ext4/ext4.ko.xz:") is that of `name`; '-' and
 * '_' are equal.
 */
static bool is_module(const char *file, size_t len, const char *name)
{
	const char *base = file + len;
	size_t i;

	while (base > file && base[-1] != '/')
		base--;
	for (i = 0; name[i] && base + i < file + len; i++)
		if ((base[i] == '-' ? '_' : base[i]) != name[i])
			return false;
	return !name[i] && (size_t)(file + len - base) > i + 2 && !strncmp(base + i, ".ko", 3);
}

static void module_file(const char *dep, const char *release, const char *name, char *to,
			size_t size)
{
	for (const char *line = dep; line && *line; line = strchr(line, '\n')) {
		size_t len;

		line += *line == '\n';
		len = strcspn(line, ":\n");
		if (is_module(line, len, name)) {
			snprintf(to, size, "/lib/modules/%s/%.*s", release, (int)len, line);
			return;
		}
	}
	snprintf(to, size, "[%s]", name);
}

static void put_modules(struct perfwrite *w)
{
	FILE *f = fopen("/proc/modules", "re");
	char line[4096], name[128], file[512];
	unsigned long long size, addr;
	struct utsname u;
	char *dep;

	if (!f || uname(&u)) {
		if (f)
			fclose(f);
		return;
	}
	dep = read_modules_dep(u.release);
	while (fgets(line, sizeof(line), f)) {
		/* fields: name, size, users, their names, state, address */
		if (sscanf(line, "%127s %llu %*s %*s %*s %llx", name, &size, &addr) != 3 || !addr)
			continue;
		module_file(dep, u.release, name, file, sizeof(file));
		perfwrite_kernel_map(w, &(struct record_mmap){.pid = HOST_KERNEL, .addr = addr,
							      .len = size, .filename = file});
	}
	free(dep);
	fclose(f);
}

bool synthesize_kernel(struct synthesize *ps, struct perfwrite *w)
{
	if (!ps->kallsyms)
		ps->kallsyms = fopen("/proc/kallsyms", "re");
	if (!ps->kallsyms)
		return false;
	if (find_text(ps))
		return true;
	fclose(ps->kallsyms);
	ps->kallsyms = NULL;
	if (!ps->text || ps->etext <= ps->text)
		return false;
	/* The map's name has the symbol of the address behind the '@'. */
	perfwrite_kernel_map(w, &(struct record_mmap){.pid = HOST_KERNEL,
						      .addr = ps->text,
						      .len = ps->etext - ps->text,
						      .pgoff = ps->text,
						      .filename = "[kernel.kallsyms]_text"});
	put_modules(w);
	return false;
}

/* --- processes ---------------------------------------------------------------------------- */

/* Get the process of a thread, and its parent; false: the thread has ended. */
static bool read_status(pid_t tid, pid_t *tgid, pid_t *ppid)
{
	char path[32], line[256];
	FILE *f;

	*tgid = *ppid = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && *ppid < 0 && fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid: %d", tgid);
		sscanf(line, "PPid: %d", ppid);
	}
	if (f)
		fclose(f);
	return *tgid > 0 && *ppid >= 0;
}

static bool has(const struct synthesize *ps, pid_t pid)
{
	for (size_t i = 0; i < ps->nr; i++)
		if (ps->pids[i] == pid)
			return true;
	return false;
}

int synthesize_begin(struct synthesize *ps, const pid_t *tids, size_t ntids)
{
	*ps = (struct synthesize){.pids = NULL};
	if (!ntids || tids[0] < 0) {
		ps->pids = procscan_pids(&ps->nr);
		return ps->pids ? 0 : -ENOMEM;
	}
	ps->pids = calloc(ntids, sizeof(*ps->pids));
	if (!ps->pids)
		return -ENOMEM;
	for (size_t i = 0; i < ntids; i++) {
		pid_t tgid, ppid;

		/* Threads of one process come one after the other. */
		if (!(ps->nr && ps->pids[ps->nr - 1] == tids[i]) &&
		    read_status(tids[i], &tgid, &ppid) && !has(ps, tgid))
			ps->pids[ps->nr++] = tgid;
	}
	return 0;
}

static void put_thread_records(struct perfwrite *w, pid_t pid, pid_t tid, pid_t ppid)
{
	uint32_t parent = (uint32_t)(tid == pid ? ppid : pid);
	char comm[COMM_LEN];

	if (!procscan_comm(pid, tid, comm))
		return;
	perfwrite_fork(w, &(struct record_task){.pid = (uint32_t)pid, .ppid = parent,
						.tid = (uint32_t)tid, .ptid = parent});
	perfwrite_comm(w, &(struct record_comm){.pid = (uint32_t)pid, .tid = (uint32_t)tid,
						.comm = comm});
}

static void put_maps(struct perfwrite *w, pid_t pid, const struct scan *s)
{
	for (size_t i = 0; i < s->nmaps; i++) {
		const struct scan_map *from = &s->maps[i];

		perfwrite_map(w, &(struct record_mmap){
					 .pid = (uint32_t)pid,
					 .tid = (uint32_t)pid,
					 .addr = from->start,
					 .len = from->end - from->start,
					 .pgoff = from->pgoff,
					 .maj = from->maj,
					 .min = from->min,
					 .ino = from->ino,
					 .prot = from->data ? PROT_READ : PROT_READ | PROT_EXEC,
					 .filename = *from->path ? from->path : "//anon"});
	}
}

static void put_process(struct perfwrite *w, pid_t pid, bool data)
{
	pid_t tgid, ppid, *tids;
	struct scan s;
	size_t nr;

	if (!read_status(pid, &tgid, &ppid))
		return;
	/* First its main thread, with the maps. */
	put_thread_records(w, pid, pid, ppid);
	if ((data ? procscan_read_data : procscan_read)(pid, &s) == 0)
		put_maps(w, pid, &s);
	procscan_clear(&s);
	tids = procscan_tids(pid, &nr);
	for (size_t i = 0; i < nr; i++)
		if (tids[i] != pid)
			put_thread_records(w, pid, tids[i], ppid);
	free(tids);
}

bool synthesize_next(struct synthesize *ps, struct perfwrite *w)
{
	if (!ps->nr)
		return false;
	/* The newest first, as they are the likeliest to end soon. */
	put_process(w, ps->pids[--ps->nr], ps->data);
	return true;
}

void synthesize_clear(struct synthesize *ps)
{
	free(ps->pids);
	if (ps->kallsyms)
		fclose(ps->kallsyms);
	*ps = (struct synthesize){.pids = NULL};
}
