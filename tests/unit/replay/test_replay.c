/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files made by hand, from their bytes to the report: what their samples are shown as. */
#include <elf.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "files/decode/perfwrite.h"
#include "report/jsonreport.h"
#include "core/table/table.h"
#include "sources/replay/filesession.h"
#include "tests/report.h"
#include "tests/shell.h"
#include "tests/skip.h"

#define KERNEL   ((uint64_t)PERF_CONTEXT_KERNEL)
#define USER     ((uint64_t)PERF_CONTEXT_USER)
#define PLAIN    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN)
#define STACKS   (PLAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER)
#define LBR      (PLAIN | PERF_SAMPLE_BRANCH_STACK)
#define TEXT     0x400000ull
#define BP_SP_IP (1ull << 6 | 1ull << 7 | 1ull << 8)

/* --- the file ----------------------------------------------------------------------------- */

static struct perfwrite image;
static struct perf_event_attr attr;
static struct perfwrite_section data;
static uint64_t now;
static const char *arch; /* of the machine, NULL: the file does not say */
static size_t nids; /* of the event's counters */
static char path[64];
static char dir[] = "/tmp/ringtop-test-XXXXXX";

/* An event that samples cycles; the file's header comes when it is closed. */
static int setup(void **state)
{
	(void)state;
	image = (struct perfwrite){.failed = false};
	attr = (struct perf_event_attr){.type = PERF_TYPE_HARDWARE, .size = sizeof(attr),
					.sample_type = PLAIN, .sample_period = 1000,
					.sample_id_all = 1};
	now = 1000000;
	arch = NULL;
	nids = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	perfwrite_clear(&image);
	return *path ? unlink(path) : 0;
}

static struct perfwrite_event event(void)
{
	static const uint64_t ids[] = {5};

	return (struct perfwrite_event){.attr = &attr, .name = "", .ids = ids, .nids = nids};
}

static void begin(uint64_t sample_type)
{
	struct perfwrite_event e = event();
	struct perfwrite_section attrs;

	attr.sample_type = sample_type;
	perfwrite_header(&image, 1, (struct perfwrite_section){0, 0}, data, 0);
	perfwrite_events(&image, image.len, &e, 1, &attrs);
	data.offset = image.len;
}

static void put(uint64_t v)
{
	perfwrite_u64(&image, v);
}

static size_t begin_record(uint32_t type, unsigned misc)
{
	struct perf_event_header h = {.type = type, .misc = (uint16_t)misc};
	size_t at = image.len;

	perfwrite_bytes(&image, &h, sizeof(h));
	return at;
}

static void end_record(size_t at)
{
	uint16_t size = (uint16_t)(image.len - at);

	memcpy(image.data + at + 6, &size, sizeof(size));
}

/* The fixed fields and the chain, which ends with 0; more may follow. */
static size_t begin_sample(unsigned mode, uint64_t ip, const uint64_t *chain)
{
	size_t at = begin_record(PERF_RECORD_SAMPLE, mode), nr = 0;

	while (chain[nr])
		nr++;
	put(ip);
	put(42ull << 32 | 42);
	put(now += 1000);
	put(nr);
	for (size_t i = 0; i < nr; i++)
		put(chain[i]);
	return at;
}

static void sample(unsigned mode, uint64_t ip, const uint64_t *chain)
{
	end_record(begin_sample(mode, ip, chain));
}

/* Kernel code with a name, of 256 bytes. */
static void put_symbol(uint64_t addr, const char *name, uint64_t type)
{
	size_t at = begin_record(PERF_RECORD_KSYMBOL, 0);
	char field[32] = "";

	assert_true(strlen(name) < sizeof(field));
	memcpy(field, name, strlen(name));
	put(addr);
	put(256 | type << 32);
	perfwrite_bytes(&image, field, sizeof(field));
	put(42ull << 32 | 42);
	put(now += 1000);
	end_record(at);
}

