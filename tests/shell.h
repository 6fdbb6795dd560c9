/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shell - what tests let other programs make for them.  Threads: any. */
#ifndef RINGTOP_TESTS_SHELL_H
#define RINGTOP_TESTS_SHELL_H

#include <stdbool.h>

/* Run a shell command in dir, what it prints going to the file log there.  False: it failed. */
bool shell_run(const char *dir, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Remove dir with all that is in it.  0: done. */
int shell_remove(const char *dir);

#endif
