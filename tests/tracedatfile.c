/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracedatfile.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MISSED 0x80000000u
#define STORED 0x40000000u
#define CHUNK  2u /* pages packed together */

/* --- bytes ------------------------------------------------------------------------------------- */

static void put(struct tracedatfile *f, const void *bytes, size_t len)
{
	while (f->len + len > f->cap) {
		f->cap = f->cap ? 2 * f->cap : 1u << 16;
		f->bytes = realloc(f->bytes, f->cap);
		if (!f->bytes)
			abort();
	}
	if (len)
		memcpy(f->bytes + f->len, bytes, len);
	f->len += len;
}

static void number(const struct tracedatfile *f, char *to, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[f->big ? bytes - 1 - i : i] = (char)(v >> 8 * i);
}

static void put_number(struct tracedatfile *f, uint64_t v, unsigned bytes)
{
	char to[8];

	number(f, to, v, bytes);
	put(f, to, bytes);
}

static void put_text(struct tracedatfile *f, const char *text)
{
	put(f, text, strlen(text) + 1);
}

static void put_sized(struct tracedatfile *f, const char *text, unsigned bytes)
{
	put_number(f, strlen(text), bytes);
	put(f, text, strlen(text));
}

static unsigned long_of(const struct tracedatfile *f)
{
	return f->long_size ? f->long_size : 8;
}

/* --- pages ------------------------------------------------------------------------------------- */

static char *last_page(struct tracedatfile *f, unsigned cpu)
{
	return f->cpu[cpu].bytes + f->cpu[cpu].len - TRACEDATFILE_PAGE;
}

static unsigned head_of(const struct tracedatfile *f)
{
	return 8 + long_of(f);
}

static void commit(struct tracedatfile *f, unsigned cpu, uint64_t flags)
{
	number(f, last_page(f, cpu) + 8, f->cpu[cpu].fill | flags, long_of(f));
}

void tracedatfile_page(struct tracedatfile *f, unsigned cpu, uint64_t time, uint64_t missed)
{
	struct tracedatfile_pages *p = &f->cpu[cpu];

	p->bytes = realloc(p->bytes, p->len + TRACEDATFILE_PAGE);
	if (!p->bytes)
		abort();
	memset(p->bytes + p->len, 0, TRACEDATFILE_PAGE);
	p->len += TRACEDATFILE_PAGE;
	p->fill = 0;
	p->time = time;
	f->cpus = cpu + 1 > f->cpus ? cpu + 1 : f->cpus;
	number(f, last_page(f, cpu), time, 8);
	commit(f, cpu, missed == UINT64_MAX ? MISSED : 0);
	if (missed && missed != UINT64_MAX) { /* its number stands behind the data: there are none yet */
		commit(f, cpu, MISSED | STORED);
		number(f, last_page(f, cpu) + head_of(f), missed, long_of(f));
	}
}

/* The number of missed events moves on behind what is committed. */
void tracedatfile_record(struct tracedatfile *f, unsigned cpu, uint32_t delta, const void *bytes, uint32_t len)
{
	struct tracedatfile_pages *p = &f->cpu[cpu];
	char *page = last_page(f, cpu), *at = page + head_of(f) + p->fill, missed[8], was[8];
	uint32_t head = len / 4;
	uint64_t flags = 0;

	memcpy(was, page + 8, long_of(f));
	for (unsigned i = 0; i < 4; i++)
		flags |= (uint64_t)(uint8_t)was[f->big ? long_of(f) - 1 - i : i] << 8 * i;
	flags &= MISSED | STORED;
	memcpy(missed, at, long_of(f));
	number(f, at, f->big ? head << 27 | delta : delta << 5 | head, 4);
	memcpy(at + 4, bytes, len);
	p->fill += 4 + len;
	if (flags & STORED)
		memcpy(at + 4 + len, missed, long_of(f));
	commit(f, cpu, flags);
}

static char *common(struct tracedatfile *f, char *to, uint32_t id, uint32_t tid)
{
	number(f, to, id, 2);
	number(f, to + 4, tid, 4);
	return to + 8;
}

