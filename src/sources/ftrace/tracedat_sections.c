/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/ftrace/tracedat_sections.h"

#include <errno.h>
#include <string.h>

#define LISTS_MOST  1024u /* most lists of options: their links may form a circle */
#define LIST_MOST   (16u << 20)
#define PACKED	    1u
#define SECTION_HEAD 16u

struct section {
	uint64_t flags, size;
	uint64_t at;		      /* offset of its contents in the file */
	struct tracedat_input unpacked; /* used if it is packed */
	struct tracedat_input *in;
};

static const char *const names[] = {
	[TRACEDAT_DONE] = "list of options",
	[TRACEDAT_BUFFER] = "buffer's section",
	[TRACEDAT_HEADER_INFO] = "header_page",
	[TRACEDAT_FTRACE_FORMATS] = "formats of ftrace's own events",
	[TRACEDAT_FORMATS] = "formats of events",
	[TRACEDAT_KALLSYMS] = "copy of kallsyms",
	[TRACEDAT_PRINTK] = "formats of trace_printk",
	[TRACEDAT_CMDLINES] = "names of tasks",
};

static int section_head(struct tracedat_head *h, uint64_t at, uint64_t id, struct section *s,
			struct err *err)
{
	uint64_t is = 0, text;
	int ret = tracedat_seek(&h->in, at);

	h->part = names[id];
	ret = ret ? ret : tracedat_take_number(&h->in, 2, &is);
	ret = ret ? ret : tracedat_take_number(&h->in, 2, &s->flags);
	ret = ret ? ret : tracedat_take_number(&h->in, 4, &text);
	ret = ret ? ret : tracedat_take_number(&h->in, 8, &s->size);
	s->at = at + SECTION_HEAD;
	if (!ret && is != id)
		return err_set(
			err, EBADMSG,
			"trace.dat: the section at offset %llu is %llu instead of its %s (%llu)",
			(unsigned long long)at, (unsigned long long)is, names[id],
			(unsigned long long)id);
	return ret;
}

/* Open the section at `at`. Close in any case. */
static int section_open(struct tracedat_head *h, uint64_t at, uint64_t id, struct section *s,
			struct err *err)
{
	struct err why = {.code = 0};
	int ret;

	*s = (struct section){.in = &h->in};
	ret = section_head(h, at, id, s, err);
	if (ret || !(s->flags & PACKED))
		return ret;
	ret = tracedat_input_unpack(&s->unpacked, &h->in, &h->budget, &why);
	if (why.code)
		return err_set(err, why.code, "trace.dat: its %s at offset %llu: %s", names[id],
			       (unsigned long long)at, why.text);
	s->in = &s->unpacked;
	s->size = s->unpacked.size;
	return ret;
}

static void section_close(struct section *s)
{
	tracedat_input_close(&s->unpacked);
}

/* --- contents of sections -------------------------------------------------------------------- */

static int take_format_section(struct tracedat_head *h, uint64_t at, uint64_t id, struct err *err)
{
	struct section s;
	int ret = section_open(h, at, id, &s, err);

	ret = ret ? ret : tracedat_add_formats(h, s.in, s.size);
	section_close(&s);
	return ret;
}

static int take_text_section(struct tracedat_head *h, uint64_t at, uint64_t id,
			     int (*take)(struct tracedat_head *h,
					 struct tracedat_input *in), struct err *err)
{
	struct section s;
	int ret = section_open(h, at, id, &s, err);

	ret = ret ? ret : take(h, s.in);
	section_close(&s);
	return ret;
}

/* Note where kallsyms are: read on demand. */
static int find_kallsyms(struct tracedat_head *h, uint64_t at, struct err *err)
{
	struct section s;
	int ret = section_head(h, at, TRACEDAT_KALLSYMS, &s, err);

	h->kallsyms = s.at;
	h->kallsyms_section = !ret && s.flags & PACKED;
	return ret;
}

/* Read a buffer's option, which has everything but whether its pages are packed. */
static int take_buffer(struct tracedat_head *h, struct tracedat_input *in, struct err *err)
{
	uint64_t section, page, cpus, cpu, at, size, back = tracedat_input_at(&h->in);
	char name[TRACEDAT_TEXT], clock[TRACEDAT_TEXT];
	struct section s;
	int ret = tracedat_take_number(in, 8, &section);

	ret = ret ? ret : tracedat_take_text(in, name, sizeof(name));
	ret = ret ? ret : tracedat_take_text(in, clock, sizeof(clock));
	ret = ret ? ret : tracedat_take_number(in, 4, &page);
	ret = ret ? ret : tracedat_take_number(in, 4, &cpus);
	if (in == &h->in)
		back = tracedat_input_at(in);
	ret = ret ? ret : section_head(h, section, TRACEDAT_BUFFER, &s, err);
	ret = ret ? ret : tracedat_seek(&h->in, back);
	h->part = ret ? h->part : "list of options";
	ret = ret ? ret : tracedat_add_buffer(h, name, (uint32_t)page);
	for (uint64_t i = 0; i < cpus && !ret; i++) {
		ret = tracedat_take_number(in, 4, &cpu);
		ret = ret ? ret : tracedat_take_number(in, 8, &at);
		ret = ret ? ret : tracedat_take_number(in, 8, &size);
		ret = ret ? ret : tracedat_add_cpu(h, cpu, at, size, s.flags & PACKED);
	}
	if (!ret)
		tracedat_set_clock(h, clock);
	return ret;
}

