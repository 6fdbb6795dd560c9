/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables only.  Long arrays travel as columns, with ids as differences: most are near the one
 * before.  A number that may be GAUGE_UNKNOWN is signed, which makes it one byte.
 */
#include "link/wire/slicecode.h"
#include "base/fieldrows.h"

#include <errno.h>

#define MOST(nr, member, most) {nr, FIELD_UINT, FIELD_MEMBER(T, member), .max = most}
#define SINT(nr, member)       {nr, FIELD_SINT, FIELD_MEMBER(T, member)}
#define UINTS(nr, member)      {nr, FIELD_UINT, FIELD_MEMBERS(T, member)}
#define SINTS(nr, member)      {nr, FIELD_SINT, FIELD_MEMBERS(T, member)}
#define TEXT(nr, member)       {nr, FIELD_TEXT, FIELD_MEMBER(T, member)}
#define OWNED(nr, member)      {nr, FIELD_STRING, FIELD_MEMBER(T, member)}
#define SHOWN(nr, member)      {nr, FIELD_STRING, FIELD_MEMBER(T, member), .shown = true}
#define BUILD_ID(nr, member)   {nr, FIELD_BUILD_ID, FIELD_MEMBER(T, member)}
#define INSIDE(nr, member, by) {nr, FIELD_STRUCT, FIELD_MEMBER(T, member), .table = &(by)}
#define VECTOR(nr, as, array, by)                                                                  \
	{                                                                                          \
		nr, as, FIELD_VECTOR(T, array, n##array, cap_##array), .table = &(by)              \
	}

/* --- dictionary --------------------------------------------------------------------------- */

#define FRAME_FLAGS (FRAME_KERNEL | FRAME_SELF | FRAME_INLINED | FRAME_LOST | FRAME_PENDING | \
		     FRAME_OFFSET | FRAME_WHOLE | FRAME_IDLE | FRAME_PLACE | FRAME_LINE)
#define TASK_FLAGS  (TASK_SELF | TASK_KERNEL | TASK_EXITED)

#define T struct dict_string
static const struct field string_rows[] = {
	DELTA(1, id),
	{2, FIELD_STRING, FIELD_ARRAY(T, text, len)},
};
static const struct fields string_columns = FIELDS(string_rows, T);
#undef T

#define T struct dict_object
static const struct field object_rows[] = {
	DELTA(1, id), DELTA(2, name), DELTA(3, why), MOST(4, kind, OBJECT_OUTSIDE),
	MOST(5, state, OBJECT_NAMELESS), MOST(6, doubted, 1), BUILD_ID(7, build_id), UINT(8, host),
	UINT(9, apart),
};
static const struct fields object_columns = FIELDS(object_rows, T);
#undef T

#define T struct dict_symbol
static const struct field symbol_rows[] = {
	DELTA(1, id), DELTA(2, name), DELTA(3, object), DELTA(4, addr), UINT(5, size),
	DELTA(6, also),
};
static const struct fields symbol_columns = FIELDS(symbol_rows, T);
#undef T

#define T struct dict_frame
static const struct field frame_rows[] = {
	DELTA(1, id),
	DELTA(2, object),
	DELTA(3, symbol),
	MOST(4, flags, FRAME_FLAGS),
	DELTA(5, addr),
	DELTA(6, file),
	DELTA(7, line),
	DELTA(8, inner),
	MOST(9, level, FRAME_LEVELS_MAX),
};
static const struct fields frame_columns = FIELDS(frame_rows, T);
#undef T

#define T struct dict_path
static const struct field path_rows[] = {DELTA(1, id), DELTA(2, parent), DELTA(3, frame)};
static const struct fields path_columns = FIELDS(path_rows, T);
#undef T

#define T struct dict_task
static const struct field task_rows[] = {
	DELTA(1, id),
	UINT(2, host),
	DELTA(3, comm),
	DELTA(4, proc_comm),
	MOST(5, flags, TASK_FLAGS),
	SINT(6, pid),
	SINT(7, tid),
	DELTA(8, user),
	DELTA(9, cgroup),
	DELTA(10, parent),
	SINT(11, ppid),
};
static const struct fields task_columns = FIELDS(task_rows, T);
#undef T

#define T struct dict_move
static const struct field move_rows[] = {DELTA(1, from), DELTA(2, to)};
static const struct fields move_columns = FIELDS(move_rows, T);
#undef T

static const struct field id_rows[] = {{1, FIELD_DELTA, .size = sizeof(uint32_t), .count = 1}};
static const struct fields id_columns = FIELDS(id_rows, uint32_t);

