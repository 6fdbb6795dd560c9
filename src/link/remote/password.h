/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * password - one that a person typed: asked for on the terminal, never in a log, argument or environment, kept out
 * of swap and core files where the kernel allows it, overwritten when it is not wanted any more.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_PASSWORD_H
#define RINGTOP_LINK_REMOTE_PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct password;

struct password *password_create(struct err *err); /* none yet; NULL: err */
void password_free(struct password *p);            /* NULL is allowed */

/* Ask for it on /dev/tty, with echo off; waits.  -ENOTTY: no terminal; -ECANCELED: Ctrl-C, Ctrl-D. */
int password_ask(struct password *p, const char *prompt, struct err *err);

bool password_known(const struct password *p);

/* As it is written to who asked: with a newline.  The memory stays the password's. */
const char *password_line(const struct password *p, size_t *len);

void password_forget(struct password *p);

#endif
