/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowdetails - the selected row of a view of the model's rows, in the panel of details: names, figures, and the rows of
 * another grouping that it consists of.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWDETAILS_H
#define RINGTOP_UI_PARTS_ROWDETAILS_H

struct app;
struct details;

/* view_ops.details of such views. */
void rowdetails(struct app *a, struct details *d);

#endif
