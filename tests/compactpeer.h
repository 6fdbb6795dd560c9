/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compactpeer - for tests of what is thinned: who takes the slices, and knows which ids live. */
#ifndef RINGTOP_TESTS_COMPACTPEER_H
#define RINGTOP_TESTS_COMPACTPEER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/slice/slice.h"

struct peer {
	bool live[DICT_NR][1 << 16];
	uint32_t nlive[DICT_NR], entries;
	uint64_t begin[1 << 16]; /* of symbols */
};

static inline void peer_needs(const struct peer *p, enum dict_kind kind, uint32_t id)
{
	assert_true(id < 1 << 16);
	assert_true(!id || p->live[kind][id]);
}

/* A function is at one place, whichever of its addresses were met first. */
static inline void peer_places(struct peer *p, const struct dict_delta *d)
{
	for (size_t i = 0; i < d->nr[DICT_SYMBOL]; i++)
		p->begin[d->symbols[i].id] = d->symbols[i].addr;
	for (size_t i = 0; i < d->nr[DICT_FRAME]; i++) {
		const struct dict_frame *f = &d->frames[i];

		if (f->flags & FRAME_WHOLE && !(f->flags & FRAME_LINE) && !f->inner && !f->level && p->begin[f->symbol])
			assert_int_equal(f->addr, p->begin[f->symbol]);
	}
}

static inline void peer_take(struct peer *p, const struct slice *s)
{
	for (int k = 0; k < DICT_NR; k++) {
		const struct dict_shape *shape = &dict_shapes[k];

		assert_int_equal(s->dict.nmoved[k], 0);
		for (size_t i = 0; i < s->dict.nr[k]; i++) {
			const char *e = dict_entries(&s->dict, k) + i * shape->size;
			uint32_t id;

			memcpy(&id, e, sizeof(id));
			assert_in_range(id, 1, 2 * p->nlive[k] + 1000);
			for (unsigned r = 0; r < shape->nrefs; r++) {
				uint32_t ref;

				memcpy(&ref, e + shape->refs[r].offset, sizeof(ref));
				peer_needs(p, shape->refs[r].kind, ref);
			}
			p->nlive[k] += !p->live[k][id];
			p->live[k][id] = true;
			p->entries++;
		}
	}
	peer_places(p, &s->dict);
	for (size_t i = 0; i < s->nrows; i++) {
		assert_true(s->rows[i].path && s->rows[i].task);
		peer_needs(p, DICT_PATH, s->rows[i].path);
		peer_needs(p, DICT_TASK, s->rows[i].task);
	}
	for (size_t i = 0; i < s->nfields; i++) {
		assert_true(s->fields[i].path);
		peer_needs(p, DICT_PATH, s->fields[i].path);
	}
	for (int k = 0; k < DICT_NR; k++)
		for (size_t i = 0; i < s->dict.nreleased[k]; i++) {
			assert_true(p->live[k][s->dict.released[k][i]]);
			p->live[k][s->dict.released[k][i]] = false;
			p->nlive[k]--;
		}
}

static inline void put(struct slice *s, enum dict_kind kind, const void *entry)
{
	assert_int_equal(slice_upsert(s, kind, entry), 0);
}

#endif
