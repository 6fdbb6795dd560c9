/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synth_dict - the dictionary's side of a made-up session: entries into a slice, ids as the contract of
 * slice.h has them.
 *
 * Threads: one owner.  What does not fit into memory turns `broken`.
 */
#ifndef RINGTOP_TESTS_SYNTH_DICT_H
#define RINGTOP_TESTS_SYNTH_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/slice/slice.h"

struct synth_ids {
	uint32_t *free;
	size_t nfree, cap;
	uint32_t next; /* the last one that was given out for the first time */
};

struct synth_dict {
	struct synth_ids ids[DICT_NR];
	struct dict_task leader; /* the newest */
	uint16_t host; /* whose tasks are put */
	bool owned;    /* what is put of tasks says whose they are, by pid */
	bool broken;
};

void synth_dict_clear(struct synth_dict *d);

uint32_t synth_id(struct synth_dict *d, enum dict_kind kind);
void synth_release(struct synth_dict *d, struct slice *s, enum dict_kind kind, uint32_t id);

/* After all else of the slice: what it released is given out again from the next one on. */
void synth_reuse(struct synth_dict *d, const struct slice *s);

void synth_put(struct synth_dict *d, struct slice *s, enum dict_kind kind, const void *entry);

/* Each makes one entry, and returns its id. */
uint32_t synth_put_string(struct synth_dict *d, struct slice *s, const char *text);
uint32_t synth_put_symbol_named(struct synth_dict *d, struct slice *s, uint32_t name, uint32_t object,
				uint64_t addr);
uint32_t synth_put_symbol(struct synth_dict *d, struct slice *s, const char *name, uint32_t object,
			  uint64_t addr);
uint32_t synth_put_frame(struct synth_dict *d, struct slice *s, uint32_t object, uint32_t symbol,
			 uint64_t addr, uint32_t flags);
/* The same, whose line is known. */
uint32_t synth_put_frame_at(struct synth_dict *d, struct slice *s, const struct dict_frame *frame, const char *file, uint32_t line);
uint32_t synth_put_path(struct synth_dict *d, struct slice *s, uint32_t parent, uint32_t frame);
uint32_t synth_put_task(struct synth_dict *d, struct slice *s, uint32_t comm, int32_t pid, int32_t tid,
			uint32_t flags);

#endif
