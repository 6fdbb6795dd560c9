/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe - tries from inside what a helper may not do.  Threads: the helper's. */
#ifndef RINGTOP_SYSTEM_SANDBOX_PROBE_H
#define RINGTOP_SYSTEM_SANDBOX_PROBE_H

#include "system/sandbox/helper.h"

/* Request: what to do.  Reply to PROBE_TRY: count, and of each system call its name and errno. */
enum probe { PROBE_TRY, PROBE_LOOP, PROBE_CRASH, PROBE_EAT, PROBE_NONSENSE, PROBE_ANSWER };

helper_serve probe_serve;

#endif
