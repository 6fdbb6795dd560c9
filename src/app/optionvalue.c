/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/optionvalue.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "base/units.h"
#include "measure/session/question.h"

#define KEEP_LEAST 60 /* seconds */
#define KEEP_MOST  (3650ull * 86400)
#define SECONDS_MIN  0.1 /* one tick */
#define SECONDS_MAX  1e9
#define HOST_MAX     255 /* bytes of session_host.name without the NUL */

static void *option_field(const struct parse *p, const struct option_row *row)
{
	return (char *)p->o + row->field;
}

static int value_error(struct parse *p, const char *value, const char *want)
{
	return err_set(p->err, EINVAL, "%s: '%.*s' is not %s", p->name, OPTION_WORD_MAX, value,
		       want);
}

int set_flag(struct parse *p, const struct option_row *row, const char *value)
{
	(void)value;
	*(bool *)option_field(p, row) = true;
	return 0;
}

int set_text(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	*(const char **)option_field(p, row) = value;
	return 0;
}

/* Set --by; `host` is for this machine only, as the other ones do not know of the hosts. */
int set_by(struct parse *p, const struct option_row *row, const char *value)
{
	p->here = !strcmp(value, "host");
	if (!p->here)
		return set_text(p, row, value);
	p->o->show.by_host = true;
	return 0;
}

/* Parse a number from row->low to row->high, with the suffixes given. */
static int parse_option_number(struct parse *p, const struct option_row *row, const char *value,
			       const char *suffixes, unsigned base, uint64_t *n)
{
	int ret = units_parse(value, suffixes, base, n);

	if (ret == -EINVAL)
		return value_error(p, value, *suffixes ? "a number such as 64 or 2M"
						       : "a whole number");
	if (ret || *n < row->low || *n > row->high)
		return err_set(p->err, EINVAL, "%s: %.*s is out of range (%llu to %llu)", p->name,
			       OPTION_WORD_MAX, value, (unsigned long long)row->low,
			       (unsigned long long)row->high);
	return 0;
}

int set_count(struct parse *p, const struct option_row *row, const char *value)
{
	return parse_option_number(p, row, value, "", 1, option_field(p, row));
}

/* Set a time in ns, given in ms. */
int set_milliseconds(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t *ns = option_field(p, row);
	int ret = set_count(p, row, value);

	*ns *= 1000000;
	return ret;
}

int set_period(struct parse *p, const struct option_row *row, const char *value)
{
	return parse_option_number(p, row, value, "kmg", 1000, option_field(p, row));
}

int set_bytes(struct parse *p, const struct option_row *row, const char *value)
{
	return parse_option_number(p, row, value, "kmg", 1024, option_field(p, row));
}

/* Set -m: a plain number is in pages, one with a suffix in bytes. */
int set_ring(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n, unit = 1, page = (uint64_t)sysconf(_SC_PAGESIZE);
	int ret = parse_option_number(p, row, value, "kmg", 1024, &n);

	if (ret)
		return ret;
	if (isdigit((unsigned char)value[strlen(value) - 1]))
		unit = page;
	if (n > row->high / unit)
		return err_set(p->err, EINVAL, "%s: %.*s pages exceed the largest ring size, 1T",
			       p->name, OPTION_WORD_MAX, value);
	p->o->measure.ring_bytes = n * unit;
	return 0;
}

int set_frequency(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n;
	int ret;

	if (!strcmp(value, "max")) {
		p->o->measure.frequency = OPTIONS_FREQUENCY_MAX;
		return 0;
	}
	ret = parse_option_number(p, row, value, "kmg", 1000, &n);
	if (!ret)
		p->o->measure.frequency = (uint32_t)n;
	return ret;
}

int set_priority(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t n;
	int ret = parse_option_number(p, row, value, "", 1, &n);

	if (!ret)
		p->o->measure.realtime = (int)n;
	return ret;
}

