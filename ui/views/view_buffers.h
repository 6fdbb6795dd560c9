/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_buffers - all rings, all losses by cause, and advice on them.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_BUFFERS_H
#define RINGTOP_UI_VIEWS_VIEW_BUFFERS_H

#include "ui/app/view.h"

extern const struct view_ops view_buffers;

#endif
