/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_snapshots.h"

#include "report/jsonout.h"

#define SNAPSHOTS 64 /* snapshots in one report */

static void put_snapshot(struct out *o, const struct session_info *info,
			 const struct slice_snapshot *s)
{
	bool written = s->state == SNAPSHOT_WRITTEN;

	jsonout_number(o, "{\"number\":", s->nr);
	if (info->nhosts > 1 && s->host < info->nhosts)
		jsonout_string(o, ",\"host\":", info->hosts[s->host].name);
	jsonout_string(o, ",\"kind\":", snapshot_kind_names[s->kind]);
	jsonout_string(o, ",\"state\":", snapshot_state_names[s->state]);
	out_printf(o, ",\"time\":%.3f", (double)s->time / 1e9);
	jsonout_text(o, ",\"reason\":", s->reason);
	jsonout_number(o, ",\"bytes\":", s->bytes);
	jsonout_known(o, ",\"shared_bytes\":", s->shared);
	jsonout_known(o, ",\"samples\":", written ? s->samples : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"dropped\":", written ? s->dropped : GAUGE_UNKNOWN);
	jsonout_known(o, ",\"file_bytes\":", written ? s->file_bytes : GAUGE_UNKNOWN);
	jsonout_number(o, ",\"stopped_ns\":", s->stopped_ns);
	jsonout_known(o, ",\"written_ns\":", written ? s->written_ns : GAUGE_UNKNOWN);
	jsonout_text(o, ",\"file\":", s->file);
	jsonout_text(o, ",\"error\":", s->error);
	out_text(o, "}");
}

/* Put the snapshots whose state changed in the window, the oldest first. */
void json_snapshots(struct out *o, const struct headless_view *v)
{
	const struct slice_snapshot *list[SNAPSHOTS];
	size_t n = model_snapshots(v->model, list, SNAPSHOTS);
	bool first = true;

	out_text(o, ",\"snapshots\":[");
	while (n--) {
		if (list[n]->changed <= v->window.from || list[n]->changed > v->window.to)
			continue;
		out_text(o, first ? "" : ",");
		put_snapshot(o, model_info(v->model), list[n]);
		first = false;
	}
	out_text(o, "]");
}

static void put_pt_row(struct out *o, const struct slice_pt_row *r)
{
	jsonout_text(o, "{\"function\":", r->function);
	jsonout_text(o, ",\"object\":", r->object);
	jsonout_text(o, ",\"comm\":", r->comm);
	jsonout_id(o, ",\"pid\":", r->pid);
	jsonout_known(o, ",\"ns\":", r->ns);
	jsonout_number(o, ",\"instructions\":", r->insns);
	jsonout_number(o, ",\"calls\":", r->calls);
	out_text(o, "}");
}

static void put_pt_stretch(struct out *o, const struct slice_pt_stretch *s)
{
	jsonout_id(o, "{\"cpu\":", s->cpu);
	jsonout_string(o, ",\"cause\":", pt_lost_names[s->cause]);
	jsonout_number(o, ",\"offset\":", s->offset);
	jsonout_known(o, ",\"bytes\":", s->bytes);
	jsonout_known(o, ",\"ns\":", s->ns);
	jsonout_text(o, ",\"why\":", s->why);
	out_text(o, "}");
}

static void put_pt_lost(struct out *o, const char *name, const uint64_t *lost)
{
	out_text(o, name);
	for (int i = 0; i < PT_LOST_NR; i++) {
		out_printf(o, "%s\"%s\":", i ? "," : "", pt_lost_names[i]);
		jsonout_number(o, "", lost[i]);
	}
	out_text(o, "}");
}

/* Put the decoded Intel PT of a snapshot if the window brought it, else null. */
void json_pt(struct out *o, const struct headless_view *v)
{
	const struct slice_pt *pt = model_pt(v->model);

	if (!pt || pt->changed <= v->window.from || pt->changed > v->window.to) {
		out_text(o, ",\"pt\":null");
		return;
	}
	jsonout_number(o, ",\"pt\":{\"snapshot\":", pt->snapshot);
	jsonout_text(o, ",\"error\":", pt->error);
	jsonout_number(o, ",\"bytes\":", pt->bytes);
	jsonout_number(o, ",\"decoded\":", pt->decoded);
	jsonout_number(o, ",\"instructions\":", pt->insns);
	jsonout_number(o, ",\"untimed_instructions\":", pt->untimed_insns);
	jsonout_known(o, ",\"ns\":", pt->ns);
	jsonout_known(o, ",\"span_ns\":", pt->span_ns);
	jsonout_number(o, ",\"branches\":", pt->branches);
	jsonout_number(o, ",\"overflows\":", pt->overflows);
	jsonout_number(o, ",\"took_ns\":", pt->took_ns);
	put_pt_lost(o, ",\"lost\":{", pt->lost);
	put_pt_lost(o, ",\"lost_bytes\":{", pt->lost_bytes);
	jsonout_number(o, ",\"more_functions\":", pt->more_rows);
	jsonout_number(o, ",\"more_instructions\":", pt->more_insns);
	out_text(o, ",\"functions\":[");
	for (size_t i = 0; i < pt->nrows; i++) {
		out_text(o, i ? "," : "");
		put_pt_row(o, &pt->rows[i]);
	}
	jsonout_number(o, "],\"more_stretches\":", pt->more_stretches);
	out_text(o, ",\"stretches\":[");
	for (size_t i = 0; i < pt->nstretches; i++) {
		out_text(o, i ? "," : "");
		put_pt_stretch(o, &pt->stretches[i]);
	}
	out_text(o, "]}");
}
