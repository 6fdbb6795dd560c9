/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptimage - the code of processes for a trace decoder: bytes at an address, and later the names of
 * addresses.
 *
 * Files are read with pread() through a few cached pages, never mapped: their processes can
 * truncate them.  Code mapped from no file (JITs) is read from the process while it runs; the
 * kernel's from /proc/kcore.  Everything is read as it is now, not as it was: so a snapshot is
 * decoded soon.  Bounded in processes, maps and files; code beyond the bounds is unknown.
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
 * Return the address space of a process; its maps are read from /proc at the first call.
 * PTIMAGE_NOWHERE: too many, or out of memory.
 */
uint32_t ptimage_space(struct ptimage *im, pid_t pid);

/* Return true if its maps were read from /proc.  If not, add those of records. */
bool ptimage_known(const struct ptimage *im, uint32_t space);

/* Add the map of a record. */
void ptimage_map(struct ptimage *im, uint32_t space, const struct record_mmap *m);

/* Read up to len bytes of code at addr.  Return their number, or -ENOENT. */
int ptimage_read(struct ptimage *im, uint32_t space, uint64_t addr, void *buf, size_t len);

struct ptimage_place {
	const char *object;   /* path, "[kernel]", "[anon]"; "[unknown]" if nothing is mapped */
	const char *function; /* mangled; NULL: no symbol */
	uint64_t start;       /* of the function; 0 without a symbol */
	uint32_t file;        /* a number for the object */
};

/*
 * Find the names of an address.  Loads the object's symbols if needed, which may take long.
 * Strings live as long as the image.
 */
void ptimage_name(struct ptimage *im, uint32_t space, uint64_t addr, struct ptimage_place *p);

#endif
