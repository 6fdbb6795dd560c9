/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wireorder - sorts rows and frames so that their columns are short on the wire.  Threads: the
 * owner of the slice.
 */
#ifndef RINGTOP_LINK_AGENT_WIREORDER_H
#define RINGTOP_LINK_AGENT_WIREORDER_H

#include "core/slice/slice.h"

/* Sort the slice's rows and frames in place. */
void wireorder_columns(struct slice *s);

#endif
