/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The formats that a recording has: the section's walk, each format parsed, and what a helper says of it taken back.
 * Further uses of the input: as the helper's answer, and as a list of texts (printk_formats).
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files/decode/tracingdata.h"
#include "must.h"
#include "sources/replay/fileformats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	const char *from, *to;
};

static void check(const struct trace_format *f)
{
	must(f->nr <= FORMAT_FIELDS && strlen(f->name) < sizeof(f->name));
	for (unsigned i = 0; i < f->nr; i++) {
		must(f->field[i].offset + f->field[i].size <= UINT16_MAX && f->field[i].element <= f->field[i].size);
		must(strlen(f->field[i].name) < FORMAT_NAME && strlen(f->field[i].type) < FORMAT_NAME);
	}
}

static int take(void *arg, const struct tracingdata_format *t)
{
	const struct input *in = arg;
	struct recorded_format f = {.id = 1, .text = "text", .len = 4};
	struct fileformats one = {.at = &f, .nr = 1}, again = {.nr = 0};
	struct wire_out out = {.len = 0};

	must(t->text >= in->from && t->text + t->len <= in->to);
	must(t->len <= TRACINGDATA_FORMAT_MOST);
	if (!format_parse(t->text, t->len, &f.format, NULL)) {
		struct wire_in back;

		check(&f.format);
		fileformats_put(&one, &out);
		back = (struct wire_in){out.data, out.data + out.len, false};
		fileformats_get(&again, &back);
		must(!back.failed && again.nr == 1 && again.at->format.nr == f.format.nr &&
		     !memcmp(again.at->format.field, f.format.field, f.format.nr * sizeof(*f.format.field)));
	}
	format_clear(&f.format);
	fileformats_clear(&again);
	wire_clear(&out);
	return 0;
}

static bool within(const struct input *in, const char *at, size_t len)
{
	return !len || (at >= in->from && at + len <= in->to);
}

/* Take the parts behind the formats, and the input itself as a list of texts. */
static void take_rest(const struct input *in)
{
	struct tracingdata_rest r;
	struct printk texts;

	tracingdata_rest(in->from, (size_t)(in->to - in->from), &r);
	must(within(in, r.kallsyms, r.nkallsyms) && within(in, r.printk, r.nprintk));
	printk_parse(in->from, (size_t)(in->to - in->from), &texts);
	must(texts.nr <= PRINTK_TEXTS);
	for (size_t i = 0; i < texts.nr; i++) {
		must(!i || texts.at[i - 1].addr < texts.at[i].addr);
		must(printk_find(&texts, texts.at[i].addr) == texts.at[i].text);
		must(strlen(texts.at[i].text) < PRINTK_BYTES);
	}
	printk_clear(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {(const char *)data, (const char *)data + size};
	struct wire_in answer = {data, data + size, false};
	struct fileformats formats = {.nr = 0};

	tracingdata_walk(in.from, size, take, &in);
	take_rest(&in);
	fileformats_get(&formats, &answer);
	for (size_t i = 0; i < formats.nr; i++)
		check(&formats.at[i].format);
	must(!answer.failed || !formats.nr);
	fileformats_clear(&formats);
	return 0;
}
