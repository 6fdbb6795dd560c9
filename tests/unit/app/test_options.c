/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: every form of an option, every contradiction, and its texts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/options.h"

#define ARGS_MAX 16

static struct options o;
static enum options_action action;
static struct err err;

/* Parse "ringtop" and the words given, separated by blanks. */
static int parse(const char *line)
{
	static char text[1024];
	static char *argv[ARGS_MAX + 2];
	int argc = 1;

	options_clear(&o);
	memset(&err, 0, sizeof(err));
	argv[0] = (char *)"ringtop";
	snprintf(text, sizeof(text), "%s", line);
	for (char *word = strtok(text, " "); word && argc <= ARGS_MAX; word = strtok(NULL, " "))
		argv[argc++] = word;
	argv[argc] = NULL;
	return options_parse(argc, argv, &o, &action, &err);
}

static void assert_parses(const char *line)
{
	int ret = parse(line);

	if (ret)
		fail_msg("'%s': %d %s", line, ret, err.text);
	assert_int_equal(action, OPTIONS_RUN);
}

/* Wrong usage, in one line that has `says` in it. */
static void assert_refused(const char *line, const char *says)
{
	if (!parse(line))
		fail_msg("'%s' was taken", line);
	assert_int_equal(err.code, EINVAL);
	if (!strstr(err.text, says) || strchr(err.text, '\n'))
		fail_msg("'%s': \"%s\" does not say \"%s\"", line, err.text, says);
	assert_null(o.measure.events);
}

static void nothing_given(void **state)
{
	struct options zero = {0};

	(void)state;
	assert_parses("");
	assert_memory_equal(&o, &zero, sizeof(o));
}

static void targets(void **state)
{
	(void)state;
	assert_parses("-a");
	assert_true(o.measure.all_cpus);
	assert_parses("-p 42,43");
	assert_string_equal(o.measure.pids, "42,43");
	assert_parses("--tid=7 -C0-3,5");
	assert_string_equal(o.measure.tids, "7");
	assert_string_equal(o.measure.cpus, "0-3,5");
	assert_parses("-u root --no-inherit");
	assert_string_equal(o.measure.user, "root");
	assert_true(o.measure.no_inherit);
	assert_parses("-p1 --per-thread");
	assert_true(o.measure.per_thread);
	assert_parses("--off-cpu");
	assert_true(o.measure.off_cpu);
}

static void lists_wrong(void **state)
{
	static const char *const lists[] = {"0", "-1", "x", "1,", ",1", "1,,2", "1-3", "1x",
					    "99999999999999999999", "2147483648", "1.5"};
	static const char *const cpus[] = {"", "-", "0-", "-3", "3-1", "0-1-2", "0,a", "32768", "0;1"};
	char line[64];

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		snprintf(line, sizeof(line), "-p %s", lists[i]);
		assert_refused(line, "list such as");
	}
	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		snprintf(line, sizeof(line), "--cpu=%s", cpus[i]);
		assert_refused(line, "list such as");
	}
}

static void command(void **state)
{
	(void)state;
	assert_parses("-g gzip -9 --text x");
	assert_string_equal(o.measure.call_graph, "auto");
	assert_string_equal(o.measure.command[0], "gzip");
	assert_string_equal(o.measure.command[1], "-9");
	assert_string_equal(o.measure.command[2], "--text");
	assert_string_equal(o.measure.command[3], "x");
	assert_null(o.measure.command[4]);
	assert_int_equal(o.front, FRONT_AUTO);
	assert_parses("--propagate -- -odd");
	assert_string_equal(o.measure.command[0], "-odd");
	assert_true(o.propagate);
	assert_parses("--text --");
	assert_null(o.measure.command);
	assert_parses("-C 0 true");
	assert_parses("--per-thread true");
}

