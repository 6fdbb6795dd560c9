/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser is our own rather than getopt's because a row also carries its texts, because the
 * message about a wrong word suggests the nearest right one, and because the words for another
 * machine are collected while parsing.
 */
#include "app/optionparse.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/worddistance.h"
#include "base/text.h"
#include "app/optionvalue.h"

/* --- options that exclude or need others ---------------------------------------------------- */

#define COMMAND_WORD "COMMAND"

#define REPLAYED "a file is replayed as it was recorded"
#define COMPARES "--diff A B, --baseline FILE or --by host"
#define COMPARED "files are compared as they were recorded"
#define WHOLE	 "files are compared as a whole"

/*
 * Pairs of options that do not go together, without their dashes.  `why` NULL: both may be on the
 * command line, but a setting of the file does not go with the other.
 */
static const struct {
	const char *one, *other, *why;
} conflicts[] = {
	{"F", "c", "samples come at a frequency or at a fixed period, not both"},
	{"mono", "color", "--mono is --color=never"},
	{"text", "json", "there is one report; choose its form"},
	{"a", "p", "-a is the whole machine; leave it out"},
	{"a", "t", "-a is the whole machine; leave it out"},
	{"a", "u", "-a is the whole machine; leave it out"},
	{"a", "G", "-a is the whole machine; leave it out"},
	{"p", "t", "choose processes or threads"},
	{"p", "u", "choose processes or a user"},
	{"G", "p", "choose a cgroup or processes"},
	{"G", "t", "choose a cgroup or threads"},
	{"G", "u", "choose a cgroup or a user"},
	{"G", "A", "a trace follows CPUs or tasks, not cgroups"},
	{"G", "per-thread", "a ring per thread is for chosen threads"},
	{"t", "u", "choose threads or a user"},
	{"p", COMMAND_WORD, "measure what runs already or start something"},
	{"t", COMMAND_WORD, "measure what runs already or start something"},
	{"G", COMMAND_WORD, "measure what runs already or start something"},
	{"u", COMMAND_WORD, "measure what runs already or start something"},
	{"i", "a", REPLAYED},
	{"i", "G", REPLAYED},
	{"i", "p", REPLAYED},
	{"i", "t", REPLAYED},
	{"i", "u", REPLAYED},
	{"i", "C", REPLAYED},
	{"i", "per-thread", REPLAYED},
	{"i", "no-inherit", REPLAYED},
	{"i", "e", NULL},
	{"i", "S", REPLAYED},
	{"i", "pfm-events", REPLAYED},
	{"i", "filter", REPLAYED},
	{"i", "F", REPLAYED},
	{"i", "c", REPLAYED},
	{"i", "g", REPLAYED},
	{"i", "call-graph", REPLAYED},
	{"i", "m", REPLAYED},
	{"i", "sideband-pages", REPLAYED},
	{"i", "A", REPLAYED},
	{"i", "no-overwrite", REPLAYED},
	{"i", "realtime", REPLAYED},
	{"i", COMMAND_WORD, REPLAYED},
	{"i", "w", REPLAYED},
	{"i", "H", "a file is read here"},
	{"diff", "explain", COMPARED},
	{"diff", "control", COMPARED},
	{"diff", "mark-on", COMPARED},
	{"diff", "alert", COMPARED},
	{"i", "ftrace", REPLAYED},
	{"diff", "ftrace", COMPARED},
	{"ftrace", "u", "the kernel chooses its hits by threads and CPUs, not by users"},
	{"ftrace", "G", "the kernel chooses its hits by threads and CPUs, not by cgroups"},
	{"ftrace", "per-thread", "it has a buffer for each CPU"},
	{"ftrace", "w", "a perf.data file has no place for its records"},
	{"i", "snapshot-on", REPLAYED},
	{"i", "snapshot-dir", REPLAYED},
	{"snapshot-on", "no-overwrite", "forward rings do not keep data that was read already"},
	{"diff", "save", COMPARED},
	{"diff", "at", WHOLE},
	{"diff", "baseline", "choose one file or two"},
	{"baseline", "list", "choose what to do"},
	{"diff", "keep-for", COMPARED},
	{"save", "keep-for", "choose one place"},
	{"diff", "i", "choose one file or two"},
	{"diff", "list", "choose what to do"},
	{"diff", "H", "files are read here"},
	{"diff", "a", COMPARED},
	{"diff", "G", COMPARED},
	{"diff", "p", COMPARED},
	{"diff", "t", COMPARED},
	{"diff", "u", COMPARED},
	{"diff", "C", COMPARED},
	{"diff", "per-thread", COMPARED},
	{"diff", "no-inherit", COMPARED},
	{"diff", "e", COMPARED},
	{"diff", "S", COMPARED},
	{"diff", "F", COMPARED},
	{"diff", "c", COMPARED},
	{"diff", "g", COMPARED},
	{"diff", "call-graph", COMPARED},
	{"diff", "off-cpu", COMPARED},
	{"diff", "delay-start", COMPARED},
	{"diff", "m", COMPARED},
	{"diff", "sideband-pages", COMPARED},
	{"diff", "A", COMPARED},
	{"diff", "no-overwrite", COMPARED},
	{"diff", "realtime", COMPARED},
	{"diff", COMMAND_WORD, COMPARED},
	{"diff", "w", COMPARED},
	{"diff", "snapshot-on", COMPARED},
	{"diff", "snapshot-dir", COMPARED},
	{"diff", "d", WHOLE},
	{"diff", "n", WHOLE},
	{"diff", "duration", WHOLE},
	{"diff", "self-stats", "it reports on one session"},
	{"diff", "paths", "functions are compared"},
	{"diff", "export", "-i B --baseline A --export compares"},
	{"diff", "between", COMPARED},
	{"diff", "by", COMPARED},
	{"diff", "log-events", COMPARED},
	{"i", "question", REPLAYED},
	{"diff", "question", COMPARED},
	{"question", "by", "a question chooses its own fields"},
	{"question", "between", "a question chooses its own pairs"},
	{"list", "H", "it lists events of this machine (elsewhere: ssh HOST ringtop --list)"},
	{"diff", "group", "functions are compared"},
	{"explain", "group", "--explain chooses grouping and order itself"},
	{"view", "group", "both choose what the screen shows first"},
	{"diff", "sort", "functions are compared"},
	{"explain", "sort", "--explain chooses grouping and order itself"},
	{"view", "sort", "both choose what the screen shows first"},
	{"view", "text", "a report has no views"},
	{"view", "json", "a report has no views"},
	{"per-thread", "a", "a ring per thread is for chosen threads"},
	{"per-thread", "C", "a ring per thread has no CPU"},
};

