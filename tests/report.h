/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report - for tests: a headless run of a session, mostly made up, as one string, and golden files. */
#ifndef RINGTOP_TESTS_REPORT_H
#define RINGTOP_TESTS_REPORT_H

#include "report/headless.h"
#include "tests/synth.h"

/* Run `ticks` ticks of the session through a format; the text is the caller's to free. */
char *report_run(const struct synth_config *c, unsigned ticks, struct headless_options *o,
		 struct headless_result *r, struct err *err, int *ret);

/* The same of any session, which is closed. */
char *report_session(struct session *s, struct headless_options *o, struct headless_result *r,
		     struct err *err, int *ret);

/*
 * Compare with tests/golden/NAME under $RINGTOP_SRCDIR; fails the test with the first line that
 * differs.  With RINGTOP_GOLDEN=write the file is written instead.
 */
void report_golden(const char *name, const char *text);

#endif
