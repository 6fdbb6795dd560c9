/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui - the live screen: session in, model asked, cells painted, keys obeyed.
 *
 * Threads: one, which owns the model; the session has its own behind its eventfd.
 */
#ifndef RINGTOP_UI_APP_UI_H
#define RINGTOP_UI_APP_UI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/compare/compare.h"
#include "model/core/model.h"
#include "measure/session/session.h"

/* What the window is compared with. */
struct ui_compared {
	struct model *model; /* the session's, or ui_options.baseline */
	struct window window;
	unsigned host;	  /* as query.host */
	const char *name; /* raw, what it is in words */
	struct compare_how how; /* as it is shown: a file says no more than the screen */
};

struct ui_options {
	double delay;        /* seconds between refreshes, 0: 1 s */
	bool ascii, mono;    /* asked for; the terminal, locale, NO_COLOR and CLICOLOR may demand them too */
	bool colour;         /* these two may not */
	const char *palette; /* theme_palette has its name; NULL: any */
	bool no_mouse;       /* it stays the terminal's own, to select text */
	bool show_self, show_idle;
	const char *filter;  /* start filter or NULL */
	const char *notice;  /* said at first, raw, or NULL: what else would be said behind the screen */
	const char *const *saved; /* saved views as written (ui/app/savedview.h), checked by the app */
	unsigned nsaved;
	const char *view;    /* the one to begin with, or commands; NULL: functions */
	double duration;     /* seconds, 0: until q */
	uint64_t iterations; /* refreshes, 0: no limit */
	struct control *control; /* orders of a script, or NULL (control/control.h) */
	struct conditions *conditions; /* bound to the session, or NULL (model/judge/conditions.h) */

	/*
	 * Write what the query finds in the window, compared with what it was (NULL: with nothing).  0, 1: but the format
	 * has no comparison, or -errno with err.  NULL: key w cannot.
	 */
	int (*write)(struct model *m, const struct query *q, struct window w, const struct ui_compared *was, const char *format,
		     const char *file, struct err *err);
	const char *const *formats; /* names, ends with NULL */
	/* Keep a saved view for the next time, as written; 0 or -errno with err.  NULL: it cannot be. */
	int (*save_view)(const char *written, struct err *err);

	struct model *baseline; /* that the session is compared with from the start, or NULL; owned by the caller */
	const char *baseline_name; /* raw */
	bool by_host; /* from the start the second of the session's two hosts is compared with the first */
};

/*
 * Run until q, SIGINT, SIGTERM, SIGHUP, or the session's end (for a COMMAND that ended the screen
 * stays until q).  The terminal is restored whatever happens.  0 or -errno with err (no terminal,
 * unknown TERM ...). Neither session nor model is freed.
 */
int ui_run(struct session *s, struct model *m, const struct ui_options *o, struct err *err);

#endif