/* Options that need at least one of some others. */
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
	{"sudo", {"H"}, "-H HOST"},
	{"ssh", {"H"}, "-H HOST"},
	{"keep", {"H"}, "-H HOST"},
	{"linger", {"H"}, "-H HOST"},
	{"fetch", {"H"}, "-H HOST"},
	{"fail-on-change", {"diff", "baseline", "by"}, COMPARES},
	{"at", {"i"}, "-i FILE"},
	{"keep-bytes", {"keep-for"}, "--keep-for TIME DIR"},
	{"vmlinux", {"i", "diff"}, "-i FILE (the running kernel's symbols come from "
				   "/proc/kallsyms)"},
};

static const struct option_row *row_find(const struct parse *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->nrows; i++) {
		const struct option_row *row = &p->rows[i];

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
		return p->o->measure.command != NULL;
	return p->given[row_find(p, name, strlen(name)) - p->rows];
}

static const char *dashes(const char *name)
{
	return !strcmp(name, COMMAND_WORD) ? "" : name[1] ? "--" : "-";
}

/* Check --by host, and --fail-on-change, which --by FIELD is not enough for. */
static int check_by(const struct parse *p)
{
	const struct options *o = p->o;

	if (!o->show.by_host)
		return o->fail_on_change && !o->show.baseline
			       ? err_set(p->err, EINVAL, "--fail-on-change needs " COMPARES)
			       : 0;
	if (o->show.baseline)
		return err_set(
			p->err, EINVAL,
			"--baseline and --by host do not go together: choose a file or a host");
	if (!o->nhosts)
		return err_set(p->err, EINVAL,
			       "--by host needs -H A,B: two hosts, of which B is compared with A");
	if (o->nhosts != 2)
		return err_set(p->err, EINVAL,
			       "--by host compares two hosts, and -H names %u: choose two (-H A,B)",
			       o->nhosts);
	return 0;
}

/* Check --sort throttled: only rows of cgroups have that. */
static int check_sort(const struct parse *p)
{
	const struct options *o = p->o;

	if (o->show.sort && !strcmp(o->show.sort, "throttled") &&
	    (!o->show.group || strcmp(o->show.group, "cgroup") != 0))
		return err_set(p->err, EINVAL,
			       "--sort throttled needs --group cgroup: only cgroups have CPU "
			       "quotas");
	return 0;
}