/* A BPF program. */
static void put_ksymbol(uint64_t addr, const char *name)
{
	put_symbol(addr, name, PERF_RECORD_KSYMBOL_TYPE_BPF);
}

/* The one feature, behind the table of them. */
static void put_arch(void)
{
	size_t at = image.len + 16;

	put(at);
	put(4 + (strlen(arch) / 64 + 1) * 64);
	perfwrite_string(&image, arch);
	assert_int_equal(image.len, at + 4 + (strlen(arch) / 64 + 1) * 64);
}

/* The file's header again, now that all is known. */
static void finish(void)
{
	struct perfwrite header = {.failed = false}, attrs = {.failed = false};
	struct perfwrite_event e = event();
	struct perfwrite_section s;

	data.size = image.len - data.offset;
	perfwrite_events(&attrs, PERFWRITE_HEADER, &e, 1, &s);
	perfwrite_header(&header, 1, s, data, arch ? 1ull << PERFWRITE_ARCH : 0);
	if (arch)
		put_arch();
	assert_false(image.failed || header.failed || attrs.failed);
	memcpy(image.data, header.data, header.len);
	memcpy(image.data + header.len, attrs.data, attrs.len);
	perfwrite_clear(&header);
	perfwrite_clear(&attrs);
}

/* --- the report --------------------------------------------------------------------------- */

static char *text;
static struct session_end ended;

static void replay(void)
{
	struct headless_options o = {.show.paths = true, .format = &json_format, .stop_fd = -1,
				     .signal_fd = -1};
	struct headless_result r = {.intervals = 0};
	struct err err = {.code = 0};
	struct session *s;
	FILE *f;
	int ret;

	snprintf(path, sizeof(path), "/tmp/test_replay.%d.data", (int)getpid());
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(image.data, 1, image.len, f), image.len);
	assert_int_equal(fclose(f), 0);
	s = file_open(&(struct measure_config){.input = path, .no_lines = true}, &err);
	if (!s)
		fail_msg("%s", err.text);
	free(text);
	text = report_session(s, &o, &r, &err, &ret);
	ended = r.end;
	assert_int_equal(ret, ended.error);
}

static void assert_has(const char *what)
{
	const char *total = strstr(text, "\"type\":\"total\"");

	assert_non_null(total);
	if (!strstr(total, what))
		fail_msg("no %s in %s", what, total);
}

static void assert_header(const char *what)
{
	if (!strstr(text, what) || strstr(text, what) > strchr(text, '\n'))
		fail_msg("no %s in %.*s", what, (int)strcspn(text, "\n"), text);
}

/* So many samples have the path, outermost first. */
static void assert_path(const char *want, unsigned samples)
{
	char line[256];

	snprintf(line, sizeof(line), "\"path\":\"%s\",\"weight\":%u,\"samples\":%u}", want, samples * 1000,
		 samples);
	assert_has(line);
}

/* The function has so many samples of its own. */
static void assert_function(const char *function, const char *object, unsigned samples)
{
	const char *total = strstr(text, "\"type\":\"total\""), *at;
	char line[256];

	snprintf(line, sizeof(line), "\"function\":\"%s\",\"object\":\"%s\"", function, object);
	assert_has(line);
	at = strstr(strstr(total, line), "\"samples\":");
	assert_non_null(at);
	assert_int_equal(strtoul(at + strlen("\"samples\":"), NULL, 10), samples);
}

/* --- tests -------------------------------------------------------------------------------- */

#define LEAD   0xffffffffc0001000ull
#define CALLER 0xffffffffc0002000ull

