/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * descendants - the processes below others, by the parents in /proc.
 *
 * A process whose parent has ended belongs to its adopter: /proc shows its origin no more.
 *
 * Threads: any worker; results belong to the caller.
 */
#ifndef RINGTOP_SYSTEM_PROC_DESCENDANTS_H
#define RINGTOP_SYSTEM_PROC_DESCENDANTS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Return the processes that live below the roots, malloc'ed, the nearest generation first; a root
 * that is below another is among them.  `without` is left out with all that is below it.  NULL and
 * *nr 0: there are none, or memory or /proc is out of reach.
 */
pid_t *descendants_list(const pid_t *roots, size_t nroots, pid_t without, size_t *nr);

#endif
