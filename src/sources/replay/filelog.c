/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/replay/filelog.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/session/kernelnames.h"
#include "measure/consumers/logset.h"

#define BYTES (16u << 20) /* records that wait for the slice's end */

struct filelog {
	struct filelog_config config;
	const struct resolver *threads;
	struct printer *printer;
	struct kernelnames kernel;
	struct logset set, spare;
	struct slice_logging counts; /* since the last slice */
	uint64_t newest;
};

static int copy_format_text(void *arg, uint32_t id, char *system, size_t size, char **text,
			    size_t *len)
{
	const struct filelog *l = arg;
	const struct recorded_format *f = fileformats_find(l->config.formats, id);

	if (!f)
		return -ENOENT;
	*text = malloc(f->len + 1);
	if (!*text)
		return -ENOMEM;
	memcpy(*text, f->text, f->len);
	*len = f->len;
	snprintf(system, size, "%s", f->system);
	return 0;
}

static bool find_kernel_name(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start)
{
	struct filelog *l = arg;

	if (l->config.names && l->config.names(l->config.names_arg, addr, name, size, start))
		return true;
	return kernelnames_find(&l->kernel, addr, name, size, start);
}

struct filelog *filelog_create(const struct filelog_config *c, const struct resolver *threads)
{
	struct filelog *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->config = *c;
	l->threads = threads;
	l->printer = printer_create(copy_format_text, l, c->with_fields);
	if (l->printer)
		printer_texts(l->printer, c->long_size ? c->long_size : sizeof(long),
			      c->formats->list, c->formats->nlist);
	kernelnames_init(&l->kernel, c->kallsyms);
	if (l->printer && (c->names || c->kallsyms))
		printer_name_by(l->printer, find_kernel_name);
	if (l->printer)
		return l;
	free(l);
	return NULL;
}

void filelog_free(struct filelog *l)
{
	if (!l)
		return;
	printer_free(l->printer);
	kernelnames_clear(&l->kernel);
	logset_clear(&l->set);
	logset_clear(&l->spare);
	free(l);
}

/* Drop the older lines when there are twice as many as are shown. */
static void cut_older_lines(struct filelog *l, size_t most)
{
	size_t excess = logset_excess(&l->set, 0, most, BYTES);

	l->counts.unshown += excess;
	l->counts.unprinted += logset_cut(&l->set, &l->spare, excess);
}

static bool log_sample(void *of, const struct consumer_sample *c)
{
	const struct filelog_sample *whole = (const struct filelog_sample *)c;
	const struct sample *s = c->s;
	struct filelog *l = of;
	const struct sample_span *raw = &s->span[SAMPLE_RAW];
	struct logrecord r = {.time = s->time,
			      .shown = whole->shown,
			      .pid = s->pid,
			      .tid = s->tid,
			      .id = whole->format,
			      .len = raw->len,
			      .event = (uint16_t)c->event,
			      .cpu = (int16_t)s->cpu};
	const char *comm;

	if (!raw->offset)
		return true;
	/* A file may be out of order, as perf script reports, too. */
	r.late = s->time < l->newest;
	l->newest = r.late ? l->newest : s->time;
	comm = !s->tid ? LOGSET_IDLE : resolver_comm(l->threads, (pid_t)s->tid, s->time);
	if (comm)
		memcpy(r.comm, comm, strnlen(comm, sizeof(r.comm) - 1));
	if (!logset_add(&l->set, &r, sample_at(s, SAMPLE_RAW)))
		l->counts.unprinted++;
	if (!l->config.all && (l->set.nr >= 2 * FILELOG_LINES || l->set.nbytes >= 2 * BYTES))
		cut_older_lines(l, FILELOG_LINES);
	return true;
}

const struct consumer_ops filelog_consumer = {.sample = log_sample};

bool filelog_full(const struct filelog *l)
{
	return l && l->config.all && (l->set.nr >= FILELOG_BATCH || l->set.nbytes >= BYTES);
}

void filelog_tell(struct filelog *l, struct slice *s)
{
	struct loglines lines;
	char trouble[256];

	if (!l)
		return;
	if (!l->config.all)
		cut_older_lines(l, FILELOG_LINES);
	logset_print(&l->set, l->printer, &lines);
	logset_empty(&l->set);
	loglines_give(&lines, s);
	slice_logging_add(&s->logging, &l->counts);
	l->counts = (struct slice_logging){.lines = 0};
	printer_trouble(l->printer, trouble, sizeof(trouble));
	if (*trouble)
		slice_log(s, SLICE_WARNING, "event log: %s", trouble);
}
