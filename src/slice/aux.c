/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "slice/aux.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "slice/slice.h"

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

/* Unknown and known make unknown: part of a sum is no sum. */
static uint64_t whole_sum(uint64_t a, uint64_t b)
{
	return a == GAUGE_UNKNOWN || b == GAUGE_UNKNOWN ? GAUGE_UNKNOWN : a + b;
}

void slice_aux_add(struct slice_aux *a, const struct slice_aux *b)
{
	struct slice_aux was = *a;

	*a = *b;
	a->bytes = whole_sum(was.bytes, b->bytes);
	a->lost_bytes = whole_sum(was.lost_bytes, b->lost_bytes);
	a->consumed += was.consumed;
	a->records += was.records;
	a->truncated += was.truncated;
	a->collision += was.collision;
	a->partial += was.partial;
	a->overwrite += was.overwrite;
	a->gaps += was.gaps;
	a->starts += was.starts;
	a->restarts += was.restarts;
	a->lost_records += was.lost_records;
	a->snapshots += was.snapshots;
	a->samples += was.samples;
	a->sample_bytes += was.sample_bytes;
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
