/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream - where the bytes come from: numbered blocks (block.h), or Intel PT packets that tell of a
 * loop which a program really runs.
 *
 * Contexts: hard interrupt of the CPU, or interrupts off on it.
 */
#ifndef SOFTPT_STREAM_H
#define SOFTPT_STREAM_H

#include <linux/types.h>

#define STREAM_MAX 4096 /* the most that one unit takes */

struct stream {
	const char *name;

	/*
	 * Unit number `seq` of this CPU to buf, which has STREAM_MAX bytes.  Returns its length;
	 * 0: there is nothing to tell of now.
	 */
	size_t (*make)(u8 *buf, u64 seq);
};

extern const struct stream stream_blocks, stream_pt;

#endif
