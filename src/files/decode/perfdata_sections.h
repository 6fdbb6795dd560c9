/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_sections - a file in the format with sections: where its records stand, and what its sections say of its
 * events, the host and the rest.  A stream says the same by records (perfdata.c).
 *
 * Threads: as perfdata.h.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_SECTIONS_H
#define RINGTOP_FILES_DECODE_PERFDATA_SECTIONS_H

#include "files/decode/perfdata.h"

#define PERFDATA_HEADER     104
#define PERFDATA_HEADER_OLD 72 /* 2.6.31: without features */

/* By the file's header of `size` bytes, which is one of these; the input is at the first record then.  0 or -errno with err. */
int perfdata_open_sections(struct perfdata *p, const char *header, uint64_t size, struct err *err);

#endif