static void test_precise(void **state)
{
	(void)state;
	begin(PLAIN);
	put_ksymbol(LEAD, "lead");
	put_ksymbol(CALLER, "caller");
	/* as it is; near; in another function; in the kernel */
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){USER, TEXT + 1, TEXT + 0x101, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){USER, TEXT + 4, TEXT + 0x101, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 0x900, (uint64_t[]){USER, TEXT + 4, TEXT + 0x101, 0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8,
	       (uint64_t[]){KERNEL, LEAD + 12, CALLER + 9, USER, TEXT + 1, 0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8,
	       (uint64_t[]){KERNEL, CALLER + 1, CALLER + 9, USER, TEXT + 1, 0});
	finish();
	replay();
	assert_path("[0x400100];[0x400001]", 2);
	assert_path("[0x400100];[0x400900]", 1);
	assert_path("[0x400001];caller;lead", 2);
	assert_header("\"call_graph\":\"fp\"");
	assert_int_equal(ended.error, 0);
}

/* Functions that the file names: of a module where their names say so, as kallsyms writes it. */
static void test_named_functions(void **state)
{
	(void)state;
	begin(PLAIN);
	put_symbol(LEAD, "lead", PERF_RECORD_KSYMBOL_TYPE_OOL);
	put_symbol(CALLER, "caller\t[mod]", PERF_RECORD_KSYMBOL_TYPE_OOL);
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, CALLER + 9, 0});
	finish();
	replay();
	assert_path("caller;lead", 1);
	assert_function("lead", "[kernel]", 1);
	assert_has("\"function\":\"caller\",\"object\":\"[mod]\"");
}

/*
 * Put a record as a kernel writes it that tells three events of it: the time stands behind the name, then what was in
 * the ring.
 */
static void put_longer(uint64_t addr, const char *name)
{
	size_t at = begin_record(PERF_RECORD_KSYMBOL, 0);
	char field[16] = "";

	assert_true(strlen(name) >= 8 && strlen(name) < sizeof(field));
	memcpy(field, name, strlen(name));
	put(addr);
	put(256 | (uint64_t)PERF_RECORD_KSYMBOL_TYPE_BPF << 32);
	perfwrite_bytes(&image, field, sizeof(field));
	put(42ull << 32 | 42);
	put(now += 1000);
	for (unsigned i = 0; i < 4; i++)
		put(1);
	end_record(at);
}

/* Programs in turn at one place: perf's files have them in the order of their times. */
static void test_programs_in_turn(void **state)
{
	(void)state;
	begin(PLAIN);
	for (unsigned i = 0; i < 6; i++) {
		put_longer(LEAD, i % 2 ? "beta_program" : "alpha_program");
		for (unsigned n = 0; n <= i % 2; n++)
			sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, 0});
	}
	finish();
	replay();
	assert_function("alpha_program", "[bpf]", 3);
	assert_function("beta_program", "[bpf]", 6);
}

/* Marks that nobody knows, and ours, which mean nothing in a file: what is behind them is no path. */
static void test_marks(void **state)
{
	(void)state;
	begin(PLAIN);
	put_ksymbol(LEAD, "lead");
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, (uint64_t)-650, 0x1234, 0});
	for (uint64_t mark = TABLE_MARK_UNPROVED; mark <= TABLE_MARK_UNWOUND; mark++) {
		sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, mark, TEXT + 1, 0});
		sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){USER, TEXT + 1, mark, 1ull << 32 | 1, 0});
	}
	finish();
	replay();
	assert_path("[truncated];lead", 7);
	assert_path("[truncated];[0x400001]", 6);
	assert_has("marker -650");
	assert_int_equal(ended.error, 0);
}

/* The thread's record with the user's part, as a kernel writes it. */
static void put_later(uint32_t tid, uint64_t cookie, const uint64_t *chain)
{
	size_t at = begin_record(RECORD_CALLCHAIN_DEFERRED, PERF_RECORD_MISC_USER), nr = 0;

	while (chain[nr])
		nr++;
	put(cookie);
	put(nr);
	for (size_t i = 0; i < nr; i++)
		put(chain[i]);
	put(42 | (uint64_t)tid << 32);
	put(now += 1000);
	end_record(at);
}