static void events(void **state)
{
	(void)state;
	assert_parses("-e cycles --event=sched:sched_switch:k -ecpu-clock");
	assert_int_equal(o.measure.nevents, 3);
	assert_string_equal(o.measure.events[0], "cycles");
	assert_string_equal(o.measure.events[1], "sched:sched_switch:k");
	assert_string_equal(o.measure.events[2], "cpu-clock");
	options_clear(&o);
	assert_null(o.measure.events);
	assert_refused("--event=", "EVENT");
	assert_refused("-e cycles -n 0", "range");
}

static void rates(void **state)
{
	(void)state;
	assert_parses("-F 4999");
	assert_int_equal(o.measure.frequency, 4999);
	assert_parses("--freq=20k");
	assert_int_equal(o.measure.frequency, 20000);
	assert_parses("-Fmax");
	assert_true(o.measure.frequency == OPTIONS_FREQUENCY_MAX);
	assert_parses("-c 1");
	assert_int_equal(o.measure.period, 1);
	assert_parses("-c 100m");
	assert_int_equal(o.measure.period, 100000000);
	assert_refused("-F 0", "range");
	assert_refused("-F 4294967295", "range");
	assert_refused("-F -5", "number");
	assert_refused("-F fast", "number");
	assert_refused("-c 0", "range");
	assert_refused("-c 9223372036854775808", "range");
	assert_refused("-c 99999999999999999999", "range");
	assert_refused("-c 18446744073709551615g", "range");
}

static void rings(void **state)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	(void)state;
	assert_parses("-m 1");
	assert_int_equal(o.measure.ring_bytes, page);
	assert_parses("-m 512");
	assert_int_equal(o.measure.ring_bytes, 512 * page);
	assert_parses("-m 8M");
	assert_int_equal(o.measure.ring_bytes, 8 << 20);
	assert_parses("--mmap-pages=64k --sideband-pages 4 --no-overwrite --realtime 99");
	assert_int_equal(o.measure.ring_bytes, 64 << 10);
	assert_int_equal(o.measure.sideband_pages, 4);
	assert_true(o.measure.no_overwrite);
	assert_int_equal(o.measure.realtime, 99);
	assert_refused("-m 0", "range");
	assert_refused("-m 0K", "range");
	assert_refused("-m 17179869184G", "range");
	assert_refused("-m 9999999999", "largest");
	assert_refused("-m 2T", "number");
	assert_refused("-m 2MB", "number");
	assert_refused("-m -1", "number");
	assert_refused("--sideband-pages 0", "range");
	assert_refused("--realtime 0", "range");
	assert_refused("--realtime 100", "range");
}

static void reports(void **state)
{
	(void)state;
	assert_parses("--json -d 0.5 -n 3 --duration=2 --top 20 --only gzip");
	assert_int_equal(o.front, FRONT_JSON);
	assert_true(o.show.delay == 0.5);
	assert_int_equal(o.show.iterations, 3);
	assert_true(o.show.duration == 2);
	assert_int_equal(o.show.top, 20);
	assert_string_equal(o.show.filter, "gzip");
	assert_parses("--color=never --no-mouse");
	assert_true(o.show.mono && !o.show.colour && o.show.no_mouse);
	assert_parses("--color=never --color=always");
	assert_true(!o.show.mono && o.show.colour);
	assert_parses("--color always --color auto");
	assert_true(!o.show.mono && !o.show.colour);
	assert_parses("--palette color-blind --color=always");
	assert_string_equal(o.show.palette, "color-blind");
	assert_refused("--palette=sepia", "any, dark, light or color-blind");
	assert_refused("--color=sometimes", "auto, always or never");
	assert_refused("--mono --color=always", "--mono and --color do not go together");
	assert_parses("--text --ascii --mono --show-self --self-stats --history 8M --max-memory 64M "
		      "--log x");
	assert_int_equal(o.front, FRONT_TEXT);
	assert_true(o.show.ascii && o.show.mono && o.show.show_self && o.self_stats);
	assert_int_equal(o.history_bytes, 8 << 20);
	assert_int_equal(o.max_memory, 64 << 20);
	assert_string_equal(o.log_file, "x");
}

