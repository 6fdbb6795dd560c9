/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of what runs, asked for while it runs and after: a function of this very program, code
 * made at run time, and the kernel's.
 */
#include "sources/live/live.h"

#include <elf.h>
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "names/code/disasm.h"
#include "names/code/rawcode.h"
#include "model/rows/codes.h"
#include "link/remote/remote.h"
#include "sources/replay/filesession.h"
#include "tests/sandboxed.h"
#include "tests/skip.h"

#define SAMPLES 500

/* Built without disassembler, so that a helper of ringtop is asked for what came undecoded (test_code_raw.c). */
#ifndef CODE_RAW
#define CODE_RAW 0
#endif

/* --- what runs ------------------------------------------------------------------------------ */

__attribute__((noipa)) unsigned long code_live_spin(unsigned long rounds);

__attribute__((noipa)) unsigned long code_live_spin(unsigned long rounds)
{
	unsigned long x = 1;

	for (unsigned long i = 0; i < rounds; i++) { /* the loop */
		x ^= x << 13;
		x ^= x >> 7;
	}
	return x;
}

/* Longer than a page of code. */
__attribute__((noipa)) void code_live_long(void);

__attribute__((noipa)) void code_live_long(void)
{
	__asm__ volatile(".rept 300000\n\tnop\n\t.endr");
}

static void run_long(void)
{
	for (;;)
		code_live_long();
}

static void run_loop(void)
{
	for (;;)
		code_live_spin(1000000);
}

static void run_calls(void)
{
	for (;;)
		syscall(SYS_getppid);
}

/* mov %edi,%eax; sub $1,%eax; jnz -5; ret */
static const unsigned char jit_code[] = {0x89, 0xf8, 0x83, 0xe8, 0x01, 0x75, 0xfb, 0xc3};

static void run_jit(void)
{
	unsigned char *area = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*made)(unsigned rounds);
	char path[64];
	FILE *f;

	if (area == MAP_FAILED)
		_exit(2);
	memcpy(area, jit_code, sizeof(jit_code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		_exit(3);
	fprintf(f, "%lx %zx jit_loop\n", (unsigned long)area, sizeof(jit_code));
	fclose(f);
	memcpy(&made, &area, sizeof(made));
	for (;;)
		made(1000000);
}

static void put(FILE *f, uint64_t v, size_t bytes)
{
	fwrite(&v, bytes, 1, f); /* little endian: x86-64's code */
}

/* The same, told of in a jitdump, with lines. */
static void run_dumped(void)
{
	unsigned char *area = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*made)(unsigned rounds);
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", getpid());
	f = fopen(path, "w+");
	if (area == MAP_FAILED || !f)
		_exit(2);
	memcpy(area, jit_code, sizeof(jit_code));
	put(f, 0x4a695444 | 1ull << 32, 8);
	put(f, 40 | (uint64_t)EM_X86_64 << 32, 8);
	put(f, (uint64_t)getpid() << 32, 8);
	put(f, clock_ns(), 8);
	put(f, 0, 8);
	put(f, 2 | (32 + 16 + 9ull) << 32, 8); /* DEBUG_INFO */
	put(f, clock_ns(), 8);
	put(f, (uintptr_t)area, 8);
	put(f, 1, 8);
	put(f, (uintptr_t)area, 8);
	put(f, 7, 8);
	fwrite("loop.src", 9, 1, f);
	put(f, (56 + 9 + sizeof(jit_code)) << 32, 8); /* CODE_LOAD */
	put(f, clock_ns(), 8);
	put(f, (uint64_t)getpid() << 32 | (uint64_t)getpid(), 8);
	put(f, (uintptr_t)area, 8);
	put(f, (uintptr_t)area, 8);
	put(f, sizeof(jit_code), 8);
	put(f, 1, 8);
	fwrite("jit_loop", 9, 1, f);
	fwrite(jit_code, sizeof(jit_code), 1, f);
	fflush(f);
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(f), 0) == MAP_FAILED)
		_exit(3);
	memcpy(&made, &area, sizeof(made));
	for (;;)
		made(1000000);
}

static pid_t start(void (*run)(void))
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
	}
	return pid;
}

/* --- the front end -------------------------------------------------------------------------- */

struct stage {
	struct session *session;
	struct model *model;
	pid_t pid;
	size_t codes; /* answers that came */
	bool ended;
};