/* The attribute's bit 38: user parts come later. */
static void defer(void)
{
	uint64_t bits;

	memcpy(&bits, (const char *)&attr + 40, sizeof(bits));
	bits |= 1ull << 38;
	memcpy((char *)&attr + 40, &bits, sizeof(bits));
}

#define LATER CONTEXT_USER_DEFERRED

static void test_deferred(void **state)
{
	(void)state;
	defer();
	begin(PLAIN);
	put_ksymbol(LEAD, "lead");
	/* Two samples of one stay in the kernel, one in the program, and a thread that has them at once. */
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, LATER, 7, 0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, LATER, 7, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 0x10, (uint64_t[]){USER, TEXT + 0x10, TEXT + 0x21, 0});
	put_later(43, 7, (uint64_t[]){USER, TEXT + 1, TEXT + 0x901, 0}); /* of another thread */
	put_later(42, 7, (uint64_t[]){USER, TEXT + 1, TEXT + 0x101, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 2, (uint64_t[]){LATER, 8, 0});
	put_later(42, 8, (uint64_t[]){USER, TEXT + 2, TEXT + 0x101, 0});
	/* Records of the ring were lost: this one is of a later stay. */
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, LATER, 9, 0});
	put_later(42, 10, (uint64_t[]){USER, TEXT + 3, 0});
	/* An own mark means nothing there; a chain has its mark; the file ends. */
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, LATER, 11, 0});
	put_later(42, 11, (uint64_t[]){TEXT + 4, TABLE_MARK_WAKER, 1ull << 32 | 1, 0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD + 8, LATER, 12, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 5, (uint64_t[]){LATER, 12, 0});
	finish();
	replay();
	assert_path("[0x400100];[0x400001];lead", 2);
	assert_path("[0x400020];[0x400010]", 1);
	assert_path("[0x400100];[0x400002]", 1);
	assert_path("[not yet];lead", 2);
	assert_path("[not yet];[0x400005]", 1);
	assert_path("[truncated];[0x400004];lead", 1);
	assert_null(strstr(text, "types unknown"));
	assert_non_null(strstr(text, "3 of 7 samples lack the program's part of their path ([not yet])"));
	assert_int_equal(ended.error, 0);
}

/* Each part has a limit of its own: only a part that reaches it goes on. */
static void test_deferred_limits(void **state)
{
	uint64_t chain[512] = {USER};

	(void)state;
	defer();
	begin(PLAIN);
	for (size_t i = 1; i <= PERF_MAX_STACK_DEPTH - 8; i++)
		chain[i] = TEXT + i;
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){LATER, 1, 0});
	put_later(42, 1, chain);
	for (size_t i = 1; i < 511; i++)
		chain[i] = TEXT + i % 2 + 1;
	sample(PERF_RECORD_MISC_USER, TEXT + 2, (uint64_t[]){LATER, 2, 0});
	put_later(42, 2, chain);
	finish();
	replay();
	assert_has("\"path\":\"[0x400076];[0x400075];");
	assert_has("\"path\":\"[truncated];");
	assert_null(strstr(text, "[not yet]"));
}

static void test_no_kernel_chain(void **state)
{
	(void)state;
	begin(PLAIN);
	put_ksymbol(LEAD, "lead");
	sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){USER, TEXT + 1, TEXT + 0x101, 0});
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){KERNEL, LEAD, 0}); /* no user's either */
	sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){KERNEL, 0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){0});
	finish();
	replay();
	assert_path("[0x400100];[0x400001];lead", 1);
	assert_path("[0x400001]", 1);
	assert_path("lead", 2);
}

/* A stack with frame pointers, whose code nothing tells of: the copy begins at `sp`. */
static void put_stack(void)
{
	const uint64_t sp = 0x7ff000, stack[] = {0, 0, sp + 32, TEXT + 0x101, 0, 0};

	put(PERF_SAMPLE_REGS_ABI_64);
	put(sp + 16); /* bp, sp, ip: in the order of their numbers */
	put(sp);
	put(TEXT + 1);
	put(sizeof(stack));
	perfwrite_bytes(&image, stack, sizeof(stack));
	put(sizeof(stack));
}