#define T struct dict_delta
#define KIND(kind, array, by)                                                                      \
	{1 + (kind), FIELD_COLUMNS, FIELD_VECTOR(T, array, nr[kind], cap[kind]), .table = &(by)},  \
		{11 + (kind), FIELD_COLUMNS,                                                       \
		 FIELD_VECTOR(T, released[kind], nreleased[kind], cap_released[kind]),             \
		 .table = &id_columns},                                                            \
	{                                                                                          \
		21 + (kind), FIELD_COLUMNS,                                                        \
			FIELD_VECTOR(T, moved[kind], nmoved[kind], cap_moved[kind]),               \
			.table = &move_columns                                                     \
	}
static const struct field dict_rows[] = {
	KIND(DICT_STRING, strings, string_columns), KIND(DICT_OBJECT, objects, object_columns),
	KIND(DICT_SYMBOL, symbols, symbol_columns), KIND(DICT_FRAME, frames, frame_columns),
	KIND(DICT_PATH, paths, path_columns), KIND(DICT_TASK, tasks, task_columns),
	UINTS(31, ntemps),
};
static const struct fields dict_fields = FIELDS(dict_rows, T);
#undef T

/* --- what was measured -------------------------------------------------------------------- */

#define T struct slice_row
static const struct field row_rows[] = {
	DELTA(1, path), DELTA(2, task),	  UINT(3, event),
	UINT(4, cpu),	UINT(5, samples), UINT(6, weight),
};
static const struct fields row_columns = FIELDS(row_rows, T);
#undef T

#define T struct slice_account
static const struct field account_rows[] = {
	UINT(1, event),		SINT(2, cpu),	     MOST(3, exact, 1),	       UINT(4, throttles),
	UINT(5, samples),	UINT(6, counted),    UINT(7, attributed),      UINTS(8, lost),
	UINTS(9, lost_samples), SINT(10, unsampled), SINTS(11, unsampled_why), UINT(12, pending),
	UINT(13, stat_ns),	UINT(14, stat_idle), UINT(15, stat_stolen),    UINT(16, stat_user),
	UINT(17, stat_kernel),	DELTA(18, enabled),  UINT(19, starved),	       UINT(20, others),
};
static const struct fields account_columns = FIELDS(account_rows, T);
#undef T

#define T struct slice_gauge
static const struct field gauge_rows[] = {
	SINT(1, cpu),
	MOST(2, kind, RING_FTRACE),
	MOST(3, mode, RING_FORWARD),
	MOST(4, state, RING_PAUSING),
	SINT(5, tid),
	SINT(6, size),
	SINT(7, unread),
	SINT(8, unread_max),
	SINT(9, bytes),
	SINT(10, records),
	SINT(11, lost),
	SINT(12, overwritten_bytes),
	SINT(13, wakeups),
	SINT(14, oldest_ns),
	SINT(15, late_ns),
	SINT(16, ftrace.entries),
	SINT(17, ftrace.overrun),
	SINT(18, ftrace.commit_overrun),
	SINT(19, ftrace.dropped),
	SINT(20, ftrace.read),
};
static const struct fields gauge_columns = FIELDS(gauge_rows, T);
#undef T

#define T struct slice_counter
static const struct field counter_rows[] = {
	DELTA(1, counter), DELTA(2, cpu),    DELTA(3, tid),
	SINT(4, count),	   SINT(5, enabled), SINT(6, running),
};
static const struct fields counter_columns = FIELDS(counter_rows, T);
#undef T

#define T struct slice_field
static const struct field field_rows[] = {
	UINT(1, event), MOST(2, rest, 1), TEXT(3, key),	  UINT(4, count), UINT(5, sum),
	UINT(6, min),	UINT(7, max),	  UINTS(8, hist), UINT(9, by),	  DELTA(10, path),
};
static const struct fields field_columns = FIELDS(field_rows, T);
#undef T

#define T struct slice_fieldlist
static const struct field list_rows[] = {
	UINT(1, event), UINT(2, by), UINT(3, since), TEXT(4, names), TEXT(5, kinds),
};
static const struct fields list_fields = FIELDS(list_rows, T);
#undef T

#define T struct slice_change
static const struct field change_rows[] = {
	UINT(1, event),	    MOST(2, on, 1),	 MOST(3, was_on, 1), MOST(4, is_clock, 1),
	UINT(5, period),    UINT(6, was_period), UINT(7, frequency), UINT(8, was_frequency),
	TEXT(9, name),	    TEXT(10, filter),	 UINT(11, by_nr),    TEXT(12, by),
	TEXT(13, by_kinds),
};
static const struct fields change_fields = FIELDS(change_rows, T);
#undef T