static void open_on(struct stage *g, void (*run)(void), const char *events)
{
	struct measure_config c = {.screen = true, .frequency = 4999};
	struct err err = {.code = 0};
	char text[16];

	*g = (struct stage){.pid = start(run)};
	snprintf(text, sizeof(text), "%d", g->pid);
	c.pids = text;
	c.events = &events;
	c.nevents = 1;
	g->session = live_open(&c, &err);
	if (!g->session)
		fail_msg("%s (%s)", err.text, err.advice);
	g->model = model_create(&g->session->info, MODEL_BUDGET);
	assert_non_null(g->model);
}

/* --- of another machine ------------------------------------------------------------------- */

static char far[] = "/tmp/ringtop-code-XXXXXX";

static void write_script(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0700), 0);
}

/* The agent of this build as it lies for others, and for ssh a shell here without a ringtop; false: no agent. */
static bool make_far(void)
{
	const char *top = getenv("RINGTOP_BUILDDIR");
	char agent[4096], path[160];
	struct utsname u;

	if (!realpath(top ? top : ".", agent) || strlen(agent) + 20 > sizeof(agent))
		return false;
	strcat(agent, "/src/ringtop-agent");
	if (access(agent, X_OK))
		return false;
	assert_non_null(mkdtemp(far));
	assert_int_equal(uname(&u), 0);
	snprintf(path, sizeof(path), "%s/%s", far, u.machine);
	assert_int_equal(mkdir(path, 0700), 0);
	strcat(path, "/ringtop-agent");
	assert_int_equal(symlink(agent, path), 0);
	snprintf(path, sizeof(path), "%s/ssh", far);
	write_script(path, "#!/bin/sh\nPATH=/usr/bin:/bin exec /bin/sh\n");
	return true;
}

static void remove_far(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -rf %s", far);
	assert_int_equal(system(command), 0);
}

static void open_far(struct stage *g, void (*run)(void), const char *event)
{
	char pid[16], ssh[80];
	char *words[] = {"-p", pid, "-F", "4999", "-e", (char *)event};
	struct remote_config c = {.host = "far", .ssh = ssh, .agent_dir = far, .words = words, .nwords = 6,
				  .stop_fd = -1, .output_fd = -1};
	struct err err = {.code = 0};

	*g = (struct stage){.pid = start(run)};
	snprintf(pid, sizeof(pid), "%d", g->pid);
	snprintf(ssh, sizeof(ssh), "%s/ssh", far);
	g->session = remote_open(&c, &err);
	if (!g->session)
		fail_msg("%s (%s)", err.text, err.advice);
	g->model = model_create(&g->session->info, MODEL_BUDGET);
	assert_non_null(g->model);
}

/* --- what comes --------------------------------------------------------------------------- */

/* Take what comes next; false: the end was told. */
static bool take(struct stage *g)
{
	struct pollfd fd = {.fd = g->session->ops->fd(g->session), .events = POLLIN};
	struct slice *s;
	int ret;

	assert_int_equal(poll(&fd, 1, 20000), 1);
	ret = session_next(g->session, &s);
	if (ret) {
		assert_int_equal(ret, -ESHUTDOWN);
		g->ended = true;
		return false;
	}
	if (!s)
		return true;
	g->codes += s->ncodes;
	for (size_t i = 0; i < s->ncodes; i++)
		rawcode_decode(s->codes[i]); /* as a front end of another machine does */
	assert_int_equal(model_add(g->model, s), 0);
	return true;
}

static void end(struct stage *g)
{
	kill(g->pid, SIGKILL);
	waitpid(g->pid, NULL, 0);
}

static void stage_close(struct stage *g)
{
	model_free(g->model);
	session_close(g->session);
}

static bool is_wanted(const struct row *r, const char *name)
{
	if (r->flags & ROW_LOADING)
		return false;
	if (name && !*name)
		return r->flags & ROW_UNRESOLVED;
	return name ? !strcmp(r->name, name) : r->flags & ROW_KERNEL && !(r->flags & ROW_UNRESOLVED);
}

/* The row of that name (NULL: the kernel's first, "": a nameless one), once it has enough samples. */
static struct row wait_for_row(struct stage *g, const char *name)
{
	struct query q = {.group = GROUP_FUNCTION};

	for (int i = 0; i < 400; i++) {
		const struct rows *rows = model_rows(g->model, &q, WINDOW_ALL);

		for (size_t r = 0; r < rows->nr; r++)
			if (is_wanted(&rows->row[r], name) && rows->row[r].samples >= SAMPLES)
				return rows->row[r];
		assert_true(take(g));
	}
	fail_msg("%s has too few samples", name ? name : "the kernel");
	return (struct row){.key = 0};
}

static void ask(struct stage *g, const struct code_place *place)
{
	struct session_request rq = {.command = SESSION_CODE, .code = place};
	struct err err = {.code = 0};

	if (g->session->ops->command(g->session, &rq, &err))
		fail_msg("%s", err.text);
}

