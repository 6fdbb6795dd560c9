/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonreport - the report as one JSON object a line; ringtop-json(5) describes it.
 *
 * Written straight into the output buffer: to build a tree of 100 000 rows first would cost more
 * memory than the model takes.  Threads: one, the model's owner.
 */
#ifndef RINGTOP_REPORT_JSONREPORT_H
#define RINGTOP_REPORT_JSONREPORT_H

#include "report/headless.h"

#define JSON_SCHEMA 1

extern const struct headless_format json_format;

#endif
