/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elfsym_fence - the symbols of a file that a helper reads: both sides.  Threads: as elfsym.h. */
#ifndef RINGTOP_FILES_ELF_ELFSYM_FENCE_H
#define RINGTOP_FILES_ELF_ELFSYM_FENCE_H

#include "files/elf/elfsym.h"
#include "system/fence/helper.h"

/* As elfsym_read, and what fence_call says. */
int elfsym_ask(struct image *im, struct elfsym *out, struct err *err);

/* The answer, out of nobody's hands.  Of what is nonsense (in has failed) nothing stays. */
int elfsym_take(struct wire_in *in, struct budget *b, struct elfsym *out, struct err *err);

helper_serve elfsym_serve;

#endif