/* Ask until there is a final answer. */
static const struct code_sheet *code_of(struct stage *g, const struct row *row,
					struct code_place *place)
{
	struct query q = {.group = GROUP_FUNCTION};
	uint64_t begun = clock_ns();
	const struct code_sheet *s;
	struct code_place p;

	assert_true(model_code_place(g->model, &q, row->key, WINDOW_ALL, &p));
	assert_true(code_place_copy(place, &p));
	for (int i = 0; i < 50; i++) {
		size_t codes = g->codes;

		ask(g, place);
		while (g->codes == codes)
			assert_true(take(g) || g->ended);
		s = model_code(g->model, &q, place, WINDOW_ALL);
		assert_non_null(s);
		assert_non_null(s->code);
		print_message("# %s: answered in %.1f ms\n", place->object,
			      (double)(clock_ns() - begun) / 1e6);
		while (s->code->loading) { /* the same again, with source lines */
			assert_true(take(g) || g->ended);
			s = model_code(g->model, &q, place, WINDOW_ALL);
			assert_non_null(s->code);
		}
		if (!s->code->again)
			return s;
	}
	fail_msg("never ready: %s", s->code->why);
	return NULL;
}

/* The weight inside loops, of all: loops end with a jump back to where they begin. */
static double share_in_loops(const struct code_sheet *s)
{
	uint64_t sum = 0;

	for (size_t h = 0; h < s->nr; h++)
		for (size_t i = 0; i < s->code->ninsns; i++) {
			const struct code_insn *in = &s->code->insns[i];

			if (in->flow != CODE_JUMP || !in->target || in->target > in->addr)
				continue;
			if (s->heat[h].addr >= in->target && s->heat[h].addr <= in->addr) {
				sum += s->heat[h].weight;
				break;
			}
		}
	return s->weight ? (double)sum / (double)s->weight : 0;
}

/* An instruction begins wherever a sample was: what was read is what runs. */
static void check_places(const struct code_sheet *s)
{
	for (size_t h = 0; h < s->nr; h++)
		if (code_find(s->code, s->heat[h].addr) < 0)
			fail_msg("no instruction begins at %lx of %s", (unsigned long)s->heat[h].addr,
				 s->code->name);
}

static void need_capstone(const struct code_sheet *s)
{
	if (s->code->why && strstr(s->code->why, "without capstone")) {
		SKIP("built without capstone");
	}
	if (s->code->why)
		fail_msg("%s", s->code->why);
}

/* --- the tests ------------------------------------------------------------------------------ */

static void test_program(void **state)
{
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;
	bool source = false;
	size_t codes;

	(void)state;
	open_on(&g, run_loop, "cpu-clock:u");
	row = wait_for_row(&g, "code_live_spin");
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_string_equal(s->code->name, "code_live_spin");
	assert_true(s->code->ninsns > 5);
	assert_true(s->samples >= SAMPLES);
	print_message("# %lu samples, %.2f%% of them in the loop\n", (unsigned long)s->samples,
		      100 * share_in_loops(s));
	assert_true(share_in_loops(s) > 0.9);
	check_places(s);
	for (size_t i = 0; i < s->code->nsources; i++)
		source |= strstr(code_text(s->code, s->code->sources[i].text), "/* the loop */") != NULL;
	print_message("# source: %s\n", source ? "found" : s->code->note ? s->code->note : "none");
	assert_true(source || s->code->note);
	/* What it did can be looked at when it is gone. */
	end(&g);
	while (take(&g))
		;
	codes = g.codes;
	for (int i = 0; i < 3; i++) {
		ask(&g, &place);
		while (g.codes == codes)
			take(&g);
		codes = g.codes;
	}
	assert_true(g.ended);
	code_place_clear(&place);
	stage_close(&g);
}

/* A recording has no process any more, but the file with the same build-id is here. */
static void test_recording(void **state)
{
	char path[] = "/tmp/ringtop-code-XXXXXX", command[250];
	struct measure_config c = {.input = path};
	struct stage g = {.pid = start(run_loop)};
	struct code_place place;
	const struct code_sheet *s;
	struct err err = {.code = 0};
	struct row row;
	int fd = mkstemp(path), failed;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	/* For half a second of its time, however long that takes. */
	snprintf(command, sizeof(command),
		 "perf record -q -e cpu-clock:u -F 4999 -o %s -p %d -- sh -c '"
		 "t() { cut -d \" \" -f 14 /proc/%d/stat; }; until=$(($(t) + 50)); "
		 "while [ $(t) -lt $until ]; do sleep 0.05; done' >/dev/null 2>&1",
		 path, g.pid, g.pid);
	failed = system(command);
	end(&g);
	if (failed) {
		unlink(path);
		SKIP("no perf that records here");
	}
	g.session = file_open(&c, &err);
	if (!g.session)
		fail_msg("%s", err.text);
	g.model = model_create(&g.session->info, MODEL_BUDGET);
	assert_non_null(g.model);
	while (take(&g))
		;
	row = wait_for_row(&g, "code_live_spin");
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_string_equal(s->code->name, "code_live_spin");
	assert_int_equal(s->weight, row.self);
	assert_true(share_in_loops(s) > 0.9);
	check_places(s);
	code_place_clear(&place);
	stage_close(&g);
	unlink(path);
}