#define T struct slice_throttle
static const struct field throttle_rows[] = {
	UINT(1, host), TEXT(2, cgroup), UINT(3, periods), UINT(4, throttled), UINT(5, ns),
};
static const struct fields throttle_columns = FIELDS(throttle_rows, T);
#undef T

#define T struct slice_latency
static const struct field latency_rows[] = {
	UINT(1, count),	      UINT(2, sum),  UINT(3, min),   UINT(4, max), UINT(5, unpaired_from),
	UINT(6, unpaired_to), UINT(7, lost), UINTS(8, hist), UINT(9, nr),
};
static const struct fields latency_fields = FIELDS(latency_rows, T);
#undef T

#define T struct slice_between
static const struct field between_rows[] = {MOST(1, wanted, 1), UINT(2, from), UINT(3, to),
					    TEXT(4, key), UINT(5, nr)};
const struct fields slicecode_between_fields = FIELDS(between_rows, T);
#undef T

#define T struct slice_log
static const struct field log_rows[] = {MOST(1, level, SLICE_WARNING), SHOWN(2, text)};
static const struct fields log_columns = FIELDS(log_rows, T);
#undef T

#define T struct slice_logged
static const struct field logged_rows[] = {
	DELTA(1, time),	  UINT(2, event), SINT(3, cpu),	  SINT(4, pid),	    SINT(5, tid),
	MOST(6, late, 1), TEXT(7, comm),  SHOWN(8, text), OWNED(9, fields),
};
static const struct fields logged_columns = FIELDS(logged_rows, T);
#undef T

#define T struct slice_aux
static const struct field aux_rows[] = {
	SINT(1, cpu),
	MOST(2, mode, AUX_MODES - 1),
	MOST(3, state, RING_PAUSING),
	MOST(4, head, AUX_HEADS - 1),
	UINT(5, event),
	SINT(6, tid),
	SINT(7, size),
	SINT(8, unread),
	SINT(9, bytes),
	SINT(10, consumed),
	SINT(11, lost_bytes),
	SINT(12, measured),
	SINT(13, records),
	SINT(14, truncated),
	SINT(15, collision),
	SINT(16, partial),
	SINT(17, overwrite),
	SINT(18, gaps),
	SINT(19, starts),
	SINT(20, restarts),
	SINT(21, lost_records),
	SINT(22, age_ns),
	SINT(23, snapshots),
	SINT(24, samples),
	SINT(25, sample_bytes),
};
static const struct fields aux_columns = FIELDS(aux_rows, T);
#undef T

#define T struct slice_snapshot
static const struct field snapshot_rows[] = {
	UINT(1, nr),
	MOST(2, kind, SNAPSHOT_KINDS - 1),
	MOST(3, state, SNAPSHOT_STATES - 1),
	UINT(4, time),
	UINT(5, wall),
	UINT(6, changed),
	SINT(7, bytes),
	SINT(8, shared),
	SINT(9, samples),
	SINT(10, dropped),
	SINT(11, file_bytes),
	SINT(12, stopped_ns),
	SINT(13, written_ns),
	OWNED(14, reason),
	OWNED(15, file),
	OWNED(16, error),
	UINT(17, host),
};
static const struct fields snapshot_fields = FIELDS(snapshot_rows, T);
#undef T

#define T struct slice_pt_row
static const struct field pt_row_rows[] = {
	OWNED(1, function), OWNED(2, object), OWNED(3, comm), SINT(4, pid),
	SINT(5, ns),	    UINT(6, insns),   UINT(7, calls),
};
static const struct fields pt_row_fields = FIELDS(pt_row_rows, T);
#undef T

#define T struct slice_pt_stretch
static const struct field pt_stretch_rows[] = {
	SINT(1, cpu),  MOST(2, cause, PT_LOST_NR - 1), UINT(3, offset), SINT(4, bytes), SINT(5, ns),
	SHOWN(6, why),
};
static const struct fields pt_stretch_fields = FIELDS(pt_stretch_rows, T);
#undef T

