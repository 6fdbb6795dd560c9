/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row per option; the parser, --help and the man page's OPTIONS (optiontext.h) all walk the same
 * table.  The parser is our own rather than getopt's because a row also carries its texts, and because a wrong
 * word is answered with the nearest right one.  It checks form and contradictions only: whether a
 * process, user or event exists is for those who open it to say.
 */
#include "options.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "base/log.h"
#include "base/near.h"
#include "base/text.h"
#include "base/units.h"
#include "optiontext.h"

#define SECONDS_MIN  0.1 /* one tick */
#define SECONDS_MAX  1e9
#define BYTES_MAX    (1ull << 40)
#define HISTORY_MIN  (64ull << 10)
#define WORDS_MAX    64 /* of an option in messages: hostile argv stays short */

struct parse {
	struct options *o;
	enum options_action *action;
	struct err *err;
	uint64_t given; /* bit per row */
	const char *name; /* the option as the user wrote it */
};

static void *field_of(const struct parse *p, const struct option_row *row)
{
	return (char *)p->o + row->field;
}

static int value_error(struct parse *p, const char *value, const char *want)
{
	return err_set(p->err, EINVAL, "%s: '%.*s' is not %s", p->name, WORDS_MAX, value, want);
}

static int set_flag(struct parse *p, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)field_of(p, row) = true;
	return 0;
}

static int set_text(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	*(const char **)field_of(p, row) = value;
	return 0;
}

/* A number of row->low to row->high, with the suffixes given. */
static int number_parse(struct parse *p, const struct option_row *row, const char *value,
			const char *suffixes, unsigned base, uint64_t *n)
{
	int ret = units_parse(value, suffixes, base, n);

	if (ret == -EINVAL)
		return value_error(p, value, *suffixes ? "a number such as 64 or 2M"
						       : "a whole number");
	if (ret || *n < row->low || *n > row->high)
		return err_set(p->err, EINVAL, "%s: %.*s is out of range (%llu to %llu)", p->name,
			       WORDS_MAX, value, (unsigned long long)row->low,
			       (unsigned long long)row->high);
	return 0;
}

static int set_count(struct parse *p, const struct option_row *row, const char *value)
{
	return number_parse(p, row, value, "", 1, field_of(p, row));
}

static int set_period(struct parse *p, const struct option_row *row, const char *value)
{
	return number_parse(p, row, value, "kmg", 1000, field_of(p, row));
}

static int set_bytes(struct parse *p, const struct option_row *row, const char *value)
{
	return number_parse(p, row, value, "kmg", 1024, field_of(p, row));
}

/* Pages where it is a plain number, bytes with a suffix. */
static int set_ring(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n, unit = 1, page = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret = number_parse(p, row, value, "kmg", 1024, &n);

	if (ret)
		return ret;
	if (isdigit((unsigned char)value[strlen(value) - 1]))
		unit = page;
	if (n > row->high / unit)
		return err_set(p->err, EINVAL, "%s: %.*s pages are more than the largest ring, 1T",
			       p->name, WORDS_MAX, value);
	p->o->ring_bytes = n * unit;
	return 0;
}

static int set_frequency(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n;
	int ret;

	if (!strcmp(value, "max")) {
		p->o->frequency = OPTIONS_FREQUENCY_MAX;
		return 0;
	}
	ret = number_parse(p, row, value, "kmg", 1000, &n);
	if (!ret)
		p->o->frequency = (uint32_t)n;
	return ret;
}

static int set_priority(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n;
	int ret = number_parse(p, row, value, "", 1, &n);

	if (!ret)
		p->o->realtime = (int)n;
	return ret;
}

/*
 * Decimal only, and with a point in every locale: strtod would take a comma in some, and "nan",
 * "inf" and hexadecimal in all of them.
 */
static int seconds_parse(const char *text, double *seconds)
{
	double n = 0, scale = 1;
	bool digits = false, point = false;

	for (; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (!isdigit((unsigned char)*text))
			return -EINVAL;
		digits = true;
		n = n * 10 + (*text - '0');
		if (point)
			scale *= 10;
	}
	*seconds = n / scale;
	return digits ? 0 : -EINVAL;
}

