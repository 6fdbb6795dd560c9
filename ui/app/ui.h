/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui - the live screen: takes the session's slices, queries the model, paints cells, handles keys.
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
#include "model/rows/show_options.h"
#include "measure/session/session.h"

/* The baseline that the window is compared with. */
struct ui_compared {
	struct model *model; /* the session's, or ui_options.baseline */
	struct window window;
	unsigned host;	  /* as query.host */
	const char *name; /* raw, describes it */
	struct compare_how how; /* as on the screen, so that a file reports the same changes */
};

struct ui_options {
	struct show_options show; /* as asked for */
	const char *notice;  /* first message, raw, or NULL: a warning that the screen would hide */
	const char *const
		*saved; /* saved views as written (ui/app/savedview.h), checked by the app */
	unsigned nsaved;
	struct control *control; /* source of a script's orders, or NULL (control/control.h) */
	struct conditions
		*conditions; /* bound to the session, or NULL (model/judge/condition_actions.h) */

	/*
	 * Write the query's rows of the window, compared with `was` unless NULL.  0; 1: written,
	 * but the format has no comparison; or -errno with err.  NULL: key w is not available.
	 */
	int (*write)(struct model *m, const struct query *q, struct window w,
		     const struct ui_compared *was, const char *format, const char *file,
		     struct err *err);
	const char *const *formats; /* names, ends with NULL */
	/* Store a view, as written, for later runs; 0 or -errno with err.  NULL: not available. */
	int (*save_view)(const char *written, struct err *err);

	struct model *baseline; /* to compare with from the start, or NULL; owned by the caller */
};

/*
 * Run until q, SIGINT, SIGTERM, SIGHUP, or the session's end (after the end of a COMMAND the screen
 * stays until q).  The terminal is restored in any case.  0 or -errno with err (no terminal,
 * unknown TERM ...).  Neither session nor model is freed.
 */
int ui_run(struct session *s, struct model *m, const struct ui_options *o, struct err *err);

#endif
