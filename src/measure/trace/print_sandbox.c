/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/print_sandbox.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
#include "base/compare.h"
#include "base/fieldrows.h"
#include "base/log.h"
#include "base/vec.h"

#define BATCH 1024u /* records of a request, which takes some ms */

struct known {
	uint32_t id;
	char system[FORMAT_NAME];
	char *text; /* NULL: there is none */
	size_t len;
	bool sent;  /* the present helper has it */
	bool lost;  /* a helper died of it: only its fields are printed, in this process */
	struct trace_format format; /* parsed, if `lost` */
};

struct printer {
	printer_find *find;
	void *arg;
	uint32_t number; /* of this printer: the helper has one printer's formats at a time */
	uint32_t life;	 /* of the helper that has the formats sent; 0: none */
	bool with_fields;
	print_names *names;
	unsigned long_size;
	const char *list; /* list of texts, borrowed */
	size_t nlist;
	struct printk texts; /* texts of the list, for print_here() */
	struct known *known; /* sorted by id */
	size_t nr, cap;
	char trouble[256];
};

/* --- messages --------------------------------------------------------------------------------- */

/* Request: texts only in a printer's first, and formats that the helper lacks. */
struct question {
	uint32_t number;
	bool first, with_fields, named;
	unsigned long_size;
	const char *list;
	size_t nlist;
	struct known *formats;
	struct printer_job *jobs;
	size_t nformats, njobs;
};

/* Reply: text and fields of each job; missing: the helper lacks the printer's formats. */
struct answer {
	bool missing;
	struct printer_job *jobs;
	size_t njobs;
};

#define BYTES(nr, member, len)   {nr, FIELD_BYTES, FIELD_ARRAY(T, member, len)}
#define TEXT(nr, member, most)   {nr, FIELD_STRING, FIELD_MEMBER(T, member), .max = (most)-1}
#define LIST(nr, member, by)     {nr, FIELD_LIST, FIELD_ARRAY(T, member, n##member), \
				  .table = &(by), .max = BATCH}

#define T struct known
static const struct field format_rows[] = {
	UINT(1, id), {2, FIELD_TEXT, FIELD_MEMBER(T, system)}, BYTES(3, text, len)};
static const struct fields format_table = FIELDS(format_rows, T);
#undef T

#define T struct printer_job
static const struct field job_rows[] = {
	UINT(1, id), {2, FIELD_SINT, FIELD_MEMBER(T, cpu)}, BYTES(3, record, len)};
static const struct field line_rows[] = {TEXT(1, text, PRINT_TEXT), TEXT(2, fields, PRINT_FIELDS)};
static const struct fields job_table = FIELDS(job_rows, T), line_table = FIELDS(line_rows, T);
#undef T

#define T struct question
static const struct field question_rows[] = {
	UINT(1, number), FLAG(2, first), FLAG(3, with_fields), FLAG(4, named), UINT(5, long_size),
	BYTES(6, list, nlist), LIST(7, formats, format_table), LIST(8, jobs, job_table)};
static const struct fields question_table = FIELDS(question_rows, T);
#undef T

#define T struct answer
static const struct field answer_rows[] = {FLAG(1, missing), LIST(2, jobs, line_table)};
static const struct fields answer_table = FIELDS(answer_rows, T);
#undef T

/* --- the helper's side ------------------------------------------------------------------------ */

static struct {
	struct print *print;
	uint32_t number; /* of the printer whose formats it has */
	struct printer *here; /* the printer, if this process serves it itself; a helper has none */
} served;

/* Request a function's name from the printer's process; struct print caches it. */
static bool ask_name(void *arg, uint64_t addr, char *name, size_t size, uint64_t *start)
{
	struct wire_out ask = {.data = NULL};
	struct wire_in in;
	void *bytes;

	(void)arg;
	if (served.here)
		return served.here->names(served.here->arg, addr, name, size, start);
	wire_put(&ask, addr, 8);
	helper_need(&ask, &in, &bytes);
	*start = wire_get(&in, 8);
	snprintf(name, size, "%s", wire_get_text(&in, size));
	wire_clear(&ask);
	free(bytes);
	return !in.failed && *name;
}

/* Print with another printer's formats from now on; those of the last one are lost. */
static void begin_printer(const struct question *q)
{
	print_free(served.print);
	served.print = print_create(q->with_fields);
	served.number = q->number;
	if (served.print && q->named)
		print_name_by(served.print, ask_name, NULL);
	if (served.print && print_texts(served.print, q->long_size == 4 ? 4 : 8, q->list,
					q->nlist)) {
		print_free(served.print);
		served.print = NULL;
	}
}

static void serve_record(const struct printer_job *j, struct printer_job *answer)
{
	static struct print_line line;

	*line.text = *line.fields = '\0';
	if (j->record)
		print_record(served.print, j->id, j->cpu, j->record, j->len, &line);
	answer->text = strdup(line.text);
	answer->fields = strdup(line.fields);
}

