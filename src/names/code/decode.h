/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode - the instructions of a function, from its bytes or the file that has them.  What is neither root's
 * nor the kernel's a helper decodes (system/fence/fence.h), and whose file it is, looks for the function there.
 *
 * Threads: as coderead.h.
 */
#ifndef RINGTOP_NAMES_CODE_DECODE_H
#define RINGTOP_NAMES_CODE_DECODE_H

#include "names/code/coderead.h"
#include "system/fence/helper.h"

/*
 * Into r->code: of r->image, where it is open, else of r->bytes.  trusted: this process may read them.
 * 0, or -errno with err.
 */
int decode_run(struct coderead *r, bool trusted, struct err *err);

/* What r is about, from a parsed file into r->bytes. */
int decode_bytes(struct coderead *r, const struct elffile *f, struct err *err);

/* Where no function's size is known there may be less than was asked for: try with half, if true. */
bool decode_less(struct coderead *r);

helper_serve decode_serve;

#endif
