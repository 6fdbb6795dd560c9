/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_head.h"

#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "sources/ftrace/tracedat_sections.h"

#define MACHINE	     8u /* version, byte order, bytes of a long, bytes of a page */
#define FORMATS_MOST (32u << 20)
#define NAMES_MOST   (4u << 20)
#define PRINTK_MOST  (1u << 20) /* a longer list is skipped */
#define REST_MOST    (24u << 20) /* bytes of kallsyms and printk_formats behind the formats */
#define OPTION_MOST  (1u << 20)
#define OPTIONS_MOST 65536u
#define CPUS_MOST    4096u
#define PAGE_MOST    (1u << 20)

/* --- messages --------------------------------------------------------------------------------- */

void tracedat_complain(struct tracedat_head *h, const char *what, uint64_t at)
{
	if (!h->problems++)
		err_set(&h->problem, EBADMSG, "trace.dat: %s (offset %llu)", what,
			(unsigned long long)at);
}

void tracedat_remark(struct tracedat_head *h, const char *fmt, ...)
{
	size_t len = strlen(h->remark);
	va_list args;

	if (len)
		len += (size_t)snprintf(h->remark + len, sizeof(h->remark) - len, "; ");
	if (len >= sizeof(h->remark))
		return;
	va_start(args, fmt);
	vsnprintf(h->remark + len, sizeof(h->remark) - len, fmt, args);
	va_end(args);
}

/* --- parts of both versions ------------------------------------------------------------------- */

int tracedat_add_formats(struct tracedat_head *h, struct tracedat_input *in, uint64_t len)
{
	char bytes[4096];

	if (len > FORMATS_MOST || h->formats.len + len > FORMATS_MOST)
		return -EBADMSG;
	if (!budget_take(&h->budget, BUDGET_READING, 2 * len)) /* the buffer doubles */
		return -ENOMEM;
	h->formats_taken += 2 * len;
	while (len) {
		uint64_t n = len < sizeof(bytes) ? len : sizeof(bytes);
		int ret = tracedat_take(in, bytes, n);

		if (ret)
			return ret;
		perfwrite_bytes(&h->formats, bytes, n);
		len -= n;
	}
	return h->formats.failed ? -ENOMEM : 0;
}

/* Read a block of `len` bytes, and append a NUL. */
static int read_block(struct tracedat_head *h, struct tracedat_input *in, uint64_t len,
		      uint64_t most, char **to)
{
	int ret;

	if (len > most)
		return -EBADMSG;
	budget_free(*to);
	*to = budget_alloc(&h->budget, BUDGET_READING, len + 1);
	ret = *to ? tracedat_take(in, *to, len) : -ENOMEM;
	if (!ret)
		(*to)[len] = '\0';
	return ret;
}

int tracedat_take_names(struct tracedat_head *h, struct tracedat_input *in)
{
	uint64_t len;
	int ret = tracedat_take_number(in, 8, &len);

	ret = ret ? ret : read_block(h, in, len, NAMES_MOST, &h->names);
	if (ret) {
		budget_free(h->names);
		h->names = NULL;
	}
	return ret;
}

/* A list that is too long is skipped: its texts are shown as addresses then. */
int tracedat_take_printk(struct tracedat_head *h, struct tracedat_input *in)
{
	uint64_t len;
	int ret = tracedat_take_number(in, 4, &len);

	if (ret || len > PRINTK_MOST)
		return ret ? ret : tracedat_skip(in, len);
	return read_block(h, in, len, PRINTK_MOST, &h->printk);
}

/* Append a part, preceded by its size; nothing if it is too large or there is no memory. */
static void add_sized_part(struct tracedat_head *h, const char *text, size_t len)
{
	if (len > REST_MOST ||
	    !budget_take(&h->budget, BUDGET_READING, 2 * len)) /* the buffer doubles */
		len = 0;
	h->formats_taken += 2 * len;
	perfwrite_u32(&h->formats, (uint32_t)len);
	perfwrite_bytes(&h->formats, text, len);
}

