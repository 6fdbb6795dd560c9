/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain_trust - the rules of explain that say what its other lines are worth. */
#ifndef RINGTOP_MODEL_EXPLAIN_TRUST_H
#define RINGTOP_MODEL_EXPLAIN_TRUST_H

#include "model/explainwork.h"

bool explain_few(struct explain_scene *s);
bool explain_unsampled(struct explain_scene *s);
bool explain_lost(struct explain_scene *s);
bool explain_throttled(struct explain_scene *s);
bool explain_folded(struct explain_scene *s);
bool explain_nameless(struct explain_scene *s);
bool explain_cut_paths(struct explain_scene *s);

#endif
