/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/elf/demangle_sandbox.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/log.h"

/*
 * Limits of one request: each object's names may take DEMANGLE_NS_MAX, so all together stay well
 * below the helper's time limit.
 */
#define OBJECTS_MAX 8u
#define NAMES_MAX   4096u

static int by_object(const void *left, const void *right)
{
	const struct demangle_name *a = left, *b = right;

	return COMPARE(b->sandboxed, a->sandboxed) ?:
	       COMPARE((uintptr_t)a->work, (uintptr_t)b->work) ?: COMPARE(a->id, b->id);
}

static bool is_new_object(const struct demangle_name *list, size_t i)
{
	return !i || list[i].work != list[i - 1].work;
}

/* Return how many names from the start of the list fit into one request. */
static size_t question(const struct demangle_name *list, size_t nr)
{
	unsigned objects = 0;
	size_t i;

	for (i = 0; i < nr && i < NAMES_MAX && list[i].sandboxed; i++) {
		objects += is_new_object(list, i);
		if (objects > OBJECTS_MAX)
			break;
	}
	return i;
}

void demangle_take(struct wire_in *in, struct demangle_name *list, size_t nr)
{
	for (size_t i = 0; i < nr && !in->failed; i++) {
		uint64_t cost = wire_get(in, 4);
		const char *text = wire_get_text(in, DEMANGLE_MAX);

		list[i].work->ns += cost >> 1;
		list[i].work->left += cost & 1;
		list[i].readable = *text ? strdup(text) : NULL;
	}
}

static void leave_mangled(struct demangle_name *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		list[i].work->lost |= !list[i].readable;
		list[i].work->left += !list[i].readable && demangle_wants(list[i].name);
	}
}

static void request_names(struct demangle_name *list, size_t nr)
{
	struct sandbox_call c = {.job = SANDBOX_DEMANGLE, .fd = -1};
	struct err err;
	int ret;

	wire_put(&c.ask, nr, 8);
	for (size_t i = 0; i < nr; i++) {
		wire_put(&c.ask, is_new_object(list, i), 1);
		if (is_new_object(list, i))
			wire_put(&c.ask, list[i].work->ns, 8);
		wire_put_text(&c.ask, strnlen(list[i].name, DEMANGLE_MAX) < DEMANGLE_MAX
					      ? list[i].name
					      : "");
	}
	ret = sandbox_call(&c, &err);
	if (!ret)
		demangle_take(&c.in, list, nr);
	if (!sandbox_taken(&c, ret, &err))
		return;
	log_msg(LOG_RESOLVE, "names stay mangled: %s", err.text);
	leave_mangled(list, nr);
}

void demangle_names(struct demangle_name *list, size_t nr)
{
	size_t i = 0;

	qsort(list, nr, sizeof(*list), by_object);
	for (size_t asked; sandbox_allowed() && (asked = question(list + i, nr - i)); i += asked)
		request_names(list + i, asked);
	for (; i < nr; i++)
		list[i].readable = demangle(list[i].name, list[i].work);
}

void demangle_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct demangle_work work = {.ns = 0}, before;

	(void)fd;
	for (size_t nr = wire_get_count(in, 6); nr && !in->failed; nr--) {
		char *readable;

		if (wire_get(in, 1)) /* a new object begins */
			work.ns = wire_get(in, 8);
		before = work;
		readable = demangle(wire_get_text(in, DEMANGLE_MAX), &work);
		wire_put(out, (work.ns - before.ns) << 1 | (work.left != before.left), 4);
		wire_put_text(out, readable);
		free(readable);
	}
}
