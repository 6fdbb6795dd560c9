/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/trace/print_fence.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomics.h"
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

/* Decode the bytes of a long, and the texts. */
static void load_printk_texts(struct wire_in *in)
{
	unsigned long_size = (unsigned)wire_get(in, 1) == 4 ? 4 : 8;
	size_t len = wire_get_count(in, 1);
	const char *list = wire_get_bytes(in, len);

	if (served.print && !in->failed && print_texts(served.print, long_size, list, len)) {
		print_free(served.print);
		served.print = NULL;
	}
}

/* Decode and add a format; a bad one does no harm to the others. */
static void take_format(struct wire_in *in)
{
	uint32_t id = (uint32_t)wire_get(in, 4);
	const char *system = wire_get_text(in, FORMAT_NAME);
	size_t len = wire_get_count(in, 1);
	const char *text = wire_get_bytes(in, len);
	char *copy = text ? malloc(len + 1) : NULL;

	if (copy) {
		/* The library reads on to a NUL in places. */
		memcpy(copy, text, len);
		copy[len] = '\0';
		print_add(served.print, id, system, copy, len, false, NULL);
	}
	free(copy);
}

static void serve_record(struct wire_in *in, struct print_line *line, struct wire_out *out)
{
	uint32_t id = (uint32_t)wire_get(in, 4);
	int cpu = (int)(int32_t)wire_get(in, 4);
	size_t len = wire_get_count(in, 1);
	const void *record = wire_get_bytes(in, len);
	static uint64_t aligned[UINT16_MAX / 8 + 1];

	*line->text = *line->fields = '\0';
	if (record && len <= sizeof(aligned)) {
		memcpy(aligned, record, len);
		print_record(served.print, id, cpu, aligned, len, line);
	}
	wire_put_text(out, line->text);
	wire_put_text(out, line->fields);
}

void print_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	uint32_t number = (uint32_t)wire_get(in, 4);
	bool first = wire_get(in, 1), with_fields = wire_get(in, 1), named = wire_get(in, 1);
	static struct print_line line;

	(void)fd;
	if (first) {
		print_free(served.print);
		served.print = print_create(with_fields);
		served.number = number;
		if (served.print && named)
			print_name_by(served.print, ask_name, NULL);
		load_printk_texts(in);
	}
	if (!served.print || served.number != number) {
		wire_put(out, 1, 1);
		return;
	}
	wire_put(out, 0, 1);
	for (size_t nr = wire_get_count(in, 4); nr && !in->failed; nr--)
		take_format(in);
	for (size_t nr = wire_get_count(in, 8); nr && !in->failed; nr--)
		serve_record(in, &line, out);
}

/* --- formats -----------------------------------------------------------------------------------
 */

