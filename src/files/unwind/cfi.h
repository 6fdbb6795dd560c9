/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi - how to unwind from any address of one object: .eh_frame and .debug_frame as rows.
 *
 * Opening reads the sorted index of functions (from .eh_frame_hdr, or by walking the section) and
 * nothing else.  A function's rows are built when an address in it is first asked for, and stay;
 * where memory is used up, they are built again each time.  The file is only ever read with pread.
 * A .debug_frame may be compressed, and may stand in the separate debug file (image.h).
 * Of a file that is not trusted a helper reads index and rows (cfi_fence.h).
 *
 * Threads: one opens and frees; any number look up at the same time, lock-free: rows are published
 * whole by compare and swap, and whoever comes second drops its own.
 */
#ifndef RINGTOP_FILES_UNWIND_CFI_H
#define RINGTOP_FILES_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/elf/image.h"
#include "files/unwind/cfitable.h"

#define CFI_UNPACK_MAX (8u << 20) /* of a compressed .debug_frame, which is then held whole */

struct cfi;

/*
 * The unwind information of an image, of which nothing is needed afterwards (descriptors that are, are
 * copied).  NULL with err filled: not of x86-64 (ENOTSUP), broken, memory is used up (ENOSPC), or what
 * fence_call says.
 * An object without any unwind information is not an error: cfi_functions() is 0.
 * memory must outlive the cfi.
 */
struct cfi *cfi_open(struct image *im, struct cfi_memory *memory, struct err *err);
void cfi_free(struct cfi *c);

uint64_t cfi_functions(const struct cfi *c);

/* A number no other cfi of this process has, from 1. */
uint64_t cfi_serial(const struct cfi *c);

/*
 * The address that the object gives to the byte at this offset of its file, as the program
 * headers have it; false: no segment has it.
 */
bool cfi_vaddr(const struct cfi *c, uint64_t offset, uint64_t *vaddr);

/* The rule for vaddr (the object's own address).  Never fails: see enum cfi_kind. */
struct cfi_rule cfi_find(struct cfi *c, uint64_t vaddr);

/* The function that vaddr is in, as its entry bounds it: as cfitable_function. */
bool cfi_function(struct cfi *c, uint64_t vaddr, uint64_t *start, uint64_t *size);

/* Do its rows come from a helper?  Then there is nothing else: who wants entries reads unwind_slow.c. */
bool cfi_helped(const struct cfi *c);

/* The entry for vaddr itself: as cfitable_copy; -EPERM: it is helped. */
int cfi_copy(const struct cfi *c, uint64_t vaddr, struct cfi_copy *copy);

#endif
