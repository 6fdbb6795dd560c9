/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * synthcore - readers on a made-up kernel (synthring), their table and their accounts, turned by hand: what
 * a tick does with them, in one thread and at the moment that a test says.
 *
 * Threads: one.
 */
#ifndef RINGTOP_TESTS_SYNTHCORE_H
#define RINGTOP_TESTS_SYNTHCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/live/loss.h"
#include "sources/live/reader.h"
#include "core/table/combine.h"
#include "tests/synthring.h"

#define SYNTHCORE_TASK 4242 /* and the next ones: whose events they are, where they are not of CPUs */

struct synthcore_config {
	unsigned cpus, events; /* at most SYNTHRING_CPUS; 2, whose configs are 2 and 3 */
	uint64_t period;
	uint64_t ring_bytes;   /* a power of two of pages; 0: one page */
	uint32_t rows;         /* of the table; 0: enough */
	unsigned tasks;        /* at most 3; 0: the events are of CPUs */
	bool overwrite, callchain, no_pin, no_format_lost;
	bool reads; /* the second event is counted by the samples of the first (:S) */
	bool hardware, pinned; /* the events are of the processor, not of software */
	bool all_wakings;      /* the last event is EVENT_WAKING, of all tasks beside events of tasks */
	bool inherit, by_task; /* of tasks: children have their events; opened one by one, into a ring of ours */
};

struct synthcore_reader {
	struct reader *reader;
	bool answered; /* since it was asked last */
	struct loss_input input[2];
	struct loss_state account[2];
	struct combine_total rows[2]; /* that came out of the table */
};

struct synthcore {
	struct synthcore_config config;
	struct synthring *ring;
	struct event_list events;
	struct ringset_config rings;
	struct table *table;
	struct synthcore_reader reader[SYNTHRING_CPUS];
	int outstanding, done_fd;
	uint64_t forks; /* of tasks, by whoever makes them */
	bool last; /* no tick follows the next one */
	bool dozing;
};

void synthcore_begin(struct synthcore *c, const struct synthcore_config *config);
void synthcore_end(struct synthcore *c);

/* Ask one that is free; false: it is not. */
bool synthcore_ask(struct synthcore *c, unsigned i, unsigned what);

/* A turn of its thread. */
void synthcore_turn(struct synthcore *c, unsigned i);

/* Ask and turn. */
void synthcore_do(struct synthcore *c, unsigned i, unsigned what);

/* The rest of a tick: rotate the table, add up its rows, and step all accounts. */
void synthcore_tick(struct synthcore *c);

#endif
