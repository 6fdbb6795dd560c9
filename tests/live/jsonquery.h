/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jsonquery.h - a report of --json, and the values of it that jsoncheck prints for the shell.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct report {
	json_t *header;    /* NULL: none seen */
	json_t *intervals; /* array */
	json_t *total;     /* NULL: none seen */
	size_t line, logged; /* logged: lines of the event log so far */
	bool changes; /* --baseline's, behind the total */
	bool compares; /* it is a comparison */
	unsigned faults;
};

/* Add the members of an object up. */
json_int_t object_sum(const json_t *object);

/*
 * Print what a query asks for.  With {COLUMN,...} at its end: a line for each element, with a tab
 * between its columns.  A COLUMN is a path of members: an array is its values with a comma between,
 * "PATH+" their sum, "PATH=" an object's members as NAME=VALUE with a comma between, "PATH?" their
 * names alone.
 *
 *   total.fields{key?,count,hist+}
 */
void query_run(const struct report *r, const char *query);
