/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrows - jumps inside a function, drawn as lines in up to 8 lanes left of its instructions.
 *
 * Jumps to one target share a lane.  Short jumps take the lanes next to the instructions; jumps
 * without a free lane are not drawn, but marked by an arrow at their instruction.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_CODE_ARROWS_H
#define RINGTOP_UI_CODE_ARROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/code.h"

#define ARROWS_LANES 8u

enum arrows_mark { ARROWS_TARGET = 1, ARROWS_UPWARDS = 2, ARROWS_DOWNWARDS = 4 };

/* Lines beside one instruction; a bit for each lane, bit 0 next to the instructions. */
struct arrows_row {
	uint8_t up, down; /* lanes whose line goes on to the instruction above, below */
	uint8_t join;     /* lanes whose line begins or ends here */
	uint8_t marks;    /* enum arrows_mark; UPWARDS, DOWNWARDS: its jump is not drawn */
};

struct arrows {
	struct arrows_row *row; /* by instruction */
	struct arrows_group *group;
	size_t nr, cap, cap_groups;
	unsigned lanes;
	uint64_t serial;        /* code_sheet.serial of the code it was made for, 0: none */
};

/*
 * Make the rows for c, whose serial is given, with at most `lanes` lanes.  Does nothing if they
 * are made already; serial 0 always makes them.  False: out of memory.
 */
bool arrows_build(struct arrows *a, const struct code *c, uint64_t serial, unsigned lanes);
void arrows_free(struct arrows *a);

/* Format the lanes beside instruction `insn`: `lanes` columns and one for the arrow's head. */
void arrows_text(const struct arrows *a, size_t insn, char *buf, size_t size);

/* Format the lanes beside a line of text between two instructions, above `insn`. */
void arrows_text_above(const struct arrows *a, size_t insn, char *buf, size_t size);

#endif
