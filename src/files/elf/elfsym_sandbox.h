/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsym_sandbox - a helper reads an untrusted file's symbols: both sides.  Threads: as elfsym.h.
 */
#ifndef RINGTOP_FILES_ELF_ELFSYM_SANDBOX_H
#define RINGTOP_FILES_ELF_ELFSYM_SANDBOX_H

#include "files/elf/elfsym.h"
#include "system/sandbox/helper.h"

/* Let a helper read the symbols. Return what elfsym_read() or sandbox_call() would. */
int elfsym_ask(struct image *im, struct elfsym *out, struct err *err);

/* Check and store a helper's reply. A malformed one sets in->failed, and *out stays empty. */
int elfsym_take(struct wire_in *in, struct budget *b, struct elfsym *out, struct err *err);

helper_serve elfsym_serve;

#endif
