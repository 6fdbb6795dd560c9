/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cfi - unwind rules for any address of one object: .eh_frame and .debug_frame as rows.
 *
 * Opening reads only the sorted index of functions (from .eh_frame_hdr, or by walking the section).
 * A function's rows are built on the first look-up of an address in it, and kept; once memory is
 * used up, they are built again each time. The file is only ever read with pread. A .debug_frame
 * may be compressed, and may be in the separate debug file (image.h). A helper reads index and rows
 * of a file that is not trusted (cfi_sandbox.h).
 *
 * Threads: one opens and frees; any number look up at the same time, lock-free: rows are published
 * whole by compare and swap, and a thread that comes second drops its own.
 */
#ifndef RINGTOP_FILES_UNWIND_CFI_H
#define RINGTOP_FILES_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "files/elf/image.h"
#include "files/unwind/cfitable.h"

#define CFI_UNPACK_MAX (8u << 20) /* bytes of an unpacked .debug_frame, which is held in memory */

struct cfi;

/*
 * Open the unwind information of an image. The image is not needed afterwards (descriptors that are
 * needed are duplicated); memory must outlive the cfi. Return NULL with err: of a processor that
 * cfiarch.h does not know (ENOTSUP), broken, memory is used up (ENOSPC), or an error of
 * sandbox_call. An object without any unwind information is not an error: cfi_functions() is 0.
 */
struct cfi *cfi_open(struct image *im, struct cfi_memory *memory, struct err *err);
void cfi_free(struct cfi *c);

uint64_t cfi_functions(const struct cfi *c);

/* Return the object's processor. */
const struct cfi_arch *cfi_arch(const struct cfi *c);

/* Return a number that is unique among the cfis of this process, from 1. */
uint64_t cfi_serial(const struct cfi *c);

/*
 * Translate an offset in the file to the object's own address, by the program headers. Return false
 * if no segment has it.
 */
bool cfi_vaddr(const struct cfi *c, uint64_t offset, uint64_t *vaddr);

/* Return the rule for vaddr (the object's own address). Never fails: see enum cfi_kind. */
struct cfi_rule cfi_find(struct cfi *c, uint64_t vaddr);

/* Get the bounds of the function around vaddr, see cfitable_function. */
bool cfi_function(struct cfi *c, uint64_t vaddr, uint64_t *start, uint64_t *size);

/* Return true if a helper builds the rows: there are no entries; unwind_slow.c uses rules. */
bool cfi_helped(const struct cfi *c);

/* Copy the entry for vaddr, see cfitable_copy; -EPERM: a helper builds the rows. */
int cfi_copy(const struct cfi *c, uint64_t vaddr, struct cfi_copy *copy);

#endif
