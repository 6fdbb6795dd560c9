/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arrows - the jumps inside a function as lines in queues beside its instructions.
 *
 * Jumps to one target share a queue.  Short ones take the queues next to the instructions; those that
 * find none free are not drawn, and say so by an arrow at their instruction.
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

/* Of an instruction; queues as bits, the one next to the instructions first. */
struct arrows_row {
	uint8_t up, down; /* goes on to the instruction above, below */
	uint8_t join;     /* begins or ends here */
	uint8_t marks;    /* enum arrows_mark; UP and DOWN: a jump that is not drawn */
};

struct arrows {
	struct arrows_row *row; /* by instruction */
	struct arrows_group *group;
	size_t nr, cap, cap_groups;
	unsigned queues;
	uint64_t serial;        /* of the answer it was made for, 0: none */
};

/* For the answer of that serial, with so many queues; does nothing where it has it.  False: no memory. */
bool arrows_build(struct arrows *a, const struct code *c, uint64_t serial, unsigned queues);
void arrows_free(struct arrows *a);

/* The queues as text, `queues` columns and one for the arrow's head. */
void arrows_text(const struct arrows *a, size_t insn, char *buf, size_t size);

/* The same of a line between two instructions, above `insn`. */
void arrows_text_above(const struct arrows *a, size_t insn, char *buf, size_t size);

#endif