static int set_seconds(struct parse *p, const struct option_row *row, const char *value)
{
	double n;

	if (seconds_parse(value, &n))
		return value_error(p, value, "a number of seconds such as 2 or 0.5");
	/* Not a < b: digits enough make n and scale infinite and their quotient no number. */
	if (!(n >= SECONDS_MIN && n <= SECONDS_MAX))
		return err_set(p->err, EINVAL, "%s: %.*s is out of range (%g to %g seconds)",
			       p->name, WORDS_MAX, value, SECONDS_MIN, SECONDS_MAX);
	*(double *)field_of(p, row) = n;
	return 0;
}

/* One more value of an option that may come several times. */
static int words_add(struct parse *p, const char ***words, unsigned *nr, const char *value)
{
	const char **grown = reallocarray(*words, *nr + 1, sizeof(*grown));

	if (!grown)
		return err_set(p->err, ENOMEM, "out of memory");
	*words = grown;
	grown[(*nr)++] = value;
	return 0;
}

static int set_event(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	return words_add(p, &p->o->events, &p->o->nevents, value);
}

/* Which formats there are is for those who write them to say. */
static int set_export(struct parse *p, const struct option_row *row, const char *value)
{
	const char *colon = strchr(value, ':');

	if (!colon || colon == value || !colon[1])
		return value_error(p, value, row->arg);
	return words_add(p, &p->o->exports, &p->o->nexports, value);
}

/* What is in it is for those who watch it to say. */
static int set_condition(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	return words_add(p, &p->o->snapshot_on, &p->o->nsnapshot_on, value);
}

/* N[,N...], with N-M too where ranges are allowed; row->low to row->high each. */
static int set_list(struct parse *p, const struct option_row *row, const char *value)
{
	bool ranges = row->field == offsetof(struct options, cpus);
	const char *s = value, *want = ranges ? "a list such as 0-3,5" : "a list such as 42,43";
	unsigned long long n, from;
	bool second;
	char *end;

	for (second = false, from = row->low;; s = end + 1) {
		errno = 0;
		if (!isdigit((unsigned char)*s))
			return value_error(p, value, want);
		n = strtoull(s, &end, 10);
		if (errno || n < from || n > row->high)
			return value_error(p, value, want);
		if (!*end)
			break;
		if (*end != ',' && !(*end == '-' && ranges && !second))
			return value_error(p, value, want);
		second = *end == '-';
		from = second ? n : row->low;
	}
	*(const char **)field_of(p, row) = value;
	return 0;
}

static int set_call_graph(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t size;

	(void)row;
	if (strcmp(value, "auto") && strcmp(value, "fp") && strcmp(value, "lbr") && strcmp(value, "dwarf") &&
	    (strncmp(value, "dwarf,", 6) || units_parse(value + 6, "kmg", 1024, &size) || !size ||
	     size > UINT16_MAX))
		return value_error(p, value, "auto, fp, dwarf, dwarf,BYTES (at most 65535) or lbr");
	p->o->call_graph = true;
	p->o->call_graph_mode = value;
	return 0;
}

static int set_aux_mode(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row;
	if (strcmp(value, "full") && strcmp(value, "snapshot"))
		return value_error(p, value, "full or snapshot");
	p->o->aux_full = !strcmp(value, "full");
	return 0;
}

static int set_verbose(struct parse *p, const struct option_row *row, const char *value)
{
	const char *names = log_domains(), *at;
	size_t len = value ? strlen(value) : 0;

	(void)row;
	p->o->verbose = true;
	p->o->verbose_domain = len ? value : NULL;
	if (!len)
		return 0;
	for (at = names; (at = strstr(at, value)); at++)
		if ((at == names || strchr(", ", at[-1])) && strchr(", ", at[len]))
			return 0;
	return err_set(p->err, EINVAL, "%s: there is no domain '%.*s', but %s", p->name, WORDS_MAX,
		       value, names);
}

static int set_text_front(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	p->o->front = FRONT_TEXT;
	return 0;
}

