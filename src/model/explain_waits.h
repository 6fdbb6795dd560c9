/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_waits - the rules of explain that say what threads wait for. */
#ifndef RINGTOP_MODEL_EXPLAIN_WAITS_H
#define RINGTOP_MODEL_EXPLAIN_WAITS_H

#include "model/explainwork.h"

bool explain_waits_first(struct explain_scene *s);
bool explain_waits_last(struct explain_scene *s);

#endif
