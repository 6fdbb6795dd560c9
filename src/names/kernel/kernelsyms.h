/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernelsyms - kernel addresses to symbols: /proc/kallsyms, read by a worker, and again when code
 * appears that it does not name, or modules have come or gone. For another kernel: the copy that
 * perf kept when it recorded.
 *
 * No record reports modules. So /proc/modules is read while samples lie in one: kernel_look.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_KERNEL_KERNELSYMS_H
#define RINGTOP_NAMES_KERNEL_KERNELSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/worker.h"
#include "files/elf/elfsym.h"
#include "names/kernel/kallsyms.h"

/* Symbols of the kernel from an ELF file. */
struct kernel_image {
	struct elfsym elf; /* symtab NULL: none */
	uint64_t mark[KERNEL_ANCHORS];
};

struct kernel {
	struct kallsyms syms;
	struct kernel_image vmlinux; /* takes precedence over syms, for all but modules */
	bool loaded, busy;
	bool looking;      /* kernel_look's job is under way */
	uint32_t times;    /* number of times that the symbols were read */
	/* Hash of /proc/modules (which modules were loaded) when the symbols were read. */
	uint64_t modules;
	uint32_t looked;   /* ms, as dictout_now: time of the last kernel_look */
	uint32_t met;      /* ms, as dictout_now: last lookup of an address of a module; 0: never */
	const char *kallsyms_file, *modules_file; /* files to read; NULL: those of /proc */
	bool given;    /* syms come from a file that the user named: nothing else is read */
	bool told;     /* a problem with the user's files was reported */
	char *why;     /* why there are no names, or NULL */
	uint32_t next; /* ms, as dictout_now: earliest time of the next read */
	/* Build-id of a kernel other than the running one; unknown: the running kernel. */
	struct build_id id;
};

/*
 * Return true if the kernel function of that name only halts the CPU, though it is outside the idle
 * loop's text (.noinstr.text).
 */
bool kernel_halts(const char *name);

/* Return true if ip is where the idle loop waits. False also if the marks are not known. */
static inline bool kernel_idles(const uint64_t mark[KERNEL_ANCHORS], uint64_t ip)
{
	return ip >= mark[KERNEL_IDLE] && ip < mark[KERNEL_IDLE_END];
}

/*
 * Submit (re)reading of the symbols; loaded(arg) is called from workers_collect. No-op while a job
 * is under way or the user gave symbols.
 */
void kernel_load(struct kernel *k, struct workers *w, void (*loaded)(void *arg));

/*
 * Submit rereading if other modules are loaded than when the symbols were read; loaded is not
 * called otherwise.
 */
void kernel_look(struct kernel *k, struct workers *w, void (*loaded)(void *arg));
void kernel_clear(struct kernel *k);

struct build_id kernel_build_id(void); /* build-id of the running kernel */

#endif
