/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldhists - histograms of sums by fields (fieldquery.h).
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_FIELDS_FIELDHISTS_H
#define RINGTOP_MODEL_FIELDS_FIELDHISTS_H

#include "model/fields/fieldquery.h"

/*
 * Fill hist[i] with the histogram of rows[i], for nr rows that model_fields() returned for the same
 * window.  Passes over the window once.  0 or -ENOMEM.
 */
int model_field_hists(const struct model *m, struct window w, const struct field_row *rows,
		      size_t nr, uint64_t (*hist)[SLICE_FIELD_BINS]);

#endif
