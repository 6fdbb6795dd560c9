/* SPDX-License-Identifier: GPL-2.0-or-later */
/* throttled - what CPU quotas let a cgroup wait, beside its row and in its details.  Threads: the screen's. */
#ifndef RINGTOP_UI_PARTS_THROTTLED_H
#define RINGTOP_UI_PARTS_THROTTLED_H

#include "ui/parts/widget.h"

struct details;
struct row;

/* A column's cell. */
enum role throttled_text(const void *ctx, const void *row, char *buf, size_t size, int width);

/* Of a row by cgroup. */
void throttled_details(struct details *d, const struct row *r);

#endif
