/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confinetest - tries from inside what a helper may not do.  Threads: the helper's. */
#ifndef RINGTOP_SYSTEM_SANDBOX_CONFINETEST_H
#define RINGTOP_SYSTEM_SANDBOX_CONFINETEST_H

#include "system/sandbox/helper.h"

/*
 * Request: what to do.  Reply to CONFINETEST_TRY: count, and of each system call its name and
 * errno.
 */
enum probe {
	CONFINETEST_TRY,
	CONFINETEST_LOOP,
	CONFINETEST_CRASH,
	CONFINETEST_EAT,
	CONFINETEST_NONSENSE,
	CONFINETEST_ANSWER
};

helper_serve confinetest_serve;

#endif
