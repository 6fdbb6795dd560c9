/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionvalue - an option's value, as written, into its place in struct options: what a row of the table (options.c)
 * has in `set`.  Only its form is checked here.  0 or -errno with p->err; p->o keeps the text, which is argv's.
 */
#ifndef RINGTOP_APP_OPTIONVALUE_H
#define RINGTOP_APP_OPTIONVALUE_H

#include "app/optionparse.h"

typedef int option_set(struct parse *p, const struct option_row *row, const char *value);

option_set set_flag, set_text, set_by, set_count, set_period, set_bytes, set_ring, set_frequency,
	set_priority, set_seconds, set_event, set_pfm_event, set_ftrace, set_counted, set_aux_event,
	set_filter, set_question, set_export, set_diff, set_keep, set_baseline, set_hosts, set_condition, set_list,
	set_group, set_sort, set_call_graph, set_aux_mode, set_verbose, set_colour, set_palette, set_text_front, set_json_front,
	set_help, set_version, set_events_listed;

/* May it be given several times, all of which count? */
bool option_adds(const struct option_row *row);

#endif