/* --- options ---------------------------------------------------------------------------------- */

struct treeprofile {
	uint64_t at[TRACEDAT_CMDLINES + 1];
	uint64_t next; /* list of options */
};

static int take_option(struct tracedat_head *h, struct section *s, struct treeprofile *p,
		       struct err *err)
{
	uint64_t id, len, end;
	int ret = tracedat_take_number(s->in, 2, &id);

	ret = ret ? ret : tracedat_take_number(s->in, 4, &len);
	end = tracedat_input_at(s->in) + (ret ? 0 : len);
	if (ret || len > LIST_MOST)
		return ret ? ret : -EBADMSG;
	if (id == TRACEDAT_DONE)
		return tracedat_take_number(s->in, 8, &p->next) ? -ENODATA : 1;
	if (id == TRACEDAT_BUFFER)
		ret = take_buffer(h, s->in, err);
	else if (id >= TRACEDAT_HEADER_INFO && id <= TRACEDAT_CMDLINES)
		ret = tracedat_take_number(s->in, 8, &p->at[id]);
	else
		ret = tracedat_take_option(h, s->in, id, len);
	if (!ret && id == TRACEDAT_BUFFER_TEXT)
		tracedat_remark(
			h, "it also has text of a latency tracer, which trace-cmd report prints");
	return ret ? ret : tracedat_seek(s->in, end);
}

static int take_option_list(struct tracedat_head *h, struct treeprofile *p, struct err *err)
{
	uint64_t end;
	struct section s;
	int ret = section_open(h, p->next, TRACEDAT_DONE, &s, err);

	p->next = 0;
	end = tracedat_input_at(s.in) + s.size;
	if (!ret && s.size > LIST_MOST)
		ret = -EBADMSG;
	while (!ret && tracedat_input_at(s.in) < end)
		ret = take_option(h, &s, p, err);
	section_close(&s);
	return ret > 0 ? 0 : ret;
}

static int take_all_lists(struct tracedat_head *h, const struct treeprofile *p, struct err *err)
{
	int ret = 0;

	for (uint64_t id = TRACEDAT_HEADER_INFO; id <= TRACEDAT_FORMATS && !ret; id++)
		ret = p->at[id]
			      ? take_format_section(h, p->at[id], id, err)
			      : err_set(err, EBADMSG,
					"trace.dat: it has no %s, so its records cannot be "
					"interpreted",
					names[id]);
	if (!ret && p->at[TRACEDAT_KALLSYMS])
		ret = find_kallsyms(h, p->at[TRACEDAT_KALLSYMS], err);
	if (!ret && p->at[TRACEDAT_CMDLINES])
		ret = take_text_section(h, p->at[TRACEDAT_CMDLINES], TRACEDAT_CMDLINES,
					tracedat_take_names, err);
	if (!ret && p->at[TRACEDAT_PRINTK])
		ret = take_text_section(h, p->at[TRACEDAT_PRINTK], TRACEDAT_PRINTK,
					tracedat_take_printk, err);
	return ret;
}

/* Check the name of the compression of its sections. */
static int check_packer(struct tracedat_head *h, struct err *err)
{
	char name[TRACEDAT_TEXT], version[TRACEDAT_TEXT];
	int ret = tracedat_take_text(&h->in, name, sizeof(name));

	ret = ret ? ret : tracedat_take_text(&h->in, version, sizeof(version));
	if (!ret && strcmp(name, "none") != 0 && strcmp(name, "zstd") != 0) {
		err_set(err, EOPNOTSUPP,
			"trace.dat: it is compressed with %.20s; only zstd is supported", name);
		return err_advise(err, "trace-cmd convert --compression zstd -i FILE -o NEW");
	}
	return ret;
}

int tracedat_sections_read(struct tracedat_head *h, struct err *err)
{
	struct treeprofile p = {.next = 0};
	uint64_t behind = tracedat_input_at(&h->in);
	int ret = tracedat_seek(&h->in, 0);

	/*
	 * Start the formats as in a perf.data file; there the sections follow one another, like
	 * version 6's.
	 */
	ret = ret ? ret : tracedat_add_formats(h, &h->in, behind);
	if (!ret)
		h->formats.data[TRACEDAT_MAGIC_BYTES] = '6';
	ret = ret ? ret : check_packer(h, err);
	ret = ret ? ret : tracedat_take_number(&h->in, 8, &p.next);
	for (unsigned i = 0; p.next && !ret; i++)
		ret = i < LISTS_MOST ? take_option_list(h, &p, err) : -EBADMSG;
	ret = ret ? ret : take_all_lists(h, &p, err);
	return ret;
}