static int set_json_front(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	p->o->front = FRONT_JSON;
	return 0;
}

static int set_help(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	*p->action = OPTIONS_HELP;
	return 0;
}

static int set_version(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	*p->action = OPTIONS_VERSION;
	return 0;
}

static int set_later(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	return err_set(p->err, EINVAL, "%s: this build of ringtop does not have it yet", p->name);
}

#define AT(member) offsetof(struct options, member)
#define HEADING(text) {0, NULL, NULL, ARG_NONE, NULL, 0, 0, 0, text, NULL}
#define LATER(letter, name, takes) {letter, name, NULL, takes, set_later, 0, 0, 0, NULL, NULL}

static const struct option_row rows[] = {
	HEADING("What to measure"),
	{'a', "all-cpus", NULL, ARG_NONE, set_flag, AT(all_cpus), 0, 0,
	 "the whole machine (the default where you may)",
	 "Without the rights for it ringtop measures your own processes and says so; with -a it "
	 "ends with status 3 instead."},
	{'p', "pid", "PID[,PID...]", ARG_NEEDED, set_list, AT(pids), 1, INT_MAX,
	 "processes, with their threads and children", NULL},
	{'t', "tid", "TID[,TID...]", ARG_NEEDED, set_list, AT(tids), 1, INT_MAX,
	 "single threads", NULL},
	{'u', "user", "USER", ARG_NEEDED, set_text, AT(user), 0, 0,
	 "the processes of a user, by name or number", NULL},
	{'C', "cpu", "CPUS", ARG_NEEDED, set_list, AT(cpus), 0, INT16_MAX,
	 "only these CPUs, such as 0-3,5",
	 "Goes together with -p, -t, -u and COMMAND: then what they do on these CPUs."},
	{0, "per-thread", NULL, ARG_NONE, set_flag, AT(per_thread), 0, 0,
	 "one ring per thread rather than per CPU",
	 "Needs -p, -t, -u or COMMAND.  Such a ring has no CPU to read it on, so it is paused while "
	 "it is read; the pauses show as a cause of loss.  New children are not followed."},
	{0, "no-inherit", NULL, ARG_NONE, set_flag, AT(no_inherit), 0, 0,
	 "do not follow new threads and children",
	 "Inherited events on many CPUs make starting a thread slower in the measured program."},
	{'i', "input", "FILE", ARG_NEEDED, set_text, AT(input), 0, 0,
	 "nothing live: what perf record wrote to FILE",
	 "A file or a stream (pipe format), of either byte order, compressed or not; - is the standard "
	 "input, in pipe format.  Nothing is measured; time is the file's.  Names come from files that "
	 "have the build-id that was recorded, where they are or in perf's cache, ~/.debug."},

	HEADING("Events"),
	{'e', "event", "EVENT[,EVENT...]", ARG_NEEDED, set_event, 0, 0, 0,
	 "what to sample (default: cycles, else cpu-clock)",
	 "A hardware or software event by name, a tracepoint as subsystem:name, or an event of a PMU of "
	 "this machine as pmu/term=value,.../; a modifier :u or :k keeps user or kernel only.  May be "
	 "given several times."},
	{'F', "freq", "HZ|max", ARG_NEEDED, set_frequency, 0, 1, UINT32_MAX - 1,
	 "samples per second and CPU",
	 "999 where nothing is given; of software events and tracepoints then every one is a sample, for "
	 "by frequency the kernel tells their periods only roughly.  max is what the kernel allows now "
	 "(kernel.perf_event_max_sample_rate), of clocks 10000: their timers are not slowed down where "
	 "they take too much time."},
	{'c', "count", "PERIOD", ARG_NEEDED, set_period, AT(period), 1, INT64_MAX,
	 "a sample every PERIOD events; suffixes k, m, g",
	 "With a fixed period all accounts are exact."},
	{'g', NULL, NULL, ARG_NONE, set_flag, AT(call_graph), 0, 0,
	 "call paths, as --call-graph auto", NULL},
	{0, "call-graph", "MODE", ARG_NEEDED, set_call_graph, 0, 0, 0,
	 "call paths: auto, fp, dwarf[,BYTES] or lbr",
	 "fp lets the kernel follow frame pointers, which costs least and needs programs that keep "
	 "them (-fno-omit-frame-pointer).  dwarf copies registers and BYTES of the stack (8192) with "
	 "every sample and unwinds them by what the programs' files say of their frames; x86-64 "
	 "only.  lbr takes the user's part from the branch records of Intel processors, which hold up "
	 "to 32 calls.  auto is fp, and says when that finds too little.  A path whose callers are "
	 "beyond what is known begins with [truncated], one that leads nowhere with [broken]."},

	{0, "no-lines", NULL, ARG_NONE, set_flag, AT(no_lines), 0, 0,
	 "do not look for source lines and inlined functions",
	 "They are read from debug information (DWARF) in the background, at a low priority."},
	{0, "debuginfod", NULL, ARG_NONE, set_flag, AT(debuginfod), 0, 0,
	 "get missing debug files from the servers in $DEBUGINFOD_URLS",
	 "By build-id, one after another, in the background and into the cache that gdb and perf have "
	 "too; names and lines get better when a file has come.  Only a file's session (-i) waits for "
	 "them, as long as $DEBUGINFOD_TIMEOUT has it.  What is in that cache is used without this "
	 "option, too."},
	{0, "symfs", "DIR", ARG_NEEDED, set_text, AT(symfs), 0, 0,
	 "look for the programs' files below DIR first",
	 "As if DIR were their /, such as a copy of the recorded machine's files: names, lines and code, "
	 "debug files below DIR, too.  A file of another build-id than was recorded, or without one whose "
	 "code does not reach as far as what was mapped, is not taken.  Without -i only a file of the same "
	 "build-id as that which runs is, or any where that is gone."},
	{0, "vmlinux", "FILE", ARG_NEEDED, set_text, AT(vmlinux), 0, 0,
	 "with -i: names of the recorded kernel from its ELF file",
	 "One with symbols (.symtab), as the kernel's build leaves it.  Where that kernel stood the recording "
	 "says; of modules it tells nothing.  A file of another build-id than was recorded is an error."},
	{0, "kallsyms", "FILE", ARG_NEEDED, set_text, AT(kallsyms), 0, 0,
	 "names of the kernel from a copy of /proc/kallsyms",
	 "Of the recorded machine, made as root; its modules have names only if it was made before the next "
	 "boot.  Without -i for users who may not read the running kernel's addresses: a copy made since it "
	 "was started."},

	HEADING("Rings"),
	{'m', "mmap-pages", "PAGES|SIZE", ARG_NEEDED, set_ring, 0, 1, BYTES_MAX,
	 "size of each sample ring: pages, or K, M, G",
	 "Rounded up to a power of two of pages; 2M where nothing is given, with --call-graph dwarf "
	 "as much as comes in a sixth of a second, 16M at most.  More only helps where a ring "
	 "overflows; the Buffers view says so."},
	{0, "sideband-pages", "N", ARG_NEEDED, set_count, AT(sideband_pages), 1, BYTES_MAX >> 12,
	 "pages of each ring for maps, names and forks", NULL},
	{0, "no-overwrite", NULL, ARG_NONE, set_flag, AT(no_overwrite), 0, 0,
	 "a full ring keeps the old samples, not the new",
	 "Samples go to forward rings: nothing is overwritten, what does not fit is lost and counted by "
	 "the kernel."},
	{0, "realtime", "PRIO", ARG_NEEDED, set_priority, 0, 1, 99,
	 "run the readers as SCHED_FIFO at this priority",
	 "1 to 99; needs CAP_SYS_NICE.  Without it the readers ask for a short scheduling slice."},

	HEADING("Hardware trace"),
	{'A', "aux-event", "EVENT", ARG_NEEDED, set_text, AT(aux_event), 0, 0,
	 "trace EVENT of an AUX-capable PMU too, such as intel_pt//u",
	 "One of Intel PT, Arm SPE or CoreSight, ... : any PMU that has an AUX area, with its terms as "
	 "in pmu/term=value/.  It runs beside the events of -e, on each CPU or for each thread.  From "
	 "kernel 6.13 on, and where the PMU can, it may begin with aux-action=start-paused, and events of -e "
	 "with aux-action=resume or aux-action=pause start and stop it: -e "
	 "sched:sched_switch/aux-action=resume/."},
	{0, "aux-size", "SIZE", ARG_NEEDED, set_bytes, AT(aux_bytes), 4096, BYTES_MAX,
	 "size of each AUX area: K, M, G (default: 4M)",
	 "Rounded up to a power of two of pages.  Without privileges the default is 128K.  In snapshot mode "
	 "as much again is needed twice, for copies."},
	{0, "aux-mode", "MODE", ARG_NEEDED, set_aux_mode, 0, 0, 0,
	 "snapshot (the default) or full",
	 "In snapshot mode the trace runs over itself and nothing is read until a snapshot is taken.  In "
	 "full mode it is drained as it comes; without a recording what is drained is counted only."},
	{0, "aux-sample-size", "SIZE", ARG_NEEDED, set_bytes, AT(aux_sample_bytes), 8, 65528,
	 "with every sample of -e, so much of the trace before it",
	 "At most 64K less what else is in a sample.  It is there for recordings; kernel 5.6, and a PMU "
	 "that can (Intel PT).  For single events: the term aux-sample-size=."},
	{0, "aux-measure", NULL, ARG_NONE, set_flag, AT(aux_measure), 0, 0,
	 "snapshot mode: stop for short to know the rate",
	 "Some PMUs do not say how much they write while they run.  With this the trace is stopped twice "
	 "a second, for microseconds, to look; what runs meanwhile is not traced."},
	HEADING("Snapshots"),
	{0, "snapshot-on", "CONDITION", ARG_NEEDED, set_condition, 0, 0, 0,
	 "take a snapshot when it holds, such as 'function>80%:2s'",
	 "May be given several times.  See SNAPSHOTS."},
	{0, "snapshot-dir", "DIR", ARG_NEEDED, set_text, AT(snapshot_dir), 0, 0,
	 "where snapshots go (default: the current directory)", NULL},

	HEADING("Reports"),
	{'d', "delay", "SECONDS", ARG_NEEDED, set_seconds, AT(delay), 0, 0,
	 "between reports or refreshes (default: 1)",
	 "Reports of a file's session: a hundredth of its length, but 1 at least."},
	{'n', "iterations", "N", ARG_NEEDED, set_count, AT(iterations), 1, UINT32_MAX,
	 "end after N reports", NULL},
	{0, "duration", "SECONDS", ARG_NEEDED, set_seconds, AT(duration), 0, 0,
	 "end after this time", NULL},
	{0, "text", NULL, ARG_NONE, set_text_front, 0, 0, 0,
	 "no screen: a report per interval and one for all",
	 "This is what happens too where the standard output is no terminal."},
	{0, "json", NULL, ARG_NONE, set_json_front, 0, 0, 0,
	 "the same as one JSON object a line", "See ringtop-json(5)."},
	{0, "top", "N", ARG_NEEDED, set_count, AT(top), 1, UINT32_MAX,
	 "at most N functions in an interval's report",
	 "The total is never cut."},
	{0, "paths", NULL, ARG_NONE, set_flag, AT(paths), 0, 0,
	 "with --json: call paths with their weights",
	 "Without -g or --call-graph a path is one function."},
	{0, "export", "FORMAT:FILE", ARG_NEEDED, set_export, 0, 0, 0,
	 "at the end, write all to FILE for another program",
	 "May be given several times.  See EXPORTS."},
	{'w', "record", "FILE", ARG_NEEDED, set_text, AT(record), 0, 0,
	 "record to FILE too, as perf record does",
	 "The samples go to forward rings, as with --no-overwrite.  The file gets its name when it is "
	 "whole; what stood there before becomes FILE.old.  See RECORDING."},
	{0, "only", "FILTER", ARG_NEEDED, set_text, AT(filter), 0, 0,
	 "only rows that match, as with the f key", "See FILTERS."},
	{0, "show-self", NULL, ARG_NONE, set_flag, AT(show_self), 0, 0,
	 "show ringtop's own samples too", NULL},
	{0, "propagate", NULL, ARG_NONE, set_flag, AT(propagate), 0, 0,
	 "exit with COMMAND's status", NULL},
	{0, "history", "SIZE", ARG_NEEDED, set_bytes, AT(history_bytes), HISTORY_MIN, BYTES_MAX,
	 "memory for the past (default: 64M)",
	 "After 20 s the past is kept in steps of 1 s, after 10 min of 10 s, sooner where memory is short.  Then "
	 "old steps are thinned: small functions lose callers and addresses, later their names, the screen "
	 "says where; last the oldest is forgotten.  The total over the run is always kept."},
	{0, "max-memory", "SIZE", ARG_NEEDED, set_bytes, AT(max_memory), BUDGET_MIN, BYTES_MAX,
	 "memory for symbols, lines and maps (default: 512M)",
	 "All that is read of the programs' files, of their maps and of what JITs write; one object may keep a "
	 "quarter.  A quarter of all is set aside for the names and call paths that the session speaks of.  What was used longest ago is dropped first; what does not fit is refused: the object "
	 "says why, and the log does; samples of call paths that find no room count for [out of memory].  What the "
	 "past keeps is --history's."},
	{0, "ascii", NULL, ARG_NONE, set_flag, AT(ascii), 0, 0,
	 "draw with ASCII only", NULL},
	{0, "mono", NULL, ARG_NONE, set_flag, AT(mono), 0, 0,
	 "no colours", "The same as a NO_COLOR in the environment that is not empty."},

	HEADING("About ringtop itself"),
	{'v', "verbose", "DOMAIN", ARG_ATTACHED, set_verbose, 0, 0, 0,
	 "log what happens inside, of one part or all",
	 "The value is written right after: -vresolve or --verbose=resolve.  An unknown one is "
	 "answered with the list."},
	{0, "log", "FILE", ARG_NEEDED, set_text, AT(log_file), 0, 0,
	 "where the log goes (default: standard error)", NULL},
	{0, "self-stats", NULL, ARG_NONE, set_flag, AT(self_stats), 0, 0,
	 "at the end, say what ringtop itself used", NULL},
	{0, "version", NULL, ARG_NONE, set_version, 0, 0, 0, "print the version", NULL},
	{'h', "help", NULL, ARG_NONE, set_help, 0, 0, 0, "print this", NULL},

	LATER('G', "cgroup", ARG_NEEDED), LATER('H', "host", ARG_NEEDED),
	LATER(0, "agent", ARG_NONE), LATER(0, "sudo", ARG_NONE),
	LATER(0, "filter", ARG_NEEDED),
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
_Static_assert(ROWS <= 64, "struct parse's given has a bit per row");

/* --- what goes with what -------------------------------------------------------------------- */

#define COMMAND_WORD "COMMAND"

#define REPLAYED "a file is replayed as it was recorded"

/* Neither beside the other.  Options by what follows their dashes. */
static const struct {
	const char *one, *other, *why;
} conflicts[] = {
	{"F", "c", "samples come at a frequency or at a fixed period, not both"},
	{"text", "json", "there is one report; choose its form"},
	{"a", "p", "-a is the whole machine; leave it out"},
	{"a", "t", "-a is the whole machine; leave it out"},
	{"a", "u", "-a is the whole machine; leave it out"},
	{"p", "t", "choose processes or threads"},
	{"p", "u", "choose processes or a user"},
	{"t", "u", "choose threads or a user"},
	{"p", COMMAND_WORD, "measure what runs already or start something"},
	{"t", COMMAND_WORD, "measure what runs already or start something"},
	{"u", COMMAND_WORD, "measure what runs already or start something"},
	{"i", "a", REPLAYED}, {"i", "p", REPLAYED}, {"i", "t", REPLAYED}, {"i", "u", REPLAYED},
	{"i", "C", REPLAYED}, {"i", "per-thread", REPLAYED}, {"i", "no-inherit", REPLAYED},
	{"i", "e", REPLAYED}, {"i", "F", REPLAYED}, {"i", "c", REPLAYED}, {"i", "g", REPLAYED},
	{"i", "call-graph", REPLAYED}, {"i", "m", REPLAYED}, {"i", "sideband-pages", REPLAYED},
	{"i", "A", REPLAYED}, {"i", "no-overwrite", REPLAYED}, {"i", "realtime", REPLAYED},
	{"i", COMMAND_WORD, REPLAYED}, {"i", "w", REPLAYED},
	{"i", "snapshot-on", REPLAYED}, {"i", "snapshot-dir", REPLAYED},
	{"snapshot-on", "no-overwrite", "forward rings hold nothing that was read already"},
	{"per-thread", "a", "a ring per thread is for chosen threads"},
	{"per-thread", "C", "a ring per thread has no CPU"},
};

/* One of these at least. */
static const struct {
	const char *one, *needs[4], *why;
} needs[] = {
	{"per-thread", {"p", "t", "u", COMMAND_WORD}, "-p, -t, -u or a COMMAND"},
	{"propagate", {COMMAND_WORD}, "a COMMAND"},
	{"paths", {"json"}, "--json"},
	{"aux-size", {"A"}, "-A EVENT"},
	{"aux-mode", {"A"}, "-A EVENT"},
	{"aux-measure", {"A"}, "-A EVENT"},
	{"aux-sample-size", {"A"}, "-A EVENT"},
	{"vmlinux", {"i"}, "-i FILE (of the running kernel, /proc/kallsyms tells all)"},
};

static const struct option_row *row_find(const char *name, size_t len)
{
	for (size_t i = 0; i < ROWS; i++) {
		const struct option_row *row = &rows[i];

		if (!row->set)
			continue;
		if ((len == 1 && row->letter == *name) ||
		    (row->name && strlen(row->name) == len && !strncmp(row->name, name, len)))
			return row;
	}
	return NULL;
}

static bool is_given(const struct parse *p, const char *name)
{
	if (!strcmp(name, COMMAND_WORD))
		return p->o->command != NULL;
	return p->given >> (row_find(name, strlen(name)) - rows) & 1;
}

static const char *dashes(const char *name)
{
	return !strcmp(name, COMMAND_WORD) ? "" : name[1] ? "--" : "-";
}

static int check_together(struct parse *p)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++) {
		const char *a = conflicts[i].one, *b = conflicts[i].other;

		if (is_given(p, a) && is_given(p, b))
			return err_set(p->err, EINVAL, "%s%s and %s%s do not go together: %s",
				       dashes(a), a, dashes(b), b, conflicts[i].why);
	}
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		bool met = !is_given(p, needs[i].one);

		for (size_t j = 0; j < 4 && needs[i].needs[j]; j++)
			met |= is_given(p, needs[i].needs[j]);
		if (!met)
			return err_set(p->err, EINVAL, "%s%s needs %s", dashes(needs[i].one),
				       needs[i].one, needs[i].why);
	}
	return 0;
}

