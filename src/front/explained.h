/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explained - what was measured in ten lines (model/explain.h), instead of reports: --explain.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_FRONT_EXPLAINED_H
#define RINGTOP_FRONT_EXPLAINED_H

#include "front/headless.h"

extern const struct headless_format explained_text, explained_json;

#endif
