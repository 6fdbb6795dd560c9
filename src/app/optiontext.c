/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/optiontext.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "app/optionvalue.h"

#define HELP_COLUMN 30
#define HELP_WIDTH  80

struct out {
	char *buf;
	int size, len;
};

static __attribute__((format(printf, 2, 3))) int out_add(struct out *out, const char *fmt, ...)
{
	bool room = out->len < out->size;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(room ? out->buf + out->len : NULL, room ? (size_t)(out->size - out->len) : 0,
		      fmt, ap);
	va_end(ap);
	if (n > 0)
		out->len += n;
	return n > 0 ? n : 0;
}

/* Append the words of a text from `column` on, with lines broken before HELP_WIDTH. */
static void out_wrapped(struct out *out, const char *text, int column)
{
	while (*text) {
		int len = (int)strcspn(text, " ");

		if (column + 1 + len > HELP_WIDTH)
			column = out_add(out, "\n%*s", HELP_COLUMN - 1, "") - 1;
		column += out_add(out, " %.*s", len, text);
		text += len + strspn(text + len, " ");
	}
}

static void out_help_row(struct out *out, const struct option_row *row)
{
	int column;

	if (row->letter)
		column = out_add(out, "  -%c%s", row->letter, row->name ? ", " : "");
	else
		column = out_add(out, "      ");
	if (row->name)
		column += out_add(out, "--%s", row->name);
	if (row->arg && row->takes == ARG_ATTACHED)
		column += out_add(out, "[=%s]", row->arg);
	else if (row->arg)
		column += out_add(out, " %s", row->arg);
	if (column >= HELP_COLUMN - 1)
		column = out_add(out, "\n") - 1;
	column += out_add(out, "%*s", HELP_COLUMN - 1 - column, "");
	out_wrapped(out, row->help, column);
	out_add(out, "\n");
}

int optiontext_help(const struct option_row *rows, size_t nr, char *buf, int size)
{
	struct out out = {buf, size, 0};

	out_add(&out, "usage: ringtop [OPTIONS] [--] [COMMAND [ARG...]]\n"
		      "\n"
		      "A live profiler: where the time goes, and how far to trust what you see.\n"
		      "Without a target: the whole machine, or your own processes.\n");
	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].set)
			out_add(&out, "\n%s:\n", rows[i].help);
		else if (rows[i].help)
			out_help_row(&out, &rows[i]);
	}
	out_add(&out,
		"\nExit status: 0 done, 1 failed while running, 2 wrong usage, 3 not permitted,\n"
		"4 something changed (--fail-on-change).\n"
		"More, with the keys: man ringtop\n");
	return out.len;
}

/* Append a text for troff, where a bare '-' is a hyphen and a backslash starts an escape. */
static void out_troff(struct out *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-')
			out_add(out, "\\-");
		else if (*text == '\\')
			out_add(out, "\\e");
		else
			out_add(out, "%c", *text);
	}
}

/* Append the words of a value, each with its remark. */
static void out_man_words(struct out *out, const struct show_word *w)
{
	const char *before = "";

	for (; w->name; w++) {
		if (!w->remark)
			continue;
		out_add(out, "%s", before);
		out_troff(out, w->name);
		out_add(out, "%s", *w->remark ? " (" : "");
		out_troff(out, w->remark);
		before = *w->remark ? "), " : ", ";
	}
	out_add(out, *before == ')' ? ").  " : ".  ");
}

static void out_man_row(struct out *out, const struct option_row *row)
{
	out_add(out, ".TP\n");
	if (row->letter)
		out_add(out, "\\fB\\-%c\\fR%s", row->letter, row->name ? ", " : "");
	if (row->name) {
		out_add(out, "\\fB\\-\\-");
		out_troff(out, row->name);
		out_add(out, "\\fR");
	}
	if (row->arg) {
		out_add(out, row->takes == ARG_ATTACHED ? "[=\\fI" : " \\fI");
		out_troff(out, row->arg);
		out_add(out, row->takes == ARG_ATTACHED ? "\\fR]" : "\\fR");
	}
	out_add(out, "\n%c", toupper((unsigned char)row->help[0]));
	out_troff(out, row->help + 1);
	out_add(out, ".\n");
	if (option_words(row))
		out_man_words(out, option_words(row));
	if (row->man) {
		out_troff(out, row->man);
		out_add(out, "\n");
	}
}

int optiontext_man(const struct option_row *rows, size_t nr, char *buf, int size)
{
	struct out out = {buf, size, 0};

	for (size_t i = 0; i < nr; i++) {
		if (!rows[i].set)
			out_add(&out, ".PD\n.SS %s\n.PD 0\n", rows[i].help);
		else if (rows[i].help)
			out_man_row(&out, &rows[i]);
	}
	return out.len;
}