/* --- parsing -------------------------------------------------------------------------------- */

/* The option a misspelt one was meant to be, or NULL: a beginning of it, or the fewest slips. */
static const char *word_nearest(const char *word)
{
	const char *best = NULL;
	unsigned least = strlen(word) < 3 ? 1 : 2; /* two letters changed places: 2 */

	for (size_t i = 0; i < ROWS; i++) {
		unsigned d;

		if (!rows[i].set || rows[i].set == set_later || !rows[i].name)
			continue;
		if (strlen(word) > 1 && !strncmp(rows[i].name, word, strlen(word)))
			return rows[i].name;
		d = near_distance(word, rows[i].name);
		if (d < least || (d == least && !best)) {
			least = d;
			best = rows[i].name;
		}
	}
	return best;
}

static int unknown_long(struct parse *p, const char *word, size_t len)
{
	char name[WORDS_MAX + 1];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	near = word_nearest(name);
	if (near)
		return err_set(p->err, EINVAL, "unknown option --%s; did you mean --%s?", name,
			       near);
	return err_set(p->err, EINVAL, "unknown option --%s; see ringtop --help", name);
}

/* What is no letter may go on in the bytes that follow. */
static int unknown_letter(struct parse *p, const char *letter)
{
	char safe[WORDS_MAX + 1];

	text_escape(safe, sizeof(safe), letter);
	return err_set(p->err, EINVAL, "unknown option -%.*s; see ringtop --help",
		       isgraph((unsigned char)*letter) ? 1 : WORDS_MAX, safe);
}

