/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals - what the outside asks of the screen, as bits to collect after poll.
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
	SIGNALS_CHILD = 64,    /* SIGCHLD: some child of ours ended */
};

int signals_open(struct err *err); /* 0 or -errno */
void signals_close(void);
int signals_fd(void);        /* readable while there is something to take */
unsigned signals_take(void); /* bits since the last call */

/* Whether SIGINT is heard; not so while another program has the terminal, whose it is then. */
void signals_interrupts(bool heard);

/* Stop this process as SIGTSTP does by default; returns once it was continued. */
void signals_suspend(void);

#endif
