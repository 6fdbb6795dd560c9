/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals - signals to the screen, as bits to collect after poll().
 *
 * Handlers write to a pipe of their own, so a signal may land in any thread.  One user at a time;
 * signals_close gives the process its old handlers back.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_TERM_SIGNALS_H
#define RINGTOP_UI_TERM_SIGNALS_H

#include <stdbool.h>

#include "base/err.h"

enum signals_bit {
	SIGNALS_QUIT = 1,    /* SIGINT, SIGTERM, SIGHUP */
	SIGNALS_RESIZE = 2,  /* SIGWINCH */
	SIGNALS_SUSPEND = 4, /* SIGTSTP */
	SIGNALS_CONTINUE = 8,
	SIGNALS_SNAPSHOT = 16, /* SIGUSR2 */
	SIGNALS_MARK = 32,     /* SIGUSR1 */
	SIGNALS_CHILD = 64,    /* SIGCHLD: a child has ended */
};

/* Install the handlers.  0 or -errno with err. */
int signals_open(struct err *err);
void signals_close(void);

/* Return a descriptor that is readable while there are bits to take. */
int signals_fd(void);

/* Return and clear the bits since the last call. */
unsigned signals_take(void);

/*
 * Catch or ignore SIGINT: it is ignored while another program has the terminal, for which it is
 * then meant.
 */
void signals_interrupts(bool heard);

/* Stop this process as SIGTSTP does by default; returns when it is continued. */
void signals_suspend(void);

#endif