static void bounds(void **state)
{
	static const char *const seconds[] = {"0", "-1", "nan", "inf", "0x10", "1e3", "", ".", "1,5",
					      "0.0", "1s", "1.2.3", "1000000001"};
	char line[64], many[512];

	(void)state;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(*seconds); i++) {
		snprintf(line, sizeof(line), "--delay=%s", seconds[i]);
		assert_refused(line, "--delay");
		snprintf(line, sizeof(line), "--duration=%s", seconds[i]);
		assert_refused(line, "--duration");
	}
	memset(many, '9', sizeof(many) - 1);
	memcpy(many, "-d1.", 4);
	many[sizeof(many) - 1] = '\0';
	assert_refused(many, "range"); /* infinity over infinity */
	assert_refused("-n 0", "range");
	assert_refused("-n -1", "whole number");
	assert_refused("-n 1.5", "whole number");
	assert_refused("--top 0", "range");
	assert_refused("--history 1", "range");
	assert_refused("--max-memory 1M", "range");
	assert_refused("--max-cpu 101", "range");
}

static void decimals(void **state)
{
	(void)state;
	assert_parses("-d .3");
	assert_true(o.show.delay == 0.3);
	assert_parses("-d 2.");
	assert_true(o.show.delay == 2);
	assert_parses("-d 0.1");
	assert_true(o.show.delay == 0.1);
}

static void letters_bundled(void **state)
{
	(void)state;
	assert_parses("-ag");
	assert_true(o.measure.all_cpus && o.measure.call_graph);
	assert_parses("-agF99");
	assert_int_equal(o.measure.frequency, 99);
	assert_parses("-gc 7 x");
	assert_int_equal(o.measure.period, 7);
	assert_string_equal(o.measure.command[0], "x");
	assert_refused("-gZ", "-Z");
	assert_refused("-gp", "-p needs a value: PID");
	assert_refused("--pid", "--pid needs a value: PID");
	assert_refused("--text=1", "takes no value");
}

static void verbose(void **state)
{
	(void)state;
	assert_parses("-v");
	assert_true(o.verbose);
	assert_null(o.verbose_domain);
	assert_parses("-vresolve");
	assert_string_equal(o.verbose_domain, "resolve");
	assert_parses("--verbose=ui");
	assert_string_equal(o.verbose_domain, "ui");
	assert_parses("-v ui"); /* a command: the value would be attached */
	assert_string_equal(o.measure.command[0], "ui");
	assert_refused("-vresolv", "resolve");
	assert_refused("-vapture", "capture");
	assert_refused("-v,", "domain");
}

static void call_graph(void **state)
{
	(void)state;
	assert_parses("--call-graph fp");
	assert_string_equal(o.measure.call_graph, "fp");
	assert_parses("--call-graph=dwarf,8192");
	assert_parses("--call-graph lbr");
	assert_refused("--call-graph stack", "dwarf");
	assert_refused("--call-graph dwarf,0", "dwarf");
	assert_refused("--call-graph dwarf,65536", "dwarf");
	assert_refused("--call-graph dwarf,", "dwarf");
}

static void unknown(void **state)
{
	(void)state;
	assert_refused("--foo", "unknown option --foo; see ringtop --help");
	assert_refused("--itertions 3", "did you mean --iterations?");
	assert_refused("--iter 3", "did you mean --iterations?");
	assert_refused("--jsn", "did you mean --json?");
	assert_refused("--realtme=3", "did you mean --realtime?");
	assert_refused("--zzzzzzzzzzzz", "--help");
	assert_refused("--=3", "unknown option");
	assert_refused("-Z", "unknown option -Z");
	assert_refused("-text", "did you mean --text?");
	assert_refused("-pid", "did you mean --pid?");
	assert_refused("--a", "unknown option --a");
	assert_refused("-\xc3\xa9", "unknown option -\xc3\xa9;");
	/* none that this build does not have, and none that is far off */
	assert_refused("--colour", "unknown option --colour; did you mean --color?");
	assert_refused("--flavour", "unknown option --flavour; see");
}

