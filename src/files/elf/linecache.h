/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * linecache - lines of objects for whoever asks with the file in hand: a helper opens their debug information
 * (lines.h), and keeps what was used last.
 *
 * Debug information is the largest hostile input there is, so not even root's own is read in this process where
 * a helper may be started.  Where none may, it is read here, in the same way.
 *
 * Threads: any.
 */
#ifndef RINGTOP_FILES_ELF_LINECACHE_H
#define RINGTOP_FILES_ELF_LINECACHE_H

#include <stddef.h>
#include <stdint.h>

#include "files/elf/image.h"
#include "files/elf/lines.h"
#include "system/fence/helper.h"

#define LINECACHE_OBJECTS 32u
#define LINECACHE_BYTES   (96u << 20) /* kept of all objects, but for the last one */
#define LINECACHE_NR_MAX  65536u      /* addresses of one question */

struct linecache_found {
	uint8_t *depth;             /* of each address: so many frames */
	struct lines_frame *frames; /* of all, one behind the other; as lines_find says */
	size_t nframes;
	struct lines_row *rows;     /* as lines_range says */
	size_t nrows;
	struct fence_call call;     /* its own: what texts lie in */
};

/*
 * What is at these addresses, and the rows of [from, to), of the object im, which need not be parsed.  0, also
 * with err of -ENOBUFS: there might be more; as lines_open, and what fence_call says.  To be cleared if 0.
 */
int linecache_find(const struct image *im, const uint64_t *addrs, size_t nr, uint64_t from, uint64_t to,
		   struct linecache_found *f, struct err *err);
void linecache_clear(struct linecache_found *f);

helper_serve linecache_serve;

#endif