void tracedat_head_add_rest(struct tracedat_head *h)
{
	char *kallsyms = NULL;
	size_t len = 0;

	if (!h->swap) {
		if (tracedat_head_kallsyms(h, &kallsyms, &len)) /* tracedat_symbols reports it */
			len = 0;
		add_sized_part(h, kallsyms, len);
		add_sized_part(h, h->printk, h->printk ? strlen(h->printk) : 0);
		budget_free(kallsyms);
	}
	perfwrite_bytes(&h->formats, "\0\0\0\0\0\0\0", 8); /* ends the last text */
}

int tracedat_head_kallsyms(struct tracedat_head *h, char **text, size_t *len)
{
	struct tracedat_input unpacked = {.unpacked = NULL}, *in = &h->in;
	struct err err = {.code = 0};
	uint64_t size = 0;
	int ret;

	*text = NULL;
	*len = 0;
	if (!h->kallsyms)
		return 0;
	ret = tracedat_seek(&h->in, h->kallsyms);
	if (!ret && h->kallsyms_section) {
		ret = tracedat_input_unpack(&unpacked, &h->in, &h->budget, &err);
		in = &unpacked;
	}
	ret = ret ? ret : tracedat_take_number(in, 4, &size);
	ret = ret ? ret : read_block(h, in, size, TRACEDAT_SECTION_MOST, text);
	tracedat_input_close(&unpacked);
	*len = (size_t)size;
	if (!ret)
		return 0;
	budget_free(*text);
	*text = NULL;
	return ret;
}

int tracedat_add_buffer(struct tracedat_head *h, const char *name, uint32_t page_size)
{
	struct tracedat_buffer *b;

	if (h->nbuffers >= TRACEDAT_BUFFERS)
		return -EBADMSG;
	b = VEC_ADD(h->buffers, h->nbuffers, h->cap_buffers);
	if (!b)
		return -ENOMEM;
	snprintf(b->name, sizeof(b->name), "%.60s", name);
	b->page_size = page_size;
	return 0;
}

