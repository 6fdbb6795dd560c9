/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core/slice/aliases.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NUMBER_LEN 11 /* the longest number with a line end or a NUL */

static bool is_listed(const char *name, const char *const *other, unsigned before)
{
	for (unsigned i = 0; i < before; i++)
		if (!strcmp(name, other[i]))
			return true;
	return false;
}

void aliases_put(char text[ALIASES_TEXT], const char *name, uint32_t names,
		 const char *const *other, unsigned nr)
{
	char list[ALIASES_TEXT - NUMBER_LEN] = "";
	size_t len = 0;
	unsigned listed = 0;

	for (unsigned i = 0; i < nr && other[i]; i++) {
		size_t more = strlen(other[i]);

		if (!strcmp(other[i], name) || is_listed(other[i], other, i)) {
			names -= names > 0;
			continue;
		}
		if (listed == ALIASES_LISTED || strchr(other[i], '\n') ||
		    len + 1 + more >= sizeof(list))
			continue;
		list[len] = '\n';
		memcpy(list + len + 1, other[i], more + 1);
		len += 1 + more;
		listed++;
	}
	*text = '\0';
	if (names > 1)
		snprintf(text, ALIASES_TEXT, "%u%s", names, list);
}

/*
 * Return the number that *text begins with and move *text behind it.  0: there is none, or
 * aliases_put() cannot have written it.
 */
static uint32_t take_name_count(char **text)
{
	uint64_t n = 0;
	size_t len = strspn(*text, "0123456789");

	if (len >= NUMBER_LEN || ((*text)[len] && (*text)[len] != '\n'))
		return 0;
	for (size_t i = 0; i < len; i++)
		n = n * 10 + (uint64_t)((*text)[i] - '0');
	*text += len;
	return n <= UINT32_MAX ? (uint32_t)n : 0;
}

void aliases_get(struct aliases *s, const char *text)
{
	char *at = s->text;

	s->nr = 0;
	snprintf(s->text, sizeof(s->text), "%s", text);
	s->names = take_name_count(&at);
	if (s->names < 2) {
		s->names = 1;
		return;
	}
	while (*at == '\n' && s->nr < ALIASES_LISTED && s->nr + 1 < s->names) {
		*at++ = '\0';
		s->other[s->nr++] = at;
		at += strcspn(at, "\n");
	}
	*at = '\0';
}