void tracedatfile_switch(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t prev, const char *prev_comm,
			 uint32_t next, const char *next_comm)
{
	char b[64] = "";

	common(f, b, TRACEDATFILE_SWITCH, prev);
	snprintf(b + 8, 16, "%s", prev_comm);
	number(f, b + 24, prev, 4);
	number(f, b + 28, 120, 4);
	number(f, b + 32, 1, 8);
	snprintf(b + 40, 16, "%s", next_comm);
	number(f, b + 56, next, 4);
	number(f, b + 60, 120, 4);
	tracedatfile_record(f, cpu, delta, b, sizeof(b));
}

void tracedatfile_enter(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t tid, uint64_t nr)
{
	char b[16] = "";

	number(f, common(f, b, TRACEDATFILE_ENTER, tid), nr, 8);
	tracedatfile_record(f, cpu, delta, b, sizeof(b));
}

void tracedatfile_call(struct tracedatfile *f, unsigned cpu, uint32_t delta, uint32_t tid, uint64_t ip, uint64_t caller)
{
	char b[24] = "", *at = common(f, b, TRACEDATFILE_CALL, tid);

	number(f, at, ip, long_of(f));
	number(f, at + long_of(f), caller, long_of(f));
	tracedatfile_record(f, cpu, delta, b, 8 + 2 * long_of(f));
}

/* --- what the file says of itself -------------------------------------------------------------- */

#define COMMON                                                                                                        \
	"format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                               \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                        \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                                \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char switch_format[] =
	"name: sched_switch\nID: 316\n" COMMON
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\nprint fmt: \"%s\", REC->prev_comm\n";

static const char enter_format[] = "name: sys_enter\nID: 21\n" COMMON
				   "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n\nprint fmt: \"NR %ld\", REC->id\n";

static void put_header_info(struct tracedatfile *f)
{
	char page[256];
	unsigned l = long_of(f);

	snprintf(page, sizeof(page),
		 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t commit;\toffset:8;\tsize:%u;\tsigned:1;\n"
		 "\tfield: char data;\toffset:%u;\tsize:%u;\tsigned:0;\n", l, 8 + l, TRACEDATFILE_PAGE - 8 - l);
	put_text(f, "header_page");
	put_sized(f, page, 8);
	put_text(f, "header_event");
	put_sized(f, "# compressed entry header\n", 8);
}

static void put_ftrace_formats(struct tracedatfile *f)
{
	char text[1024];
	unsigned l = long_of(f);

	snprintf(text, sizeof(text),
		 "name: function\nID: 1\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:%u;\tsigned:0;\n"
		 "\tfield:unsigned long parent_ip;\toffset:%u;\tsize:%u;\tsigned:0;\n\n"
		 "print fmt: \" %%ps <-- %%ps\", (void *)REC->ip, (void *)REC->parent_ip\n", l, 8 + l, l);
	put_number(f, 1, 4);
	put_sized(f, text, 8);
}

static void put_formats(struct tracedatfile *f)
{
	put_number(f, 2, 4);
	put_text(f, "sched");
	put_number(f, 1, 4);
	put_sized(f, switch_format, 8);
	put_text(f, "raw_syscalls");
	put_number(f, 1, 4);
	put_sized(f, enter_format, 8);
}

static void put_kallsyms(struct tracedatfile *f)
{
	put_sized(f, f->kallsyms ? f->kallsyms : "", 4);
}

static void put_printk(struct tracedatfile *f)
{
	put_sized(f, f->printk ? f->printk : "", 4);
}

static void put_names(struct tracedatfile *f)
{
	put_sized(f, f->names ? f->names : "", 8);
}

static void put_option(struct tracedatfile *f, unsigned id, const void *bytes, size_t len)
{
	put_number(f, id, 2);
	put_number(f, len, 4);
	put(f, bytes, len);
}