static void put_map(void)
{
	const struct record_mmap m = {.pid = 42, .tid = 42, .addr = TEXT, .len = 0x1000, .prot = 5,
				      .filename = "//anon"};

	image.trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	perfwrite_map(&image, &m);
}

static void test_stacks(void **state)
{
	size_t at;

	(void)state;
	attr.sample_regs_user = BP_SP_IP;
	attr.sample_stack_user = 48;
	begin(STACKS);
	put_ksymbol(LEAD, "lead");
	put_map();
	at = begin_sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){0});
	put_stack();
	end_record(at);
	at = begin_sample(PERF_RECORD_MISC_KERNEL, LEAD + 4, (uint64_t[]){KERNEL, LEAD + 9, 0});
	put_stack();
	end_record(at);
	at = begin_sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	put_stack();
	end_record(at);
	finish();
	replay();
	/* Code in memory alone is one row of its process. */
	assert_path("[JIT] 42;[JIT] 42;lead", 2);
	assert_path("[JIT] 42;[JIT] 42", 1);
	assert_header("\"call_graph\":\"dwarf\"");
}

/* Three registers and a stack that nothing can be made of. */
static void put_useless(uint64_t abi, uint64_t ip)
{
	put(abi);
	for (unsigned i = 0; i < 3; i++)
		put(i < 2 ? 0xdead0000 + i : ip);
	put(0); /* no copy was made */
}

static void put_useless_samples(uint64_t abi)
{
	size_t at;

	put_ksymbol(LEAD, "lead");
	at = begin_sample(PERF_RECORD_MISC_USER, TEXT + 0x11, (uint64_t[]){0});
	put_useless(abi, 0x5555);
	end_record(at);
	at = begin_sample(PERF_RECORD_MISC_KERNEL, LEAD + 4, (uint64_t[]){KERNEL, LEAD + 4, 0});
	put_useless(abi, TEXT + 0x22);
	end_record(at);
	/* of a kernel thread */
	at = begin_sample(PERF_RECORD_MISC_KERNEL, LEAD + 4, (uint64_t[]){KERNEL, LEAD + 4, 0});
	put(PERF_SAMPLE_REGS_ABI_NONE);
	put(0);
	end_record(at);
}

/* The leaf is the sample's own address, whatever the registers say, and where they are damaged. */
static void test_useless_stacks(void **state)
{
	(void)state;
	attr.sample_regs_user = BP_SP_IP;
	attr.sample_stack_user = 48;
	begin(STACKS);
	put_useless_samples(PERF_SAMPLE_REGS_ABI_64);
	finish();
	replay();
	assert_path("[broken];[0x400011]", 1);
	assert_path("[broken];[0x400022];lead", 1);
	assert_path("lead", 1);
	assert_has("\"attributed\":3000");
	assert_has("\"broken\":2}");
	assert_int_equal(ended.error, 0);
}

/* A recording may have other registers than those that are needed. */
static void test_stacks_without_ip(void **state)
{
	(void)state;
	attr.sample_regs_user = 1ull << 0 | 1ull << 1 | 1ull << 2;
	attr.sample_stack_user = 48;
	begin(STACKS);
	put_useless_samples(PERF_SAMPLE_REGS_ABI_64);
	finish();
	replay();
	assert_path("[broken];[0x400011]", 1);
	assert_path("[broken];lead", 1);
	assert_path("lead", 1);
	assert_has("\"attributed\":3000");
}

