/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cputime - time of each CPU by kind since boot, from /proc/stat.
 *
 * The kernel measures idle time to the microsecond (if its tick stops on idle CPUs, which is nearly
 * everywhere) and reports it in units of CPUTIME_GRAIN; irq and stolen are measured at the tick.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_CAPTURE_CPUTIME_H
#define RINGTOP_KERNEL_CAPTURE_CPUTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPUTIME_GRAIN 10000000ull /* ns: USER_HZ is 100 on all of Linux */

struct cputime { /* ns */
	uint64_t idle;   /* including waiting for disks */
	uint64_t user;   /* including guests */
	uint64_t kernel; /* including interrupts */
	uint64_t irq;    /* in interrupts, whatever they interrupted */
	uint64_t stolen; /* of a virtual machine: the host ran something else */
};

struct cputimes;

/* NULL: not available, or out of memory; the calls below accept NULL */
struct cputimes *cputimes_open(void);
void cputimes_close(struct cputimes *c);

/* Read /proc/stat again. */
void cputimes_read(struct cputimes *c);

/* Return a CPU's times at the last read; NULL: the CPU was not online, or unknown. */
const struct cputime *cputimes_of(const struct cputimes *c, int cpu);

/* Parse one line of /proc/stat. Return false if it is not a CPU's. */
bool cputime_parse(const char *line, int *cpu, struct cputime *t);

#endif
