/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/event/breakpoint.h"

#include <ctype.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdlib.h>
#include <string.h>

static bool take_address_number(const char **at, uint64_t *n)
{
	char *end;

	errno = 0;
	*n = strtoull(*at, &end, 0);
	if (!isdigit((unsigned char)**at) || errno)
		return false;
	*at = end;
	return true;
}

/* Take letters of r, w, x, each once, up to a colon or the end. Return 0 if they are not. */
static uint32_t take_access(const char **at)
{
	static const struct {
		char letter;
		uint32_t type;
	} letters[] = {{'r', HW_BREAKPOINT_R}, {'w', HW_BREAKPOINT_W}, {'x', HW_BREAKPOINT_X}};
	size_t len = strcspn(*at, ":");
	uint32_t type = 0;

	for (size_t i = 0; i < len; i++) {
		uint32_t one = 0;

		for (size_t k = 0; k < sizeof(letters) / sizeof(*letters); k++)
			one |= (*at)[i] == letters[k].letter ? letters[k].type : 0;
		if (!one || type & one)
			return 0;
		type |= one;
	}
	*at += len;
	return type;
}

int breakpoint_parse(struct event *e, const char *text, const char **rest, struct err *err)
{
	uint64_t addr, len = 0;
	uint32_t type = 0;

	*rest = text;
	if (!take_address_number(rest, &addr))
		return err_set(err, EINVAL, "event '%s': an address follows mem:", e->name);
	if (**rest == '/' && (++*rest, !take_address_number(rest, &len) || !len))
		return err_set(err, EINVAL, "event '%s': a length in bytes follows the /", e->name);
	if (**rest == ':') {
		++*rest;
		type = take_access(rest);
	}
	if (**rest == ':' && type)
		++*rest;
	e->attr.type = PERF_TYPE_BREAKPOINT;
	e->attr.bp_addr = addr;
	e->attr.bp_type = type ? type : HW_BREAKPOINT_RW;
	e->attr.bp_len = len ? len : type == HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	e->unit = "";
	return 0;
}
