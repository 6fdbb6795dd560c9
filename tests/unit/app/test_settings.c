/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of settings: its form, what it may say, whose it must be, and that the command line wins. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/optionfile.h"
#include "app/options.h"

#define ARGS_MAX 8

static struct options o;
static char words[256], *argv[ARGS_MAX + 2];

static int refuse(const char *key, const char *value, struct err *err)
{
	return !strcmp(key, "event") && !strcmp(value, "nonsense") ? err_set(err, EINVAL, "event: no nonsense") : 0;
}

/* Options of a command line and of a file's text. */
static void take(const char *line, const char *text)
{
	struct optionfile *f = calloc(1, sizeof(*f));
	enum options_action action;
	struct err err = {.code = 0};
	int argc = 1;

	assert_non_null(f);
	options_clear(&o);
	argv[0] = (char *)"ringtop";
	snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word && argc <= ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	optionfile_parse(f, text, strlen(text));
	assert_int_equal(options_parse(argc, argv, &o, &action, &err), 0);
	options_take_file(argc, argv, &o, f, refuse);
}

static void assert_quiet(void)
{
	if (o.file->ncomplaints)
		fail_msg("%s", o.file->complaint[0]);
}

/* One complaint, about that line, with `says` in it. */
static void assert_complains(const char *text, unsigned line, const char *says)
{
	char begin[32];

	take("", text);
	if (o.file->ncomplaints != 1)
		fail_msg("'%s': %u complaints", text, o.file->ncomplaints);
	snprintf(begin, sizeof(begin), "settings:%u: ", line);
	if (strncmp(o.file->complaint[0], begin, strlen(begin)) || !strstr(o.file->complaint[0], says))
		fail_msg("'%s': \"%s\", not \"%s...%s\"", text, o.file->complaint[0], begin, says);
}

static int end(void **state)
{
	(void)state;
	options_clear(&o);
	return 0;
}

static void test_form(void **state)
{
	(void)state;
	take("", "# all of it\n\n  \t\r\nhistory = 2M\n\tfreq=49 # seldom\r\nmono = yes\nssh_ = x");
	assert_int_equal(o.history_bytes, 2 << 20);
	assert_int_equal(o.measure.frequency, 49);
	assert_true(o.show.mono);
	assert_int_equal(o.settings, 3);
	assert_int_equal(o.file->ncomplaints, 1);
	take("", "symfs = \"/a b # c\"  # kept\nlog = /tmp/a#b\n");
	assert_quiet();
	assert_string_equal(o.measure.symfs, "/a b # c");
	assert_string_equal(o.log_file, "/tmp/a#b");
	take("", "");
	assert_quiet();
	assert_int_equal(o.settings, 0);
}

static void test_flags(void **state)
{
	static const char *const yes[] = {"yes", "true", "on", "1", "YES"}, *const no[] = {"no", "false", "off", "0", "No"};
	char text[64];

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "ascii = %s", yes[i]);
		take("", text);
		assert_quiet();
		assert_true(o.show.ascii);
		snprintf(text, sizeof(text), "ascii = yes\nascii = %s", no[i]); /* the last one counts */
		take("", text);
		assert_quiet();
		assert_false(o.show.ascii);
	}
	assert_complains("ascii = perhaps", 1, "neither yes nor no");
	assert_complains("ascii =", 1, "neither yes nor no");
	take("", "verbose = yes");
	assert_true(o.verbose && !o.verbose_domain);
	take("", "verbose = resolve");
	assert_string_equal(o.verbose_domain, "resolve");
	take("", "verbose = no");
	assert_false(o.verbose);
}

