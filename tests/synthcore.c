/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/synthcore.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const pid_t everybody = -1;
static const pid_t tasks[] = {SYNTHCORE_TASK, SYNTHCORE_TASK + 1, SYNTHCORE_TASK + 2};
static const struct split nobody;

/* What cannot be had for a test is no finding of it. */
static void need(bool ok)
{
	if (!ok)
		abort();
}

static void make_events(struct synthcore *c)
{
	c->events.nr = c->config.events;
	c->events.events = calloc(c->events.nr, sizeof(*c->events.events));
	need(c->events.events != NULL);
	for (unsigned e = 0; e < c->events.nr; e++)
		c->events.events[e].attr = (struct perf_event_attr){
			.type = c->config.hardware ? PERF_TYPE_RAW : PERF_TYPE_SOFTWARE, .config = 2 + e,
			.pinned = c->config.pinned, .sample_period = c->config.reads && e ? 0 : c->config.period};
	for (unsigned e = 0; e < c->events.nr && c->config.reads; e++) {
		c->events.events[e].group = 1;
		c->events.events[e].sample_read = !e;
		c->events.events[e].led = e;
	}
	if (c->config.all_wakings)
		c->events.events[c->events.nr - 1].role = EVENT_WAKING;
}

static void make_reader(struct synthcore *c, unsigned i)
{
	const struct reader_config rc = {.rings = &c->rings, .table = c->table, .split = &nobody, .writer = i, .cpu = (int)i,
					 .side_room = 65536, .offline = !c->config.tasks,
					 .done_fd = c->done_fd, .outstanding = &c->outstanding,
					 .dozing = &c->dozing};
	const struct reader_tasks all = {.watch = tasks, .nwatch = c->config.tasks, .count = tasks,
					 .ncount = c->config.tasks};
	struct err err;

	c->reader[i] = (struct synthcore_reader){.reader = reader_create(&rc, &err)};
	need(c->reader[i].reader != NULL);
	if (c->config.tasks) {
		need(!reader_open(c->reader[i].reader, &err));
		need(!c->config.by_task || !reader_open_new_now(c->reader[i].reader, &all, &err));
		synthcore_do(c, i, READER_ENABLE_NEW);
	} else {
		synthcore_do(c, i, READER_ONLINE);
	}
}

void synthcore_begin(struct synthcore *c, const struct synthcore_config *config)
{
	const struct synthring_config sc = {.cpus = config->cpus, .format_lost = !config->no_format_lost,
					    .stepping = true, .no_pin = config->no_pin};

	*c = (struct synthcore){.config = *config, .ring = synthring_create(&sc),
				.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	need(c->ring && c->done_fd >= 0);
	make_events(c);
	c->rings = (struct ringset_config){
		.source = synthring_source(c->ring), .events = &c->events,
		.tids = config->tasks ? tasks : &everybody, .ntids = config->tasks ? config->tasks : 1,
		.overwrite = config->overwrite,
		.callchain = config->callchain, .inherit = config->inherit, .by_task = config->by_task,
		.all_wakings = config->all_wakings, .sideband_bytes = 4096,
		.sample_bytes = config->ring_bytes ? config->ring_bytes : 4096};
	perf_features_probe(c->rings.source, &c->rings.features);
	c->table = table_create(config->cpus, config->rows ? config->rows : 4096, 1u << 20);
	need(c->table != NULL);
	for (unsigned i = 0; i < config->cpus; i++)
		make_reader(c, i);
}

void synthcore_end(struct synthcore *c)
{
	for (unsigned i = 0; i < c->config.cpus; i++)
		reader_free(c->reader[i].reader);
	need(!synthring_open_count(c->ring));
	table_free(c->table);
	synthring_free(c->ring);
	free(c->events.events);
	close(c->done_fd);
}

bool synthcore_ask(struct synthcore *c, unsigned i, unsigned what)
{
	if (!reader_done(c->reader[i].reader))
		return false;
	c->outstanding++;
	reader_request(c->reader[i].reader, what);
	return true;
}

void synthcore_turn(struct synthcore *c, unsigned i)
{
	bool asked = !reader_done(c->reader[i].reader);

	reader_turn(c->reader[i].reader);
	c->reader[i].answered |= asked && reader_done(c->reader[i].reader);
}

void synthcore_do(struct synthcore *c, unsigned i, unsigned what)
{
	if (synthcore_ask(c, i, what))
		synthcore_turn(c, i);
}

static void add_rows(struct synthcore *c)
{
	struct table_gen *gen = table_rotate(c->table);
	struct table_row row;
	size_t pos = 0;

	while (table_next(gen, &pos, &row)) {
		struct combine_total *sum = &c->reader[row.key.cpu].rows[row.key.event];

		sum->samples += row.count.samples;
		sum->weight += row.count.weight;
	}
	table_recycle(c->table, gen);
}

void synthcore_tick(struct synthcore *c)
{
	add_rows(c);
	for (unsigned i = 0; i < c->config.cpus; i++) {
		struct synthcore_reader *r = &c->reader[i];

		if (r->answered && reader_done(r->reader))
			memcpy(r->input, reader_report(r->reader)->input, c->events.nr * sizeof(r->input[0]));
		r->answered = false;
		for (unsigned e = 0; e < c->events.nr; e++) {
			struct loss_input in = r->input[e];
			struct slice_account out;

			in.samples = r->rows[e].samples;
			in.attributed = r->rows[e].weight;
			in.period = c->config.period;
			in.forks = c->forks;
			in.elsewhere = in.elsewhere && !c->last;
			loss_step(&r->account[e], &in, &out);
		}
	}
}
