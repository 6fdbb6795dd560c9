/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RINGTOP_APP_HELPERMAIN_H
#define RINGTOP_APP_HELPERMAIN_H

#include "system/sandbox/helper.h"

extern helper_serve *const helper_jobs[SANDBOX_JOBS];

/*
 * Run a helper process, like helper_main(), with helper_jobs; or the guardian.  Return the exit
 * status.
 */
int helpermain(int argc, char *const argv[]);

#endif
