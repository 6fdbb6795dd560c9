/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exports for people and spreadsheets: golden files, and what is in them read back.  Names are hostile.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <inttypes.h>
#include <math.h>

#include "report/export/export.h"
#include "report/column.h"
#include "report/export/markup.h"
#include "model/tree/tree.h"
#include "tests/report.h"
#include "tests/synth.h"

#define TICKS 25

static struct session *session;
static struct model *model;
static struct query query;
static const struct export_baseline *baseline;

static int begin_with(const struct synth_config *c)
{
	session = synth_session_create(c);
	model = session ? model_create(&session->info, 0) : NULL;
	query = (struct query){0};
	for (unsigned i = 0; model && i < TICKS; i++) {
		struct slice *slice;

		synth_advance(session, 1);
		if (session_next(session, &slice) || !slice)
			return -1;
		model_add(model, slice);
	}
	return model ? 0 : -1;
}

static int begin(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.callchains = true, .hostile = true, .losses = true,
						 .second_event = 7, .tasks = 3, .functions = 4});
}

static int begin_idle(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.quiet = true});
}

static int begin_hosts(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.hosts = 3, .callchains = true, .losses = true});
}

#define SHIFT 12

static int begin_shifted(void **state)
{
	(void)state;
	return begin_with(&(struct synth_config){.functions = 30, .callchains = true, .shift = SHIFT});
}

static int end(void **state)
{
	(void)state;
	model_free(model);
	session_close(session);
	return 0;
}

/* What the format writes of a window, freed by the caller. */
static char *written(const char *format, struct window w)
{
	struct export_source src = {.model = model, .query = &query, .window = w, .version = "0", .baseline = baseline};
	const struct export_format *const *f = export_formats;
	struct out o;

	while (*f && strcmp((*f)->name, format) != 0)
		f++;
	assert_non_null(*f);
	out_init(&o, -1, -1);
	(*f)->write(&o, &src);
	assert_int_equal(o.error, 0);
	out_bytes(&o, "", 1);
	return o.data;
}

static void assert_ascii(const char *text, const char *also)
{
	for (const unsigned char *p = (const unsigned char *)text; *p; p++)
		if ((*p < 0x20 || *p >= 0x7f) && !strchr(also, *p))
			fail_msg("byte %02x at %zu", *p, (size_t)((const char *)p - text));
}

static void golden(const char *format, const char *file)
{
	char *text = written(format, WINDOW_ALL);

	report_golden(file, text);
	free(text);
}

/* --- text ------------------------------------------------------------------------------- */

static void test_text_golden(void **state)
{
	(void)state;
	golden("text", "export.txt");
}

static void test_text_window(void **state)
{
	char *text = written("text", (struct window){1000000000, 2000000000});

	(void)state;
	assert_ascii(text, "\n");
	assert_non_null(strstr(text, "\nat 2.000 s, for 1.000 s\n"));
	assert_null(strstr(text, " more function")); /* nothing is cut */
	free(text);
}

static void test_text_hiding(void **state)
{
	char *text;

	(void)state;
	query.hide_kernel = true;
	text = written("text", WINDOW_ALL);
	assert_null(strstr(text, "[k] "));
	free(text);
	query.hide_kernel = false;
	text = written("text", WINDOW_ALL);
	assert_non_null(strstr(text, "[k] "));
	free(text);
}

/* --- compared --------------------------------------------------------------------------- */

#define TICK_NS 100000000ull

static const char *field(const char *line, int nr)
{
	while (nr-- > 0 && line)
		line = strchr(line, ',') ? strchr(line, ',') + 1 : NULL;
	return line;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* Names before it may have commas. */
static const char *kind_in(const char *line)
{
	static const char *const kinds[] = {",user,", ",kernel,", ",ringtop,"};
	const char *end = strstr(line, "\r\n");

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *at = strstr(line, kinds[i]);

		if (at && at < end)
			return at;
	}
	return NULL;
}