static int check_together(struct parse *p)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++) {
		const char *a = conflicts[i].one, *b = conflicts[i].other;

		if (conflicts[i].why && is_given(p, a) && is_given(p, b))
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
	return check_sort(p) ? -EINVAL : check_by(p);
}

/* Return the option that a misspelt word begins, else the nearest by typing errors; or NULL. */
static const char *word_nearest(const struct parse *p, const char *word)
{
	const char *best = NULL;
	unsigned least = strlen(word) < 4 ? 1 : 2; /* 2: two letters swapped */

	for (size_t i = 0; i < p->nrows; i++) {
		unsigned d;

		if (!p->rows[i].help || !p->rows[i].name)
			continue;
		if (strlen(word) > 1 && !strncmp(p->rows[i].name, word, strlen(word)))
			return p->rows[i].name;
		d = worddistance(word, p->rows[i].name);
		if (d < least || (d == least && !best)) {
			least = d;
			best = p->rows[i].name;
		}
	}
	return best;
}

/* --- parsing -------------------------------------------------------------------------------- */

static int unknown_long(struct parse *p, const char *word, size_t len)
{
	char name[OPTION_WORD_MAX + 1];
	const char *near;

	snprintf(name, sizeof(name), "%.*s", (int)len, word);
	near = word_nearest(p, name);
	if (near)
		return err_set(p->err, EINVAL, "unknown option --%s; did you mean --%s?", name,
			       near);
	return err_set(p->err, EINVAL, "unknown option --%s; see ringtop --help", name);
}

/*
 * Complain of a letter; quote the bytes that follow too if it is none, but part of a longer
 * character.
 */
static int unknown_letter(struct parse *p, const char *letter)
{
	char safe[OPTION_WORD_MAX + 1];

	text_escape(safe, sizeof(safe), letter);
	return err_set(p->err, EINVAL, "unknown option -%.*s; see ringtop --help",
		       isgraph((unsigned char)*letter) ? 1 : OPTION_WORD_MAX, safe);
}

static int missing_value(struct parse *p, const struct option_row *row)
{
	return err_set(p->err, EINVAL, "%s needs a value: %s", p->name, row->arg);
}

/* Add an option to the words for another machine, as one word even if it was written as two. */
static int say_there(struct parse *p, const struct option_row *row, const char *value)
{
	char *word = NULL, letter[2] = {row->letter};

	if (asprintf(&word, "%s%s%s%s", row->name ? "--" : "-", row->name ? row->name : letter,
		     row->name && value ? "=" : "", value ? value : "") < 0)
		word = NULL;
	return optionparse_own(p, &p->o->there, &p->o->nthere, word);
}

/*
 * Take COMMAND; for another machine it goes behind --, so that its options are not taken for ours.
 */
static int take_command_words(struct parse *p, char *const words[])
{
	int ret = *words[0] ? 0 : err_set(p->err, EINVAL, "COMMAND is empty");

	p->o->measure.command = words;
	if (!ret)
		ret = optionparse_own(p, &p->o->there, &p->o->nthere, strdup("--"));
	for (; *words && !ret; words++)
		ret = optionparse_own(p, &p->o->there, &p->o->nthere, strdup(*words));
	return ret;
}

static int apply_option(struct parse *p, const struct option_row *row, const char *value)
{
	int ret;

	p->here = false;
	ret = row->set(p, row, value);
	p->given[row - p->rows] = true;
	if (ret || p->here || !(row->place & OPTION_THERE))
		return ret;
	return say_there(p, row, value);
}

/* Parse --NAME, --NAME=VALUE or --NAME VALUE at argv[*i]. */
static int parse_long(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *word = argv[*i] + 2, *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct option_row *row = len > 1 ? row_find(p, word, len) : NULL;
	const char *value = equals ? equals + 1 : NULL;
	char name[OPTION_WORD_MAX + 3];

	if (!row)
		return unknown_long(p, word, len);
	snprintf(name, sizeof(name), "--%s", row->name);
	p->name = name;
	if (!row->help)
		return row->set(p, row, value);
	if (row->takes == ARG_NONE && value)
		return err_set(p->err, EINVAL, "%s takes no value", name);
	if ((row->takes == ARG_NEEDED || row->takes == ARG_PAIR) && !value) {
		if (*i + 1 >= argc)
			return missing_value(p, row);
		value = argv[++*i];
	}
	if (row->takes == ARG_PAIR) {
		if (*i + 1 >= argc)
			return missing_value(p, row);
		p->second = argv[++*i];
	}
	return apply_option(p, row, value);
}

