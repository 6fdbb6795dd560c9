/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * export_text - the report, for people (front/text.h) or for programs (front/json.h), as a file: the whole of a
 * window, no row left out.
 */
#ifndef RINGTOP_FRONT_EXPORT_TEXT_H
#define RINGTOP_FRONT_EXPORT_TEXT_H

#include "front/export.h"

extern const struct export_format export_text, export_json;

#endif