/*
 * Parse seconds: decimal only, and with a point in every locale.  strtod would take a comma in
 * some, and "nan", "inf" and hexadecimal in all of them.
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

int set_seconds(struct parse *p, const struct option_row *row, const char *value)
{
	double n;

	if (seconds_parse(value, &n))
		return value_error(p, value, "a number of seconds such as 2 or 0.5");
	/* Not n < MIN: enough digits make n and scale infinite and their quotient NaN. */
	if (!(n >= SECONDS_MIN && n <= SECONDS_MAX))
		return err_set(p->err, EINVAL, "%s: %.*s is out of range (%g to %g seconds)",
			       p->name, OPTION_WORD_MAX, value, SECONDS_MIN, SECONDS_MAX);
	*(double *)option_field(p, row) = n;
	return 0;
}

/* Append a value of an option that may be given several times. */
static int words_add(struct parse *p, const char *const **words, unsigned *nr, const char *value)
{
	const char **grown = reallocarray((void *)*words, *nr + 1, sizeof(*grown));

	if (!grown)
		return err_set(p->err, ENOMEM, "out of memory");
	*words = grown;
	grown[(*nr)++] = value;
	return 0;
}

/* Set --question, as if its -e, --by, --between or --off-cpu were given. */
int set_question(struct parse *p, const struct option_row *row, const char *value)
{
	struct err err = {0};
	const struct question *q = question_find(value, &err);

	(void)row;
	if (!q)
		return err_set(p->err, EINVAL, "%s: %s", p->name, err.text);
	p->o->question = q;
	p->o->measure.off_cpu |= !q->event && !q->between;
	p->o->measure.between = q->between ? q->between : p->o->measure.between;
	p->o->measure.by = q->by ? q->by : p->o->measure.by;
	return q->event ? words_add(p, &p->o->measure.events, &p->o->measure.nevents, q->event) : 0;
}

static int event_text_add(struct parse *p, char letter, const char *value)
{
	struct measure_config *c = &p->o->measure;

	p->last = letter;
	return letter == 'e'   ? words_add(p, &c->events, &c->nevents, value)
	       : letter == 'S' ? words_add(p, &c->counted, &c->ncounted, value)
			       : words_add(p, &c->ftraces, &c->nftraces, value);
}

/* Set -e, -S, or --ftrace, which has no letter. */
int set_event(struct parse *p, const struct option_row *row, const char *value)
{
	return *value ? event_text_add(p, row->letter ? row->letter : 'f', value)
		      : value_error(p, value, row->arg);
}

/*
 * Return --pfm-events rewritten for -e, with pfm: before each name, to be freed.  NULL: out of
 * memory.
 */
static char *pfm_words(const char *text)
{
	size_t names = 1, n = 0;
	bool begins = true;
	char *out;

	for (const char *s = text; *s; s++)
		names += *s == ',' || *s == '{';
	out = malloc(strlen(text) + names * strlen("pfm:") + 1);
	for (const char *s = text; out && *s; s++) {
		if (begins && !strchr(",{}", *s))
			n = (size_t)(stpcpy(out + n, "pfm:") - out);
		begins = *s == ',' || *s == '{';
		out[n++] = *s;
	}
	if (out)
		out[n] = '\0';
	return out;
}

int set_pfm_event(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	if (optionparse_own(p, &p->o->made, &p->o->nmade, pfm_words(value)))
		return -ENOMEM;
	return event_text_add(p, 'e', p->o->made[p->o->nmade - 1]);
}

int set_aux_event(struct parse *p, const struct option_row *row, const char *value)
{
	p->last = row->letter;
	return set_text(p, row, value);
}

/* Set --filter; the kernel checks the filter itself. */
int set_filter(struct parse *p, const struct option_row *row, const char *value)
{
	struct measure_config *c = &p->o->measure;
	struct measure_filter *grown;

	if (!*value)
		return value_error(p, value, row->arg);
	if (!p->last)
		return err_set(p->err, EINVAL,
			       "%s must follow the events it applies to: -e, -S, -A or --ftrace",
			       p->name);
	grown = reallocarray((void *)c->filters, c->nfilters + 1, sizeof(*grown));
	if (!grown)
		return err_set(p->err, ENOMEM, "out of memory");
	c->filters = grown;
	grown[c->nfilters++] = (struct measure_filter){p->last,
						       p->last == 'e'	? c->nevents - 1
						       : p->last == 'S' ? c->ncounted - 1
						       : p->last == 'f' ? c->nftraces - 1
									: 0,
						       value};
	return 0;
}