/* Return true if words that follow do not matter, as after --help. */
static bool ends(enum options_action action)
{
	return action == OPTIONS_HELP || action == OPTIONS_VERSION;
}

/* Parse -abc, -xVALUE or -x VALUE at argv[*i]. */
static int parse_letters(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *letter = argv[*i] + 1, *value;
	int ret = 0;

	for (; *letter && !ret && !ends(*p->action); letter++) {
		const struct option_row *row = row_find(p, letter, 1);
		char name[3] = {'-', *letter, '\0'};

		p->name = name;
		if (!row)
			return unknown_letter(p, letter);
		if (row->takes == ARG_NONE || !row->help) {
			ret = apply_option(p, row, NULL);
			continue;
		}
		value = letter[1] ? letter + 1 : NULL;
		if (!value && row->takes == ARG_NEEDED) {
			if (*i + 1 >= argc)
				return missing_value(p, row);
			value = argv[++*i];
		}
		return apply_option(p, row, value);
	}
	return ret;
}

static int parse_short(struct parse *p, int argc, char *const argv[], int *i)
{
	const char *word = argv[*i] + 1;
	int ret = parse_letters(p, argc, argv, i);

	/* -text is -t with the value "ext": suggest --text. */
	if (ret && strlen(word) > 2 && row_find(p, word, strlen(word)))
		return err_set(p->err, EINVAL, "-%s is not an option; did you mean --%s?", word,
			       word);
	return ret;
}

int optionparse_words(struct parse *p, int argc, char *const argv[])
{
	int ret = 0, i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1] && !ret; i++) {
		if (!strcmp(argv[i], "--")) {
			i++;
			break;
		}
		ret = argv[i][1] == '-' ? parse_long(p, argc, argv, &i)
					: parse_short(p, argc, argv, &i);
		if (ends(*p->action))
			return 0;
	}
	if (!ret && i < argc)
		ret = take_command_words(p, &argv[i]);
	return ret ? ret : check_together(p);
}

/* --- settings of a file ----------------------------------------------------------------------- */

/* Options for the command line only: they choose a run's target, or the use of its data. */
static const char *const words_alone[] = {
	"pid",	       "tid",	      "user",	    "cgroup",
	"input",       "diff",	      "baseline",   "fail-on-change",
	"host",	       "list",	      "filter",	    "ftrace",
	"by",	       "between",     "record",	    "save",
	"keep-for",    "keep-bytes",  "at",	    "export",
	"only",	       "snapshot-on", "iterations", "duration",
	"delay-start", "propagate",   "no-config",  "version",
	"help",
};

static bool is_words_alone(const char *key)
{
	for (size_t i = 0; i < sizeof(words_alone) / sizeof(*words_alone); i++)
		if (!strcmp(words_alone[i], key))
			return true;
	return false;
}

static bool is_row(const struct option_row *row, const char *name)
{
	return (name[0] && !name[1] && row->letter == name[0]) ||
	       (row->name && !strcmp(row->name, name));
}

/* Return the name of an option given that forbids the row, or NULL. */
static const char *forbidden_by(const struct parse *given, const struct option_row *row)
{
	for (size_t i = 0; i < sizeof(conflicts) / sizeof(*conflicts); i++) {
		const char *a = conflicts[i].one, *b = conflicts[i].other;

		if ((is_row(row, a) && is_given(given, b)) ||
		    (is_row(row, b) && is_given(given, a)))
			return is_row(row, a) ? b : a;
	}
	return NULL;
}

/* Return true if an option that the row needs is given; *any becomes true if it needs one. */
static bool needs_met(const struct parse *words, const struct parse *settings,
		      const struct option_row *row, bool *any)
{
	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++) {
		bool met = false;

		if (!is_row(row, needs[i].one))
			continue;
		*any = true;
		for (size_t j = 0; j < 4 && needs[i].needs[j]; j++)
			met |= is_given(words, needs[i].needs[j]) ||
			       is_given(settings, needs[i].needs[j]);
		if (!met)
			return false;
	}
	return true;
}

/* Parse the value of a flag: 1 or 0; -1: neither. */
static int yes_or_no(const char *value)
{
	static const char *const yes[] = {"yes", "true", "on", "1"}, *const no[] = {"no", "false",
										    "off", "0"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++) {
		if (!strcasecmp(value, yes[i]))
			return 1;
		if (!strcasecmp(value, no[i]))
			return 0;
	}
	return -1;
}

