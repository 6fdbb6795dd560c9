/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * textreport - the report to be read by people: plain lines, no control characters, names escaped.
 *
 * Threads: one, the model's owner.
 */
#ifndef RINGTOP_REPORT_TEXTREPORT_H
#define RINGTOP_REPORT_TEXTREPORT_H

#include "report/headless.h"

extern const struct headless_format text_format;

#endif
