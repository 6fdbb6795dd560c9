/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_changes - the rule of explain that says what changed, and when. */
#ifndef RINGTOP_MODEL_EXPLAIN_CHANGES_H
#define RINGTOP_MODEL_EXPLAIN_CHANGES_H

#include "model/explainwork.h"

bool explain_changes(struct explain_scene *s);

#endif