/* Set --export; export_parse() checks the format. */
int set_export(struct parse *p, const struct option_row *row, const char *value)
{
	const char *colon = strchr(value, ':');

	if (!colon || colon == value || !colon[1])
		return value_error(p, value, row->arg);
	return words_add(p, &p->o->exports, &p->o->nexports, value);
}

int set_diff(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value || !*p->second)
		return value_error(p, "", row->arg);
	if (!strcmp(value, "-") || !strcmp(p->second, "-"))
		return err_set(p->err, EINVAL,
			       "%s: the standard input cannot be compared; name two files",
			       p->name);
	p->o->show.baseline = value;
	p->o->against = p->second;
	return 0;
}

/* Set --keep-for, such as 24h DIR. */
int set_keep(struct parse *p, const struct option_row *row, const char *value)
{
	static const struct {
		char unit;
		uint64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
	char *end;
	unsigned long long n = strtoull(value, &end, 10);

	if (!*p->second)
		return value_error(p, "", row->arg);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (*value < '0' || *value > '9' || *end != units[i].unit || end[1])
			continue;
		if (!n || n > KEEP_MOST / units[i].seconds || n * units[i].seconds < KEEP_LEAST)
			return err_set(p->err, EINVAL, "%s: %.*s is out of range (1m to 3650d)",
				       p->name, OPTION_WORD_MAX, value);
		p->o->keep_ns = n * units[i].seconds * 1000000000ull;
		p->o->keep_dir = p->second;
		return 0;
	}
	return value_error(p, value, "a time such as 24h, 90m or 7d, and a directory");
}

int set_baseline(struct parse *p, const struct option_row *row, const char *value)
{
	if (!*value)
		return value_error(p, value, row->arg);
	if (!strcmp(value, "-"))
		return err_set(p->err, EINVAL,
			       "%s: the standard input cannot be a baseline; name a file", p->name);
	p->o->show.baseline = value;
	return 0;
}

/*
 * Add a host of -H.  ssh finds out whether it exists; a name that it would take for an option is
 * refused.
 */
static int host_add(struct parse *p, const char *at, size_t len)
{
	struct options *o = p->o;
	const char *user = memrchr(at, '@', len), *name = user ? user + 1 : at;
	bool bad = name == at + len || len > HOST_MAX || *at == '-' || *name == '-';
	char *host;

	for (size_t i = 0; i < len; i++)
		bad |= (unsigned char)at[i] <= ' ' || at[i] == '\x7f';
	if (bad)
		return err_set(p->err, EINVAL, "%s: '%.*s' is not [USER@]HOST", p->name,
			       (int)(len < OPTION_WORD_MAX ? len : OPTION_WORD_MAX), at);
	host = strndup(at, len);
	for (unsigned i = 0; host && i < o->nhosts; i++)
		if (!strcmp(o->hosts[i], host)) {
			free(host);
			return err_set(p->err, EINVAL, "%s: '%s' is given twice", p->name,
				       o->hosts[i]);
		}
	return optionparse_own(p, &o->hosts, &o->nhosts, host);
}

int set_hosts(struct parse *p, const struct option_row *row, const char *value)
{
	int ret = 0;

	(void)row;
	for (size_t len; !ret; value += len + 1) {
		len = strcspn(value, ",");
		ret = host_add(p, value, len);
		if (!value[len])
			break;
	}
	return ret;
}

/* Add a condition or a saved view, which is checked where it is used. */
int set_condition(struct parse *p, const struct option_row *row, const char *value)
{
	struct option_words *words = option_field(p, row);

	if (!*value)
		return value_error(p, value, row->arg);
	return words_add(p, &words->word, &words->nr, value);
}

bool option_adds(const struct option_row *row)
{
	return row->set == set_condition;
}

