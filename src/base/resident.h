/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resident - our own memory.  Threads: any. */
#ifndef RINGTOP_BASE_RESIDENT_H
#define RINGTOP_BASE_RESIDENT_H

#include <stdint.h>

/* Bytes that are resident, by /proc/self/statm; 0 where it does not say. */
uint64_t resident_bytes(void);

#endif
