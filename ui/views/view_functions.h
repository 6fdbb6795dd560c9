/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_functions - where the time goes: rows by function, or what g groups by.  Threads: one owner.
 */
#ifndef RINGTOP_UI_VIEWS_VIEW_FUNCTIONS_H
#define RINGTOP_UI_VIEWS_VIEW_FUNCTIONS_H

#include "ui/views/view.h"

extern const struct view_ops view_functions;

#endif