static int missing_value(struct parse *p, const struct option_row *row)
{
	return err_set(p->err, EINVAL, "%s needs a value: %s", p->name, row->arg);
}

static int apply(struct parse *p, const struct option_row *row, const char *value)
{
	p->given |= 1ull << (row - rows);
	return row->set(p, row, value);
}

/* --NAME, --NAME=VALUE or --NAME VALUE at argv[*i]. */
static int parse_long(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *word = argv[*i] + 2, *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *row = len > 1 ? row_find(word, len) : NULL;
	const char *value = equals ? equals + 1 : NULL;
	char name[WORDS_MAX + 3];

	if (!row)
		return unknown_long(p, word, len);
	snprintf(name, sizeof(name), "--%s", row->name);
	p->name = name;
	if (row->set == set_later)
		return row->set(p, row, value);
	if (row->takes == ARG_NONE && value)
		return err_set(p->err, EINVAL, "%s takes no value", name);
	if (row->takes == ARG_NEEDED && !value) {
		if (*i + 1 >= argc)
			return missing_value(p, row);
		value = argv[++*i];
	}
	return apply(p, row, value);
}

/* -abc, -xVALUE or -x VALUE at argv[*i]. */
static int parse_letters(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *letter = argv[*i] + 1, *value;
	int ret = 0;

	for (; *letter && !ret && *p->action == OPTIONS_RUN; letter++) {
		const struct option_row *row = row_find(letter, 1);
		char name[3] = {'-', *letter, '\0'};

		p->name = name;
		if (!row)
			return unknown_letter(p, letter);
		if (row->takes == ARG_NONE || row->set == set_later) {
			ret = apply(p, row, NULL);
			continue;
		}
		value = letter[1] ? letter + 1 : NULL;
		if (!value && row->takes == ARG_NEEDED) {
			if (*i + 1 >= argc)
				return missing_value(p, row);
			value = argv[++*i];
		}
		return apply(p, row, value);
	}
	return ret;
}

