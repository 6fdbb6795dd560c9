/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/sliceaux.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/slice/slice.h"

const char *const aux_mode_names[AUX_MODES] = {
	[AUX_FULL] = "full",
	[AUX_SNAPSHOT] = "snapshot",
};

const char *const aux_head_names[AUX_HEADS] = {
	[AUX_HEAD_UNSEEN] = "unseen",
	[AUX_HEAD_TOTAL] = "total",
	[AUX_HEAD_POSITION] = "position",
};

const char *const snapshot_kind_names[SNAPSHOT_KINDS] = {
	[SNAPSHOT_AUX] = "aux",
	[SNAPSHOT_RINGS] = "rings",
};

const char *const snapshot_state_names[SNAPSHOT_STATES] = {
	[SNAPSHOT_WRITING] = "writing",
	[SNAPSHOT_WRITTEN] = "written",
	[SNAPSHOT_FAILED] = "failed",
};

/* Return the sum, GAUGE_UNKNOWN if either part is unknown: part of a sum is no sum. */
static uint64_t whole_sum(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN || b == GAUGE_UNKNOWN ? GAUGE_UNKNOWN : a + b;
}

/* All counts but bytes and lost_bytes, which are added by whole_sum(). */
static const size_t counts[] = {
#define COUNT(name) offsetof(struct slice_aux, name)
	COUNT(consumed),     COUNT(records),	  COUNT(truncated), COUNT(collision),
	COUNT(partial),	     COUNT(overwrite),	  COUNT(gaps),	    COUNT(starts),
	COUNT(restarts),     COUNT(lost_records), COUNT(snapshots), COUNT(samples),
	COUNT(sample_bytes),
#undef COUNT
};

static uint64_t *count_of(struct slice_aux *a, size_t i)
{
	return (uint64_t *)(void *)((char *)a + counts[i]);
}

void slice_aux_unread(struct slice_aux *a)
{
	a->bytes = a->lost_bytes = a->unread = GAUGE_UNKNOWN;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*count_of(a, i) = GAUGE_UNKNOWN;
}

void slice_aux_add(struct slice_aux *a, const struct slice_aux *b)
{
	struct slice_aux was = *a;

	*a = *b;
	if (b->records == GAUGE_UNKNOWN) {
		a->bytes = was.bytes;
		a->lost_bytes = was.lost_bytes;
	} else if (was.records != GAUGE_UNKNOWN) {
		a->bytes = whole_sum(was.bytes, b->bytes);
		a->lost_bytes = whole_sum(was.lost_bytes, b->lost_bytes);
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		*count_of(a, i) = gauge_sum(*count_of(&was, i), *count_of(a, i));
	if (b->measured == GAUGE_UNKNOWN)
		a->measured = was.measured;
}

static bool text_copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return *to || !from;
}

int slice_snapshot_copy(struct slice_snapshot *to, const struct slice_snapshot *from)
{
	struct slice_snapshot s = *from;
	bool ok = text_copy(&s.reason, from->reason);

	ok &= text_copy(&s.file, from->file);
	ok &= text_copy(&s.error, from->error);
	if (!ok) {
		slice_snapshot_clear(&s);
		return -ENOMEM;
	}
	*to = s;
	return 0;
}

void slice_snapshot_clear(struct slice_snapshot *s)
{
	free(s->reason);
	free(s->file);
	free(s->error);
	s->reason = s->file = s->error = NULL;
}