static void hostile(void **state)
{
	char *argv[] = {(char *)"ringtop", (char *)"-\033[31m", NULL}, name[4096];

	(void)state;
	assert_int_equal(options_parse(2, argv, &o, &action, &err), -EINVAL);
	assert_null(strchr(err.text, '\033'));
	memset(name, 'x', sizeof(name) - 1);
	name[0] = name[1] = '-';
	name[sizeof(name) - 1] = '\0';
	argv[1] = name;
	assert_int_equal(options_parse(2, argv, &o, &action, &err), -EINVAL);
	assert_true(strlen(err.text) < 160);
	argv[1] = (char *)"";
	assert_int_equal(options_parse(2, argv, &o, &action, &err), -EINVAL);
	argv[0] = NULL;
	assert_int_equal(options_parse(0, argv, &o, &action, &err), 0);
}

static void contradictions(void **state)
{
	(void)state;
	assert_refused("-F 99 -c 1", "-F and -c");
	assert_refused("--text --json", "--text and --json");
	assert_refused("-a -p 1", "-a and -p");
	assert_refused("-a -t 1", "-a and -t");
	assert_refused("-a -u root", "-a and -u");
	assert_refused("-p 1 -t 1", "-p and -t");
	assert_refused("-p 1 -u root", "-p and -u");
	assert_refused("--user root --tid=1", "-t and -u");
	assert_refused("-p 1 true", "-p and COMMAND");
	assert_refused("-t 1 -- true", "-t and COMMAND");
	assert_refused("-u root true", "-u and COMMAND");
	assert_refused("--per-thread -C 0 -p 1", "--per-thread and -C");
	assert_refused("--per-thread -a", "--per-thread and -a");
	assert_refused("-i f -a", "-i and -a");
	assert_refused("--input=f -S cycles", "-i and -S");
	assert_refused("-i f -w g", "-i and -w");
	assert_parses("-w f --record=g");
	assert_string_equal(o.measure.record, "g");
	assert_refused("-i f -g", "-i and -g");
	assert_refused("-i f true", "-i and COMMAND");
	assert_parses("-i f --json -d 0.5");
	assert_string_equal(o.measure.input, "f");
	assert_refused("--per-thread", "--per-thread needs");
	assert_refused("--propagate", "--propagate needs");
	assert_refused("--paths", "--paths needs --json");
	assert_parses("-F 99 --freq 100"); /* the last one counts */
	assert_int_equal(o.measure.frequency, 100);
}