/* Stacks of a machine that we cannot unwind: the program counter is another register there. */
static void test_foreign_stacks(void **state)
{
	static const struct {
		const char *arch;
		uint64_t regs;
		const char *in_kernel;
	} cases[] = {
		{"aarch64", 1ull << 29 | 1ull << 31 | 1ull << 32, "[broken];[0x400022];lead"},
		{"s390x", 1ull << 14 | 1ull << 15 | 1ull << 33, "[broken];[0x400022];lead"},
		{"aarch64", BP_SP_IP, "[broken];lead"},
		{"sparc64", BP_SP_IP, "[broken];lead"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		setup(state);
		arch = cases[i].arch;
		attr.sample_regs_user = cases[i].regs;
		attr.sample_stack_user = 48;
		begin(STACKS);
		put_useless_samples(PERF_SAMPLE_REGS_ABI_64);
		finish();
		replay();
		assert_path("[broken];[0x400011]", 1);
		assert_path(cases[i].in_kernel, 1);
		assert_path("lead", 1);
		assert_has("\"attributed\":3000");
		teardown(state);
	}
	*path = '\0';
}

/*
 * An object of aarch64, by an assembler of any: three functions of 64 bytes, of which the last has
 * saved its return address from its 8th byte on.
 */
static bool make_aarch64(const char *file)
{
	const uint16_t machine = EM_AARCH64;
	FILE *f;

	if (!shell_run(dir,
		       "for f in leaf caller top; do\n"
		       "echo \".globl $f; .type $f, @function; $f: .cfi_startproc simple\"\n"
		       "echo '.cfi_return_column 30; .cfi_escape 0x0c, 31, 0; .skip 8'\n"
		       "[ $f = leaf ] || echo '.cfi_escape 0x0e, 16, 0x9d, 2, 0x9e, 1'\n"
		       "echo \".skip 56; .cfi_endproc; .size $f, 64\"; done >a.s\n"
		       "cc -shared -nostdlib -Wl,-Ttext=0x1000 -o a a.s"))
		return false;
	f = fopen(file, "r+");
	return f && !fseek(f, offsetof(Elf64_Ehdr, e_machine), SEEK_SET) &&
	       fwrite(&machine, 2, 1, f) == 1 && !fclose(f);
}

/* perf records the link register beside the chain, which lacks the callers of leaves. */
static void test_link_register(void **state)
{
	struct record_mmap m = {.pid = 42, .tid = 42, .addr = TEXT, .len = 0x1000, .pgoff = 0x1000,
				.prot = 5};
	static const struct {
		uint64_t leaf, link;
		const char *path;
	} cases[] = {
		{TEXT + 4, TEXT + 64 + 20, "top;caller;leaf"},
		/* signed */
		{TEXT + 5, 0x0055ull << 48 | (TEXT + 64 + 24), "top;caller;leaf"},
		{TEXT + 6, TEXT + 128 + 20, "top;leaf"}, /* the chain's own */
		{TEXT + 64 + 20, TEXT + 128 + 24, "top;caller"}, /* saved: left over of a call */
		{TEXT + 64 + 4, TEXT + 24, "top;leaf;caller"}, /* not saved yet */
		{TEXT + 7, 0, "top;leaf"},
	};
	char file[80];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(file, sizeof(file), "%s/a", dir);
	if (!make_aarch64(file)) {
		shell_remove(dir);
		SKIP("no assembler that knows all directives");
	}
	m.filename = file;
	arch = "aarch64";
	attr.sample_regs_user = 1ull << 30;
	begin(PLAIN | PERF_SAMPLE_REGS_USER);
	image.trailer = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	perfwrite_map(&image, &m);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t at = begin_sample(PERF_RECORD_MISC_USER, cases[i].leaf,
					 (uint64_t[]){USER, cases[i].leaf, TEXT + 128 + 20, 0});

		put(PERF_SAMPLE_REGS_ABI_64);
		put(cases[i].link);
		end_record(at);
	}
	finish();
	replay();
	assert_path("top;caller;leaf", 2);
	assert_path("top;leaf", 2);
	assert_path("top;caller", 1);
	assert_path("top;leaf;caller", 1);
	assert_has("\"attributed\":6000");
	shell_remove(dir);
}

