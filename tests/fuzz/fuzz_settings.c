/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file of settings: whatever is in it, the command line counts, and what is left of it can be gone on with. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/optionfile.h"
#include "app/options.h"
#include "tests/fuzz/must.h"

static void check_file(const struct optionfile *f, size_t size)
{
	must(f->nr <= OPTIONFILE_SETTINGS);
	for (unsigned i = 0; i < f->nr; i++) {
		const struct optionfile_setting *s = &f->setting[i];

		must(*s->key && s->line && s->line <= size + 1);
		must(strlen(s->key) + strlen(s->value) <= size);
		must(!strchr(s->key, '\n') && !strchr(s->value, '\n'));
	}
	for (unsigned i = 0; i < OPTIONFILE_COMPLAINTS; i++)
		must(i >= f->ncomplaints || (f->complaint[i] && !strchr(f->complaint[i], '\n')));
}

static int refuse_some(const char *key, const char *value, struct err *err)
{
	return strlen(key) + strlen(value) > 20 ? err_set(err, EINVAL, "%s", value) : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "ringtop", pid[] = "-p1", hertz[] = "-F7", mode[] = "--json", command[] = "true";
	static char *lines[][4] = {{name}, {name, pid, hertz}, {name, mode}, {name, command}};
	static const int words[] = {1, 3, 2, 2};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct optionfile *f = calloc(1, sizeof(*f));
		enum options_action action;
		struct err err = {0};
		struct options o;

		if (!f)
			return 0;
		optionfile_parse(f, (const char *)data, size);
		check_file(f, size);
		must(!options_parse(words[i], lines[i], &o, &action, &err));
		options_take_file(words[i], lines[i], &o, f, refuse_some);
		must(o.file == f && o.settings <= f->nr);
		must(i != 1 || (o.measure.pids && !strcmp(o.measure.pids, "1") && o.measure.frequency == 7 && !o.measure.period && !o.measure.all_cpus));
		must(i != 2 || o.front == FRONT_JSON);
		must(i != 3 || (o.measure.command && !strcmp(o.measure.command[0], "true")));
		must(!(o.measure.period && o.measure.frequency) && o.front <= FRONT_JSON && !o.nhosts && !o.measure.input && !o.measure.record);
		options_clear(&o);
	}
	return 0;
}