void print_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct question q = {.number = 0};
	struct answer a = {.jobs = NULL};
	int ret = fields_get_part(in, &question_table, &q, NULL);

	(void)fd;
	if (!ret && q.first)
		begin_printer(&q);
	a.missing = ret || !served.print || served.number != q.number;
	/* A bad format does no harm to others.  The library reads on to a NUL in places. */
	for (size_t i = 0; !a.missing && i < q.nformats; i++)
		if (q.formats[i].text)
			print_add(served.print, q.formats[i].id, q.formats[i].system,
				  q.formats[i].text, q.formats[i].len, false, NULL);
	a.jobs = a.missing ? NULL : calloc(q.njobs + 1, sizeof(*a.jobs));
	for (; a.jobs && a.njobs < q.njobs; a.njobs++)
		serve_record(&q.jobs[a.njobs], &a.jobs[a.njobs]);
	fields_put_part(out, &answer_table, &a);
	fields_clear(&answer_table, &a);
	fields_clear(&question_table, &q);
}

/* --- formats ---------------------------------------------------------------------------------- */

COMPARE_BY(compare_ids, struct known, id)

static struct known *find_known_format(const struct printer *p, uint32_t id)
{
	struct known key = {.id = id};

	return p->nr ? bsearch(&key, p->known, p->nr, sizeof(*p->known), compare_ids) : NULL;
}

/* Insert a format; there must be room. */
static void insert_known_format(struct printer *p, const struct known *k)
{
	size_t at = p->nr++;

	for (; at && p->known[at - 1].id > k->id; at--)
		p->known[at] = p->known[at - 1];
	p->known[at] = *k;
}

/* Find the formats of all records; each is requested from printer_find only once. */
static void find_formats(struct printer *p, const struct printer_job *jobs, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct known k = {.id = jobs[i].id};
		char *text = NULL;

		if (find_known_format(p, k.id) ||
		    !vec_reserve(&p->known, &p->cap, p->nr + 1, sizeof(*p->known)))
			continue;
		if (!p->find(p->arg, k.id, k.system, sizeof(k.system), &text, &k.len))
			k.text = text;
		insert_known_format(p, &k);
	}
}

static void forget_sent(struct printer *p)
{
	for (size_t i = 0; i < p->nr; i++)
		p->known[i].sent = false;
	p->life = 0;
}

/* --- requests --------------------------------------------------------------------------------- */

static bool helper_may_print(const struct printer *p, const struct printer_job *j)
{
	const struct known *k = find_known_format(p, j->id);

	return k && k->text && !k->lost;
}

/* Put a request for records whose formats are known. */
static void put_question(struct printer *p, struct printer_job *jobs, size_t nr, struct wire_out *o)
{
	struct question q = {.number = p->number, .first = !p->life, .with_fields = p->with_fields,
			     .named = p->names != NULL, .long_size = p->long_size, .jobs = jobs,
			     .njobs = nr};

	if (q.first) {
		q.list = p->list;
		q.nlist = p->nlist;
	}
	q.formats = calloc(nr, sizeof(*q.formats));
	o->failed |= !q.formats;
	for (size_t i = 0; q.formats && i < nr; i++) {
		struct known *k = find_known_format(p, jobs[i].id);

		if (!k->sent)
			q.formats[q.nformats++] = *k;
		k->sent = true;
	}
	fields_put_part(o, &question_table, &q);
	free(q.formats);
}

int print_take(struct wire_in *in, struct printer_job *jobs, size_t nr)
{
	struct answer a = {.jobs = NULL};
	int missing = 0;

	if (!fields_get_part(in, &answer_table, &a, NULL))
		missing = a.missing;
	for (size_t i = 0; i < a.njobs; i++)
		in->failed |= !a.jobs[i].text || !a.jobs[i].fields;
	in->failed |= !missing && a.njobs != nr;
	for (size_t i = 0; i < nr && !missing && !in->failed; i++) {
		jobs[i].text = a.jobs[i].text;
		jobs[i].fields = a.jobs[i].fields;
		a.jobs[i] = (struct printer_job){.text = NULL};
	}
	fields_clear(&answer_table, &a);
	return missing;
}

static void serve_name(void *arg, struct wire_in *in, struct wire_out *out)
{
	struct printer *p = arg;
	uint64_t addr = wire_get(in, 8), start = 0;
	char text[128] = "";

	if (!p->names || !p->names(p->arg, addr, text, sizeof(text), &start))
		*text = '\0';
	wire_put(out, start, 8);
	wire_put_text(out, text);
}

/* Send a request.  0; 1: the helper lacks formats; -errno. */
static int ask_once(struct printer *p, struct printer_job *jobs, size_t nr, struct err *err)
{
	struct sandbox_call c = {
		.job = SANDBOX_PRINT, .fd = -1, .life = p->life, .need = serve_name, .arg = p};
	int ret, missing = 0;

	put_question(p, jobs, nr, &c.ask);
	served.here = p; /* a helper has its own */
	ret = sandbox_call_or(&c, print_serve, err);
	p->life = c.life ? c.life : 1;
	if (!ret)
		missing = print_take(&c.in, jobs, nr);
	ret = sandbox_taken(&c, ret, err);
	return ret ? ret : missing;
}

