/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_time - the rules of explain that say where the time goes. */
#ifndef RINGTOP_MODEL_EXPLAIN_TIME_H
#define RINGTOP_MODEL_EXPLAIN_TIME_H

#include "model/explainwork.h"

bool explain_used(struct explain_scene *s);
bool explain_quota(struct explain_scene *s);
bool explain_hottest(struct explain_scene *s);
bool explain_path(struct explain_scene *s);
bool explain_saturated(struct explain_scene *s);
bool explain_kernel(struct explain_scene *s);

#endif
