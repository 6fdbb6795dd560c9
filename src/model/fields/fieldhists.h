/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldhists - histograms of sums by fields (fields.h).
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDHISTS_H
#define RINGTOP_MODEL_FIELDS_FIELDHISTS_H

#include "model/fields/fields.h"

/* Of these rows, as model_fields had them for the window, in one go over it.  0 or -ENOMEM. */
int model_field_hists(const struct model *m, struct window w, const struct field_row *rows, size_t nr,
		      uint64_t (*hist)[SLICE_FIELD_BINS]);

#endif