/* Every row's figures fit each other; 100 % is on both sides; what is named is what was shifted. */
static void check_csv(const char *text)
{
	double now = 0, was = 0;
	unsigned named = 0, fresh = 0, gone = 0;

	assert_true(begins(text, "event,unit,function,object,kind,samples,baseline_samples,percent,"));
	for (const char *line = strstr(text, "\r\n") + 2; *line; line = strstr(line, "\r\n") + 2) {
		const char *kind = kind_in(line);
		double share, before, delta, low, high;
		bool sure;

		assert_non_null(kind);
		assert_int_equal(sscanf(field(kind + 1, 3), "%lf,%lf,%lf,%lf,%lf", &share, &before, &delta, &low, &high), 5);
		assert_true(fabs(share - before - delta) < 2e-4 && low <= delta && delta <= high);
		now += share;
		was += before;
		sure = begins(field(kind + 1, 12), "true");
		named += sure;
		fresh += sure && begins(line, "\"cpu-clock\",\"ns\",\"copy_page\",") && begins(field(kind + 1, 13), "true");
		gone += sure && begins(line, "\"cpu-clock\",\"ns\",\"main\",") && begins(field(kind + 1, 14), "true");
	}
	assert_true(fabs(now - 100) < 0.01 && fabs(was - 100) < 0.01);
	if (named < 3 || fresh != 1 || gone != 1)
		fail_msg("%u named, %u new, %u gone: %.900s", named, fresh, gone, text);
}

/* Two counts a path, and their sums are both sides' weights. */
static void check_folded(const char *text, uint64_t was, uint64_t now)
{
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *at = end;
		uint64_t a, b;

		for (int blanks = 0; blanks < 2; blanks += *at == ' ')
			at--;
		assert_int_equal(sscanf(at, " %" SCNu64 " %" SCNu64, &a, &b), 2);
		was -= a;
		now -= b;
	}
	assert_true(!was && !now);
}

static void test_compared(void **state)
{
	const struct window before = {0, SHIFT * TICK_NS}, after = {SHIFT * TICK_NS, TICKS * TICK_NS};
	const struct export_baseline was = {.model = model, .window = before, .name = "<before>", .how = {.growing = true}};
	static const struct {
		const char *format, *word, *plain; /* plain: what is there without a comparison, too */
	} words[] = {
		{"svg", "compared with &lt;before&gt; (1.2 s): 8 places changed</text>", "<title>copy_page"},
		{"svg", "+ more than in the baseline</text>", "<title>parse_expr"},
		{"svg", ">+parse_expr</text>", "<title>parse_expr"},
		{"svg", "with 95%", "<title>parse_expr"},
		{"html", "<h3>Changes</h3>", "<h3>Functions</h3>"},
		{"html", "<td>changed, gone</td>", "<h3>Functions</h3>"},
		{"html", "<th class=\"n\">±95</th>", "<h3>Functions</h3>"},
		{"html", ": 3 functions changed</p>", "<h3>Flame graph</h3>"},
		{"text", "3 functions changed", "copy_page"},
		{"json", "\"type\":\"changes\"", "\"type\":\"interval\""},
		{"json", "\"significant\":true,\"new\":true", "copy_page"},
	};
	char *text;

	(void)state;
	query.show_self = true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		baseline = NULL;
		text = written(words[i].format, after);
		assert_null(strstr(text, words[i].word));
		assert_non_null(strstr(text, words[i].plain));
		free(text);
		baseline = &was;
		text = written(words[i].format, after);
		if (!strstr(text, words[i].word))
			fail_msg("%s: no '%s' in %.1500s", words[i].format, words[i].word, text);
		assert_non_null(strstr(text, words[i].plain));
		assert_null(strstr(text, "<before>") && *words[i].format != 't' && *words[i].format != 'j' ? text : NULL);
		free(text);
	}
	text = written("csv", after);
	check_csv(text);
	free(text);
	text = written("folded", after);
	check_folded(text, model_rows(model, &query, before)->attributed, model_rows(model, &query, after)->attributed);
	free(text);
	baseline = NULL;
}

/* --- marks ------------------------------------------------------------------------------ */

