/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * units - format numbers for people: 1.98k, 2M, 3.1 ms; and parse them.  Threads: any.  Allocates:
 * never.
 */
#ifndef RINGTOP_BASE_UNITS_H
#define RINGTOP_BASE_UNITS_H

#include <stdint.h>

#define UNITS_LEN 16 /* enough for every result below */

/* Format 0..999 plainly, larger ones as three digits and k M G T P E (powers of 1000): 12.4M. */
const char *units_count(char buf[UNITS_LEN], double n);

/* Format bytes in powers of 1024, no decimals where whole: 256K, 2M, 15.2M. */
const char *units_bytes(char buf[UNITS_LEN], double n);

/* Format a time span given in ns: 870 ns, 3.1 ms, 92 s, 01:32:10. */
const char *units_span(char buf[UNITS_LEN], uint64_t ns);

/*
 * Parse a decimal count with an optional suffix of `suffixes`, each a power of `base` above the
 * one before ("kmg", 1000).  The whole text must be used.  0, -EINVAL or -ERANGE.
 */
int units_parse(const char *text, const char *suffixes, unsigned base, uint64_t *value);

#endif
