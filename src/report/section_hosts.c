/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other machines that slices come from: counts over the window; self and recording as of now. */
#include "report/section_parts.h"

#include <stdlib.h>

#include "base/units.h"

struct host_row {
	struct session_host is;
	struct host h;
};

static const struct column identity[] = {
#define IDENTITY(member) COLUMN_OF(struct session_host, member)
	{"name", COLUMN_NAME, IDENTITY(name), "  host {}"},
	{"host", COLUMN_TEXT, IDENTITY(host)}, {"cpus", COLUMN_NONZERO, IDENTITY(cpus)},
	{"note", COLUMN_TEXT, IDENTITY(note)},
	{0},
};

static void text_rates(struct out *o, const void *row)
{
	const struct host *h = &((const struct host_row *)row)->h;
	bool any = h->seconds > 0;
	char in[UNITS_LEN], out[UNITS_LEN];

	out_printf(o, ", %s/s in, %s/s out",
		   any ? units_bytes(in, (double)h->link.bytes_in / h->seconds) : "-",
		   any ? units_bytes(out, (double)h->link.bytes_out / h->seconds) : "-");
}

static void json_offset(struct out *o, const void *row)
{
	const struct slice_host *now = &((const struct host_row *)row)->h.now;

	if (now->round_trip_ns == GAUGE_UNKNOWN)
		out_text(o, "null");
	else
		out_printf(o, "%lld", (long long)now->offset_ns);
}

static void text_clock_offset(struct out *o, const void *row)
{
	const struct slice_host *now = &((const struct host_row *)row)->h.now;
	char n[UNITS_LEN], error[UNITS_LEN];

	if (now->round_trip_ns != GAUGE_UNKNOWN && now->error_ns != GAUGE_UNKNOWN)
		out_printf(o, ", clock %s%s +-%s", now->offset_ns < 0 ? "-" : "+",
			   units_span(n, (uint64_t)llabs(now->offset_ns)),
			   units_span(error, now->error_ns));
}

#define HOST(member) COLUMN_OF(struct host_row, h.member)

static const struct column host_self[] = {
	{"cpu_seconds", COLUMN_TIME, HOST(now.self.cpu_ns), .format = "%.6f"},
	{"rss_bytes", COLUMN_NUMBER, HOST(now.self.rss_bytes)},
	{0},
};

static void json_host_recording(struct out *o, const void *row)
{
	section_recording_json(o, &((const struct host_row *)row)->h.now.recording);
}

static const struct column hosts[] = {
	{NULL, COLUMN_OBJECT, COLUMN_OF(struct host_row, is), .columns = identity},
	{"state", COLUMN_WORD, HOST(now.state), ": {}", .names = host_state_names},
	{.form = COLUMN_OWN, .own = text_rates, .text = "{}"},
	{"since", COLUMN_TIME, HOST(now.since)}, {"why", COLUMN_TEXT, HOST(now.why)},
	{"bytes_in", COLUMN_NUMBER, HOST(link.bytes_in)},
	{"bytes_out", COLUMN_NUMBER, HOST(link.bytes_out)},
	{NULL, COLUMN_KNOWN, HOST(now.behind_ns), ", {} behind", COLUMN_OMIT_UNKNOWN,
	 .unit = COLUMN_SPAN},
	{"round_trip_ns", COLUMN_KNOWN, HOST(now.round_trip_ns), ", round trip {}",
	 COLUMN_OMIT_UNKNOWN, .unit = COLUMN_SPAN},
	{"offset_ns", COLUMN_OWN, .json = json_offset, .own = text_clock_offset, .text = "{}"},
	{"error_ns", COLUMN_KNOWN, HOST(now.error_ns)},
	{"behind_ns", COLUMN_KNOWN, HOST(now.behind_ns)},
	{"beat_ms", COLUMN_NUMBER, HOST(now.beat_ms)},
	{"merged", COLUMN_NUMBER, HOST(link.merged), ", {} slice(s) merged", COLUMN_OMIT_TEXT},
	{"folded_samples", COLUMN_NUMBER, HOST(link.folded_samples), ", {} sample(s) folded",
	 COLUMN_OMIT_TEXT},
	{"folded_rows", COLUMN_NUMBER, HOST(link.folded_rows)},
	{"self", COLUMN_OBJECT, .columns = host_self},
	{"recording", COLUMN_OWN, .json = json_host_recording},
	{NULL, COLUMN_NAME, HOST(now.why), ": {}", COLUMN_OMIT},
	{0},
};

static bool fill_hosts(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);
	size_t nr = to->json ? info->nhosts : model_nhosts(to->v->model);

	for (unsigned i = 0; i < nr && i < info->nhosts; i++) {
		struct host_row r = {.is = info->hosts[i]};

		model_host(to->v->model, i, to->v->window, &r.h);
		section_row(to, &r);
		if (!to->json && info->nhosts > 1)
			section_recording_text(to->o, &r.h.now.recording);
	}
	return false;
}

const struct section section_hosts = {.name = "hosts", .columns = hosts, .fill = fill_hosts};

static bool fill_identities(struct section_rows *to)
{
	const struct session_info *info = model_info(to->v->model);

	for (unsigned i = 0; i < info->nhosts; i++)
		section_row(to, &info->hosts[i]);
	return false;
}

const struct section section_header_hosts = {.name = "hosts", .columns = identity,
	.fill = fill_identities};