#define T struct slice_pt
static const struct field pt_rows[] = {
	UINT(1, snapshot),
	UINT(2, changed),
	UINT(3, bytes),
	UINT(4, decoded),
	UINT(5, insns),
	SINT(6, ns),
	UINT(7, untimed_insns),
	SINT(8, span_ns),
	UINT(9, psbs),
	UINT(10, branches),
	UINT(11, targets),
	UINT(12, overflows),
	UINTS(13, lost),
	SINTS(14, lost_bytes),
	UINT(15, took_ns),
	{16, FIELD_LIST, FIELD_ARRAY(T, rows, nrows), .table = &pt_row_fields},
	UINT(17, more_rows),
	SINT(18, more_ns),
	UINT(19, more_insns),
	{20, FIELD_LIST, FIELD_ARRAY(T, stretches, nstretches), .table = &pt_stretch_fields},
	UINT(21, more_stretches),
	SHOWN(22, error),
};
static const struct fields pt_fields = FIELDS(pt_rows, T);
#undef T

/* --- code --------------------------------------------------------------------------------- */

#define T struct code_place
static const struct field place_rows[] = {
	MOST(1, kind, OBJECT_OUTSIDE),
	BUILD_ID(2, build_id),
	SINT(3, pid),
	OWNED(4, object),
	UINT(5, addr),
	UINT(6, host),
};
const struct fields slicecode_place_fields = FIELDS(place_rows, T);
#undef T

#define T struct code_insn
static const struct field insn_rows[] = {
	DELTA(1, addr),	     DELTA(2, target),
	DELTA(3, text),	     DELTA(4, target_name),
	UINT(5, target_off), DELTA(6, file),
	DELTA(7, line),	     DELTA(8, inlined),
	UINT(9, len),	     MOST(10, flow, CODE_RETURN),
};
static const struct fields insn_columns = FIELDS(insn_rows, T);
#undef T

#define T struct code_source
static const struct field source_rows[] = {DELTA(1, file), DELTA(2, line), DELTA(3, text)};
static const struct fields source_columns = FIELDS(source_rows, T);
#undef T

#define T struct code
static const struct field code_rows[] = {
	INSIDE(1, place, slicecode_place_fields),
	UINT(2, addr),
	UINT(3, size),
	UINT(4, from),
	UINT(5, to),
	MOST(6, again, 1),
	MOST(7, loading, 1),
	OWNED(8, name),
	SHOWN(9, why),
	SHOWN(10, note),
	VECTOR(11, FIELD_COLUMNS, insns, insn_columns),
	VECTOR(12, FIELD_COLUMNS, sources, source_columns),
	{13, FIELD_BYTES, FIELD_VECTOR(T, texts, ntexts, cap_texts)},
	UINT(14, machine),
	{15, FIELD_BYTES, FIELD_VECTOR(T, bytes, nbytes, cap_bytes)},
};
static const struct fields code_fields = FIELDS(code_rows, T);
#undef T

/* A slice has an array of pointers to its codes. */
static const struct field answer_rows[] = {
	{1, FIELD_POINTER, .size = sizeof(struct code *), .count = 1, .table = &code_fields},
};
static const struct fields answer_fields = FIELDS(answer_rows, struct code *);

/* --- ourselves ---------------------------------------------------------------------------- */

#define T struct slice_self
static const struct field self_rows[] = {
	UINT(1, cpu_ns),
	UINT(2, rss_bytes),
	UINT(3, table_rows),
	UINT(4, table_capacity),
	UINT(5, unresolved),
	UINT(6, queued),
	UINT(7, loading),
	UINT(8, merged),
	UINT(9, maps_forgotten),
	UINT(10, switches_forgotten),
	UINT(11, budget_bytes),
	UINT(12, budget_limit),
	UINT(13, budget_refusals),
	UINT(14, process_maps_forgotten),
	UINT(15, births_unsure),
	UINT(16, unwind.stack_bytes),
	UINT(17, unwind.samples),
	UINT(18, unwind.frames),
	UINT(19, unwind.guessed),
	UINT(20, unwind.slow),
	UINTS(21, unwind.ends),
	UINT(22, unwind.compat),
	UINT(23, unwind.dropped),
	UINT(24, unwind.waiting),
	UINT(25, unwind.bytes),
	UINT(26, unwind.capacity),
	UINT(27, unwind.bytes_max),
	MOST(28, cause, SELF_CAUSES - 1),
	UINT(29, cpu_limit),
	UINT(30, rate_divisor),
	TEXT(31, memory),
	UINT(32, unwind.chained),
	UINT(33, unwind.crowded),
	UINT(34, unwind.auto_stack),
	UINT(35, unwind.auto_rate),
	UINT(36, unwind.auto_budget),
	TEXT(37, shallow),
	UINT(38, names_given_up),
	UINT(39, unwind.proved),
	UINT(40, unwind.inserted),
	UINT(41, unwind.unproved),
};
static const struct fields self_fields = FIELDS(self_rows, T);
#undef T

