/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parse - text to events, in perf's syntax (perf-list(1), perf-record(1)).
 *
 *   list    event or group, separated by commas
 *   group   [NAME:]{event,...}[:modifiers]
 *   event   NAME, rHEX, TYPE:CONFIG, SUBSYSTEM:NAME (with * ? []), a cache event, a PMU's event,
 *           each with [/term,term=value,.../][:modifiers]
 *           PMU/term,.../[:]modifiers
 *           mem:ADDRESS[/LENGTH][:rwx][:modifiers]
 *           kprobe:FUNCTION[+OFFSET], kretprobe:FUNCTION, uprobe:FILE:FUNCTION[+OFFSET],
 *           uprobe:FILE:OFFSET, uretprobe:..., sdt:FILE:PROVIDER:NAME, with [:modifiers]
 *           pfm:NAME, as in libpfm4 (pfm.h)
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_KERNEL_EVENT_PARSE_H
#define RINGTOP_KERNEL_EVENT_PARSE_H

#include "base/err.h"
#include "kernel/event/event.h"

/*
 * Append the events of `text` to list. Return 0, -EINVAL (unknown names, too; err points at the
 * place), -EACCES (tracefs), -ENOSYS (libpfm4), -ENOMEM. On failure nothing is appended.
 */
int event_parse(const char *text, struct event_list *list, struct err *err);

#endif
