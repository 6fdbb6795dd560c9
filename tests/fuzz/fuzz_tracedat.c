/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace.dat: its head, its pages in order of time, and the stream of perf's records that is made of them. */
#include <stdint.h>
#include <string.h>

#include "files/decode/perfdata.h"
#include "sources/ftrace/tracedat.h"
#include "memory.h"
#include "must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What we made of it ourselves: nothing is wrong with that which was not found in the file (formats are). */
static void read_all(struct perfdata *p, uint64_t wrong)
{
	struct perfdata_record rec;
	struct err err = {.code = 0};
	uint64_t bad;
	int ret;

	while ((ret = perfdata_next(p, &rec, &err)) > 0)
		must(rec.event != PERFDATA_NO_EVENT || !rec.time);
	must(!ret);
	perfdata_problem(p, &bad);
	must(!bad || wrong);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct memory m = {data, size};
	struct perfdata_source source = {.read = read_memory, .arg = &m, .seekable = true};
	struct budget_figures before, after;
	struct err err = {.code = 0};
	struct tracedat *t;
	struct perfdata *p;
	uint64_t nr;

	budget_figures(&before);
	t = tracedat_open(&source, &err);
	must(t || (err.code && *err.text));
	p = t ? perfdata_open(tracedat_stream(t), &err) : NULL;
	must(!t == !p);
	if (p) {
		const struct err *problem = tracedat_problem(t, &nr);

		must(!nr == !problem->code && strlen(tracedat_remarks(t)) < TRACEDAT_REMARK);
		read_all(p, nr);
	}
	perfdata_close(p);
	tracedat_free(t);
	budget_figures(&after);
	must(before.taken == after.taken);
	return 0;
}
