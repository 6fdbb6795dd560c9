/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfdata_sections - files in the format with sections: finds the records, and reads the sections
 * on events, host and so on. A stream has them as records (perfdata.c).
 *
 * Threads: as perfdata.h.
 */
#ifndef RINGTOP_FILES_DECODE_PERFDATA_SECTIONS_H
#define RINGTOP_FILES_DECODE_PERFDATA_SECTIONS_H

#include "files/decode/perfdata.h"

#define PERFDATA_HEADER     104
#define PERFDATA_HEADER_OLD 72 /* perf 2.6.31: without features */

/*
 * Read the sections named by the file's header of `size` bytes, which is one of these two, and set
 * the input to the first record. Return 0 or -errno with err.
 */
int perfdata_open_sections(struct perfdata *p, const char *header, uint64_t size, struct err *err);

#endif
