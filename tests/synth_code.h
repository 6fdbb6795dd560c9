/* SPDX-License-Identifier: GPL-2.0-or-later */
/* synth_code - made-up code of a made-up session's functions.  Threads: any. */
#ifndef RINGTOP_TESTS_SYNTH_CODE_H
#define RINGTOP_TESTS_SYNTH_CODE_H

#include "core/slice/code.h"

/* Offsets in every function of instructions that the samples of synth.c's first function are at. */
#define SYNTH_CODE_HEATS 4
extern const unsigned synth_code_heat[SYNTH_CODE_HEATS]; /* the first takes what the others leave */
extern const unsigned synth_code_line[SYNTH_CODE_HEATS];  /* that they are of, in "/src/zlib/deflate.c" */
extern const unsigned synth_code_share[SYNTH_CODE_HEATS]; /* of 100 */

/*
 * What a session says of the function `name` at addr: instructions with a loop, a switch and source
 * lines; of the kernel's, why there are none.  hostile: with escape sequences in all texts.
 */
struct code *synth_code(const struct code_place *asked, const char *name, uint64_t addr,
			bool hostile);

#endif