/* Request records that the helper may print; formats that it has lost are sent again. */
static int ask_helper(struct printer *p, struct printer_job *jobs, size_t nr, struct err *err)
{
	int ret = ask_once(p, jobs, nr, err);

	if (ret == 1 || ret == -ESTALE) {
		forget_sent(p);
		ret = ask_once(p, jobs, nr, err);
	}
	if (ret)
		forget_sent(p);
	return ret == 1 ? err_set(err, EPROTO, "a helper without formats") : ret;
}

/* --- formats that kill the helper ------------------------------------------------------------- */

static void print_here(const struct printer *p, struct known *k, struct printer_job *j)
{
	struct print_line *line = malloc(sizeof(*line));

	if (line) {
		print_plain(&k->format, &p->texts, j->record, j->len, line);
		j->text = strdup(line->text);
		j->fields = strdup(line->fields);
	}
	free(line);
}

static void give_format_up(struct printer *p, struct known *k, const struct err *err)
{
	struct err other;

	k->lost = true;
	snprintf(p->trouble, sizeof(p->trouble),
		 "records of %.63s (id %u) are printed as plain fields: %.120s", k->system,
		 k->id, err->text);
	log_msg(LOG_RESOLVE, "%s", p->trouble);
	format_clear(&k->format);
	if (format_parse(k->text, k->len, &k->format, &other))
		format_clear(&k->format);
}

/* Send records one by one to find those that kill the helper. */
static void ask_each(struct printer *p, struct printer_job *jobs, size_t nr)
{
	struct err err;

	for (size_t i = 0; i < nr; i++)
		if (helper_may_print(p, &jobs[i]) && sandbox_lost(ask_helper(p, &jobs[i], 1, &err)))
			give_format_up(p, find_known_format(p, jobs[i].id), &err);
}

static void print_batch(struct printer *p, struct printer_job *jobs, size_t nr)
{
	struct err err = {.code = 0};
	int ret = ask_helper(p, jobs, nr, &err);

	if (sandbox_lost(ret) && nr > 1)
		ask_each(p, jobs, nr);
	else if (sandbox_lost(ret))
		give_format_up(p, find_known_format(p, jobs->id), &err);
	else if (ret)
		snprintf(p->trouble, sizeof(p->trouble), "some records are not printed: %.160s",
			 err.text);
}

static void print_asked(struct printer *p, struct printer_job *jobs, size_t nr)
{
	struct printer_job *batch = calloc(BATCH, sizeof(*batch)),
			   **from = calloc(BATCH, sizeof(*from));
	size_t i = 0, n;

	while (batch && from && i < nr) {
		for (n = 0; i < nr && n < BATCH; i++)
			if (helper_may_print(p, &jobs[i])) {
				from[n] = &jobs[i];
				batch[n++] = jobs[i];
			}
		if (n)
			print_batch(p, batch, n);
		while (n--)
			*from[n] = batch[n];
	}
	free(from);
	free(batch);
}

size_t printer_print(struct printer *p, struct printer_job *jobs, size_t nr)
{
	size_t n = 0;

	find_formats(p, jobs, nr);
	print_asked(p, jobs, nr);
	for (size_t i = 0; i < nr; i++) {
		struct known *k = find_known_format(p, jobs[i].id);

		if (!jobs[i].text && k && k->lost)
			print_here(p, k, &jobs[i]);
		n += jobs[i].text != NULL;
	}
	return n;
}

void printer_trouble(struct printer *p, char *text, size_t size)
{
	snprintf(text, size, "%s", p->trouble);
	*p->trouble = '\0';
}

/* --- all of it -------------------------------------------------------------------------------- */

struct printer *printer_create(printer_find *find, void *arg, bool with_fields)
{
	static unsigned numbers;
	struct printer *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->find = find;
	p->arg = arg;
	p->with_fields = with_fields;
	p->long_size = sizeof(long);
	p->number = (uint32_t)atomic_add_relaxed(&numbers, 1);
	return p;
}

void printer_texts(struct printer *p, unsigned long_size, const char *list, size_t len)
{
	p->long_size = long_size;
	p->list = list;
	p->nlist = len;
	printk_clear(&p->texts);
	if (printk_parse(list, len, &p->texts))
		printk_clear(&p->texts); /* addresses are printed instead */
}

void printer_name_by(struct printer *p, print_names *names)
{
	p->names = names;
}

void printer_free(struct printer *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->nr; i++) {
		free(p->known[i].text);
		format_clear(&p->known[i].format);
	}
	free(p->known);
	printk_clear(&p->texts);
	free(p);
}
