/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rowdetails - details of the selected row in views of the model's rows: names, figures, and its
 * parts by another grouping.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_ROWDETAILS_H
#define RINGTOP_UI_PARTS_ROWDETAILS_H

struct app;
struct details;

/* Implement view_ops.details for such views. */
void rowdetails(struct app *a, struct details *d);

#endif
