/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linecache - source lines of objects, looked up with the open file: a helper opens their debug
 * information (lines.h), and keeps the most recently used.
 *
 * Debug information is the largest hostile input there is, so even root's files are not read in
 * this process if a helper may be started. Where none may, they are read here, by the same code.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_LINECACHE_H
#define RINGTOP_FILES_ELF_LINECACHE_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/image.h"
#include "files/elf/lines.h"
#include "system/sandbox/helper.h"

#define LINECACHE_OBJECTS 32u
#define LINECACHE_BYTES   (96u << 20) /* kept for all objects together, without the last used */
#define LINECACHE_NR_MAX  65536u      /* addresses of one request */

struct linecache_found {
	uint8_t *depth;             /* number of frames, by address */
	size_t ndepth;
	struct lines_frame *frames; /* of all addresses in turn; see lines_find */
	size_t nframes;
	struct lines_row *rows;     /* see lines_range */
	size_t nrows;
};

/*
 * Look up the lines at nr addresses, and the rows of [from, to), in the object im, which need not
 * be parsed. Return 0 (with err->code ENOBUFS if there might be more), or an error of lines_open or
 * sandbox_call. On success the caller clears *f.
 */
int linecache_find(const struct image *im, const uint64_t *addrs, size_t nr, uint64_t from,
		   uint64_t to, struct linecache_found *f, struct err *err);
void linecache_clear(struct linecache_found *f);

helper_serve linecache_serve;

#endif