static void comparing(void **state)
{
	(void)state;
	assert_parses("--diff a b --json");
	assert_string_equal(o.show.baseline, "a");
	assert_string_equal(o.against, "b");
	assert_int_equal(o.front, FRONT_JSON);
	assert_false(o.fail_on_change);
	assert_parses("--fail-on-change --diff=a -b --only x --top 3 --symfs d --vmlinux v");
	assert_string_equal(o.against, "-b");
	assert_true(o.fail_on_change);
	assert_refused("--diff", "--diff needs a value: A B");
	assert_refused("--diff a", "--diff needs a value: A B");
	assert_refused("--diff= b", "--diff: '' is not A B");
	assert_refused("--diff a -", "two files");
	assert_refused("--diff - b", "two files");
	assert_refused("--diff a b c", "--diff and COMMAND");
	assert_refused("--diff a b -i c", "one file or two");
	assert_refused("--diff a b -H c", "--diff and -H");
	assert_refused("--diff a b --baseline c", "one file or two");
	assert_parses("--baseline a --fail-on-change -- b");
	assert_string_equal(o.show.baseline, "a");
	assert_null(o.against);
	assert_refused("--baseline -", "the standard input cannot be a baseline");
	assert_refused("--baseline=", "--baseline: '' is not FILE");
	assert_refused("--fail-on-change", "--fail-on-change needs --diff A B, --baseline FILE or --by host");
	assert_refused("--fail-on-change --by comm", "--fail-on-change needs --diff A B, --baseline FILE or --by host");
	assert_refused("--diff a b -a", "--diff and -a");
	assert_refused("--diff a b --by id", "--diff and --by");
	assert_refused("--diff a b --log-events", "--diff and --log-events");
	assert_parses("-H a,b --by host --fail-on-change");
	assert_true(o.show.by_host && !o.measure.by);
	for (unsigned i = 0; i < o.nthere; i++)
		assert_null(strstr(o.there[i], "--by"));
	assert_parses("-H a,b --by comm,host");
	assert_false(o.show.by_host);
	assert_string_equal(o.measure.by, "comm,host");
	assert_refused("--by host", "--by host needs -H A,B");
	assert_refused("-i f --by host", "--by host needs -H A,B");
	assert_refused("-H a --by host", "-H names 1: choose two");
	assert_refused("-H a,b,c --by host", "-H names 3: choose two");
	assert_refused("-H a,b --by host --baseline c", "choose a file or a host");
	assert_refused("--diff a b --group user", "--diff and --group");
	assert_refused("--view tasks --group user", "--view and --group");
	assert_refused("--group colour", "colour");
	assert_refused("--diff a b --sort name", "--diff and --sort");
	assert_refused("--view tasks --sort name", "--view and --sort");
	assert_refused("--sort colour", "colour");
	assert_refused("--sort throttled", "--group cgroup");
	assert_refused("--group user --sort throttled", "--group cgroup");
	assert_parses("--group cgroup --sort throttled");
	assert_refused("--diff a b -e x", "as they were recorded");
	assert_refused("--diff a b -d 3", "as a whole");
	assert_refused("--diff a b --export folded:x", "--diff and --export");
	assert_refused("--diff a b --self-stats", "one session");
	assert_refused("--fail-on-change", "--fail-on-change needs --diff A B");
}

static void exports(void **state)
{
	(void)state;
	assert_parses("--json --paths --export folded:a --export=pprof:/tmp/b:c");
	assert_true(o.show.paths);
	assert_int_equal(o.nexports, 2);
	assert_string_equal(o.exports[0], "folded:a");
	assert_string_equal(o.exports[1], "pprof:/tmp/b:c");
	assert_refused("--export folded", "'folded' is not FORMAT:FILE");
	assert_refused("--export :x", "is not FORMAT:FILE");
	assert_refused("--export folded:", "is not FORMAT:FILE");
	assert_refused("--export", "--export needs a value");
}

static void aux(void **state)
{
	(void)state;
	assert_parses("-A intel_pt/tsc=1/u --aux-size 64k --aux-mode=full --aux-measure");
	assert_string_equal(o.measure.aux_event, "intel_pt/tsc=1/u");
	assert_int_equal(o.measure.aux_bytes, 65536);
	assert_true(o.measure.aux_full);
	assert_true(o.measure.aux_measure);
	assert_parses("--aux-event x// --aux-mode snapshot");
	assert_false(o.measure.aux_full);
	assert_parses("-A x// --aux-sample-size 4k");
	assert_int_equal(o.measure.aux_sample_bytes, 4096);
	assert_refused("-A x// --aux-sample-size 64k", "out of range");
	assert_refused("--aux-sample-size 4k", "--aux-sample-size needs -A EVENT");
	assert_refused("-A", "-A needs a value");
	assert_refused("-A x// --aux-mode both", "full or snapshot");
	assert_refused("-A x// --aux-size 1", "out of range");
	assert_refused("--aux-size 4M", "--aux-size needs -A EVENT");
	assert_refused("--aux-mode full", "--aux-mode needs -A EVENT");
	assert_refused("-i f -A x//", "do not go together");
}

static void snapshots(void **state)
{
	(void)state;
	assert_parses("--snapshot-on function>80%:2s --snapshot-on=lost>1% --snapshot-dir /tmp");
	assert_int_equal(o.snapshot_on.nr, 2);
	assert_string_equal(o.snapshot_on.word[0], "function>80%:2s");
	assert_string_equal(o.snapshot_on.word[1], "lost>1%");
	assert_string_equal(o.measure.snapshot_dir, "/tmp");
	options_clear(&o);
	assert_refused("--snapshot-on", "needs a value");
	assert_refused("--snapshot-on=", "''");
	assert_refused("-i f --snapshot-on lost>1%", "replayed");
	assert_refused("--no-overwrite --snapshot-on lost>1%", "forward rings");
}