static bool is_overruled(const struct optionfile *f, unsigned i)
{
	for (unsigned later = i + 1; later < f->nr; later++)
		if (!strcmp(f->setting[later].key, f->setting[i].key))
			return true;
	return false;
}

/* Return the row of a setting's key, NULL: there is none, or it may not be a setting. */
static const struct option_row *setting_row(const struct parse *p, const char *key)
{
	const struct option_row *row = strlen(key) > 1 ? row_find(p, key, strlen(key)) : NULL;

	return row && row->help && !is_words_alone(key) ? row : NULL;
}

static void complain_of_key(const struct parse *p, struct optionfile *f,
			    const struct optionfile_setting *s)
{
	char key[OPTION_WORD_MAX + 1];
	const char *near;

	snprintf(key, sizeof(key), "%s", s->key);
	near = word_nearest(p, key);
	if (is_words_alone(s->key))
		optionfile_complain(f, s->line, "%s is valid on the command line only; ignored",
				    key);
	else if (near && !is_words_alone(near))
		optionfile_complain(f, s->line, "unknown setting %s; did you mean %s?", key, near);
	else
		optionfile_complain(f, s->line,
				    "unknown setting %s; settings are named like the long options",
				    key);
}

/* Set a setting; its check is left out with -H, as events that are not here may be there. */
static int setting_set(struct parse *p, const struct parse *words, const struct option_row *row,
		       const char *value)
{
	int ret = 0;

	if (value && p->check && !words->o->nhosts)
		ret = p->check(row->name, value, p->err);
	return ret ? ret : apply_option(p, row, value);
}

static void setting_apply(struct parse *p, const struct parse *words, struct optionfile *f,
			  const struct option_row *row, const struct optionfile_setting *s)
{
	int flag = row->takes == ARG_NONE ? yes_or_no(s->value) : -1;
	bool bare = row->takes == ARG_ATTACHED && yes_or_no(s->value) == 1;

	if (row->takes == ARG_NONE && flag < 0) {
		optionfile_complain(f, s->line, "%s: '%.*s' is neither yes nor no; ignored",
				    row->name, OPTION_WORD_MAX, s->value);
		return;
	}
	if (!flag || (row->takes == ARG_ATTACHED && yes_or_no(s->value) == 0))
		return;
	p->name = row->name;
	if (setting_set(p, words, row, flag > 0 || bare ? NULL : s->value)) {
		optionfile_complain(f, s->line, "%s; ignored", p->err->text);
		memset(p->err, 0, sizeof(*p->err));
		p->given[row - p->rows] = false;
		return;
	}
	p->o->settings++;
}

static void setting_take(struct parse *p, const struct parse *words, struct optionfile *f,
			 unsigned i, bool needing)
{
	const struct option_row *row = setting_row(p, f->setting[i].key);
	bool needs_some = false, met;
	const char *other;

	if (!row && !needing)
		complain_of_key(p, f, &f->setting[i]);
	if (!row || (!option_adds(row) && is_overruled(f, i)))
		return;
	met = needs_met(words, p, row, &needs_some);
	if (needs_some != needing || !met || words->given[row - p->rows] ||
	    forbidden_by(words, row))
		return;
	other = forbidden_by(p, row);
	if (other)
		optionfile_complain(f, f->setting[i].line,
				    "%s does not go together with the setting %s; ignored",
				    row->name, row_find(p, other, strlen(other))->name);
	else
		setting_apply(p, words, f, row, &f->setting[i]);
}

void optionparse_settings(struct parse *p, const struct parse *words, struct optionfile *f)
{
	for (unsigned i = 0; i < f->nr; i++)
		setting_take(p, words, f, i, false);
	for (unsigned i = 0; i < f->nr; i++)
		setting_take(p, words, f, i, true);
	p->last = '\0'; /* --filter is for events of the command line only */
}

int optionparse_own(struct parse *p, char ***words, unsigned *nr, char *word)
{
	char **grown = word ? reallocarray(*words, *nr + 1, sizeof(*grown)) : NULL;

	if (!grown) {
		free(word);
		return err_set(p->err, ENOMEM, "out of memory");
	}
	*words = grown;
	grown[(*nr)++] = word;
	return 0;
}

void optionparse_free(char **words, unsigned nr)
{
	while (nr)
		free(words[--nr]);
	free(words);
}
