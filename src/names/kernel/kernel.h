/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel - kernel addresses to symbols: /proc/kallsyms, read by a worker and again when code
 * appears that it does not name, or modules have come or gone; or of another kernel, what perf kept of
 * it when it recorded.
 *
 * No record tells of modules.  So /proc/modules is looked at while samples lie in one: kernel_look.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_KERNEL_KERNEL_H
#define RINGTOP_NAMES_KERNEL_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/worker.h"
#include "files/elf/elfsym.h"
#include "names/kernel/kallsyms.h"

/* The kernel's own symbols out of an ELF file. */
struct kernel_image {
	struct elfsym elf; /* symtab NULL: none */
	uint64_t mark[KERNEL_MARKS];
};

struct kernel {
	struct kallsyms syms;
	struct kernel_image vmlinux; /* goes before syms, for all but modules */
	bool loaded, busy;
	bool looking;      /* kernel_look's job is under way */
	uint32_t times;    /* number of times that the symbols were read */
	uint64_t modules;  /* hash of /proc/modules, so of which modules were there, when they were */
	uint32_t looked;   /* ms, as dictout_now: when that was last asked */
	uint32_t met;      /* ms, as dictout_now: when an address of a module was last looked up; 0: never */
	const char *kallsyms_file, *modules_file; /* files to read; NULL: those of /proc */
	bool given;    /* syms are what the user gave: nothing else is read */
	bool told;     /* what is wrong with what the user gave */
	char *why;     /* why there are no names, or NULL */
	uint32_t next; /* ms, as dictout_now: from then on it may be read again */
	struct build_id id; /* of another kernel than ours; not known: ours */
};

/* A function of the kernel's that does nothing but halt the CPU, though it stands elsewhere (.noinstr.text). */
bool kernel_halts(const char *name);

/* Is it where the idle loop waits?  False also where the marks are not known. */
static inline bool kernel_idles(const uint64_t mark[KERNEL_MARKS], uint64_t ip)
{
	return ip >= mark[KERNEL_IDLE] && ip < mark[KERNEL_IDLE_END];
}

/* Submit (re)reading; loaded(arg) is called from workers_collect. */
void kernel_load(struct kernel *k, struct workers *w, void (*loaded)(void *arg));

/* Submit rereading where other modules are there than when symbols were read; else nothing is called. */
void kernel_look(struct kernel *k, struct workers *w, void (*loaded)(void *arg));
void kernel_clear(struct kernel *k);

struct build_id kernel_build_id(void); /* of the running one */

#endif
