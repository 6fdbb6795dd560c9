/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/json_rings.h"

#include <math.h>

#include "report/jsonout.h"

static void put_ftrace(struct out *o, const struct slice_ftrace *f)
{
	jsonout_number(o, ",\"entries\":", f->entries);
	jsonout_number(o, ",\"overrun\":", f->overrun);
	jsonout_number(o, ",\"commit_overrun\":", f->commit_overrun);
	jsonout_number(o, ",\"dropped_events\":", f->dropped);
	jsonout_number(o, ",\"read_events\":", f->read);
}

static void put_json_fill(struct out *o, const char *name, double fill)
{
	if (isnan(fill))
		out_printf(o, "%snull", name);
	else
		jsonout_share(o, name, fill);
}

static void put_ring(struct out *o, const struct headless_view *v, size_t i)
{
	static const char *const states[] = {[RING_LIVE] = "live", [RING_OFFLINE] = "offline",
					     [RING_PAUSING] = "pausing"};
	struct gauge g;

	model_gauge(v->model, i, v->window, &g);
	jsonout_place(o, v, !i, g.now.cpu);
	if (session_place(model_info(v->model), g.now.cpu).cpu < 0)
		jsonout_number(o, ",\"tid\":", (uint64_t)g.now.tid);
	jsonout_string(o, ",\"kind\":", ring_kind_names[g.now.kind]);
	jsonout_string(o, ",\"mode\":", ring_mode_names[g.now.mode]);
	jsonout_string(o, ",\"state\":", states[g.now.state]);
	jsonout_number(o, ",\"size\":", g.now.size);
	/* null: an AUX area that overwrites itself is not read, and has no fill */
	put_json_fill(o, ",\"fill\":", g.fill);
	put_json_fill(o, ",\"fill_max\":", g.fill_max);
	jsonout_known(o, ",\"bytes\":", g.bytes);
	jsonout_known(o, ",\"records\":", g.records);
	jsonout_known(o, ",\"lost\":", g.lost);
	jsonout_known(o, ",\"overwritten_bytes\":", g.overwritten_bytes);
	jsonout_known(o, ",\"wakeups\":", g.wakeups);
	jsonout_known(o, ",\"oldest_ns\":", g.now.oldest_ns);
	jsonout_known(o, ",\"late_ns\":", g.now.late_ns);
	if (g.now.kind == RING_FTRACE)
		put_ftrace(o, &g.now.ftrace);
	out_text(o, "}");
}

static void put_known_rate(struct out *o, const char *name, double rate)
{
	if (rate < 0)
		out_printf(o, "%snull", name);
	else
		out_printf(o, "%s%.0f", name, rate);
}

static void put_json_area(struct out *o, const struct headless_view *v, size_t i)
{
	struct aux a;

	model_aux(v->model, i, v->window, &a);
	jsonout_place(o, v, !i, a.now.cpu);
	if (session_place(model_info(v->model), a.now.cpu).cpu < 0)
		jsonout_number(o, ",\"tid\":", (uint64_t)a.now.tid);
	jsonout_string(o, ",\"event\":", model_info(v->model)->aux_event);
	jsonout_string(o, ",\"mode\":", aux_mode_names[a.now.mode]);
	jsonout_string(o, ",\"state\":", a.now.state == RING_OFFLINE ? "offline" : "live");
	jsonout_number(o, ",\"size\":", a.now.size);
	jsonout_known(o, ",\"unread\":", a.now.unread);
	jsonout_known(o, ",\"bytes\":", a.sum.bytes);
	put_known_rate(o, ",\"rate\":", a.rate);
	out_printf(o, ",\"rate_measured\":%s", a.measured ? "true" : "false");
	if (a.why)
		jsonout_string(o, ",\"rate_why\":", a.why);
	else
		out_text(o, ",\"rate_why\":null");
	jsonout_known(o, ",\"held_ns\":", a.held_ns);
	jsonout_string(o, ",\"head\":", aux_head_names[a.now.head]);
	jsonout_known(o, ",\"consumed\":", a.sum.consumed);
	jsonout_known(o, ",\"lost_bytes\":", a.sum.lost_bytes);
	jsonout_known(o, ",\"records\":", a.sum.records);
	jsonout_known(o, ",\"truncated\":", a.sum.truncated);
	jsonout_known(o, ",\"collision\":", a.sum.collision);
	jsonout_known(o, ",\"partial\":", a.sum.partial);
	jsonout_known(o, ",\"overwrite\":", a.sum.overwrite);
	jsonout_known(o, ",\"gap\":", a.sum.gaps);
	jsonout_known(o, ",\"starts\":", a.sum.starts);
	jsonout_known(o, ",\"restarts\":", a.sum.restarts);
	jsonout_known(o, ",\"lost_records\":", a.sum.lost_records);
	jsonout_known(o, ",\"last_record_ns\":", a.now.age_ns);
	jsonout_known(o, ",\"snapshots\":", a.sum.snapshots);
	jsonout_known(o, ",\"samples\":", a.sum.samples);
	jsonout_known(o, ",\"sample_bytes\":", a.sum.sample_bytes);
	out_text(o, "}");
}

void json_rings(struct out *o, const struct headless_view *v)
{
	for (size_t i = 0; i < model_ngauges(v->model); i++)
		put_ring(o, v, i);
}

void json_aux(struct out *o, const struct headless_view *v)
{
	for (size_t i = 0; i < model_naux(v->model); i++)
		put_json_area(o, v, i);
}
