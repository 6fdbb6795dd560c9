/* SPDX-License-Identifier: GPL-2.0-or-later */
/* section_parts - all sections; section.c has their order. ringtop-json(5) has their members. */
#ifndef RINGTOP_REPORT_SECTION_PARTS_H
#define RINGTOP_REPORT_SECTION_PARTS_H

#include "report/section.h"

extern const struct section section_advice, section_alerts, section_aux, section_call_paths,
	section_control, section_counters, section_cpus, section_event_log, section_events,
	section_fields, section_functions, section_groups, section_header_events,
	section_header_hosts, section_hosts, section_latencies, section_log, section_marks,
	section_paths, section_pt, section_ratios, section_recording, section_rings, section_self,
	section_snapshots, section_tasks, section_unwind, section_wakers,
	section_wakers_not_listed;

/* Put a slice_recording as an object, null if there is none, or as text. */
void section_recording_json(struct out *o, const void *recording);
void section_recording_text(struct out *o, const struct slice_recording *r);

/* Append a line for each record of the event log (--log-events) that passes the view's filter. */
void section_logged_json(struct out *o, const struct headless_view *v, const struct slice *s);
void section_logged_text(struct out *o, const struct headless_view *v, const struct slice *s);

#endif