static void test_wrong(void **state)
{
	static const char *const alone[] = {"pid = 1", "record = x", "host = a", "filter = x", "only = x", "no-config = yes",
					    "help = yes", "list = yes", "input = x", "export = text:x"};

	(void)state;
	assert_complains("\n\nmony = yes", 3, "did you mean mono?");
	assert_complains("wxyzzy = 1", 1, "unknown setting wxyzzy");
	assert_complains("F = 99", 1, "unknown setting F");
	assert_complains("freq = fast", 1, "'fast'");
	assert_complains("freq = 0", 1, "out of range");
	assert_complains("freq", 1, "key = value");
	assert_complains("= 3", 1, "not the name");
	assert_complains("a b = 3", 1, "not the name");
	assert_complains("symfs = \"x", 1, "quotes");
	assert_complains("symfs = \"x\" y", 1, "quotes");
	assert_complains("symfs =", 1, "symfs");
	assert_complains("freq = 99\ncount = 5", 2, "does not go together with the setting freq");
	assert_complains("event = nonsense", 1, "no nonsense; ignored");
	assert_int_equal(o.measure.nevents, 0);
	take("-H there", "event = nonsense"); /* there it may be one */
	assert_quiet();
	assert_string_equal(o.there[0], "--event=nonsense");
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		assert_complains(alone[i], 1, "command line only");
	/* what is wrong takes nothing else along */
	take("", "freq = fast\nhistory = 1M\nnonsense\nmono = yes");
	assert_true(o.show.mono && o.history_bytes == 1 << 20 && !o.measure.frequency);
	assert_int_equal(o.file->ncomplaints, 2);
}

static void test_command_line_wins(void **state)
{
	(void)state;
	take("--history 4M", "history = 2M");
	assert_int_equal(o.history_bytes, 4 << 20);
	take("-F 99", "count = 5");
	assert_true(o.measure.frequency == 99 && !o.measure.period);
	take("--json", "text = yes");
	assert_int_equal(o.front, FRONT_JSON);
	take("-p 3", "all-cpus = yes");
	assert_true(!o.measure.all_cpus && o.measure.pids);
	take("--color=always", "mono = yes");
	assert_true(o.show.colour && !o.show.mono);
	take("-i x", "freq = 99\nevent = cycles\nmax-memory = 64M");
	assert_true(!o.measure.frequency && !o.measure.nevents && o.max_memory == 64 << 20);
	take("-e cpu-clock", "event = cycles");
	assert_int_equal(o.measure.nevents, 1);
	assert_string_equal(o.measure.events[0], "cpu-clock");
	assert_quiet();
	/* what needs another option waits for it */
	take("", "paths = yes\nsudo = yes\naux-size = 1M");
	assert_true(!o.show.paths && !o.sudo && !o.measure.aux_bytes);
	assert_quiet();
	take("--json", "paths = yes");
	assert_true(o.show.paths);
	take("-H there", "sudo = yes\nfreq = 9");
	assert_true(o.sudo);
	assert_string_equal(o.there[0], "--freq=9");
	take("-- true -x", "freq = 9");
	assert_int_equal(o.nthere, 4); /* COMMAND stays the last */
	assert_string_equal(o.there[0], "--freq=9");
	assert_string_equal(o.there[3], "-x");
}

static void test_many(void **state)
{
	char text[64 * 300] = "";

	(void)state;
	for (unsigned i = 0; i < 300; i++)
		strcat(text, "nonsense = 1\n");
	take("", text);
	assert_int_equal(o.file->nr, OPTIONFILE_SETTINGS);
	assert_int_equal(o.file->ncomplaints, 300);
}

/* --- files ------------------------------------------------------------------------------ */

static char dir[64], name[128];

static void write_file(const char *text, mode_t mode)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(name, mode), 0);
}

static unsigned read_file(const char *says)
{
	struct optionfile *f = optionfile_read(optionfile_name());
	unsigned nr;

	assert_non_null(f);
	assert_string_equal(f->name, name);
	if (says && (!f->ncomplaints || !strstr(f->complaint[0], says) || !strstr(f->complaint[0], name)))
		fail_msg("\"%s\" does not say \"%s\"", f->ncomplaints ? f->complaint[0] : "", says);
	if (!says && f->ncomplaints)
		fail_msg("%s", f->complaint[0]);
	nr = f->nr;
	optionfile_free(f);
	return nr;
}

