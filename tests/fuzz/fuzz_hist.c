/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hist file: its first byte chooses the shape that it is held against. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sources/ftrace/hist.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct hist_shape shapes[] = {
	{.key = {{"id", HIST_NUMBER}}, .nkeys = 1},
	{.key = {{"id", HIST_NUMBER}, {"common_pid", HIST_COMM}, {"common_cpu", HIST_NUMBER}}, .nkeys = 3},
	{.key = {{"filename", HIST_TEXT}, {"pid", HIST_NUMBER}}, .nkeys = 2, .sum = "old_pid"},
	{.key = {{"call_site", HIST_HEX}, {"comm", HIST_TEXT}}, .nkeys = 2},
};

struct told {
	const struct hist_shape *shape;
	const char *from, *to;
	uint64_t nr;
};

static int tell(void *arg, const struct hist_entry *e)
{
	struct told *t = arg;

	t->nr++;
	for (unsigned i = 0; i < t->shape->nkeys; i++) {
		const struct hist_value *v = &e->key[i];
		int text = t->shape->key[i].kind == HIST_TEXT || t->shape->key[i].kind == HIST_COMM;

		must(!text == !v->text);
		must(!text || (v->text >= t->from && v->text + v->len <= t->to));
		must(!text || !v->len || v->text[v->len - 1] != ' ');
	}
	must(t->shape->sum || !e->sum);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	struct hist_totals totals;
	struct told t;

	if (!size)
		return 0;
	t = (struct told){.shape = &shapes[data[0] % 4], .from = text, .to = text + size - 1};
	if (hist_parse(text, size - 1, t.shape, tell, &t, &totals))
		return 0;
	must(t.nr <= size / 16);
	return 0;
}