int tracedat_add_cpu(struct tracedat_head *h, uint64_t cpu, uint64_t at, uint64_t size, bool packed)
{
	struct tracedat_cpu *c;

	if (cpu >= CPUS_MOST || at > INT64_MAX || size > INT64_MAX - at)
		return -EBADMSG;
	h->ncpu = cpu + 1 > h->ncpu ? cpu + 1 : h->ncpu;
	if (!size)
		return 0;
	if (h->ncpus >= CPUS_MOST)
		return -EBADMSG;
	c = VEC_ADD(h->cpus, h->ncpus, h->cap_cpus);
	if (!c)
		return -ENOMEM;
	*c = (struct tracedat_cpu){(uint32_t)(h->nbuffers - 1), (uint32_t)cpu, at, size, packed};
	return 0;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Get the clock in brackets of "local [global] counter"; or the name itself. */
static void clock_name(const char *text, char name[32])
{
	const char *at = strchr(text, '[');

	if (sscanf(at ? at + 1 : text, "%31[a-zA-Z0-9_-]", name) != 1)
		*name = '\0';
}

void tracedat_set_clock(struct tracedat_head *h, const char *text)
{
	static const char *const ns[] = {"local",    "global", "uptime", "perf",    "mono",
					 "mono_raw", "boot",   "tai",	 "tsc2nsec"};
	char name[32] = "";

	clock_name(text, name);
	for (size_t i = 0; i < sizeof(ns) / sizeof(*ns); i++)
		if (!strcmp(name, ns[i]))
			return;
	memcpy(h->clock.other, name, sizeof(name));
}

static void take_uname(struct tracedat_head *h, const char *text)
{
	if (sscanf(text, "%*s %64s %64s", h->host, h->release) != 2)
		h->host[0] = h->release[0] = '\0';
}

/*
 * Parse "Buffer: NAME", or for a CPU of that buffer "CPU: 0" and its stats file. Other texts are
 * ignored.
 */
static int take_stats(struct tracedat_head *h, const char *text)
{
	struct tracedat_stats *s;
	struct ftrace_stats is;
	unsigned cpu;

	if (sscanf(text, " Buffer: %63[^\n]", h->stats_of) == 1)
		return 0;
	if (sscanf(text, "CPU: %9u", &cpu) != 1 || h->nstats >= CPUS_MOST || !strchr(text, '\n') ||
	    !ftrace_stats_parse(strchr(text, '\n') + 1, strlen(strchr(text, '\n') + 1), &is))
		return 0;
	s = VEC_ADD(h->stats, h->nstats, h->cap_stats);
	if (!s)
		return -ENOMEM;
	*s = (struct tracedat_stats){.cpu = cpu, .is = is};
	memcpy(s->buffer, h->stats_of, sizeof(s->buffer));
	return 0;
}

const struct ftrace_stats *tracedat_head_stats(const struct tracedat_head *h,
					       const struct tracedat_cpu *cpu)
{
	for (size_t i = 0; i < h->nstats; i++)
		if (h->stats[i].cpu == cpu->cpu &&
		    !strcmp(h->stats[i].buffer, h->buffers[cpu->buffer].name))
			return &h->stats[i].is;
	return NULL;
}

static int take_option_text(struct tracedat_head *h, uint64_t id, const char *text)
{
	if (id == TRACEDAT_UNAME)
		take_uname(h, text);
	else if (id == TRACEDAT_CPUSTAT)
		return take_stats(h, text);
	else if (id == TRACEDAT_CLOCK)
		tracedat_set_clock(h, text);
	else if (id == TRACEDAT_OFFSET)
		h->clock.offset =
			(int64_t)((uint64_t)h->clock.offset + (uint64_t)strtoll(text, NULL, 0));
	else if (id == TRACEDAT_DATE) /* in us */
		h->clock.offset = (int64_t)((uint64_t)h->clock.offset +
					    (uint64_t)strtoll(text, NULL, 0) * 1000);
	else if (id == TRACEDAT_TIME_SHIFT)
		tracedat_remark(h, "recorded in a guest: times are the guest's, not the host's");
	return 0;
}

int tracedat_take_option(struct tracedat_head *h, struct tracedat_input *in, uint64_t id,
			 uint64_t len)
{
	char text[TRACEDAT_TEXT] = "";
	uint64_t here = len < sizeof(text) - 1 ? len : sizeof(text) - 1;
	int ret = len > OPTION_MOST ? -EBADMSG : tracedat_take(in, text, here);

	ret = ret ? ret : tracedat_skip(in, len - here);
	if (ret)
		return ret;
	if (id == TRACEDAT_TSC2NSEC && len >= 16) {
		h->clock.mult = (uint32_t)tracedat_number(text, 4, h->swap);
		h->clock.shift = (uint32_t)tracedat_number(text + 4, 4, h->swap);
		if (h->clock.shift > 63)
			return -EBADMSG;
	} else if (id == TRACEDAT_CPUCOUNT && len == 4) {
		h->ncpu = tracedat_number(text, 4, h->swap);
	} else {
		ret = take_option_text(h, id, text);
	}
	return h->ncpu > CPUS_MOST ? -EBADMSG : ret;
}

/* --- version 6 -------------------------------------------------------------------------------- */

/* Skip formats to find their end; then they are kept unchanged. */
static int skip_formats(struct tracedat_head *h)
{
	uint64_t nr, len;
	int ret = tracedat_take_number(&h->in, 4, &nr);

	for (uint64_t i = 0; i < nr && !ret; i++) {
		ret = tracedat_take_number(&h->in, 8, &len);
		ret = ret ? ret : len > FORMATS_MOST ? -EBADMSG : tracedat_skip(&h->in, len);
	}
	return ret;
}

static int skip_header_info(struct tracedat_head *h)
{
	char text[TRACEDAT_TEXT];
	uint64_t len;
	int ret = 0;

	for (int i = 0; i < 2 && !ret; i++) {
		ret = tracedat_take_text(&h->in, text, sizeof(text));
		ret = ret ? ret : tracedat_take_number(&h->in, 8, &len);
		ret = ret ? ret : len > FORMATS_MOST ? -EBADMSG : tracedat_skip(&h->in, len);
	}
	return ret;
}

static int skip_systems(struct tracedat_head *h)
{
	char text[TRACEDAT_TEXT];
	uint64_t nr;
	int ret = tracedat_take_number(&h->in, 4, &nr);

	for (uint64_t i = 0; i < nr && !ret; i++) {
		ret = tracedat_take_text(&h->in, text, sizeof(text));
		ret = ret ? ret : skip_formats(h);
	}
	return ret;
}

/* Skip kallsyms: their size, and their bytes. */
static int skip_sized(struct tracedat_head *h)
{
	uint64_t len;
	int ret = tracedat_take_number(&h->in, 4, &len);

	return ret ? ret : tracedat_skip(&h->in, len);
}

struct instance { /* option of version 6 */
	uint64_t at;
	char name[TRACEDAT_TEXT];
};

struct options_6 {
	struct instance *instances;
	size_t nr, cap;
	bool clock; /* the clock's name stands behind the table of CPUs */
};

static int take_instance(struct tracedat_head *h, struct options_6 *o, uint64_t len)
{
	struct instance *i;

	if (len < 9 || len > 8 + sizeof(i->name) || o->nr >= TRACEDAT_BUFFERS)
		return -EBADMSG;
	i = VEC_ADD(o->instances, o->nr, o->cap);
	if (!i)
		return -ENOMEM;
	if (tracedat_take_number(&h->in, 8, &i->at) || tracedat_take(&h->in, i->name, len - 8))
		return -ENODATA;
	i->name[sizeof(i->name) - 1] = '\0';
	return 0;
}

static int take_options_6(struct tracedat_head *h, struct options_6 *o)
{
	uint64_t id = 1, len;
	int ret = 0;

	for (unsigned i = 0; !ret && id; i++) {
		ret = i < OPTIONS_MOST ? tracedat_take_number(&h->in, 2, &id) : -EBADMSG;
		if (ret || !id)
			break;
		ret = tracedat_take_number(&h->in, 4, &len);
		o->clock |= id == TRACEDAT_CLOCK;
		if (!ret)
			ret = id == TRACEDAT_BUFFER ? take_instance(h, o, len)
						    : tracedat_take_option(h, &h->in, id, len);
	}
	return ret;
}

static int no_cpus_error(struct err *err)
{
	err_set(err, EOPNOTSUPP,
		"trace.dat: it contains the text of a latency tracer, not records");
	return err_advise(err, "trace-cmd report prints it");
}

/* Read "options", if any, and "flyrecord" with the table of CPUs. */
static int take_buffer_6(struct tracedat_head *h, const char *name, uint64_t cpus,
			 struct options_6 *o, struct err *err)
{
	char tag[10], clock[TRACEDAT_TEXT] = "";
	uint64_t at, size;
	int ret = tracedat_take(&h->in, tag, sizeof(tag));

	h->part = "options";
	h->ncpu = cpus;
	if (!ret && !memcmp(tag, "options  ", sizeof(tag))) {
		ret = take_options_6(h, o);
		ret = ret ? ret : tracedat_take(&h->in, tag, sizeof(tag));
	}
	h->part = "table of CPUs";
	if (!ret && !memcmp(tag, "latency  ", sizeof(tag)))
		return no_cpus_error(err);
	if (!ret && memcmp(tag, "flyrecord", sizeof(tag)) != 0)
		ret = -EBADMSG;
	ret = ret ? ret : tracedat_add_buffer(h, name, 0);
	cpus = h->ncpu;
	for (uint64_t i = 0; i < cpus && !ret; i++) {
		ret = tracedat_take_number(&h->in, 8, &at);
		ret = ret ? ret : tracedat_take_number(&h->in, 8, &size);
		ret = ret ? ret : tracedat_add_cpu(h, i, at, size, false);
	}
	if (ret || !o->clock || tracedat_take_number(&h->in, 8, &size) || size >= sizeof(clock))
		return ret;
	if (!tracedat_take(&h->in, clock, size)) /* a file without it uses a clock in ns */
		tracedat_set_clock(h, clock);
	return 0;
}

static int take_buffers_6(struct tracedat_head *h, uint64_t cpus, struct err *err)
{
	struct options_6 o = {.nr = 0}, inner;
	int ret = cpus <= CPUS_MOST ? take_buffer_6(h, "", cpus, &o, err) : -EBADMSG;

	cpus = h->ncpu;
	for (size_t i = 0; i < o.nr && !ret; i++) {
		inner = (struct options_6){.clock = o.clock};
		ret = tracedat_seek(&h->in, o.instances[i].at);
		ret = ret ? ret : take_buffer_6(h, o.instances[i].name, cpus, &inner, err);
		free(inner.instances);
	}
	free(o.instances);
	return ret;
}

static int copy_head_6(struct tracedat_head *h)
{
	uint64_t end = tracedat_input_at(&h->in);
	int ret = tracedat_seek(&h->in, 0);

	ret = ret ? ret : tracedat_add_formats(h, &h->in, end);
	if (h->formats.len >= TRACEDAT_MAGIC_BYTES)
		h->formats.data[TRACEDAT_MAGIC_BYTES] = '6';
	return ret;
}

static int read_parts(struct tracedat_head *h, struct err *err)
{
	uint64_t cpus = 0;
	int ret = skip_header_info(h);

	h->part = "formats of events";
	ret = ret ? ret : skip_formats(h);
	ret = ret ? ret : skip_systems(h);
	ret = ret ? ret : copy_head_6(h);
	h->part = ret ? h->part : "copy of kallsyms";
	h->kallsyms = tracedat_input_at(&h->in);
	ret = ret ? ret : skip_sized(h);
	h->part = ret ? h->part : "formats of trace_printk";
	ret = ret ? ret : tracedat_take_printk(h, &h->in);
	h->part = ret ? h->part : "names of tasks";
	ret = ret ? ret : tracedat_take_names(h, &h->in);
	h->part = ret ? h->part : "number of CPUs";
	ret = ret ? ret : tracedat_take_number(&h->in, 4, &cpus);
	return ret ? ret : take_buffers_6(h, cpus, err);
}

/* --- all of it -------------------------------------------------------------------------------- */

/*
 * Read what follows the magic: version, byte order, bytes of a long (user space's: the pages' are
 * in header_page), of a page.
 */
static int take_machine(struct tracedat_head *h, struct err *err)
{
	char version[TRACEDAT_TEXT] = "", machine[2] = "";
	uint64_t page;
	int ret = tracedat_seek(&h->in, TRACEDAT_MAGIC_BYTES);

	ret = ret ? ret : tracedat_take_text(&h->in, version, sizeof(version));
	if (!ret && strcmp(version, "6") != 0 && strcmp(version, "7") != 0) {
		err_set(err, EOPNOTSUPP,
			"trace.dat: its version is %.20s; only 6 and 7 are supported", version);
		return err_advise(err, "trace-cmd convert --file-version 7 -i FILE -o NEW");
	}
	ret = ret ? ret : tracedat_take(&h->in, machine, sizeof(machine));
	h->big = machine[0];
	h->swap = h->in.swap = h->big != (__BYTE_ORDER == __BIG_ENDIAN);
	h->version = (unsigned)(version[0] - '0');
	return ret ? ret : tracedat_take_number(&h->in, 4, &page);
}

/* Find the layout of pages: header_page is the first format. */
static int find_layout(struct tracedat_head *h, struct err *err)
{
	static const char name[] = "header_page";
	const size_t at = TRACEDAT_MAGIC_BYTES + MACHINE;
	const char *text = h->formats.data + at;
	struct err why = {.code = 0};
	uint64_t len = 0;

	h->part = "header_page";
	if (h->formats.len < at + sizeof(name) + 8 || memcmp(text, name, sizeof(name)) != 0)
		return -EBADMSG;
	len = tracedat_number(text + sizeof(name), 8, h->swap);
	if (len > h->formats.len - at - sizeof(name) - 8)
		return -EBADMSG;
	if (page_layout_parse(text + sizeof(name) + 8, len, h->big, &h->layout, &why))
		return err_set(err, EBADMSG, "trace.dat: %s", why.text);
	return 0;
}

/* Check the page sizes of buffers that have their own. */
static int check_pages(const struct tracedat_head *h, struct err *err)
{
	for (size_t i = 0; i < h->nbuffers; i++) {
		uint32_t size = h->buffers[i].page_size ? h->buffers[i].page_size : h->layout.size;

		if (size <= h->layout.data || size > PAGE_MOST || size % 8)
			return err_set(
				err, EBADMSG,
				"trace.dat: pages of %u bytes with a header of %u are invalid",
				size, h->layout.data);
	}
	return 0;
}

static int read_whole_head(struct tracedat_head *h, struct err *err)
{
	int ret = tracedat_input_open(&h->in, h->file);

	h->part = "first bytes";
	ret = ret ? ret : take_machine(h, err);
	if (!ret)
		ret = h->version == 6 ? read_parts(h, err) : tracedat_sections_read(h, err);
	if (!ret && *h->clock.other && !h->clock.mult)
		tracedat_remark(h, "clock %s does not count ns: times are shown as its counts",
				h->clock.other);
	ret = ret ? ret : find_layout(h, err);
	return ret ? ret : check_pages(h, err);
}

int tracedat_head_read(struct tracedat_head *h, const struct perfdata_source *file, struct err *err)
{
	struct err why = {.code = 0};
	int ret;

	*h = (struct tracedat_head){.file = file};
	ret = read_whole_head(h, &why);
	if (!ret)
		return 0;
	if (why.code) {
		*err = why;
	} else if (ret == -ENODATA) {
		err_set(err, EBADMSG,
			"trace.dat: the file ends within its %s, at offset %llu: it was cut off, "
			"or trace-cmd did not finish it",
			h->part, (unsigned long long)tracedat_input_at(&h->in));
	} else if (ret == -EBADMSG) {
		err_set(err, EBADMSG,
			"trace.dat: its %s are invalid, at offset %llu: the file is damaged",
			h->part, (unsigned long long)tracedat_input_at(&h->in));
	} else if (ret == -ENOMEM) {
		if (!budget_say(&h->budget, "trace.dat: what it says of itself", err))
			err_room(err, ENOMEM, "what a trace.dat says of itself");
	} else {
		err_set(err, -ret, "trace.dat: cannot read its %s: %s", h->part, strerror(-ret));
	}
	return -err->code;
}

void tracedat_head_clear(struct tracedat_head *h)
{
	tracedat_input_close(&h->in);
	perfwrite_clear(&h->formats);
	budget_give(&h->budget, BUDGET_READING, h->formats_taken);
	budget_free(h->names);
	budget_free(h->printk);
	free(h->buffers);
	free(h->cpus);
	free(h->stats);
	*h = (struct tracedat_head){.file = NULL};
}
