/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hostsession - the session of -H: one of another machine, or those of several machines as one.
 */
#ifndef RINGTOP_APP_HOSTSESSION_H
#define RINGTOP_APP_HOSTSESSION_H

#include "app/options.h"
#include "measure/session/session.h"

/*
 * Log in, which may prompt on the terminal, and wait until the sessions there are open; of several
 * one is enough.  The output of COMMAND goes to stderr, beside a screen nowhere.  `o` must outlive
 * the session, of which there is one in a process.  NULL with err: the message of ssh or of the
 * other side, with EACCES, EPERM or EINVAL if the session there failed with that.
 */
struct session *hostsession_open(const struct options *o, struct err *err);

/*
 * Return the length of slices from other machines, in ms: whole ticks of 100 ms, 1 s at most, so
 * that intervals and the duration are multiples of it; one tick if conditions wait for slices.
 */
uint32_t hostsession_beat_ms(const struct options *o);

/* Erase the passwords that were typed from memory, before the process ends. */
void hostsession_forget(void);

#endif
