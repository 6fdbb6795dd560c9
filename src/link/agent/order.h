/* SPDX-License-Identifier: GPL-2.0-or-later */
/* order - rows and frames in the order in which they are shortest on a wire.  Threads: as the slice. */
#ifndef RINGTOP_LINK_AGENT_ORDER_H
#define RINGTOP_LINK_AGENT_ORDER_H

#include "core/slice/slice.h"

void order_columns(struct slice *s);

#endif