static const char *const helper_names[] = {"names",  "frames", "lines",
					   "traces", "events", NULL}; /* system/sandbox/process.c */

#define T struct sandbox_figures
static const struct field helper_rows[] = {
	{1, FIELD_CHOICE, FIELD_MEMBER(T, name), .choices = helper_names},
	SINT(2, pid),
	UINT(3, uid),
	UINT(4, calls),
	UINT(5, starts),
	UINT(6, ends),
	UINT(7, refused),
	UINT(8, cpu_ns),
	UINT(9, resident),
	UINT(10, peak),
	TEXT(11, why),
	TEXT(12, missing),
};
static const struct fields helper_fields = FIELDS(helper_rows, T);
#undef T

#define T struct slice_recording
static const struct field recording_rows[] = {
	MOST(1, state, RECORDING_STATES - 1),
	TEXT(2, file),
	UINT(3, bytes),
	UINT(4, samples),
	UINT(5, lost),
	UINT(6, lost_sideband),
	UINT(7, lost_aux),
	UINT(8, since),
};
static const struct fields recording_fields = FIELDS(recording_rows, T);
#undef T

#define T struct slice_host
static const struct field host_rows[] = {
	MOST(1, state, HOST_STATES - 1),
	UINT(2, beat_ms),
	UINT(3, since),
	SINT(4, behind_ns),
	UINT(5, bytes_in),
	UINT(6, bytes_out),
	SINT(7, round_trip_ns),
	SINT(8, offset_ns),
	SINT(9, error_ns),
	UINT(10, merged),
	UINT(11, folded_samples),
	UINT(12, folded_rows),
	INSIDE(13, self, self_fields),
	INSIDE(14, recording, recording_fields),
	TEXT(15, why),
};
static const struct fields host_fields = FIELDS(host_rows, T);
#undef T

#define T struct slice
static const struct field slice_rows[] = {
	UINT(1, start),
	UINT(2, end),
	UINT(3, wall),
	INSIDE(4, dict, dict_fields),
	VECTOR(5, FIELD_COLUMNS, rows, row_columns),
	VECTOR(6, FIELD_COLUMNS, accounts, account_columns),
	VECTOR(7, FIELD_COLUMNS, gauges, gauge_columns),
	VECTOR(8, FIELD_COLUMNS, logs, log_columns),
	VECTOR(9, FIELD_COLUMNS, aux, aux_columns),
	VECTOR(10, FIELD_LIST, snapshots, snapshot_fields),
	VECTOR(11, FIELD_LIST, hosts, host_fields),
	{12, FIELD_POINTER, FIELD_MEMBER(T, pt), .table = &pt_fields},
	VECTOR(13, FIELD_LIST, codes, answer_fields),
	INSIDE(14, self, self_fields),
	{15, FIELD_STRUCT, FIELD_MEMBERS(T, helpers), .table = &helper_fields},
	INSIDE(16, recording, recording_fields),
	{17, FIELD_FLOAT, FIELD_MEMBER(T, progress)},
	MOST(18, last, 1),
	VECTOR(19, FIELD_COLUMNS, counters, counter_columns),
	VECTOR(20, FIELD_COLUMNS, fields, field_columns),
	VECTOR(21, FIELD_COLUMNS, logged, logged_columns),
	UINT(22, logging.lines),
	UINT(23, logging.unshown),
	UINT(24, logging.unprinted),
	UINT(25, logging.late),
	{26, FIELD_POINTER, FIELD_MEMBER(T, latency), .table = &latency_fields},
	VECTOR(27, FIELD_LIST, lists, list_fields),
	VECTOR(28, FIELD_LIST, changes, change_fields),
	{29, FIELD_POINTER, FIELD_MEMBER(T, between), .table = &slicecode_between_fields},
	VECTOR(30, FIELD_COLUMNS, throttles, throttle_columns),
};
const struct fields slicecode_fields = FIELDS(slice_rows, T);
#undef T

void slicecode_put(struct wire_out *o, const struct slice *s)
{
	fields_put(o, &slicecode_fields, s);
}

struct slice *slicecode_get(const void *data, size_t len, size_t budget, struct err *err)
{
	struct wire_in in = {data, (const uint8_t *)data + len, false};
	struct slice *s = slice_create();

	if (!s)
		return err_null(err_room(err, ENOMEM, "the data received"));
	if (!fields_get(&in, &slicecode_fields, s, &budget, err))
		return s;
	slice_free(s);
	return NULL;
}