static void put_texts(struct tracedatfile *f)
{
	static const char uname[] = "Linux made 6.1.0 x86_64";
	char tsc[16] = "", stats[512];

	put_option(f, 5, uname, sizeof(uname));
	if (f->clock)
		put_option(f, 4, f->clock, strlen(f->clock) + 1);
	if (f->offset)
		put_option(f, 7, f->offset, strlen(f->offset) + 1);
	if (f->stats)
		snprintf(stats, sizeof(stats), "CPU: 0\n%s", f->stats);
	if (f->stats)
		put_option(f, 2, stats, strlen(stats) + 1);
	number(f, tsc, f->mult, 4);
	number(f, tsc + 4, f->shift, 4);
	if (f->mult)
		put_option(f, 14, tsc, sizeof(tsc));
}

static void align(struct tracedatfile *f)
{
	static const char zeros[TRACEDATFILE_PAGE];

	put(f, zeros, -f->len % TRACEDATFILE_PAGE);
}

static void patch(struct tracedatfile *f, size_t at, uint64_t v, unsigned bytes)
{
	number(f, f->bytes + at, v, bytes);
}

/* --- version 6 --------------------------------------------------------------------------------- */

/* The table of CPUs, to be filled in; where it is. */
static size_t put_table(struct tracedatfile *f)
{
	size_t at = f->len;

	for (unsigned i = 0; i < f->cpus; i++) {
		put_number(f, 0, 8);
		put_number(f, 0, 8);
	}
	if (f->clock)
		put_sized(f, f->clock, 8);
	return at;
}

static void put_pages(struct tracedatfile *f, size_t table, bool other)
{
	for (unsigned i = 0; i < f->cpus; i++) {
		if (f->cpu[i].other != other)
			continue;
		align(f);
		patch(f, table + 16 * i, f->len, 8);
		patch(f, table + 16 * i + 8, f->cpu[i].len, 8);
		put(f, f->cpu[i].bytes, f->cpu[i].len);
	}
}

static void make_6(struct tracedatfile *f)
{
	size_t table, instance = 0;

	put_header_info(f);
	put_ftrace_formats(f);
	put_formats(f);
	put_kallsyms(f);
	put_printk(f);
	put_names(f);
	put_number(f, f->cpus, 4);
	put_text(f, "options  ");
	put_texts(f);
	if (f->instance) {
		put_number(f, 3, 2);
		put_number(f, 8 + strlen(f->instance) + 1, 4);
		instance = f->len;
		put_number(f, 0, 8);
		put_text(f, f->instance);
	}
	put_number(f, 0, 2);
	put_text(f, "flyrecord");
	table = put_table(f);
	put_pages(f, table, false);
	if (!f->instance)
		return;
	patch(f, instance, f->len, 8);
	put_text(f, "flyrecord");
	table = put_table(f);
	put_pages(f, table, true);
}

/* --- version 7 --------------------------------------------------------------------------------- */

static void pack(struct tracedatfile *f, const char *bytes, size_t len)
{
	size_t most = ZSTD_compressBound(len), n;
	char *to = malloc(most);

	n = to ? ZSTD_compress(to, most, bytes, len, 3) : 0;
	if (!to || ZSTD_isError(n))
		abort();
	put_number(f, n, 4);
	put_number(f, len, 4);
	put(f, to, n);
	free(to);
}

/* What `fill` puts, as a section; where it is. */
static size_t put_section(struct tracedatfile *f, unsigned id, void (*fill)(struct tracedatfile *f))
{
	size_t at = f->len, body;
	char *copy;

	put_number(f, id, 2);
	put_number(f, f->packed, 2);
	put_number(f, 0, 4);
	put_number(f, 0, 8);
	body = f->len;
	fill(f);
	if (f->packed) {
		size_t len = f->len - body;

		copy = malloc(len + 1);
		if (!copy)
			abort();
		memcpy(copy, f->bytes + body, len);
		f->len = body;
		pack(f, copy, len);
		free(copy);
	}
	patch(f, at + 8, f->len - body, 8);
	return at;
}

/* Its size is told without the number of chunks, as trace-cmd does. */
static size_t put_packed(struct tracedatfile *f, const struct tracedatfile_pages *p)
{
	const size_t chunk = CHUNK * TRACEDATFILE_PAGE;
	size_t at;

	put_number(f, (p->len + chunk - 1) / chunk, 4);
	at = f->len;
	for (size_t i = 0; i < p->len; i += chunk)
		pack(f, p->bytes + i, p->len - i < chunk ? p->len - i : chunk);
	return f->len - at;
}

