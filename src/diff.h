/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff - --diff: two files, each through a session and a model of its own, one after the other; then what changed.
 */
#ifndef RINGTOP_DIFF_H
#define RINGTOP_DIFF_H

#include "options.h"

/* The process's exit status, with err where it is EXIT_FAILED or one of wrong usage or rights.  Prints the report. */
int diff_run(const struct options *o, struct err *err);

#endif