static void test_read(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/ringtop-settings.XXXXXX");
	assert_non_null(mkdtemp(dir));
	setenv("XDG_CONFIG_HOME", dir, 1);
	snprintf(name, sizeof(name), "%s/ringtop", dir);
	assert_int_equal(mkdir(name, 0700), 0);
	snprintf(name, sizeof(name), "%s/ringtop/config", dir);
	assert_int_equal(read_file(NULL), 0); /* none there */
	write_file("mono = yes\n", 0600);
	assert_int_equal(read_file(NULL), 1);
	if (!geteuid()) {
		write_file("mono = yes\n", 0620);
		assert_int_equal(read_file("other users may write to it"), 0);
		write_file("mono = yes\n", 0602);
		assert_int_equal(read_file("other users may write to it"), 0);
		write_file("mono = yes\n", 0600);
		assert_int_equal(chown(name, 12345, 0), 0);
		assert_int_equal(read_file("belongs to user 12345"), 0);
	}
	assert_int_equal(truncate(name, OPTIONFILE_BYTES + 1), 0);
	if (!geteuid())
		assert_int_equal(chown(name, 0, 0), 0);
	assert_int_equal(read_file("larger than 64 KB"), 0);
	assert_int_equal(truncate(name, 20), 0);
	assert_int_equal(read_file("NUL"), 0);
	unlink(name);
	assert_int_equal(mkfifo(name, 0600), 0); /* nobody writes: must not wait */
	assert_int_equal(read_file("not a regular file"), 0);
	unlink(name);
	assert_int_equal(mkdir(name, 0700), 0);
	assert_int_equal(read_file("not a regular file"), 0);
	rmdir(name);
	*strrchr(name, '/') = '\0';
	rmdir(name);
	rmdir(dir);
}

/* A line more is read as it was meant, and nobody else's file is written to. */
static void test_add(void **state)
{
	static const char *const values[] = {"web: tasks; filter comm:nginx", "x: filter a # b", "y: filter \"b\"", " blanks "};
	char place[] = "/tmp/ringtop-settings-XXXXXX", file[64], link[80], longer[OPTIONFILE_BYTES];
	struct err err = {.code = 0};
	struct optionfile *f;

	(void)state;
	assert_non_null(mkdtemp(place));
	snprintf(file, sizeof(file), "%s/new/ringtop/config", place);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		assert_int_equal(optionfile_add(file, "saved-view", values[i], &err), 0);
	assert_int_equal(optionfile_add(file, "k", "\" # ", &err), -EINVAL);
	assert_int_equal(optionfile_add(file, "k", "\"z", &err), -EINVAL);
	assert_int_equal(optionfile_add(file, "k", "two\nlines", &err), -EINVAL);
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(optionfile_add(file, "k", longer, &err), -E2BIG);
	f = optionfile_read(strdup(file));
	assert_int_equal(f->ncomplaints, 0);
	assert_int_equal(f->nr, sizeof(values) / sizeof(*values));
	for (unsigned i = 0; i < f->nr; i++)
		assert_string_equal(f->setting[i].value, values[i]);
	optionfile_free(f);
	/* one whose last line does not end */
	assert_int_equal(truncate(file, 40), 0);
	assert_int_equal(optionfile_add(file, "mono", "yes", &err), 0);
	f = optionfile_read(strdup(file));
	assert_string_equal(f->setting[f->nr - 1].key, "mono");
	optionfile_free(f);

	assert_int_equal(chmod(file, 0622), 0);
	assert_int_equal(optionfile_add(file, "mono", "yes", &err), -EPERM);
	snprintf(link, sizeof(link), "%s/new/ringtop/link", place);
	assert_int_equal(symlink(file, link), 0);
	assert_int_equal(optionfile_add(link, "mono", "yes", &err), -ELOOP);
	unlink(link);
	unlink(file);
	*strrchr(file, '/') = '\0';
	assert_int_equal(chmod(file, 0777), 0);
	snprintf(link, sizeof(link), "%s/config", file);
	assert_int_equal(optionfile_add(link, "mono", "yes", &err), -EPERM);
	rmdir(file);
	*strrchr(file, '/') = '\0';
	rmdir(file);
	rmdir(place);
}

/* Of what may be given several times all lines count. */
static void test_several(void **state)
{
	(void)state;
	take("", "saved-view = a: tasks\nsaved-view = b: tree\nhistory = 32M\nhistory = 64M\n");
	assert_quiet();
	assert_int_equal(o.saved_views.nr, 2);
	assert_string_equal(o.saved_views.word[1], "b: tree");
	assert_int_equal(o.history_bytes, 64u << 20);
}

static void test_name(void **state)
{
	char *is;

	(void)state;
	setenv("HOME", "/home/x", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	is = optionfile_name();
	assert_string_equal(is, "/home/x/.config/ringtop/config");
	free(is);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_null(optionfile_name());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_form, end),
		cmocka_unit_test_teardown(test_flags, end),
		cmocka_unit_test_teardown(test_wrong, end),
		cmocka_unit_test_teardown(test_command_line_wins, end),
		cmocka_unit_test_teardown(test_many, end),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_add),
		cmocka_unit_test_teardown(test_several, end),
		cmocka_unit_test(test_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
