/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_help - keys, actions, explanations, and traffic to the terminal.  Threads: one owner. */
#ifndef RINGTOP_UI_VIEWS_VIEW_HELP_H
#define RINGTOP_UI_VIEWS_VIEW_HELP_H

#include "ui/app/view.h"

extern const struct view_ops view_help;

#endif
