/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The screens over a made-up session, to look at and to test by hand: synth_ui [WORD...]. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/core/model.h"
#include "tests/tty/paced.h"
#include "ui/app/ui.h"

int main(int argc, char **argv)
{
	struct synth_config config = {.callchains = true};
	struct ui_options o = {0};
	struct session *s;
	struct model *m;
	struct err err = {0};
	int ret;

	for (int i = 1; i < argc; i++) {
		config.losses |= !strcmp(argv[i], "losses");
		config.hostile |= !strcmp(argv[i], "hostile");
		config.quiet |= !strcmp(argv[i], "quiet");
		config.command |= !strcmp(argv[i], "command");
		if (!strncmp(argv[i], "cpus=", 5))
			config.cpus = (unsigned)atoi(argv[i] + 5);
		if (!strncmp(argv[i], "functions=", 10))
			config.functions = (unsigned)atoi(argv[i] + 10);
		if (!strncmp(argv[i], "end=", 4))
			config.end_ticks = (unsigned)atoi(argv[i] + 4);
		if (!strncmp(argv[i], "second=", 7))
			config.second_event = (unsigned)atoi(argv[i] + 7);
		if (!strncmp(argv[i], "duration=", 9))
			o.show.duration = atof(argv[i] + 9);
	}
	s = paced_session_create(&config);
	m = s ? model_create(&s->info, MODEL_BUDGET) : NULL;
	if (!m) {
		session_close(s);
		return 1;
	}
#ifdef HAVE_NCURSES
	ret = ui_run(s, m, &o, &err);
#else
	(void)o;
	ret = err_set(&err, ENOSYS, "built without ncurses");
#endif
	if (ret)
		fprintf(stderr, "synth_ui: %s %s\n", err.text, err.advice);
	model_free(m);
	session_close(s);
	return ret ? 1 : 0;
}
