/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resident - memory of this process.  Threads: any. */
#ifndef RINGTOP_BASE_RESIDENT_H
#define RINGTOP_BASE_RESIDENT_H

#include <stdint.h>

/* Return the resident bytes of this process from /proc/self/statm; 0 if it cannot be read. */
uint64_t resident_bytes(void);

#endif
