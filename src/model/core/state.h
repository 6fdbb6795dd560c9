/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * state - the inside of struct model, for the model's own files only.
 *
 * Threads: as model.h.
 */
#ifndef RINGTOP_MODEL_CORE_STATE_H
#define RINGTOP_MODEL_CORE_STATE_H

#include "model/core/auxtotals.h"
#include "model/core/dict.h"
#include "model/core/eventlog.h"
#include "model/fields/fieldkeys.h"
#include "model/fields/fieldpaths.h"
#include "model/core/history.h"
#include "model/core/hostlinks.h"
#include "model/rows/linegroups.h"
#include "model/core/model.h"
#include "model/rows/nameorder.h"
#include "model/judge/alerts.h"
#include "model/core/marks.h"
#include "model/core/rates.h"
#include "model/core/total.h"

#define MODEL_LOGS 256 /* lines kept */
#define ROWS_KEPT  3   /* results: a view's, and two of its details' or of the view before it */

struct rows_work; /* groups.h */
struct tree_work; /* tree.c */
struct codes_work; /* codes.c */
struct fields_work; /* fieldquery.c */

struct model {
	struct slice_pt *pt; /* the newest, or NULL */
	const struct session_info *info;
	struct dict dict;
	struct history history;
	struct total total;
	struct fieldkeys fieldkeys;
	struct fieldpaths fieldpaths; /* of the last query by fields */
	struct fields_work *fields; /* NULL until first used */
	struct accounts state; /* the newest pending weight of every event and CPU */
	struct slice_gauge *gauges; /* newest */
	size_t ngauges, cap_gauges;
	struct partsums parts; /* each of the last window queried */
	struct aux_totals aux;
	struct hostlinks hosts;
	struct rates rates;
	struct marks marks;
	struct alerts alerts;
	struct slice_log logs[MODEL_LOGS]; /* ring; newest at (nlogs - 1) % MODEL_LOGS */
	size_t nlogs;
	struct eventlog log;
	struct sandbox_figures helpers[SANDBOX_PROCESSES]; /* newest */
	struct slice_recording recording; /* newest */
	double progress;
	uint64_t now, counted; /* counted: end of the newest slice in which something was counted */
	size_t budget, limit; /* limit: of the history's bytes, found by trying */
	size_t base; /* bytes of totals and session ids at the dictionary's last collection */
	uint64_t collected; /* `now` at the last collection of the dictionary */
	uint64_t collections;
	bool put_off; /* the due collection was put off by one slice */
	uint64_t added; /* slices so far */
	uint64_t unlisted; /* samples missing in all rows, for lack of memory */
	bool incomplete;   /* accounts are missing in the total's sums, for lack of memory */
	struct rows_work *work; /* one of works: the last query's */
	struct rows_work *works[ROWS_KEPT];
	uint64_t questions; /* queries so far */
	struct nameorder names;
	struct linegroups lines;
	struct tree_work *tree; /* NULL until first used */
	struct codes_work *codes; /* NULL until first used */
	struct cpu_load *cpus;
	size_t cap_cpus;
	char advice[512];
};

static inline bool window_is_all(struct window w)
{
	return w.from == 0 && w.to == UINT64_MAX;
}

#endif