/* Page by page, from wherever the hottest is. */
static void test_pages(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;
	uint64_t at, end_of;
	size_t insns = 0;

	(void)state;
	open_on(&g, run_long, "cpu-clock:u");
	row = wait_for_row(&g, "code_live_long");
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_true(s->code->size > CODE_PAGE_BYTES);
	assert_true(s->code->from <= place.addr && place.addr < s->code->to);
	assert_true(s->code->to - s->code->from <= CODE_PAGE_BYTES);
	assert_true(s->weight > 0);
	end_of = s->code->addr + s->code->size;
	for (at = s->code->addr; at < end_of; at = s->code->to) {
		place.addr = at;
		ask(&g, &place);
		while (!(s = model_code(g.model, &q, &place, WINDOW_ALL))->code)
			assert_true(take(&g));
		assert_int_equal(s->code->from, at);
		insns += s->code->ninsns;
		assert_true(s->samples >= SAMPLES); /* the function's, on whatever page */
	}
	assert_true(insns >= 300000);
	code_place_clear(&place);
	end(&g);
	stage_close(&g);
}

static char stripped[] = "/tmp/ringtop-stripped-XXXXXX";

static void run_stripped(void)
{
	execl(stripped, stripped, "spin", NULL);
	_exit(4);
}

/* Samples of a row, as many as the model has by now. */
static uint64_t samples_now(struct stage *g, uint64_t key)
{
	struct query q = {.group = GROUP_FUNCTION};
	const struct rows *rows = model_rows(g->model, &q, WINDOW_ALL);

	for (size_t r = 0; r < rows->nr; r++)
		if (rows->row[r].key == key)
			return rows->row[r].samples;
	return 0;
}

/* Without a symbol, what the unwinder needs says where a function begins and ends. */
static void test_stripped(void **state)
{
	struct code_place place;
	const struct code_sheet *s;
	char command[200];
	struct stage g;
	struct row row;
	int fd = mkstemp(stripped);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	snprintf(command, sizeof(command), "strip -o %s /proc/%d/exe 2>/dev/null && chmod 755 %s",
		 stripped, getpid(), stripped);
	if (disasm_machine() != EM_X86_64 || system(command)) {
		unlink(stripped);
		SKIP("no strip, or not x86-64");
	}
	open_on(&g, run_stripped, "cpu-clock:u");
	row = wait_for_row(&g, "");
	unlink(stripped);
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_null(s->code->name);
	assert_true(s->code->size > 8);
	assert_true(s->nr > 1); /* its addresses are one row, and one piece of code */
	assert_int_equal(s->samples, samples_now(&g, row.key));
	assert_true(share_in_loops(s) > 0.9);
	check_places(s);
	code_place_clear(&place);
	end(&g);
	stage_close(&g);
}

static void test_jit(void **state)
{
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;
	char map[64];

	(void)state;
	if (disasm_machine() != EM_X86_64) {
		SKIP("the code made here is x86-64's");
	}
	open_on(&g, run_jit, "cpu-clock:u");
	row = wait_for_row(&g, "jit_loop");
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_string_equal(s->code->name, "jit_loop");
	assert_int_equal(s->code->ninsns, 4);
	assert_true(share_in_loops(s) > 0.9);
	check_places(s);
	end(&g);
	snprintf(map, sizeof(map), "/tmp/perf-%d.map", g.pid);
	unlink(map);
	/* Its memory is gone, and that is what is said. */
	while (take(&g))
		;
	code_place_clear(&place);
	s = code_of(&g, &row, &place);
	assert_int_equal(s->code->ninsns, 0);
	assert_non_null(s->code->why);
	stage_close(&g);
	code_place_clear(&place);
}

