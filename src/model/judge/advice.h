/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * advice - remedies for loss and other trouble: model_advice() and model_advice_loss(), which
 * model.h describes.
 */
#ifndef RINGTOP_MODEL_JUDGE_ADVICE_H
#define RINGTOP_MODEL_JUDGE_ADVICE_H


#endif
