/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/fileconsumers.h"

#include <errno.h>

static struct consumer wanted_consumer(const struct consumer_ops *ops, void *of)
{
	return (struct consumer){of ? ops : NULL, of};
}

int fileconsumers_init(struct fileconsumers *c, const struct fileconsumers_plan *plan,
		       struct resolver *names, unsigned cpus, const struct waitrows *rows)
{
	c->plan = *plan;
	c->names = names;
	if (filefields_create(plan->traced, &c->traced) ||
	    filewaits_create(plan->waits, cpus, rows, &c->waits))
		return -ENOMEM;
	if (plan->traced && plan->traced->between.wanted &&
	    !(c->between = between_create(&plan->traced->between, 0, 0)))
		return -ENOMEM;
	if (plan->log.wanted && !(c->log = filelog_create(&plan->log, names)))
		return -ENOMEM;
	c->list[CONSUMER_SUMS] = wanted_consumer(&filefields_consumer, c->traced);
	c->list[CONSUMER_OFFCPU] = wanted_consumer(&filewaits_consumer, c->waits);
	c->list[CONSUMER_PAIRS] = wanted_consumer(&between_file_consumer, c->between);
	c->list[CONSUMER_LOG] = wanted_consumer(&filelog_consumer, c->log);
	return 0;
}

void fileconsumers_clear(struct fileconsumers *c)
{
	filefields_free(c->traced);
	between_free(c->between);
	filewaits_free(c->waits);
	filelog_free(c->log);
	*c = (struct fileconsumers){.traced = NULL};
}

unsigned fileconsumers_of(const struct fileconsumers *c, unsigned event,
			  const struct perf_event_attr *attr)
{
	return (c->traced && tracefields_key(c->plan.traced->fields, event)) << CONSUMER_SUMS |
	       (c->waits && c->plan.waits->role[event]) << CONSUMER_OFFCPU |
	       (c->between != NULL) << CONSUMER_PAIRS |
	       (c->log && attr->type == PERF_TYPE_TRACEPOINT) << CONSUMER_LOG;
}

bool fileconsumers_redefines(const struct record *rec, uint32_t *id)
{
	switch (rec->h->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		*id = rec->mmap.pid;
		return rec->whole;
	case PERF_RECORD_COMM:
		*id = rec->comm.tid;
		return rec->whole;
	case PERF_RECORD_FORK:
		*id = rec->task.tid;
		return rec->whole;
	case PERF_RECORD_KSYMBOL:
		*id = UINT32_MAX;
		return rec->whole;
	default:
		return false;
	}
}

void fileconsumers_sideband(struct fileconsumers *c, const struct record *rec, struct slice *s)
{
	uint32_t id;

	if (fileconsumers_redefines(rec, &id) && id != UINT32_MAX)
		filefields_remapped(c->traced, id);
	else if (fileconsumers_redefines(rec, &id) && filefields_by_path(c->traced))
		filefields_tell(c->traced, c->names, s); /* not by later names */
	if (rec->h->type == PERF_RECORD_COMM)
		filefields_comm(c->traced);
	if (rec->h->type != PERF_RECORD_EXIT || !rec->whole)
		return;
	if (c->between)
		between_exit(c->between, rec->task.tid, rec->time);
	filewaits_exit(c->waits, rec->task.tid, rec->time);
}

bool fileconsumers_tell(struct fileconsumers *c, uint64_t time, bool last, struct slice *s)
{
	bool told = filefields_tell(c->traced, c->names, s);

	if (c->between) {
		between_end(c->between, time, last, s);
		told &= between_tell(c->between, s);
	}
	filelog_tell(c->log, s);
	return told;
}
