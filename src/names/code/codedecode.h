/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * codedecode - decodes the instructions of a function, from its bytes or from its file.  Code of
 * neither root nor the kernel is decoded by a helper process (system/sandbox/sandbox.h), which
 * looks for the function in a file itself.
 *
 * Threads: as coderead.h.
 */
#ifndef RINGTOP_NAMES_CODE_CODEDECODE_H
#define RINGTOP_NAMES_CODE_CODEDECODE_H

#include "names/code/coderead.h"
#include "system/sandbox/helper.h"

/*
 * Decode r->image, if it is open, else r->bytes, into r->code. trusted: this process may read them.
 * Return 0, or -errno with err.
 */
int codedecode_run(struct coderead *r, bool trusted, struct err *err);

/* Read the function's bytes from a parsed file into r->bytes.  Return 0, or -errno with err. */
int codedecode_bytes(struct coderead *r, const struct elffile *f, struct err *err);

/*
 * Halve the bytes to read, as there may be fewer where no function's size is known.  False: do not
 * try again.
 */
bool codedecode_less(struct coderead *r);

helper_serve decode_serve;

#endif
