/* SPDX-License-Identifier: GPL-2.0-or-later */
/* section_parts - all sections and their order.  ringtop-json(5) has their members. */
#ifndef RINGTOP_REPORT_SECTION_PARTS_H
#define RINGTOP_REPORT_SECTION_PARTS_H

#include "report/section.h"

/* All sections, in the order of JSON. */
#define SECTIONS_OF_JSON(S)									\
	S(events) S(counters) S(ratios) S(rings) S(functions) S(tasks) S(cpus) S(aux)		\
	S(snapshots) S(marks) S(alerts) S(pt) S(groups) S(paths) S(fields) S(latencies)		\
	S(wakers) S(wakers_not_listed) S(event_log) S(self) S(unwind) S(call_paths)		\
	S(recording) S(advice) S(log) S(hosts)

/* Sections of a text, in their order. */
#define SECTIONS_OF_TEXT(S)									\
	S(events) S(counters) S(ratios) S(fields) S(latencies) S(wakers)			\
	S(wakers_not_listed) S(event_log) S(rings) S(aux) S(self) S(call_paths)			\
	S(unwind) S(recording) S(hosts) S(marks) S(alerts) S(log) S(advice)

/* Sections of a text that stand below the name of each event. */
#define SECTIONS_OF_EVENT(S)									\
	S(functions) S(tasks) S(groups)

#define SECTION_DECLARE(name) extern const struct section section_##name;
SECTIONS_OF_JSON(SECTION_DECLARE)

/* Sections of other reports. */
extern const struct section section_control, section_header_events, section_header_hosts;

/* Put a slice_recording as an object, null if there is none, or as text. */
void section_recording_json(struct out *o, const void *recording);
void section_recording_text(struct out *o, const struct slice_recording *r);

/* Append a line for each record of the event log (--log-events) that passes the view's filter. */
void section_logged_json(struct out *o, const struct headless_view *v, const struct slice *s);
void section_logged_text(struct out *o, const struct headless_view *v, const struct slice *s);

#endif