static void put_buffer(struct tracedatfile *f, size_t section, const char *name, bool other, const uint64_t at[],
		       const uint64_t len[])
{
	const char *clock = f->clock ? f->clock : "local";
	unsigned n = 0;

	for (unsigned i = 0; i < f->cpus; i++)
		n += f->cpu[i].other == other;
	put_number(f, 3, 2);
	put_number(f, 8 + strlen(name) + 1 + strlen(clock) + 1 + 8 + 20 * n, 4);
	put_number(f, section, 8);
	put_text(f, name);
	put_text(f, clock);
	put_number(f, TRACEDATFILE_PAGE, 4);
	put_number(f, n, 4);
	for (unsigned i = 0; i < f->cpus; i++) {
		if (f->cpu[i].other != other)
			continue;
		put_number(f, f->cpu[i].cpu ? f->cpu[i].cpu : i, 4);
		put_number(f, at[i], 8);
		put_number(f, len[i], 8);
	}
}

static void put_cpus(struct tracedatfile *f, uint64_t at[], uint64_t len[], size_t section[2])
{
	for (unsigned other = 0; other < 2; other++) {
		section[other] = f->len;
		put_number(f, 3, 2);
		put_number(f, f->packed, 2);
		put_number(f, 0, 4);
		put_number(f, 0, 8);
		for (unsigned i = 0; i < f->cpus; i++) {
			if (f->cpu[i].other != other)
				continue;
			align(f);
			at[i] = f->len;
			len[i] = f->cpu[i].len;
			if (f->packed)
				len[i] = put_packed(f, &f->cpu[i]);
			else
				put(f, f->cpu[i].bytes, f->cpu[i].len);
		}
		patch(f, section[other] + 8, f->len - section[other] - 16, 8);
	}
}

/* The list of options is read as it stands, packed or not; it is never packed here. */
static void make_7(struct tracedatfile *f)
{
	static const struct {
		unsigned id;
		void (*fill)(struct tracedatfile *f);
	} sections[] = {{16, put_header_info}, {17, put_ftrace_formats}, {18, put_formats}, {19, put_kallsyms}, {20, put_printk},
			{21, put_names}};
	uint64_t at[TRACEDATFILE_CPUS], len[TRACEDATFILE_CPUS];
	size_t first = f->len, where[6], buffers[2], list;

	put_text(f, f->packed ? "zstd" : "none");
	put_text(f, "");
	first = f->len;
	put_number(f, 0, 8);
	for (unsigned i = 0; i < 6; i++)
		where[i] = put_section(f, sections[i].id, sections[i].fill);
	put_cpus(f, at, len, buffers);
	list = f->len;
	patch(f, first, list, 8);
	put_number(f, 0, 2);
	put_number(f, 0, 2);
	put_number(f, 0, 4);
	put_number(f, 0, 8);
	for (unsigned i = 0; i < 6; i++) {
		put_number(f, sections[i].id, 2);
		put_number(f, 8, 4);
		put_number(f, where[i], 8);
	}
	put_texts(f);
	put_buffer(f, buffers[0], "", false, at, len);
	if (f->instance)
		put_buffer(f, buffers[1], f->instance, true, at, len);
	put_option(f, 0, "\0\0\0\0\0\0\0", 8);
	patch(f, list + 8, f->len - list - 16, 8);
}

/* --- all of it --------------------------------------------------------------------------------- */

void tracedatfile_make(struct tracedatfile *f)
{
	char machine[2] = {(char)f->big, (char)long_of(f)};

	f->len = 0;
	put(f, "\027\010\104tracing", 10);
	put_text(f, f->version == 6 ? "6" : "7");
	put(f, machine, 2);
	put_number(f, TRACEDATFILE_PAGE, 4);
	if (f->version == 6)
		make_6(f);
	else
		make_7(f);
}

void tracedatfile_clear(struct tracedatfile *f)
{
	for (unsigned i = 0; i < TRACEDATFILE_CPUS; i++)
		free(f->cpu[i].bytes);
	free(f->bytes);
	*f = (struct tracedatfile){.version = 0};
}
