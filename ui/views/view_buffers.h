/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_buffers - can I trust it: every ring, every loss by cause, and what to do.  Threads: one
 * owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_BUFFERS_H
#define RINGTOP_UI_VIEWS_VIEW_BUFFERS_H

#include "ui/views/view.h"

extern const struct view_ops view_buffers;

#endif
