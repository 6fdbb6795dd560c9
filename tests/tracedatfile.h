/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tracedatfile - a trace.dat, made by hand: either version, either byte order, longs of 4 or 8 bytes, packed or not. */
#ifndef RINGTOP_TESTS_TRACEDATFILE_H
#define RINGTOP_TESTS_TRACEDATFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACEDATFILE_PAGE 4096u
#define TRACEDATFILE_CPUS 8u

enum { TRACEDATFILE_SWITCH = 316, TRACEDATFILE_ENTER = 21, TRACEDATFILE_CALL = 1 }; /* ids of its events */

struct tracedatfile { /* what is set before it is made */
	int version;
	bool big, packed;
	unsigned long_size; /* 8 where it is 0 */
	const char *names, *kallsyms, *printk, *clock, *offset, *instance;
	const char *stats; /* of CPU 0 */
	uint32_t mult, shift; /* TSC2NSEC */
	struct tracedatfile_pages { /* of a CPU */
		char *bytes;
		size_t len;   /* whole pages */
		size_t fill;  /* of the last one's data */
		uint64_t time; /* of its last record */
		bool other;   /* the instance's */
		unsigned cpu;
	} cpu[TRACEDATFILE_CPUS];
	unsigned cpus;
	char *bytes; /* made */
	size_t len, cap;
};

/* A page more, which begins at a time.  `missed`: events before it; UINT64_MAX: some. */
void tracedatfile_page(struct tracedatfile *f, unsigned cpu, uint64_t time, uint64_t missed);

/* Records, `delta` after the one before. */
void tracedatfile_switch(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t prev, const char *prev_comm,
			 uint32_t next, const char *next_comm);
void tracedatfile_enter(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t tid, uint64_t nr);
void tracedatfile_call(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t tid, uint64_t ip, uint64_t caller);
void tracedatfile_record(struct tracedatfile *f, unsigned cpu, uint32_t delta, const void *bytes, uint32_t len);

void tracedatfile_make(struct tracedatfile *f);
void tracedatfile_clear(struct tracedatfile *f);

#endif
