/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * live - the session that measures this machine: readers into the table, every 100 ms (see doze_ns)
 * a tick that drains it through the resolver into a slice.
 *
 *   tick:  request all readers to read their counters and drain  ─▶  rotate the table  ─▶  take all
 *          sideband, in time order  ─▶  resolve the rows  ─▶  accounts, gauges  ─▶  slice
 *
 * Sideband is taken after the samples: whatever map a sample of the generation needs has been
 * written by then.  Its rings are forward ones, so they can be read from this thread.
 *
 * Threads: the ops from the front end's thread; live_open blocks until the counters run.
 */
#ifndef RINGTOP_SOURCES_LIVE_LIVE_H
#define RINGTOP_SOURCES_LIVE_LIVE_H

#include "base/err.h"
#include "measure/session/measure_config.h"
#include "measure/session/session.h"

/*
 * Open and start a session, which the caller closes; c's strings are borrowed for as long as it
 * lives.  NULL with err: code EINVAL or ENOENT for wrong usage, EACCES or EPERM for missing rights,
 * others for failures.
 */
struct session *live_open(const struct measure_config *c, struct err *err);

#endif
