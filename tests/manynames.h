/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names as a program of many functions has them: task 1, and paths 1 to `functions` of one function each. */
#ifndef RINGTOP_TESTS_MANYNAMES_H
#define RINGTOP_TESTS_MANYNAMES_H

#include "core/slice/slice.h"

/* False: out of memory. */
bool manynames_put(struct slice *s, uint32_t functions);

#endif
