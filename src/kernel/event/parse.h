/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse - text to events, in perf's words (perf-list(1), perf-record(1)).
 *
 *   list    event or group, separated by commas
 *   group   [NAME:]{event,...}[:modifiers]
 *   event   NAME, rHEX, TYPE:CONFIG, SUBSYSTEM:NAME (with * ? []), a name of the caches, one of a PMU's events,
 *           each with [/term,term=value,.../][:modifiers]
 *           PMU/term,.../[:]modifiers
 *           mem:ADDRESS[/LENGTH][:rwx][:modifiers]
 *           kprobe:FUNCTION[+OFFSET], kretprobe:FUNCTION, uprobe:FILE:FUNCTION[+OFFSET] or FILE:OFFSET,
 *           uretprobe:..., sdt:FILE:PROVIDER:NAME, with [:modifiers]
 *           pfm:NAME, as libpfm4 has it (pfm.h)
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_PARSE_H
#define RINGTOP_KERNEL_EVENT_PARSE_H

#include "base/err.h"
#include "kernel/event/event.h"

/*
 * Append the events of `text` to list.  0 or -EINVAL (unknown names too: err points at them), -EACCES (tracefs),
 * -ENOSYS (libpfm4), -ENOMEM.
 */
int event_parse(const char *text, struct event_list *list, struct err *err);

#endif
