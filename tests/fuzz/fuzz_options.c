/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments separated by NUL bytes, as in /proc/PID/cmdline. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/options.h"

#define ARGS_MAX 64

/* What goes to another machine is understood there, and goes on from there as it came. */
static void check_there(const struct options *o)
{
	static char name[] = "ringtop";
	char **argv = calloc(o->nthere + 2, sizeof(*argv));
	enum options_action action;
	struct err err = {0};
	struct options there;

	if (!argv)
		return;
	argv[0] = name;
	for (unsigned i = 0; i < o->nthere; i++)
		argv[i + 1] = o->there[i];
	if (options_parse((int)o->nthere + 1, argv, &there, &action, &err) || action != OPTIONS_RUN ||
	    there.nthere != o->nthere)
		abort();
	for (unsigned i = 0; i < o->nthere; i++)
		if (strcmp(there.there[i], o->there[i]))
			abort();
	options_clear(&there);
	free(argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "ringtop";
	char *argv[ARGS_MAX + 2] = {name}, *text = malloc(size + 1);
	enum options_action action;
	struct err err = {0};
	struct options o;
	int argc = 1;

	if (!text)
		return 0;
	memcpy(text, size ? data : (const uint8_t *)"", size);
	text[size] = '\0';
	for (size_t at = 0; at < size && argc <= ARGS_MAX; at += strlen(text + at) + 1)
		argv[argc++] = text + at;
	if (options_parse(argc, argv, &o, &action, &err)) {
		/* one line that says something, and nothing left behind */
		if (!err.code || !err.text[0] || o.measure.events || o.hosts || o.there)
			abort();
	} else if (action == OPTIONS_RUN) {
		check_there(&o);
		if (o.front > FRONT_JSON || o.show.delay < 0 || o.show.duration < 0 || (o.measure.period && o.measure.frequency))
			abort();
	}
	options_clear(&o);
	free(text);
	return 0;
}