static int parse_short(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *word = argv[*i] + 1;
	int ret = parse_letters(p, argc, argv, i);

	/* -text is -t with the value "ext": say what was meant. */
	if (ret && strlen(word) > 2 && row_find(word, strlen(word)))
		return err_set(p->err, EINVAL, "-%s is no option; did you mean --%s?", word, word);
	return ret;
}

int options_parse(int argc, char *const argv[], struct options *o, enum options_action *action,
		  struct err *err)
{
	struct parse p = {.o = o, .action = action, .err = err};
	int ret = 0, i;

	memset(o, 0, sizeof(*o));
	*action = OPTIONS_RUN;
	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] && !ret; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		ret = argv[i][1] == '-' ? parse_long(&p, argc, argv, &i)
					: parse_short(&p, argc, argv, &i);
		if (*action != OPTIONS_RUN)
			return 0;
	}
	if (!ret && i < argc) {
		if (!*argv[i])
			ret = err_set(err, EINVAL, "COMMAND is empty");
		o->command = &argv[i];
	}
	if (!ret)
		ret = check_together(&p);
	if (ret)
		options_clear(o);
	return ret;
}

void options_clear(struct options *o)
{
	free(o->events);
	free(o->exports);
	free(o->snapshot_on);
	memset(o, 0, sizeof(*o));
}

int options_help(char *buf, int size)
{
	return optiontext_help(rows, ROWS, buf, size);
}

int options_man(char *buf, int size)
{
	return optiontext_man(rows, ROWS, buf, size);
}