/* Set a list N[,N...], with N-M too where ranges are allowed; each from row->low to row->high. */
int set_list(struct parse *p, const struct option_row *row, const char *value)
{
	bool ranges = row->field == offsetof(struct options, measure.cpus);
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
	*(const char **)option_field(p, row) = value;
	return 0;
}

/* Return the index of value among these words.  -EINVAL with p->err: it is none of them. */
static int choice(struct parse *p, const char *value, const char *const *words, int nr)
{
	char want[160];
	size_t at = 0;

	for (int i = 0; i < nr; i++) {
		if (!strcmp(value, words[i]))
			return i;
		at = text_append(want, sizeof(want), at, "%s%s",
				 !i	      ? ""
				 : i + 1 < nr ? ", "
					      : " or ",
				 words[i]);
	}
	return value_error(p, value, want);
}

#define WORDS_MOST 32 /* that an option has */

#define CHOICE(p, value, words) choice(p, value, words, (int)(sizeof(words) / sizeof(*(words))))

const struct show_word *option_words(const struct option_row *row)
{
	if (row->set != set_word)
		return NULL;
	return row->field == offsetof(struct options, show.sort) ? sort_words : group_words;
}

int set_word(struct parse *p, const struct option_row *row, const char *value)
{
	const char *words[WORDS_MOST];
	int nr = 0;

	for (const struct show_word *w = option_words(row); w->name && nr < WORDS_MOST; w++)
		if (w->remark)
			words[nr++] = w->name;
	*(const char **)option_field(p, row) = value;
	return choice(p, value, words, nr) < 0 ? -EINVAL : 0;
}

int set_graph(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	if (!p->o->measure.call_graph)
		p->o->measure.call_graph = "auto";
	return 0;
}

int set_call_graph(struct parse *p, const struct option_row *row, const char *value)
{
	uint64_t size;

	(void)row;
	if (!strncmp(value, "auto,", 5) ? units_parse(value + 5, "kmg", 1024, &size) || !size
					: strcmp(value, "auto") && strcmp(value, "fp") &&
						  strcmp(value, "lbr") && strcmp(value, "dwarf") &&
						  (strncmp(value, "dwarf,", 6) ||
						   units_parse(value + 6, "kmg", 1024, &size) ||
						   !size || size > UINT16_MAX))
		return value_error(
			p, value,
			"auto, auto,BYTES, fp, dwarf, dwarf,BYTES (at most 65535) or lbr");
	p->o->measure.call_graph = value;
	return 0;
}

int set_aux_mode(struct parse *p, const struct option_row *row, const char *value)
{
	static const char *const modes[] = {"full", "snapshot"};
	int at = CHOICE(p, value, modes);

	(void)row;
	p->o->measure.aux_full = at == 0;
	return at < 0 ? at : 0;
}

int set_verbose(struct parse *p, const struct option_row *row, const char *value)
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
	return err_set(p->err, EINVAL, "%s: unknown domain '%.*s'; domains are %s", p->name,
		       OPTION_WORD_MAX, value, names);
}

int set_colour(struct parse *p, const struct option_row *row, const char *value)
{
	static const char *const when[] = {"auto", "always", "never"};
	int at = CHOICE(p, value, when);

	(void)row;
	p->o->show.colour = at == 1;
	p->o->show.mono = at == 2;
	return at < 0 ? at : 0;
}

int set_palette(struct parse *p, const struct option_row *row, const char *value)
{
	static const char *const palettes[] = {"any", "dark", "light", "color-blind"};
	int at = CHOICE(p, value, palettes);

	(void)row;
	if (at >= 0)
		p->o->show.palette = palettes[at];
	return at < 0 ? at : 0;
}

int set_text_front(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	p->o->front = FRONT_TEXT;
	return 0;
}

int set_json_front(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	p->o->front = FRONT_JSON;
	return 0;
}

int set_help(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	*p->action = OPTIONS_HELP;
	return 0;
}

int set_version(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	*p->action = OPTIONS_VERSION;
	return 0;
}

int set_events_listed(struct parse *p, const struct option_row *row, const char *value)
{
	(void)row, (void)value;
	*p->action = OPTIONS_LIST;
	return 0;
}
