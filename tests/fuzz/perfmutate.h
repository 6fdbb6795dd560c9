/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmutate - changes to a perf.data file that leave most of it readable: records moved, cut out,
 * doubled, put at another time, fields set to values that break bounds.
 *
 * Threads: one.  Allocates nothing.
 */
#ifndef RINGTOP_TESTS_PERFMUTATE_H
#define RINGTOP_TESTS_PERFMUTATE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Change the file of `size` bytes in data, which has room for `max`, by what `seed` says.  Returns
 * its new size; 0: it is no file that records can be found in.
 */
size_t perfmutate(uint8_t *data, size_t size, size_t max, uint64_t seed);

#endif