/* Of 32-bit code, which is not unwound. */
static void test_compat_stacks(void **state)
{
	(void)state;
	attr.sample_regs_user = BP_SP_IP;
	attr.sample_stack_user = 48;
	begin(STACKS);
	put_useless_samples(PERF_SAMPLE_REGS_ABI_32);
	finish();
	replay();
	assert_path("[broken];[0x400011]", 1);
	assert_path("[broken];[0x400022];lead", 1);
	assert_has("\"compat\":2");
}

static void put_calls(unsigned nr)
{
	put(nr);
	for (unsigned i = 0; i < nr; i++) {
		put(TEXT + 0x200 + 0x100 * i);
		put(TEXT);
		put(0);
	}
}

static void test_lbr(void **state)
{
	size_t at;

	(void)state;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
	begin(LBR);
	put_ksymbol(LEAD, "lead");
	/* what frame pointers say of the user's part is less than the records */
	at = begin_sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){KERNEL, LEAD, USER, TEXT + 1, 0});
	put_calls(2);
	end_record(at);
	at = begin_sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){USER, TEXT + 3, TEXT + 0x101, 0});
	put_calls(1);
	end_record(at);
	at = begin_sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){USER, TEXT + 3, TEXT + 0x101, 0});
	put_calls(0);
	end_record(at);
	finish();
	replay();
	assert_path("[0x400300];[0x400200];[0x400001];lead", 1);
	assert_path("[0x400200];[0x400001]", 1);
	assert_path("[0x400100];[0x400001]", 1);
	assert_header("\"call_graph\":\"lbr\"");
}

static void test_guests(void **state)
{
	(void)state;
	begin(PLAIN);
	put_ksymbol(LEAD, "lead");
	put_map();
	/* as kernels write them: of the host there are the marks alone */
	sample(PERF_RECORD_MISC_GUEST_KERNEL, LEAD, (uint64_t[]){KERNEL, USER, 0});
	sample(PERF_RECORD_MISC_GUEST_USER, TEXT + 1, (uint64_t[]){KERNEL, USER, 0});
	sample(PERF_RECORD_MISC_GUEST_USER, TEXT + 1, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_HYPERVISOR, TEXT + 2, (uint64_t[]){KERNEL, LEAD, 0});
	sample(PERF_RECORD_MISC_GUEST_KERNEL, LEAD + 8, (uint64_t[]){KERNEL, LEAD, USER, TEXT + 3, 0});
	finish();
	replay();
	assert_function("[0xffffffffc0001000]", "[guest.kernel]", 1);
	assert_function("[0x400001]", "[guest]", 2);
	assert_function("[0x400002]", "[hypervisor]", 1);
	assert_path("[0xffffffffc0001000]", 1);
	assert_path("[0x400001]", 2);
	assert_path("lead;[0x400002]", 1);
	assert_path("[JIT] 42;lead;[0xffffffffc0001008]", 1);
	assert_int_equal(ended.error, 0);
}

/* --- old files, and what is left of killed recordings --------------------------------------- */

static void put_file_map(uint32_t pid, uint64_t addr, const char *name, unsigned mode)
{
	size_t at = begin_record(PERF_RECORD_MMAP, mode);
	char field[64] = "";

	memcpy(field, name, strlen(name));
	put((uint64_t)pid << 32 | pid);
	put(addr);
	put(0x1000);
	put(0);
	perfwrite_bytes(&image, field, sizeof(field));
	end_record(at);
}