/* Those within the window are in every export that has a place for words, and a name is never markup. */
static void test_marks(void **state)
{
	static const char *const formats[] = {"text", "json", "svg", "html"};

	(void)state;
	assert_int_equal(model_mark(model, 1500000000, "<b>&deploy"), 0);
	assert_int_equal(model_mark(model, 2400000000, "later"), 0);
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *text = written(formats[i], (struct window){1000000000, 2000000000});

		assert_non_null(strstr(text, i < 2 ? "<b>&deploy" : "marks: &lt;b&gt;&amp;deploy at 1.500 s"));
		assert_null(strstr(text, "later"));
		free(text);
		text = written(formats[i], WINDOW_ALL);
		assert_non_null(strstr(text, "later"));
		free(text);
	}
}

/* Of more than there is room for the others are counted. */
static void test_many_marks(void **state)
{
	const struct export_source src = {.model = model, .query = &query, .window = WINDOW_ALL};
	char text[512];

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		assert_int_equal(model_mark(model, 1000000 * (i + 1), "some mark of a name that is quite long, sixty bytes"), 0);
	export_marks(&src, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text) - 1);
	assert_non_null(strstr(text, ", and 19"));
	assert_string_equal(text + strlen(text) - 5, " more");
}

/* --- csv -------------------------------------------------------------------------------- */

#define CELLS 14

/* Takes one cell off *at, in place; returns what ended it: ',', '\r' or '\0'. */
static char cell_next(char **at, char **cell)
{
	char *to, *from = *at, ended;
	bool quoted = *from == '"';

	*cell = to = from += quoted;
	for (; *from; *to++ = *from++) {
		if (quoted && *from == '"' && *++from != '"')
			break;
		if (!quoted && strchr(",\r\"\n", *from))
			break;
	}
	ended = *from;
	assert_true(ended == ',' || ended == '\r' || !ended);
	*to = '\0';
	*at = ended ? from + 1 : from;
	return ended;
}

/* One line of CELLS cells; false at the end. */
static bool line_next(char **at, char *cell[CELLS])
{
	char ended = ',';

	if (!**at)
		return false;
	for (unsigned i = 0; i < CELLS; i++) {
		assert_int_equal(ended, ',');
		ended = cell_next(at, &cell[i]);
	}
	assert_int_equal(ended, '\r');
	assert_int_equal(*(*at)++, '\n');
	return true;
}

static void test_csv_sums(void **state)
{
	char *text = written("csv", WINDOW_ALL), *at = text, *cell[CELLS];
	uint64_t weight[2] = {0}, samples[2] = {0};

	(void)state;
	assert_ascii(text, "\r\n");
	assert_true(line_next(&at, cell));
	assert_string_equal(cell[3], "function");
	assert_string_equal(cell[8], "self");
	while (line_next(&at, cell)) {
		unsigned event = strcmp(cell[0], model_info(model)->events[0].name) != 0;

		assert_string_equal(cell[0], model_info(model)->events[event].name);
		assert_true(!strcmp(cell[6], "lost") || !strcmp(cell[6], "kernel") || !strcmp(cell[6], "user"));
		samples[event] += strtoull(cell[7], NULL, 10);
		weight[event] += strtoull(cell[8], NULL, 10);
	}
	for (unsigned e = 0; e < 2; e++) {
		struct query q = {.event = e};
		const struct rows *rows = model_rows(model, &q, WINDOW_ALL);

		assert_true(weight[e] > 0);
		assert_int_equal(weight[e], rows->shown);
		assert_true(samples[e] > 0 && samples[e] <= rows->samples);
	}
	free(text);
}

static void test_csv_golden(void **state)
{
	(void)state;
	golden("csv", "export.csv");
}

static void test_csv_hosts(void **state)
{
	char *text = written("csv", WINDOW_ALL), *at = text, *cell[CELLS];
	size_t nr[3] = {0};

	(void)state;
	assert_true(line_next(&at, cell));
	while (line_next(&at, cell))
		for (size_t h = 0; h < 3; h++)
			nr[h] += !strcmp(cell[2], model_info(model)->hosts[h].name);
	assert_true(nr[0] && nr[1] && nr[2]);
	free(text);
}