static int compare_ids(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

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

/*
 * --- requests ----------------------------------------------------------------------------------
 */

static bool helper_may_print(const struct printer *p, const struct printer_job *j)
{
	const struct known *k = find_known_format(p, j->id);

	return k && k->text && !k->lost;
}

static void put_question(struct printer *p, const struct printer_job *jobs, size_t nr,
			 struct wire_out *o)
{
	struct wire_out formats = {.data = NULL}, records = {.data = NULL};
	size_t nformats = 0, nrecords = 0;
	bool first = !p->life;

	for (size_t i = 0; i < nr; i++) {
		struct known *k = find_known_format(p, jobs[i].id);

		if (!helper_may_print(p, &jobs[i]))
			continue;
		nformats += !k->sent;
		if (!k->sent) {
			wire_put(&formats, k->id, 4);
			wire_put_text(&formats, k->system);
			wire_put(&formats, k->len, 8);
			wire_put_bytes(&formats, k->text, k->len);
		}
		k->sent = true;
		nrecords++;
		wire_put(&records, jobs[i].id, 4);
		wire_put(&records, (uint32_t)jobs[i].cpu, 4);
		wire_put(&records, jobs[i].len, 8);
		wire_put_bytes(&records, jobs[i].record, jobs[i].len);
	}
	wire_put(o, p->number, 4);
	wire_put(o, first, 1);
	wire_put(o, p->with_fields, 1);
	wire_put(o, p->names != NULL, 1);
	if (first) {
		wire_put(o, p->long_size, 1);
		wire_put(o, p->nlist, 8);
		wire_put_bytes(o, p->list, p->nlist);
	}
	wire_put(o, nformats, 8);
	wire_put_bytes(o, formats.data, formats.len);
	wire_put(o, nrecords, 8);
	wire_put_bytes(o, records.data, records.len);
	o->failed |= formats.failed || records.failed;
	wire_clear(&formats);
	wire_clear(&records);
}

int print_take(struct wire_in *in, struct printer_job *jobs, size_t nr)
{
	if (wire_get(in, 1))
		return 1;
	for (size_t i = 0; i < nr && !in->failed; i++) {
		const char *text = wire_get_text(in, PRINT_TEXT), *fields;

		fields = wire_get_text(in, PRINT_FIELDS);
		if (in->failed)
			break;
		jobs[i].text = strdup(text);
		jobs[i].fields = strdup(fields);
	}
	return 0;
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
	struct fence_call c = {
		.job = FENCE_PRINT, .fd = -1, .life = p->life, .need = serve_name, .arg = p};
	int ret, missing = 0;

	put_question(p, jobs, nr, &c.ask);
	served.here = p; /* a helper has its own */
	ret = fence_call_or(&c, print_serve, err);
	p->life = c.life ? c.life : 1;
	if (!ret)
		missing = print_take(&c.in, jobs, nr);
	ret = fence_taken(&c, ret, err);
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
	return ret == 1 ? err_set(err, EPROTO, "a helper that knows no format") : ret;
}

/*
 * --- formats that kill the helper --------------------------------------------------------------
 */

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
		 "records of %.63s (id %u) are printed by their fields alone: %.120s", k->system,
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
		if (helper_may_print(p, &jobs[i]) && fence_lost(ask_helper(p, &jobs[i], 1, &err)))
			give_format_up(p, find_known_format(p, jobs[i].id), &err);
}

static void print_batch(struct printer *p, struct printer_job *jobs, size_t nr)
{
	struct err err = {.code = 0};
	int ret = nr ? ask_helper(p, jobs, nr, &err) : 0;

	if (fence_lost(ret) && nr > 1)
		ask_each(p, jobs, nr);
	else if (fence_lost(ret))
		give_format_up(p, find_known_format(p, jobs->id), &err);
	else if (ret)
		snprintf(p->trouble, sizeof(p->trouble), "some records are not printed: %.160s",
			 err.text);
}

/* Collect the records that the helper may print; returns their number. */
static size_t choose_asked_jobs(const struct printer *p, struct printer_job *jobs, size_t nr,
				struct printer_job **order)
{
	size_t n = 0;

	for (size_t i = 0; i < nr; i++)
		if (helper_may_print(p, &jobs[i]))
			order[n++] = &jobs[i];
	return n;
}

static void print_asked(struct printer *p, struct printer_job *jobs, size_t nr)
{
	struct printer_job **order = calloc(nr + 1, sizeof(*order)),
			   *batch = calloc(BATCH, sizeof(*batch));
	size_t n = order && batch ? choose_asked_jobs(p, jobs, nr, order) : 0;

	for (size_t i = 0, m; i < n; i += m) {
		m = n - i < BATCH ? n - i : BATCH;
		for (size_t k = 0; k < m; k++)
			batch[k] = *order[i + k];
		print_batch(p, batch, m);
		for (size_t k = 0; k < m; k++)
			*order[i + k] = batch[k];
	}
	free(order);
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

/* --- all of it ----------------------------------------------------------------------------------
 */

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
