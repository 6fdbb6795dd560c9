/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * optionvalue - functions for option_row.set (options.c): parse an option's value and store it in
 * struct options.  Only its form is checked here.  0 or -errno with p->err; p->o keeps pointers
 * into the text, which belongs to argv or the file of settings.
 */
#ifndef RINGTOP_APP_OPTIONVALUE_H
#define RINGTOP_APP_OPTIONVALUE_H

#include "app/optionparse.h"

typedef int option_set(struct parse *p, const struct option_row *row, const char *value);

option_set set_flag, set_text, set_by, set_count, set_milliseconds, set_period, set_bytes, set_ring,
	set_frequency, set_priority, set_seconds, set_event, set_pfm_event, set_aux_event,
	set_filter, set_question, set_export, set_diff, set_keep, set_baseline, set_hosts,
	set_condition, set_list, set_word, set_graph, set_call_graph, set_aux_mode,
	set_verbose, set_colour, set_palette, set_text_front, set_json_front, set_help, set_version,
	set_events_listed;

/* Return true if each of several settings of this option counts, not the last only. */
bool option_adds(const struct option_row *row);

/* Return the words of a value that set_word() takes; NULL: it takes another option's. */
const struct show_word *option_words(const struct option_row *row);

#endif
