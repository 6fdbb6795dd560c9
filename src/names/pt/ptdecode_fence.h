/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ptdecode_fence - a stream that a helper decodes: both sides.  The stream goes there as a file in memory,
 * code page by page when it is met.  Threads: as ptdecode.h.
 */
#ifndef RINGTOP_NAMES_PT_PTDECODE_FENCE_H
#define RINGTOP_NAMES_PT_PTDECODE_FENCE_H

#include "system/fence/helper.h"
#include "names/pt/ptdecode.h"

/* As ptdecode_here, and what fence_call says.  c->cancel: looked at between pages. */
int ptdecode_ask(const struct ptdecode_config *c, struct ptdecode_result *out, struct err *err);

helper_serve ptdecode_serve;

#endif
