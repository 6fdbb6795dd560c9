/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_help - keys and actions from their table, and what the terminal was sent.  Threads: one
 * owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_HELP_H
#define RINGTOP_UI_VIEWS_VIEW_HELP_H

#include "ui/views/view.h"

extern const struct view_ops view_help;

#endif
