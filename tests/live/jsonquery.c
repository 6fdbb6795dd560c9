/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "jsonquery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_int_t object_sum(const json_t *object)
{
	json_int_t sum = 0;
	const char *key;
	json_t *v;

	json_object_foreach((json_t *)object, key, v)
		sum += json_integer_value(v);
	return sum;
}

static bool filter_fits(const json_t *v, const char *filter, size_t n, size_t index)
{
	size_t op = strcspn(filter, "=~");
	char name[64], text[512], number[32];
	const json_t *member;
	const char *have = number;

	if (op >= n)
		return strtoul(filter, NULL, 10) == index;
	snprintf(name, sizeof(name), "%.*s", (int)op, filter);
	snprintf(text, sizeof(text), "%.*s", (int)(n - op - 1), filter + op + 1);
	member = json_object_get(v, name);
	if (json_is_string(member))
		have = json_string_value(member);
	else if (json_is_boolean(member))
		have = json_is_true(member) ? "true" : "false";
	else
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(member));
	return filter[op] == '=' ? !strcmp(have, text) : strstr(have, text) != NULL;
}

/* The elements of an array in `from` that pass the filters at *path, which is moved behind them. */
static json_t *elements_take(const json_t *from, const char **path)
{
	json_t *set = json_array(), *v;
	size_t i;

	json_array_foreach(from, i, v)
		json_array_append(set, v);
	while (**path == '[') {
		json_t *next = json_array();
		const char *filter = *path + 1;
		size_t n = strcspn(filter, "]");

		/* a name may itself hold a bracket: the filter ends at the last "]" before . [ or { */
		while (filter[n] && filter[n + 1] && !strchr(".[{", filter[n + 1]))
			n += 1 + strcspn(filter + n + 1, "]");
		json_array_foreach(set, i, v)
			if (filter_fits(v, filter, n, i))
				json_array_append(next, v);
		json_decref(set);
		set = next;
		*path = filter[n] ? filter + n + 1 : filter + n;
	}
	return set;
}

static json_t *step_take(json_t *set, const char **path)
{
	json_t *next = json_array(), *v;
	char name[64];
	size_t n, i;

	n = strcspn(*path, ".[{");
	snprintf(name, sizeof(name), "%.*s", (int)n, *path);
	*path += n;
	json_array_foreach(set, i, v) {
		json_t *member = json_object_get(v, name);
		const char *rest = *path;

		if (json_is_array(member)) {
			json_t *found = elements_take(member, &rest);

			json_array_extend(next, found);
			json_decref(found);
		} else if (member) {
			json_array_append(next, member);
		}
	}
	/* all members of the set share the filters: move behind them once */
	json_decref(elements_take(NULL, path));
	json_decref(set);
	return next;
}

static json_t *query_start(const struct report *r, const char **path)
{
	const char *dot = strchr(*path, '.');
	size_t n = dot ? (size_t)(dot - *path) : strlen(*path);
	size_t last = json_array_size(r->intervals);
	json_t *set = json_array();

	if (!strncmp(*path, "header", n))
		json_array_append(set, r->header);
	else if (!strncmp(*path, "total", n))
		json_array_append(set, r->total);
	else if (!strncmp(*path, "first", n))
		json_array_append(set, json_array_get(r->intervals, 0));
	else if (!strncmp(*path, "last", n))
		json_array_append(set, last ? json_array_get(r->intervals, last - 1) : NULL);
	else if (!strncmp(*path, "each", n))
		json_array_extend(set, r->intervals);
	*path += n;
	return set;
}

static void value_write(const json_t *v)
{
	if (json_is_string(v))
		printf("%s", json_string_value(v));
	else if (json_is_integer(v))
		printf("%lld", (long long)json_integer_value(v));
	else if (json_is_real(v))
		printf("%.9g", json_real_value(v));
	else if (json_is_boolean(v))
		printf("%s", json_is_true(v) ? "true" : "false");
	else if (json_is_object(v))
		printf("%lld", (long long)object_sum(v));
	else
		putchar('-');
}

static void value_print(const json_t *v)
{
	value_write(v);
	putchar('\n');
}

static void sum_write(const json_t *set)
{
	double reals = 0;
	json_int_t whole = 0;
	const json_t *v;
	size_t i;

	json_array_foreach(set, i, v) {
		if (json_is_real(v))
			reals += json_real_value(v);
		else
			whole += json_is_object(v) ? object_sum(v) : json_integer_value(v);
	}
	if (fabs(reals) > 0)
		printf("%.9g", reals + (double)whole);
	else
		printf("%lld", (long long)whole);
}

static void members_write(const json_t *object, bool values)
{
	const char *name, *between = "";
	json_t *v;

	json_object_foreach((json_t *)object, name, v) {
		printf("%s%s%s", between, name, values ? "=" : "");
		if (values)
			value_write(v);
		between = ",";
	}
	if (!*between)
		putchar('-');
}

static void elements_write(const json_t *array)
{
	const json_t *v;
	size_t i;

	json_array_foreach(array, i, v) {
		if (i)
			putchar(',');
		value_write(v);
	}
	if (!json_array_size(array))
		putchar('-');
}

/* Write one column, of n bytes, of an element. */
static void column_write(const json_t *v, const char *column, size_t n)
{
	char kind = strchr("+=?", column[n - 1]) ? column[n - 1] : 0;
	char name[64];

	n -= kind != 0;
	while (n) {
		size_t word = strcspn(column, ".+=?,}");

		snprintf(name, sizeof(name), "%.*s", (int)word, column);
		v = json_object_get(v, name);
		word += column[word] == '.';
		column += word;
		n -= word;
	}
	if (kind == '+' && json_is_array(v))
		sum_write(v);
	else if ((kind == '=' || kind == '?') && json_is_object(v))
		members_write(v, kind == '=');
	else if (json_is_array(v))
		elements_write(v);
	else
		value_write(v);
}

static void table_print(const json_t *set, const char *columns)
{
	const json_t *v;
	size_t i;

	json_array_foreach(set, i, v) {
		for (const char *at = columns; *at && *at != '}'; ) {
			size_t n = strcspn(at, ",}");

			if (at != columns)
				putchar('\t');
			if (n)
				column_write(v, at, n);
			at += n + (at[n] == ',');
		}
		putchar('\n');
	}
}

void query_run(const struct report *r, const char *query)
{
	size_t prefix = strcspn(query, ":.[{");
	bool sum = !strncmp(query, "sum:", 4), all = !strncmp(query, "all:", 4);
	bool count = !strncmp(query, "count:", 6);
	const char *path = sum || all || count ? query + prefix + 1 : query;
	json_t *set = query_start(r, &path);
	const json_t *v;
	size_t i;

	while (*path == '.') {
		path++;
		set = step_take(set, &path);
	}
	if (*path == '{') {
		table_print(set, path + 1);
	} else if (sum) {
		sum_write(set);
		putchar('\n');
	} else if (count) {
		printf("%zu\n", json_array_size(set));
	} else if (all) {
		json_array_foreach(set, i, v)
			value_print(v);
	} else {
		value_print(json_array_get(set, 0));
	}
	json_decref(set);
}