static void hosts(void **state)
{
	static const char *const wrong[] = {"-oProxyCommand=x", "root@-x", "@", "root@", "a\033[31m", "a\tb", "a,,b", "a,",
					    ",a", "a,-b", "\x7f"};
	char line[400], name[300];

	(void)state;
	assert_parses("-H web01 --host=root@web02,ssh://x:22 -Hal\xc3\xa9");
	assert_int_equal(o.nhosts, 4);
	assert_string_equal(o.hosts[0], "web01");
	assert_string_equal(o.hosts[1], "root@web02");
	assert_string_equal(o.hosts[2], "ssh://x:22");
	assert_string_equal(o.hosts[3], "al\xc3\xa9");
	assert_parses("-H a --ssh dbclient --sudo --keep --linger 300 --fetch /tmp");
	assert_string_equal(o.ssh, "dbclient");
	assert_true(o.sudo && o.keep);
	assert_int_equal(o.linger, 300);
	assert_string_equal(o.fetch, "/tmp");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		snprintf(line, sizeof(line), "--host=%s", wrong[i]);
		if (!strpbrk(wrong[i], "\t"))
			assert_refused(line, "is not [USER@]HOST");
	}
	assert_refused("--host=", "'' is not [USER@]HOST");
	assert_refused("-H a,b,a", "'a' is given twice");
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line), "-H %s", name);
	assert_refused(line, "is not [USER@]HOST");
	name[255] = '\0';
	snprintf(line, sizeof(line), "-H %s", name);
	assert_parses(line);
	assert_refused("-H a -i f", "-i and -H");
	assert_refused("--sudo", "--sudo needs -H HOST");
	assert_refused("--ssh x", "--ssh needs -H HOST");
	assert_refused("--keep", "--keep needs -H HOST");
	assert_refused("--linger 1", "--linger needs -H HOST");
	assert_refused("--fetch .", "--fetch needs -H HOST");
	assert_refused("-H a --linger 0", "range");
}

