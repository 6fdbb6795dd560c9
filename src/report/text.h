/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text - the report for people: plain lines, no control characters, names escaped.
 *
 * Threads: as headless.h.
 */
#ifndef RINGTOP_REPORT_TEXT_H
#define RINGTOP_REPORT_TEXT_H

#include "report/headless.h"

#define TEXT_TOP 20 /* rows of an interval where --top does not say */

extern const struct headless_format text_format;

#endif
