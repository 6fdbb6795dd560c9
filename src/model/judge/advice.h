/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice - what to do about what the gauges show: model_advice and model_advice_loss, whose contracts are in model.h. */
#ifndef RINGTOP_MODEL_JUDGE_ADVICE_H
#define RINGTOP_MODEL_JUDGE_ADVICE_H

#include "model/core/model.h"

#endif