/* What a jitdump has can be shown when neither its process nor its name is there any more. */
static void test_dumped(void **state)
{
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;
	char dump[64];

	(void)state;
	if (disasm_machine() != EM_X86_64) {
		SKIP("the code made here is x86-64's");
	}
	open_on(&g, run_dumped, "cpu-clock:u");
	row = wait_for_row(&g, "jit_loop");
	snprintf(dump, sizeof(dump), "/tmp/jit-%d.dump", g.pid);
	unlink(dump);
	end(&g);
	while (take(&g))
		;
	s = code_of(&g, &row, &place);
	need_capstone(s);
	assert_string_equal(s->code->name, "jit_loop");
	assert_int_equal(s->code->ninsns, 4);
	assert_int_equal(s->code->insns[0].line, 7);
	assert_string_equal(code_text(s->code, s->code->insns[0].file), "loop.src");
	assert_true(share_in_loops(s) > 0.9);
	check_places(s);
	stage_close(&g);
	code_place_clear(&place);
}

static void test_kernel(void **state)
{
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;

	(void)state;
	if (geteuid()) {
		SKIP("kernel samples need root");
	}
	open_on(&g, run_calls, "cpu-clock:k");
	row = wait_for_row(&g, NULL);
	s = code_of(&g, &row, &place);
	assert_true(s->samples >= SAMPLES);
	if (s->code->why) {
		print_message("# %s\n", s->code->why);
		assert_null(getenv("RINGTOP_NEED_KCORE"));
		assert_int_equal(s->code->ninsns, 0);
		assert_non_null(strstr(s->code->why, "kcore"));
		assert_true(s->nr > 0); /* the addresses are there all the same */
	} else {
		assert_true(s->code->ninsns > 0);
		check_places(s);
		print_message("# %s: %zu instructions, samples at %zu of them\n", s->code->name,
			      s->code->ninsns, s->nr);
	}
	code_place_clear(&place);
	end(&g);
	stage_close(&g);
}

/* What nobody has is refused in words, at once. */
static void test_nothing(void **state)
{
	static const struct {
		uint8_t kind;
		const char *object;
	} places[] = {
		{OBJECT_FILE, "/no/such/file"}, {OBJECT_UNKNOWN, "[unknown]"}, {OBJECT_JIT, "[jit]"},
		{OBJECT_RINGTOP, "[ringtop]"}, {200, "?"},
	};
	struct stage g;

	(void)state;
	open_on(&g, run_loop, "cpu-clock:u");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct query q = {.group = GROUP_FUNCTION};
		struct code_place p = {.kind = places[i].kind, .object = (char *)places[i].object,
				       .addr = 0x1000 * i, .pid = 4194303};
		size_t codes = g.codes;

		ask(&g, &p);
		while (g.codes == codes)
			assert_true(take(&g));
		assert_non_null(model_code(g.model, &q, &p, WINDOW_ALL)->code->why);
	}
	end(&g);
	stage_close(&g);
}

/* The agent has no disassembler: what comes from it is decoded here.  Samples have addresses from the question on. */
static void test_far(void **state)
{
	struct query q = {.group = GROUP_FUNCTION};
	struct code_place place;
	const struct code_sheet *s;
	struct stage g;
	struct row row;

	(void)state;
	if (!make_far())
		SKIP("configure left out ringtop-agent");
	open_far(&g, run_loop, "cpu-clock:u");
	row = wait_for_row(&g, "code_live_spin");
	s = code_of(&g, &row, &place);
	need_capstone(s);
	for (int i = 0; i < 400 && s->samples < SAMPLES; i++) {
		assert_true(take(&g));
		s = model_code(g.model, &q, &place, WINDOW_ALL);
	}
	assert_true(s->samples >= SAMPLES);
	assert_string_equal(s->code->name, "code_live_spin");
	assert_true(share_in_loops(s) > 0.9);
	assert_true(code_text(s->code, s->code->insns[0].text)[0]);
	assert_true(s->code->insns[0].line && s->code->nsources);
	check_places(s);
	code_place_clear(&place);
	end(&g);
	stage_close(&g);
	remove_far();
}

/* Where nothing may be measured there is nothing to test. */
static bool refused(void)
{
	static const char *const event = "cpu-clock:u";
	struct measure_config c = {.screen = true, .events = &event, .nevents = 1};
	struct session *session;
	struct err err = {.code = 0};
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	c.pids = pid;
	session = live_open(&c, &err);
	if (session)
		session_close(session);
	else
		printf("SKIP: %s\n", err.text);
	return !session;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_jit), cmocka_unit_test(test_dumped),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_far),
	};

	if (argc > 1 && !strcmp(argv[1], "spin"))
		run_loop();
	if (CODE_RAW) {
		rawcode_want();
		if (sandboxed_start(false))
			return 77;
	}
	if (refused())
		return 77;
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
