/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldchoice - the fields that an event can be summed up by (SESSION_EVENT_BY).
 *
 * Threads: any.
 */
#ifndef RINGTOP_SOURCES_CHANGE_FIELDCHOICE_H
#define RINGTOP_SOURCES_CHANGE_FIELDCHOICE_H

#include "kernel/event/event.h"
#include "measure/session/session.h"
#include "measure/trace/tracefields.h"

/*
 * List the fields into *to, which the caller frees, *nr of them; both must be 0 before.  0;
 * -EINVAL: its records have no fields; -EACCES, -ENOMEM.
 */
int fieldchoice_list(const struct event *e, const struct tracefields_source *source,
		     struct session_choice **to, size_t *nr, struct err *err);

#endif
