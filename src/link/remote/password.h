/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * password - a password typed on the terminal: never in a log, argument or environment, kept out of
 * swap and core files where the kernel allows it, overwritten when it is no longer needed.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_LINK_REMOTE_PASSWORD_H
#define RINGTOP_LINK_REMOTE_PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct password;

struct password *password_create(struct err *err); /* empty; NULL with err */
void password_free(struct password *p);            /* NULL is allowed */

/*
 * Ask on /dev/tty, with echo off; blocks.  Return 0; with err: -ENOTTY: no terminal; -ECANCELED:
 * Ctrl-C, Ctrl-D; other.
 */
int password_ask(struct password *p, const char *prompt, struct err *err);

/* Return true if there is a password. */
bool password_known(const struct password *p);

/* Return the bytes to send to sudo, with a newline and no NUL.  Borrowed. */
const char *password_line(const struct password *p, size_t *len);

/* Overwrite the password. */
void password_forget(struct password *p);

#endif
