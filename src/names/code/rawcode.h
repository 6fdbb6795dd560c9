/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawcode - code for a receiver with a disassembler, from a sender without one such as
 * ringtop-agent: its bytes.
 *
 * A struct code with bytes has hints for instructions, one for each address where something changes
 * or that may refer to another one, without text and length: file, line and inlined hold up to the
 * next hint; a target with its name is one that an instruction there or elsewhere may refer to.
 * Names and debug information stay with the sender, so possible targets are guessed from the bytes,
 * generously; the receiver, who decodes the bytes, uses the right ones.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_NAMES_CODE_RAWCODE_H
#define RINGTOP_NAMES_CODE_RAWCODE_H

#include <stdint.h>

#include "files/elf/lines.h"
#include "core/slice/code.h"

/*
 * Keep the bytes of code that cannot be decoded here, from now on: call once, before there are
 * threads.
 */
void rawcode_want(void);

/*
 * Let a later page of a function begin at the requested address, as instruction boundaries are not
 * known without decoding everything before them.  Return the number of the function's bytes left
 * out.
 */
size_t rawcode_cut(struct code *c);

/* Set c's bytes to a copy, from c->from on, cut to a page.  Return 0 or -ENOMEM. */
int rawcode_keep(struct code *c, uint16_t machine, const uint8_t *bytes, size_t nbytes);

/*
 * Add a hint for each possible target.  Return 0, -ENOMEM, or -EOPNOTSUPP: c has no bytes, or they
 * are not kept, and it has none now.  After naming targets call rawcode_drop(), which removes hints
 * without a name or a change of line.
 */
int rawcode_targets(struct code *c);
void rawcode_drop(struct code *c);

/* Add a hint for each row of lines.  Return 0 or -ENOMEM. */
int rawcode_rows(struct code *c, const struct lines_row *rows, size_t nr);

/*
 * Decode bytes and hints, which are not trusted, into instructions, by a helper process if allowed.
 * Return 0, also if c has no bytes; or -errno, with the reason in c->why.
 */
int rawcode_decode(struct code *c);

#endif
