/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptdecode_sandbox - decodes a stream in a helper process: both sides.  The stream goes there as a
 * file in memory, code page by page on demand.  Threads: as ptdecode.h.
 */
#ifndef RINGTOP_NAMES_PT_PTDECODE_SANDBOX_H
#define RINGTOP_NAMES_PT_PTDECODE_SANDBOX_H

#include "system/sandbox/helper.h"
#include "names/pt/ptdecode.h"

/* Like ptdecode_here(), with errors of sandbox_call() too. c->cancel is checked between pages. */
int ptdecode_ask(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err);

helper_serve ptdecode_serve;

#endif