/* Maps have no time: they hold from where they stand in the file.  The kernel's are the idle task's. */
static void test_untimed(void **state)
{
	(void)state;
	attr.sample_id_all = 0;
	begin(PLAIN);
	put_file_map(0, LEAD, "[kernel.kallsyms._text]", PERF_RECORD_MISC_KERNEL);
	put_file_map(42, TEXT, "/nowhere/first", PERF_RECORD_MISC_USER);
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	put_file_map(42, TEXT, "/nowhere/second", PERF_RECORD_MISC_USER);
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	now -= 2500; /* another CPU's ring, which was read later */
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD + 1, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_KERNEL, CALLER, (uint64_t[]){0});
	finish();
	replay();
	assert_function("[0x1]", "/nowhere/first", 1);
	assert_function("[0x1]", "/nowhere/second", 3);
	assert_function("[0xffffffffc0001001]", "[kernel]", 1);
	assert_int_equal(ended.error, 0);
}

static void test_killed(void **state)
{
	(void)state;
	attr.exclude_kernel = attr.exclude_hv = 1;
	begin(PLAIN);
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_KERNEL, LEAD, (uint64_t[]){0});
	sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
	finish();
	memset(image.data + 48, 0, 8);
	image.len -= 5;
	replay();
	assert_path("[0x400001]", 1);
	assert_has("\"nameless\":\"the file does not say on which kernel it was recorded\"");
	assert_header("\"name\":\"cycles:u\"");
	assert_header("\"note\":\"the recording was killed");
	assert_int_equal(ended.error, -EBADMSG);
	assert_non_null(strstr(ended.text, "the recording was killed"));
	assert_null(strstr(ended.text, "more"));
}

/* How far the places may be off is the attribute's, of events that a PMU samples. */
static void test_skid(void **state)
{
	static const struct {
		uint32_t type;
		unsigned precise;
		const char *says;
	} cases[] = {
		{PERF_TYPE_HARDWARE, 0, "\"precise_ip\":0,\"skid\":\"arbitrary\""},
		{PERF_TYPE_RAW, 1, "\"precise_ip\":1,\"skid\":\"constant\""},
		{PERF_TYPE_HW_CACHE, 2, "\"precise_ip\":2,\"skid\":\"zero asked for\""},
		{11, 3, "\"precise_ip\":3,\"skid\":\"zero\""}, /* a PMU of its own: ibs_op */
		{PERF_TYPE_SOFTWARE, 0, "\"frequency\":null}"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (i) {
			teardown(state);
			setup(state);
		}
		attr.type = cases[i].type;
		attr.precise_ip = cases[i].precise & 3;
		begin(PLAIN);
		sample(PERF_RECORD_MISC_USER, TEXT + 1, (uint64_t[]){0});
		finish();
		replay();
		assert_header(cases[i].says);
	}
}

/* A counter's count and times, in a sample of that thread. */
static void put_times(uint64_t tid, uint64_t value, uint64_t enabled, uint64_t running)
{
	size_t at = begin_record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);

	put(TEXT + 1);
	put(tid << 32 | 42);
	put(now += 1000);
	put(value);
	put(enabled);
	put(running);
	put(5);
	end_record(at);
}

/* Others had the hardware for three quarters of the time: what was not counted then is an estimate. */
static void test_times(void **state)
{
	(void)state;
	nids = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	begin(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ);
	put_times(42, 1000, 20000000, 5000000);
	put_times(43, 2000, 40000000, 10000000);
	finish();
	replay();
	assert_has("\"counted\":8000,\"attributed\":2000,");
	assert_has("\"unknown\":0,\"multiplexed\":6000}");
	assert_has("\"enabled\":40000000,\"running\":10000000,");
	assert_has("\"lost_exact\":false");
	assert_int_equal(ended.error, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_precise), TEST(test_named_functions), TEST(test_programs_in_turn), TEST(test_no_kernel_chain), TEST(test_marks), TEST(test_deferred), TEST(test_deferred_limits),
		TEST(test_stacks), TEST(test_useless_stacks),
		TEST(test_stacks_without_ip), TEST(test_foreign_stacks), TEST(test_link_register),
		TEST(test_compat_stacks), TEST(test_times),
		TEST(test_lbr),
		TEST(test_guests), TEST(test_untimed), TEST(test_killed), TEST(test_skid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