static void assert_there(const char *line, const char *there)
{
	char got[1024] = "";

	assert_parses(line);
	for (unsigned i = 0; i < o.nthere; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", o.there[i]);
	assert_string_equal(got, there);
}

static void words_for_there(void **state)
{
	(void)state;
	assert_there("-H a --json -d 0.5 --ssh x --only y --top 3", "");
	assert_there("-ge cpu-clock -p 42 --event=x:y -F max", "-g --event=cpu-clock --pid=42 --event=x:y --freq=max");
	assert_there("-vui --max-memory 64M -m 8", "--verbose=ui --max-memory=64M --mmap-pages=8");
	assert_there("-v --snapshot-on lost>1%", "--verbose --snapshot-on=lost>1%");
	assert_there("-H a -w x -- gzip --only -g", "--record=x -- gzip --only -g");
	assert_there("--propagate true --text", "-- true --text");
}

/* The machine that is measured makes the same of them. */
static void words_parsed_there(void **state)
{
	char *argv[ARGS_MAX] = {(char *)"ringtop"};
	struct options there;
	unsigned n;

	(void)state;
	assert_parses("-H a --json -n3 -gc7 -C0 --linger=3 --no-lines --realtime=4 -- sh -c x");
	n = o.nthere;
	for (unsigned i = 0; i < n; i++)
		argv[i + 1] = o.there[i];
	assert_int_equal(options_parse((int)n + 1, argv, &there, &action, &err), 0);
	assert_true(there.measure.call_graph && there.measure.no_lines);
	assert_int_equal(there.measure.period, 7);
	assert_int_equal(there.measure.realtime, 4);
	assert_string_equal(there.measure.cpus, "0");
	assert_string_equal(there.measure.command[2], "x");
	assert_int_equal(there.front, FRONT_AUTO);
	assert_int_equal(there.nhosts, 0);
	assert_int_equal(there.nthere, n);
	for (unsigned i = 0; i < n; i++)
		assert_string_equal(there.there[i], o.there[i]);
	options_clear(&there);
}

static char *whole_text(int (*text)(char *, int))
{
	int len = text(NULL, 0);
	char *buf = malloc((size_t)len + 1);

	assert_non_null(buf);
	assert_int_equal(text(buf, len + 1), len);
	assert_int_equal(strlen(buf), len);
	return buf;
}

/* The option is the first word of each line. */
static const char *const mean_nothing_there[] = {
	"--control=x", "--explain", "--mark-on=lost>1%", "--alert=lost>1%", "--on-alert=x",
	"--save=x", "--at=12:00 -i f",
	"--host=a", "--ssh=x -H a", "--sudo -H a", "--keep -H a", "--linger=3 -H a", "--fetch=x -H a", "--input=f",
	"--baseline x", "--keep-for 1m x", "--keep-bytes 1M --keep-for 1m x", "--diff=a b", "--fail-on-change --diff a b", "--vmlinux=f -i f", "--delay=1", "--iterations=1", "--duration=1", "--text", "--json", "--top=1", "--paths --json",
	"--export=a:b", "--only=x", "--show-self", "--show-idle", "--propagate true", "--history=64M", "--ascii", "--mono", "--color=never", "--palette=dark", "--no-mouse", "--group=user", "--sort=name", "--view=x", "--saved-view=x: y", "--log=x",
	"--self-stats", "--no-config"};
static const char *const mean_something_there[] = {
	"--all-cpus", "--pid=1", "--tid=1", "--user=x", "--cgroup=x", "--cpu=0", "--per-thread -p 1", "--no-inherit", "--event=x", "--pfm-events=x", "--stat=x", "--filter=x", "--log-events", "--by=x", "--in-kernel", "--between=x", "--question=syscalls", "--delay-start=5",
	"--freq=1", "--count=1", "--call-graph=fp", "--ftrace=x", "--off-cpu", "--no-lines", "--debuginfod", "--symfs=x", "--kallsyms=x",
	"--mmap-pages=8", "--sideband-pages=8", "--no-overwrite", "--realtime=1", "--aux-event=x", "--aux-size=64k -A x",
	"--aux-mode=full -A x", "--aux-sample-size=64 -A x", "--aux-measure -A x", "--snapshot-on=x", "--snapshot-dir=x",
	"--record=x", "--max-memory=64M", "--max-cpu=20", "--verbose=ui", "--no-helper"};

static bool is_said_there(const char *line)
{
	size_t len = strcspn(line, " ");
	char after[64];

	/* It follows what it is for. */
	snprintf(after, sizeof(after), "-e x %s", line);
	assert_parses(strncmp(line, "--filter", 8) ? line : after);
	for (unsigned i = 0; i < o.nthere; i++)
		if (!strncmp(o.there[i], line, len) && !o.there[i][len])
			return true;
	return false;
}

static bool is_among(const char *const *lines, size_t nr, const char *option)
{
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(lines[i], option, strlen(option)) && strchr(" =", lines[i][strlen(option)]))
			return true;
	return false;
}

#define LINES(of) (sizeof(of) / sizeof(*(of)))

