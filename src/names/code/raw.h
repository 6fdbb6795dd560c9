/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * raw - code whose reader has no disassembler, as ringtop-agent has none: its bytes go to whoever has.
 *
 * A struct code with bytes has hints for instructions, one for each address where something changes or may be
 * referred to, without text and length: file, line and inlined hold up to the next one; a target with its name
 * is what an instruction there or elsewhere may refer to.  Names and debug information stay where they are, so
 * what may refer to something is guessed from the bytes, generously; who decodes them takes what is right.
 *
 * Threads: one owner at a time.
 */
#ifndef RINGTOP_NAMES_CODE_RAW_H
#define RINGTOP_NAMES_CODE_RAW_H

#include <stdint.h>

#include "base/err.h"
#include "files/elf/lines.h"
#include "core/slice/code.h"

/* From now on code that cannot be decoded here is sent so: once, before there are threads. */
void raw_want(void);

/*
 * Where a later page of a function begins nothing tells without decoding what is before it: so the page begins at
 * what was asked for.  Returns how many bytes of the function are left out.
 */
size_t raw_cut(struct code *c);

/* c's bytes: a copy, from c->from on, cut to a page.  0 or -ENOMEM. */
int raw_keep(struct code *c, uint16_t machine, const uint8_t *bytes, size_t nbytes);

/*
 * A hint for all that may be a target, -EOPNOTSUPP: c has no bytes, or none are
 * wanted, and it has none now; -ENOMEM.  Then raw_drop: what was not given a name, away.
 */
int raw_targets(struct code *c);
void raw_drop(struct code *c);

/* A hint for each row. */
int raw_rows(struct code *c, const struct lines_row *rows, size_t nr);

/*
 * Hints and bytes, from anyone, become instructions, by a helper where there may be one.  0, also where c has no bytes; -errno: c->why says why there are none.
 */
int raw_decode(struct code *c);

#endif
