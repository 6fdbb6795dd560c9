/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paced - a synth session that moves by itself, a slice every 100 ms of real time: for the screens.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_TESTS_TTY_PACED_H
#define RINGTOP_TESTS_TTY_PACED_H

#include "measure/session/session.h"
#include "tests/synth.h"

/* NULL: out of memory or no timer. */
struct session *paced_session_create(const struct synth_config *config);

#endif
