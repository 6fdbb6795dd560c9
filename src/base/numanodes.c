/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/numanodes.h"

#include <ctype.h>
#include <stdlib.h>

/* Parse a number below `most` at *s and advance *s; -1: none. */
static long parse_node_number(const char **s, long most)
{
	char *end;
	long n;

	if (!isdigit((unsigned char)**s))
		return -1;
	n = strtol(*s, &end, 10);
	*s = end;
	return n < most ? n : -1;
}

/* Parse a node's list of CPUs at *s and advance *s.  A CPU in two lists belongs to the first. */
static int parse_cpu_list(const char **s, long at, int16_t *node, size_t nr)
{
	for (;; ++*s) {
		long from = parse_node_number(s, NUMANODES_CPUS), to = from;

		if (from >= 0 && **s == '-') {
			++*s;
			to = parse_node_number(s, NUMANODES_CPUS);
		}
		if (from < 0 || to < from)
			return -1;
		for (size_t cpu = (size_t)from; cpu <= (size_t)to && cpu < nr; cpu++)
			node[cpu] = node[cpu] < 0 ? (int16_t)at : node[cpu];
		if (**s != ',')
			return 0;
	}
}

static size_t take_nodes(const char *s, int16_t *node, size_t nr)
{
	size_t nodes = 0;
	long last = -1;

	for (;; s++) {
		long at = parse_node_number(&s, NUMANODES_MAX);

		if (at <= last || *s++ != ':' || parse_cpu_list(&s, at, node, nr))
			return 0;
		last = at;
		nodes++;
		if (*s != ';')
			return *s ? 0 : nodes;
	}
}

static void clear_nodes(int16_t *node, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		node[i] = -1;
}

size_t numanodes_parse(const char *text, int16_t *node, size_t nr)
{
	size_t nodes;

	clear_nodes(node, nr);
	nodes = *text ? take_nodes(text, node, nr) : 0;
	if (!nodes)
		clear_nodes(node, nr);
	return nodes;
}

int16_t numanodes_of(const char *text, int cpu)
{
	int16_t node[NUMANODES_CPUS];

	if (cpu < 0 || cpu >= NUMANODES_CPUS || !numanodes_parse(text, node, (size_t)cpu + 1))
		return -1;
	return node[cpu];
}
