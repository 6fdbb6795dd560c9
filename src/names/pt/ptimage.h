/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptimage - the code of processes as a trace decoder wants it: bytes at an address, and the names of
 * addresses afterwards.
 *
 * Files are read by pread through a few cached pages, never mapped: they are the processes' to cut
 * short.  What is mapped from no file (JITs) is read from the process while it lives; the kernel
 * from /proc/kcore.  Everything is as it is now, not as it was: a snapshot is decoded soon.
 * Bounded in processes, maps and files; what is beyond is unknown code.
 *
 * Threads: one owner, any.
 */
#ifndef RINGTOP_NAMES_PT_PTIMAGE_H
#define RINGTOP_NAMES_PT_PTIMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "files/decode/record.h"

struct ptimage;

#define PTIMAGE_NOWHERE UINT32_MAX

struct ptimage *ptimage_create(void); /* NULL: out of memory */
void ptimage_free(struct ptimage *im);

/*
 * The address space of a process, its maps read from /proc when it is asked for first.
 * PTIMAGE_NOWHERE: too many, or no memory.
 */
uint32_t ptimage_space(struct ptimage *im, pid_t pid);

/* Did /proc know its maps?  If not, those of records have to do. */
bool ptimage_known(const struct ptimage *im, uint32_t space);

/* A map that a record tells of. */
void ptimage_map(struct ptimage *im, uint32_t space, const struct record_mmap *m);

/* Up to len bytes of code at addr: how many, or -ENOENT. */
int ptimage_read(struct ptimage *im, uint32_t space, uint64_t addr, void *buf, size_t len);

struct ptimage_place {
	const char *object;   /* path, "[kernel]", "[anon]"; "[unknown]" where nothing is mapped */
	const char *function; /* mangled; NULL: no symbol */
	uint64_t start;       /* of the function; of the object's code where it has no symbol: 0 */
	uint32_t file;        /* a number for the object */
};

/* Loads the object's symbols if need be: may take long.  Strings live as long as the image. */
void ptimage_name(struct ptimage *im, uint32_t space, uint64_t addr, struct ptimage_place *p);

#endif