static void test_csv_name(void **state)
{
	static const char *const cases[][2] = {
		{"plain", "\"plain\""},
		{"", "\"\""},
		{"a,b;c\td", "\"a,b;c\\x09d\""},
		{"two\r\nlines", "\"two\\x0d\\x0alines\""},
		{"say \"hi\"", "\"say \"\"hi\"\"\""},
		{"\"", "\"\"\"\""},
		{"=1+1", "\"'=1+1\""},
		{"+1", "\"'+1\""},
		{"-[NSObject init]", "\"'-[NSObject init]\""},
		{"@SUM(1)", "\"'@SUM(1)\""},
		{"  =1", "\"'  =1\""},
		{"'quoted", "\"''quoted\""},
		{"\xef\xbc\x9d" "1", "\"'\xef\xbc\x9d" "1\""},
		{"\t=1", "\"\\x09=1\""},
		{"\xff=1", "\"\\xff=1\""},
		{"=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""},
		{"operator-", "\"operator-\""},
	};

	struct cell {
		const char *text;
	};
	static const struct column columns[] = {{"name", COLUMN_NAME, COLUMN_OF(struct cell, text)}, {0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct cell cell = {cases[i][0]};
		struct out o;

		out_init(&o, -1, -1);
		column_csv(&o, columns, &cell);
		assert_true(o.len > 2 && !memcmp(o.data + o.len - 2, "\r\n", 2));
		o.data[o.len - 2] = '\0';
		assert_string_equal(o.data, cases[i][1]);
		out_clear(&o);
	}
}

/* --- svg -------------------------------------------------------------------------------- */

static const char *tag_end(const char *p)
{
	bool quoted = false;

	for (; *p && (quoted || *p != '>'); p++) {
		quoted ^= *p == '"';
		assert_int_not_equal(*p, '<');
	}
	assert_int_equal(*p, '>');
	return p;
}

static void check_entity(const char *p)
{
	static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!strncmp(p, known[i], strlen(known[i])))
			return;
	fail_msg("an unknown entity: %.10s", p);
}

static bool is_void(const char *name, size_t len)
{
	return (len == 4 && !strncmp(name, "meta", len)) || (len == 5 && !strncmp(name, "input", len));
}

/* Elements close in order, and nothing else looks like markup; what is in a script or style is skipped. */
static void check_markup(const char *text)
{
	const char *open[64];
	size_t depth = 0;

	for (const char *p = text; *p; p++) {
		size_t len;

		if (*p == '&')
			check_entity(p);
		if (*p != '<')
			continue;
		if (p[1] == '?' || p[1] == '!') {
			p = tag_end(p + 1);
			continue;
		}
		len = strcspn(p + 1 + (p[1] == '/'), " />");
		if (p[1] == '/') {
			assert_true(depth > 0);
			assert_memory_equal(open[--depth], p + 2, len);
			p = tag_end(p + 1);
			continue;
		}
		assert_true(depth < 64);
		open[depth++] = p + 1;
		p = tag_end(p + 1);
		depth -= p[-1] == '/' || is_void(open[depth - 1], len);
		if (len == 6 && !strncmp(open[depth ? depth - 1 : 0], "script", len))
			p = strstr(p, "</script>") - 1;
		else if (len == 5 && !strncmp(open[depth ? depth - 1 : 0], "style", len))
			p = strstr(p, "</style>") - 1;
	}
	assert_int_equal(depth, 0);
}

static void test_svg_golden(void **state)
{
	(void)state;
	golden("svg", "export.svg");
}

static void test_svg(void **state)
{
	char *text = written("svg", WINDOW_ALL);

	(void)state;
	assert_ascii(text, "\n");
	check_markup(text);
	assert_null(strstr(text, "<script"));
	assert_non_null(strstr(text, "back\\slash&lt;/script&gt;"));
	assert_non_null(strstr(text, "lost, overwritten "));
	free(text);
}

/* Children lie within their parents, side by side. */
static void test_svg_places(void **state)
{
	char *text = written("svg", WINDOW_ALL);
	double left[128] = {0}, right[128] = {0};
	unsigned frames = 0, top = 0;

	(void)state;
	for (const char *p = text; (p = strstr(p, "<g class=\"f\">")); p++) {
		const char *rect = strstr(p, "<rect x=\"");
		double x, width;
		unsigned y, row;

		assert_int_equal(sscanf(rect, "<rect x=\"%lf\" y=\"%u\" width=\"%lf\"", &x, &y, &width), 3);
		top = frames++ ? top : y;
		row = (y - top) / 18;
		assert_in_range(row, 0, 127);
		if (row) {
			assert_true(x >= left[row - 1] - 1e-4 && x + width <= right[row - 1] + 1e-4);
			assert_true(x >= right[row] - 1e-4 || x >= left[row - 1] - 1e-4);
		}
		left[row] = x;
		right[row] = x + width;
	}
	assert_true(frames > 10);
	free(text);
}

static void test_markup(void **state)
{
	struct out o;

	(void)state;
	out_init(&o, -1, -1);
	markup_text(&o, "a<b>&\"c'\x1b\xff\xef\xbf\xbe\xef\xbf\xbf-->]]>");
	out_text(&o, "|");
	markup_cut(&o, "operator<<<int>", 10);
	out_text(&o, "|");
	markup_cut(&o, "exactly10!", 10);
	out_text(&o, "|");
	markup_cut(&o, "\xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", 5);
	out_bytes(&o, "", 1);
	assert_string_equal(o.data, "a&lt;b&gt;&amp;&quot;c&#39;\\x1b\\xff\\xef\\xbf\\xbe\\xef\\xbf\\xbf--&gt;]]&gt;|"
				    "operator..|exactly10!|\xe4\xb8\xad..");
	out_clear(&o);
}

/* --- html ------------------------------------------------------------------------------- */

static void test_html_golden(void **state)
{
	(void)state;
	golden("html", "export.html");
}

static size_t count(const char *text, const char *what)
{
	size_t nr = 0;

	while ((text = strstr(text, what))) {
		text += strlen(what);
		nr++;
	}
	return nr;
}

static void test_html(void **state)
{
	char *text = written("html", WINDOW_ALL);

	(void)state;
	assert_ascii(text, "\n");
	check_markup(text);
	assert_int_equal(count(text, "<script"), 1);
	assert_int_equal(count(text, "</script"), 1);
	assert_int_equal(count(text, "<style"), 1);
	assert_int_equal(count(text, "<section class=\"event\">"), 2);
	assert_int_equal(count(text, "<svg "), 2);
	assert_int_equal(count(text, " style="), 0);
	/* the namespace of SVG alone looks like an address */
	assert_int_equal(count(text, "http"), count(text, "http://www.w3.org/2000/svg") + count(text, "http-equiv"));
	assert_non_null(strstr(text, "98.82% of what could be sampled is included (5040 samples, "));
	assert_non_null(strstr(text, "Nothing was lost: all 2186 samples are included"));
	assert_non_null(strstr(text, "the ring was overwritten before it was read"));
	assert_non_null(strstr(text, "Lost on cpu1: "));
	free(text);
}

/* --- all -------------------------------------------------------------------------------- */

static void test_nothing(void **state)
{
	char *text = written("csv", WINDOW_ALL);

	(void)state;
	assert_non_null(strchr(text, '\n'));
	assert_string_equal(strchr(text, '\n'), "\n"); /* the head alone */
	free(text);
	text = written("text", WINDOW_ALL);
	assert_non_null(strstr(text, "0 samples"));
	free(text);
	text = written("svg", WINDOW_ALL);
	check_markup(text);
	assert_null(strstr(text, "nan"));
	free(text);
	text = written("html", WINDOW_ALL);
	check_markup(text);
	assert_null(strstr(text, "nan"));
	assert_non_null(strstr(text, "Nothing was sampled"));
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_text_golden),
		TEST(test_text_window),
		TEST(test_marks),
		TEST(test_many_marks),
		TEST(test_text_hiding),
		TEST(test_csv_golden),
		TEST(test_csv_sums),
		cmocka_unit_test(test_csv_name),
		TEST(test_svg_golden),
		TEST(test_svg),
		TEST(test_svg_places),
		cmocka_unit_test(test_markup),
		TEST(test_html_golden),
		TEST(test_html),
		cmocka_unit_test_setup_teardown(test_csv_hosts, begin_hosts, end),
		cmocka_unit_test_setup_teardown(test_compared, begin_shifted, end),
		cmocka_unit_test_setup_teardown(test_nothing, begin_idle, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
