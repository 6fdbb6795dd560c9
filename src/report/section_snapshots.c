/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots, and the decoded Intel PT of one. */
#include "report/section_parts.h"

#define SNAPSHOTS 64 /* snapshots in one report */

struct snapshot_row {
	struct slice_snapshot s;
	const char *host; /* if there are several */
};

static const struct column snapshots[] = {
#define SNAPSHOT(member) COLUMN_OF(struct snapshot_row, s.member)
	{"number", COLUMN_NUMBER, SNAPSHOT(nr)},
	{"host", COLUMN_NAME, COLUMN_OF(struct snapshot_row, host), .omit = COLUMN_OMIT},
	{"kind", COLUMN_WORD, SNAPSHOT(kind), .names = snapshot_kind_names},
	{"state", COLUMN_WORD, SNAPSHOT(state), .names = snapshot_state_names},
	{"time", COLUMN_TIME, SNAPSHOT(time)}, {"reason", COLUMN_TEXT, SNAPSHOT(reason)},
	{"bytes", COLUMN_NUMBER, SNAPSHOT(bytes)}, {"shared_bytes", COLUMN_KNOWN, SNAPSHOT(shared)},
	{"samples", COLUMN_KNOWN, SNAPSHOT(samples)}, {"dropped", COLUMN_KNOWN, SNAPSHOT(dropped)},
	{"file_bytes", COLUMN_KNOWN, SNAPSHOT(file_bytes)},
	{"stopped_ns", COLUMN_NUMBER, SNAPSHOT(stopped_ns)},
	{"written_ns", COLUMN_KNOWN, SNAPSHOT(written_ns)}, {"file", COLUMN_TEXT, SNAPSHOT(file)},
	{"error", COLUMN_TEXT, SNAPSHOT(error)},
	{0},
};

/* Fill in the snapshots whose state changed in the window, the oldest first. */
static bool fill_snapshots(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);
	const struct slice_snapshot *list[SNAPSHOTS];
	size_t n = model_snapshots(to->v->model, list, SNAPSHOTS);

	while (n--) {
		struct snapshot_row r = {.s = *list[n]};

		if (r.s.changed <= to->v->window.from || r.s.changed > to->v->window.to)
			continue;
		if (info->nhosts > 1 && r.s.host < info->nhosts)
			r.host = info->hosts[r.s.host].name;
		if (r.s.state != SNAPSHOT_WRITTEN)
			r.s.samples = r.s.dropped = r.s.file_bytes = r.s.written_ns = GAUGE_UNKNOWN;
		section_row(to, &r);
	}
	return true;
}

const struct section section_snapshots = {.name = "snapshots", .columns = snapshots,
	.fill = fill_snapshots};

static const struct column pt_functions[] = {
#define PT_ROW(member) COLUMN_OF(struct slice_pt_row, member)
	{"function", COLUMN_TEXT, PT_ROW(function)}, {"object", COLUMN_TEXT, PT_ROW(object)},
	{"comm", COLUMN_TEXT, PT_ROW(comm)}, {"pid", COLUMN_ID, PT_ROW(pid)},
	{"ns", COLUMN_KNOWN, PT_ROW(ns)}, {"instructions", COLUMN_NUMBER, PT_ROW(insns)},
	{"calls", COLUMN_NUMBER, PT_ROW(calls)},
	{0},
};

static const struct column pt_stretches[] = {
#define PT_STRETCH(member) COLUMN_OF(struct slice_pt_stretch, member)
	{"cpu", COLUMN_ID, PT_STRETCH(cpu)},
	{"cause", COLUMN_WORD, PT_STRETCH(cause), .names = pt_lost_names},
	{"offset", COLUMN_NUMBER, PT_STRETCH(offset)}, {"bytes", COLUMN_KNOWN, PT_STRETCH(bytes)},
	{"ns", COLUMN_KNOWN, PT_STRETCH(ns)}, {"why", COLUMN_TEXT, PT_STRETCH(why)},
	{0},
};

static const struct column pt_columns[] = {
#define PT(member) COLUMN_OF(struct slice_pt, member)
	{"snapshot", COLUMN_NUMBER, PT(snapshot)}, {"error", COLUMN_TEXT, PT(error)},
	{"bytes", COLUMN_NUMBER, PT(bytes)}, {"decoded", COLUMN_NUMBER, PT(decoded)},
	{"instructions", COLUMN_NUMBER, PT(insns)},
	{"untimed_instructions", COLUMN_NUMBER, PT(untimed_insns)}, {"ns", COLUMN_KNOWN, PT(ns)},
	{"span_ns", COLUMN_KNOWN, PT(span_ns)}, {"branches", COLUMN_NUMBER, PT(branches)},
	{"overflows", COLUMN_NUMBER, PT(overflows)}, {"took_ns", COLUMN_NUMBER, PT(took_ns)},
	{"lost", COLUMN_COUNTS, PT(lost), .names = pt_lost_names, .nr = PT_LOST_NR},
	{"lost_bytes", COLUMN_COUNTS, PT(lost_bytes), .names = pt_lost_names, .nr = PT_LOST_NR},
	{"more_functions", COLUMN_NUMBER, PT(more_rows)},
	{"more_instructions", COLUMN_NUMBER, PT(more_insns)},
	{"functions", COLUMN_ROWS, COLUMN_ROWS_OF(struct slice_pt, rows, nrows),
	 .columns = pt_functions},
	{"more_stretches", COLUMN_NUMBER, PT(more_stretches)},
	{"stretches", COLUMN_ROWS, COLUMN_ROWS_OF(struct slice_pt, stretches, nstretches),
	 .columns = pt_stretches},
	{0},
};

/* Fill in the decoded Intel PT of a snapshot if the window brought it. */
static bool fill_pt(struct section_rows *to)
{
	const struct slice_pt *pt = model_pt(to->v->model);

	if (pt && pt->changed > to->v->window.from && pt->changed <= to->v->window.to)
		section_row(to, pt);
	return true;
}

const struct section section_pt = {.name = "pt", .columns = pt_columns, .object = true,
	.fill = fill_pt};