/* Whoever adds an option thinks of where it is to work: each of --help's is in one of these. */
static void places(void **state)
{
	char *help = whole_text(options_help), name[64];
	unsigned seen = 0;

	(void)state;
	for (size_t i = 0; i < LINES(mean_nothing_there); i++)
		if (is_said_there(mean_nothing_there[i]))
			fail_msg("%s is said there", mean_nothing_there[i]);
	for (size_t i = 0; i < LINES(mean_something_there); i++)
		if (!is_said_there(mean_something_there[i]))
			fail_msg("%s is not said there", mean_something_there[i]);
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"), seen++) {
		if (sscanf(line, "  -%*c, %63[a-z-]", name) != 1 && sscanf(line, "  %63[a-z-]", name) != 1)
			continue;
		if (!strcmp(name, "--version") || !strcmp(name, "--help") || !strcmp(name, "--list") || name[1] != '-')
			continue;
		if (!is_among(mean_nothing_there, LINES(mean_nothing_there), name) &&
		    !is_among(mean_something_there, LINES(mean_something_there), name))
			fail_msg("where does %s work: here, or on the machine that is measured?", name);
	}
	assert_true(seen > 50);
	free(help);
}

static void filters(void **state)
{
	(void)state;
	assert_parses("-e a:b --filter x==1 -e c:d,e:f --filter=y -S g:h --filter z --filter w -A p//");
	assert_int_equal(o.measure.nfilters, 4);
	assert_true(o.measure.filters[0].letter == 'e' && o.measure.filters[0].nr == 0);
	assert_true(o.measure.filters[1].letter == 'e' && o.measure.filters[1].nr == 1);
	assert_true(o.measure.filters[3].letter == 'S' && o.measure.filters[3].nr == 0);
	assert_string_equal(o.measure.filters[0].text, "x==1");
	assert_string_equal(o.measure.filters[3].text, "w");
	assert_parses("-A p// --filter x");
	assert_true(o.measure.filters[0].letter == 'A' && o.measure.filters[0].nr == 0);
	assert_refused("--filter x -e a:b", "must follow the events");
	assert_refused("-e a:b --filter=", "is not FILTER");
	assert_refused("-e a:b --filter", "--filter needs a value: FILTER");
	assert_refused("-i file --filter x", "must follow the events");
}

static void help_and_version(void **state)
{
	(void)state;
	assert_int_equal(parse("--help --no-such-thing"), 0);
	assert_int_equal(action, OPTIONS_HELP);
	assert_int_equal(parse("-gh"), 0);
	assert_int_equal(action, OPTIONS_HELP);
	assert_int_equal(parse("--version"), 0);
	assert_int_equal(action, OPTIONS_VERSION);
	assert_refused("--no-such-thing --help", "unknown");
}

static void help_text(void **state)
{
	static const char *const words[] = {"-p, --pid PID[,PID...]", "--per-thread", "--json",
					    "-v, --verbose[=DOMAIN]", "usage: ringtop", "-F, --freq"};
	char *help = whole_text(options_help), small[20];

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strstr(help, words[i]))
			fail_msg("--help lacks %s", words[i]);
	assert_null(strstr(help, "--agent")); /* what is not there is not offered */
	for (char *line = strtok(help, "\n"); line; line = strtok(NULL, "\n"))
		if (strlen(line) > 80)
			fail_msg("too wide: %s", line);
	free(help);
	assert_true(options_help(small, sizeof(small)) > (int)sizeof(small));
	assert_int_equal(strlen(small), sizeof(small) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_given),  cmocka_unit_test(targets),
		cmocka_unit_test(lists_wrong),    cmocka_unit_test(command),
		cmocka_unit_test(events),         cmocka_unit_test(rates),
		cmocka_unit_test(rings),          cmocka_unit_test(reports),
		cmocka_unit_test(bounds),         cmocka_unit_test(decimals),
		cmocka_unit_test(letters_bundled), cmocka_unit_test(verbose),
		cmocka_unit_test(call_graph),     cmocka_unit_test(unknown),
		cmocka_unit_test(hostile),        cmocka_unit_test(contradictions),
		cmocka_unit_test(comparing),
		cmocka_unit_test(exports),        cmocka_unit_test(aux),
		cmocka_unit_test(snapshots),	  cmocka_unit_test(hosts),
		cmocka_unit_test(words_for_there), cmocka_unit_test(words_parsed_there),
		cmocka_unit_test(places),
		cmocka_unit_test(filters),     cmocka_unit_test(help_and_version),
		cmocka_unit_test(help_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
