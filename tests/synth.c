/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recipe: a fixed cast of functions and tasks with fixed shares of each CPU's samples, then one
 * sample for every extra function, fork and address, and what is left goes to the first of the
 * cast.  Counters run a little faster than the samples so that something is always pending.
 */
#include "tests/synth.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/vec.h"
#include "tests/synth_code.h"
#include "tests/synth_counters.h"
#include "tests/synth_fields.h"
#include "tests/synth_log.h"
#include "tests/synth_dict.h"
#include "tests/synth_hosts.h"

#define TICK_NS    (100 * NSEC_PER_MSEC)
#define START_WALL 1767225600000000000ull /* 2026-01-01T00:00:00Z */
#define FORK_LIFE  3
#define RING_BYTES 524288u
#define SIDE_BYTES 65536u

enum object_id { O_LIBZ = 1, O_KERNEL, O_GZIP, O_SLOW, O_SELF, O_STRIPPED, O_ANON, O_EXTRA, O_NR };

static const struct dso {
	const char *name, *why;
	uint8_t kind, state;
} objects[O_NR] = {
	[O_LIBZ] = {"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", NULL, OBJECT_FILE, OBJECT_READY},
	[O_KERNEL] = {"[kernel]", NULL, OBJECT_KERNEL, OBJECT_READY},
	[O_GZIP] = {"/usr/bin/gzip", NULL, OBJECT_FILE, OBJECT_READY},
	[O_SLOW] = {"/opt/app/libslow.so", NULL, OBJECT_FILE, OBJECT_LOADING},
	[O_SELF] = {"[ringtop]", NULL, OBJECT_RINGTOP, OBJECT_READY},
	[O_STRIPPED] = {"/opt/app/stripped", "no symbol table", OBJECT_FILE, OBJECT_NAMELESS},
	[O_ANON] = {"[anon]", NULL, OBJECT_ANON, OBJECT_NAMELESS},
	[O_EXTRA] = {"/opt/app/libextra.so", NULL, OBJECT_FILE, OBJECT_READY},
};

static const struct dso unnamed = {"[JIT] 4250 clang", "start it with --perf-basic-prof", OBJECT_ANON, OBJECT_NAMELESS};

static const struct dso nowhere = {"[unknown]", "no map covers the address", OBJECT_UNKNOWN, OBJECT_NAMELESS};

/* Replaces them where names are in doubt. */
static const struct dso doubted[O_NR] = {
	[O_LIBZ] = {"/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "it was changed since", OBJECT_FILE,
		    OBJECT_NAMELESS},
	[O_GZIP] = {"/usr/bin/gzip", "another file than was mapped", OBJECT_FILE, OBJECT_READY},
	[O_ANON] = {"[unknown]", "no map covers the address", OBJECT_UNKNOWN, OBJECT_NAMELESS},
};

enum function_id {
	F_NONE,
	F_COMPRESS,
	F_MATCH,
	F_SYSCALL,
	F_COPY,
	F_MAIN,
	F_SLOW,
	F_SLOWER,
	F_STRIPPED,
	F_ANON,
	F_SELF,
	F_PARSE,
	F_IDLE,
	F_NR
};

enum task_id { T_NONE, T_GZIP, T_CLANG, T_WORKER, T_KWORKER, T_SELF, T_IDLE, T_NR };

static const struct function {
	const char *name; /* NULL: never named */
	enum object_id object;
	uint64_t addr;
	uint32_t flags;
	enum task_id task;
	unsigned share; /* of 100 samples */
	enum function_id callers[4]; /* outermost first */
} functions[F_NR] = {
	[F_COMPRESS] = {"compress_block", O_LIBZ, 0x3a10, 0, T_GZIP, 22, {F_MAIN}},
	[F_MATCH] = {"longest_match", O_LIBZ, 0x41c0, 0, T_GZIP, 17, {F_MAIN, F_COMPRESS}},
	[F_SYSCALL] = {"do_syscall_64", O_KERNEL, 0xffffffff81a01230, FRAME_KERNEL, T_CLANG, 12,
		       {F_MAIN}},
	[F_COPY] = {"copy_page", O_KERNEL, 0xffffffff81b0c000, FRAME_KERNEL, T_KWORKER, 8, {0}},
	[F_MAIN] = {"main", O_GZIP, 0x2400, 0, T_GZIP, 4, {0}},
	[F_SLOW] = {"std::_Rb_tree<int, long>::_M_insert_unique(int&&)", O_SLOW, 0x9100, 0,
		    T_WORKER, 9, {F_SLOWER}},
	[F_SLOWER] = {"app::slower()", O_SLOW, 0xa200, 0, T_WORKER, 3, {0}},
	[F_STRIPPED] = {NULL, O_STRIPPED, 0x1b0e4, 0, T_CLANG, 5, {0}},
	[F_ANON] = {NULL, O_ANON, 0x7f21c3a1b0e4, 0, T_CLANG, 2, {0}},
	[F_SELF] = {"ring_read", O_SELF, 0x5000, FRAME_SELF, T_SELF, 2, {0}},
	[F_PARSE] = {"parse_expr", O_GZIP, 0x2600, 0, T_GZIP, 6, {F_MAIN, F_PARSE, F_PARSE}},
	[F_IDLE] = {"pv_native_safe_halt", O_KERNEL, 0xffffffff8225fe60, FRAME_KERNEL | FRAME_IDLE, T_IDLE, 0, {0}},
};

static const struct task {
	const char *comm;
	int32_t pid, tid;
	uint32_t flags;
} tasks[T_NR] = {
	[T_GZIP] = {"gzip", 4242, 4242, 0},
	[T_CLANG] = {"clang", 5000, 5000, 0},
	[T_WORKER] = {"clang-worker", 5000, 5001, 0},
	[T_KWORKER] = {"kworker/0:1", 17, 17, TASK_KERNEL},
	[T_SELF] = {"ringtop", 999, 999, TASK_SELF},
	[T_IDLE] = {"swapper", 0, 0, TASK_KERNEL},
};

/* Where the functions' samples are, where lines are known. */
static const struct place {
	const char *file;
	uint32_t line;
} places[F_NR] = {
	[F_COMPRESS] = {"/src/zlib/deflate.c", 44}, [F_MATCH] = {"/src/zlib/longest_match_of_all_in_the_window.c", 1190},
	[F_MAIN] = {"/src/zlib/deflate.c", 62},	    [F_PARSE] = {"/usr/src/app/parse.cc", 7},
};

/* Replaces the names of cast and comms when hostile. */
static const char *const hostile_functions[F_NR] = {
	[F_COMPRESS] = "\033[31mred\033[0m\007",
	[F_MATCH] = "line\nbreak\ttab\rreturn",
	[F_COPY] = "bad\xff\xc0utf8\xe2\x82",
	[F_MAIN] = "quote\"back\\slash</script>",
	[F_PARSE] = "\xe2\x80\xae" "override\xc2\x9b" "C1",
};

static const char *const hostile_tasks[T_NR] = {
	[T_GZIP] = "\033]0;pwned\007",
	[T_CLANG] = "\x80\x81",
};

enum { DEEP_INLINED, DEEP_RECURSION, DEEP_TRUNCATED, DEEP_NR };

#define DEEP_LEVELS 12

/* Of each CPU's 100, out of the first of the cast's. */
static const unsigned deep_share[DEEP_NR] = {6, 4, 2};

struct fork {
	uint32_t task, string;
	unsigned born;
};

/* Events of --off-cpu, behind the clock. */
enum { OFF_ON, OFF_OFF, OFF_RUNNABLE, OFF_SLEEPING, OFF_DISK, OFF_NR };

static const char *const off_names[OFF_NR] = {"on-cpu", "off-cpu", "off-cpu:runnable", "off-cpu:sleeping", "off-cpu:disk"};

struct synth {
	struct session base;
	struct synth_config c; /* cpus: of all hosts */
	struct synth_hosts hosts;
	struct session_event events[1 + OFF_NR];
	struct slice **queue;
	size_t nqueue, taken, cap;
	struct synth_dict dict;
	struct fork *forks;
	size_t nforks, cap_forks;
	uint32_t cast_path[F_NR], cast_frame[F_NR];
	uint32_t deep_path[DEEP_NR], code_path[SYNTH_CODE_HEATS];
	struct code_place asked[4];
	unsigned nasked;
	struct slice_recording recording;
	uint32_t *extra_path, *extra_task;
	uint64_t *pending;  /* per event and CPU */
	uint64_t period;    /* ns per sample */
	uint64_t serial;    /* for addresses and pids never seen before */
	unsigned tick;
	bool stopped, ended, told, broken;
	bool pausing, paused; /* the counters stop after the next slice */
	int fd;
	struct synth_truth truth;
};

static struct synth *synth_of(const struct session *s)
{
	return (struct synth *)s;
}

/* --- dictionary ------------------------------------------------------------------------- */

static const char *function_name(const struct synth *y, unsigned f)
{
	if ((y->c.doubt && functions[f].object == O_LIBZ) || (y->c.astray && functions[f].object == O_GZIP))
		return NULL;
	return y->c.hostile && hostile_functions[f] ? hostile_functions[f] : functions[f].name;
}

static const struct dso *object_at(const struct synth *y, unsigned o)
{
	if (y->c.jit && o == O_ANON)
		return &unnamed;
	if (y->c.astray && o == O_GZIP)
		return &nowhere;
	return y->c.doubt && doubted[o].name ? &doubted[o] : &objects[o];
}

static void put_object(struct synth *y, struct slice *s, unsigned o, uint8_t state)
{
	const struct dso *from = object_at(y, o);
	struct dict_object e = {.id = o, .kind = from->kind, .state = state};

	e.doubted = y->c.doubt && o == O_GZIP;

	e.name = synth_put_string(&y->dict, s, from->name);
	if (from->why)
		e.why = synth_put_string(&y->dict, s, from->why);
	if (e.kind == OBJECT_FILE) {
		e.build_id.len = 20;
		memset(e.build_id.bytes, (int)o, e.build_id.len);
	}
	synth_put(&y->dict, s, DICT_OBJECT, &e);
}

static void put_tasks(struct synth *y, struct slice *s)
{
	y->dict.host = 0;
	y->dict.owned = y->c.owned;
	do
		for (unsigned t = 1; t < T_NR; t++) {
			bool hostile = y->c.hostile && hostile_tasks[t];
			const char *name = hostile ? hostile_tasks[t] : tasks[t].comm;
			uint32_t comm = synth_put_string(&y->dict, s, name);

			synth_put_task(&y->dict, s, comm, tasks[t].pid, tasks[t].tid, tasks[t].flags);
		}
	while (++y->dict.host < y->c.hosts);
	y->dict.host = 0;
}

static uint32_t put_lined(struct synth *y, struct slice *s, const struct dict_frame *frame, const char *file, uint32_t line)
{
	struct dict_frame e = *frame;

	if (y->c.by_function || y->c.by_line)
		e.flags |= FRAME_WHOLE;
	if (y->c.by_line)
		e.flags |= FRAME_LINE;
	return synth_put_frame_at(&y->dict, s, &e, file, y->c.by_function ? 0 : line);
}

static uint32_t put_cast_frame(struct synth *y, struct slice *s, unsigned f, uint32_t symbol)
{
	const struct function *fn = &functions[f];
	const struct dict_frame e = {.object = fn->object, .symbol = symbol, .addr = fn->addr + 16, .flags = fn->flags};
	const char *file = y->c.hostile ? "/src/\033[31m\xff\a\n.c" : places[f].file;

	if (!y->c.lines || !places[f].file)
		return synth_put_frame(&y->dict, s, e.object, e.symbol, e.addr, e.flags);
	return put_lined(y, s, &e, file, places[f].line);
}

static uint32_t put_symbol(struct synth *y, struct slice *s, unsigned f, const char *name)
{
	const struct function *fn = &functions[f];
	struct dict_symbol e = {.object = fn->object, .addr = fn->addr, .size = 256};

	if (!y->c.several || f != F_PARSE)
		return synth_put_symbol(&y->dict, s, name, fn->object, fn->addr);
	e.name = synth_put_string(&y->dict, s, name);
	e.also = synth_put_string(&y->dict, s,
				  "6\nparse_term\nparser::next<token, int>\nparse_\033[31mred");
	e.id = synth_id(&y->dict, DICT_SYMBOL);
	synth_put(&y->dict, s, DICT_SYMBOL, &e);
	return e.id;
}

static void put_cast(struct synth *y, struct slice *s)
{
	for (unsigned o = 1; o < O_NR; o++)
		put_object(y, s, o, object_at(y, o)->state);
	for (unsigned f = 1; f < F_NR; f++) {
		const struct function *fn = &functions[f];
		const char *name = fn->object == O_SLOW ? NULL : function_name(y, f);
		uint32_t symbol = 0;

		if (name)
			symbol = put_symbol(y, s, f, name);
		y->cast_frame[f] = put_cast_frame(y, s, f, symbol);
	}
	for (unsigned f = 1; f < F_NR; f++) {
		uint32_t path = 0;

		for (unsigned i = 0; y->c.callchains && i < 4 && functions[f].callers[i]; i++)
			path = synth_put_path(&y->dict, s, path,
					      y->cast_frame[functions[f].callers[i]]);
		y->cast_path[f] = synth_put_path(&y->dict, s, path, y->cast_frame[f]);
	}
	put_tasks(y, s);
}

static uint32_t put_named(struct synth *y, struct slice *s, uint32_t parent, const char *name,
			  uint64_t addr, uint32_t flags)
{
	struct dict_frame e = {.object = O_GZIP, .addr = addr, .flags = flags};

	e.symbol = synth_put_symbol(&y->dict, s, name, O_GZIP, addr);
	if (addr) { /* "[truncated]" is no place */
		e.file = synth_put_string(&y->dict, s, "/usr/src/app/hash.cc");
		e.line = (uint32_t)addr & 0xfff;
	}
	e.id = synth_id(&y->dict, DICT_FRAME);
	synth_put(&y->dict, s, DICT_FRAME, &e);
	return synth_put_path(&y->dict, s, parent, e.id);
}

static void put_deep(struct synth *y, struct slice *s)
{
	uint32_t path = synth_put_path(&y->dict, s, 0, y->cast_frame[F_MAIN]), descend;

	path = put_named(y, s, path, "app::run(app::options const&)", 0x7000, 0);
	y->deep_path[DEEP_INLINED] = put_named(y, s, path, "app::hash_step", 0x7010, FRAME_INLINED);
	path = put_named(y, s, path, "app::descend(int)", 0x7100, 0);
	descend = y->dict.ids[DICT_FRAME].next;
	for (unsigned i = 1; i < DEEP_LEVELS; i++)
		path = synth_put_path(&y->dict, s, path, descend);
	y->deep_path[DEEP_RECURSION] = synth_put_path(&y->dict, s, path, y->cast_frame[F_COPY]);
	path = put_named(y, s, 0, "[truncated]", 0, 0);
	y->deep_path[DEEP_TRUNCATED] = synth_put_path(&y->dict, s, path, y->cast_frame[F_STRIPPED]);
}

/* The first function's other addresses. */
static void put_code(struct synth *y, struct slice *s)
{
	const struct function *fn = &functions[F_COMPRESS];
	uint32_t symbol = synth_put_symbol(&y->dict, s, fn->name, fn->object, fn->addr);

	for (unsigned i = 1; i < SYNTH_CODE_HEATS; i++) {
		const struct dict_frame e = {.object = fn->object, .symbol = symbol, .addr = fn->addr + synth_code_heat[i],
					     .flags = fn->flags};
		uint32_t frame = y->c.lines ? put_lined(y, s, &e, places[F_COMPRESS].file, synth_code_line[i])
					    : synth_put_frame(&y->dict, s, e.object, e.symbol, e.addr, e.flags);

		y->code_path[i] = synth_put_path(&y->dict, s, 0, frame);
	}
}

static void put_extras(struct synth *y, struct slice *s)
{
	char name[700];

	for (unsigned i = 0; i < y->c.tasks; i++) {
		snprintf(name, sizeof(name), "worker-%u", i);
		y->extra_task[i] = synth_put_task(&y->dict, s, synth_put_string(&y->dict, s, name),
						  10000 + (int)i / 4 * 4, 10000 + (int)i, 0);
	}
	for (unsigned i = 0; i < y->c.functions; i++) {
		uint64_t addr = 0x10000 + i * 256ull;
		uint32_t frame;

		snprintf(name, sizeof(name), "extra_%05u", i);
		if (y->c.hostile && i == 0) {
			memset(name, 'x', sizeof(name) - 1);
			name[sizeof(name) - 1] = '\0';
		}
		frame = synth_put_frame(&y->dict, s, O_EXTRA,
					synth_put_symbol(&y->dict, s, name, O_EXTRA, addr), addr, 0);
		y->extra_path[i] = synth_put_path(&y->dict, s, 0, frame);
	}
}

/* The loading object is ready: its frames are sent again, with their symbols. */
static void put_loaded(struct synth *y, struct slice *s)
{
	put_object(y, s, O_SLOW, OBJECT_READY);
	for (unsigned f = 1; f < F_NR; f++) {
		const struct function *fn = &functions[f];
		struct dict_frame e = {.id = y->cast_frame[f], .object = fn->object,
				       .addr = fn->addr + 16, .flags = fn->flags};

		if (fn->object != O_SLOW)
			continue;
		e.symbol = synth_put_symbol(&y->dict, s, fn->name, fn->object, fn->addr);
		synth_put(&y->dict, s, DICT_FRAME, &e);
	}
}

/* --- one tick --------------------------------------------------------------------------- */

static void row(struct synth *y, struct slice *s, uint32_t path, uint32_t task, unsigned event,
		unsigned cpu, unsigned samples, uint64_t period)
{
	struct slice_row *r = samples ? slice_add_row(s) : NULL;

	if (!r) {
		y->broken |= samples != 0;
		return;
	}
	if (task < T_NR) /* as the cast's ids come, host after host */
		task += cpu / y->hosts.cpus * (T_NR - 1);
	*r = (struct slice_row){.path = path, .task = task, .event = (uint16_t)event,
				.cpu = (uint16_t)cpu, .samples = samples,
				.weight = samples * period};
	if (event == 0) {
		y->truth.samples += samples;
		y->truth.weight += samples * period;
		if (path == y->cast_path[F_SELF])
			y->truth.self_weight += samples * period;
	}
}

/* Of 100 samples, by the tick, or the host. */
static unsigned share_of(const struct synth *y, unsigned f, unsigned cpu)
{
	bool shifts = y->c.shift || y->c.host_shift;
	bool shifted = y->c.host_shift ? cpu / y->hosts.cpus == y->hosts.nr - 1 : shifts && y->tick >= y->c.shift;

	if (f == F_MATCH) /* its trend goes up and down over 2 s */
		return functions[f].share * (unsigned)(y->tick % 20) / 20;
	if ((f == F_MAIN && shifted) || (f == F_COPY && shifts && !shifted))
		return 0;
	if (f == F_IDLE)
		return y->c.idle;
	return functions[f].share + (f == F_PARSE && shifted ? 7 : 0);
}

/* The cast's part of `samples`; what their shares leave over goes to the first. */
static void row_cast(struct synth *y, struct slice *s, unsigned cpu, unsigned samples)
{
	unsigned left = samples;

	for (unsigned f = F_NR - 1; f > F_COMPRESS; f--) {
		unsigned n = samples * share_of(y, f, cpu) / 100;

		row(y, s, y->cast_path[f], functions[f].task, 0, cpu, n, y->period);
		left -= n;
	}
	for (unsigned d = 0; y->c.deep && y->c.callchains && d < DEEP_NR; d++) {
		unsigned n = samples * deep_share[d] / 100;

		n = n < left ? n : left;
		row(y, s, y->deep_path[d], T_CLANG, 0, cpu, n, y->period);
		left -= n;
	}
	for (unsigned i = 1; y->c.code && i < SYNTH_CODE_HEATS; i++) {
		/* what is hot is so elsewhere from the shift on */
		bool shifted = y->c.shift && y->tick >= y->c.shift;
		unsigned n = samples * functions[F_COMPRESS].share * synth_code_share[shifted ? SYNTH_CODE_HEATS - i : i] / 10000;

		row(y, s, y->code_path[i], functions[F_COMPRESS].task, 0, cpu, n, y->period);
		left -= n;
	}
	row(y, s, y->cast_path[F_COMPRESS], functions[F_COMPRESS].task, 0, cpu, left, y->period);
}

static void fork_add(struct synth *y, struct slice *s, unsigned cpu)
{
	struct fork f = {.born = y->tick};
	int32_t pid = 20000 + (int32_t)(y->serial++ % 100000);
	char comm[16];

	snprintf(comm, sizeof(comm), "sh%u", (unsigned)(y->serial % 3));
	f.string = synth_put_string(&y->dict, s, comm);
	f.task = synth_put_task(&y->dict, s, f.string, pid, pid, TASK_EXITED);
	if (!vec_reserve(&y->forks, &y->cap_forks, y->nforks + 1, sizeof(f))) {
		y->broken = true;
		return;
	}
	y->forks[y->nforks++] = f;
	y->truth.tasks++;
	row(y, s, y->cast_path[F_MAIN], f.task, 0, cpu, 1, y->period);
}

static void forks_release(struct synth *y, struct slice *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < y->nforks; i++) {
		if (y->tick - y->forks[i].born < FORK_LIFE) {
			y->forks[kept++] = y->forks[i];
			continue;
		}
		synth_release(&y->dict, s, DICT_TASK, y->forks[i].task);
		synth_release(&y->dict, s, DICT_STRING, y->forks[i].string);
	}
	y->nforks = kept;
}

/* Gone again with the slice. */
static void row_once(struct synth *y, struct slice *s, unsigned cpu, uint32_t symbol, uint64_t addr)
{
	uint32_t frame = synth_put_frame(&y->dict, s, O_STRIPPED, symbol, addr, 0);
	uint32_t path = synth_put_path(&y->dict, s, 0, frame);

	row(y, s, path, T_CLANG, 0, cpu, 1, y->period);
	synth_release(&y->dict, s, DICT_PATH, path);
	synth_release(&y->dict, s, DICT_FRAME, frame);
}

/* Addresses that nobody will ever name. */
static void row_addresses(struct synth *y, struct slice *s, unsigned cpu)
{
	for (unsigned i = 0; i < y->c.addresses; i++)
		row_once(y, s, cpu, 0, 0x100000 + 16 * y->serial++);
}

static void row_strangers(struct synth *y, struct slice *s, unsigned cpu)
{
	char name[32];

	for (unsigned i = 0; i < y->c.strangers; i++) {
		uint64_t addr = 0x100000 + 16 * y->serial++;
		uint32_t string, symbol;

		snprintf(name, sizeof(name), "stranger_%llu", (unsigned long long)y->serial);
		string = synth_put_string(&y->dict, s, name);
		symbol = synth_put_symbol_named(&y->dict, s, string, O_STRIPPED, addr);
		row_once(y, s, cpu, symbol, addr);
		synth_release(&y->dict, s, DICT_SYMBOL, symbol);
		synth_release(&y->dict, s, DICT_STRING, string);
	}
}

static void account(struct synth *y, struct slice *s, unsigned event, unsigned cpu,
		    const struct slice_account *given, uint64_t period);

/* A thread of each CPU: where it ran and where it waited, ms of a tick. */
static void tick_off_cpu(struct synth *y, struct slice *s, unsigned cpu)
{
	static const struct {
		unsigned event, f, ms;
	} parts[] = {
		{OFF_ON, F_COMPRESS, 28}, {OFF_OFF, F_SYSCALL, 60}, {OFF_OFF, F_COMPRESS, 12},
		{OFF_RUNNABLE, F_COMPRESS, 12}, {OFF_SLEEPING, F_SYSCALL, 45}, {OFF_DISK, F_SYSCALL, 15},
	};
	uint64_t all[OFF_NR] = {0};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		unsigned queued = y->c.queued && parts[i].event == OFF_SLEEPING ? parts[i].ms / 3 : 0;

		row(y, s, y->cast_path[parts[i].f], cpu & 1 ? T_CLANG : T_GZIP, 1 + parts[i].event, cpu, parts[i].ms - queued,
		    1000000);
		all[parts[i].event] += parts[i].ms - queued;
		all[OFF_RUNNABLE] += queued;
		if (queued)
			row(y, s, y->cast_path[parts[i].f], cpu & 1 ? T_CLANG : T_GZIP, 1 + OFF_RUNNABLE, cpu, queued, 1000000);
	}
	for (unsigned e = 0; e < OFF_NR; e++)
		account(y, s, 1 + e, cpu, &(struct slice_account){.counted = all[e] * 1000000, .samples = all[e]}, 1000000);
}

/* As of hyperthreads: with 2 nodes 8 CPUs are 0-1,4-5 and 2-3,6-7. */
static unsigned node_of(const struct synth *y, unsigned cpu)
{
	return y->c.nodes ? cpu % (y->c.cpus / 2) / (y->c.cpus / 2 / y->c.nodes) : 0;
}

static void synth_nodes(const struct synth *y, char *text, size_t size)
{
	unsigned half = y->c.cpus / 2, run = y->c.nodes ? half / y->c.nodes : 0;
	size_t pos = 0;

	for (unsigned i = 0; i < y->c.nodes; i++)
		pos = text_append(text, size, pos, "%s%u:%u-%u,%u-%u", i ? ";" : "", i, i * run, (i + 1) * run - 1,
				  half + i * run, half + (i + 1) * run - 1);
}

static void account(struct synth *y, struct slice *s, unsigned event, unsigned cpu,
		    const struct slice_account *given, uint64_t period)
{
	uint64_t *pending = &y->pending[event * y->c.cpus + cpu];
	struct slice_account *a = slice_add_account(s);

	if (!a) {
		y->broken = true;
		return;
	}
	*a = *given;
	a->event = (uint16_t)event;
	a->cpu = (int16_t)cpu;
	a->exact = true;
	a->attributed = a->samples * period;
	a->lost[LOST_OVERWRITTEN] = a->lost_samples[LOST_OVERWRITTEN] * period;
	a->pending = a->counted + *pending - a->attributed - a->lost[LOST_OVERWRITTEN] -
		     a->unsampled;
	*pending = a->pending;
	if (y->c.shared || (event == 1 && y->c.barred)) {
		a->enabled = TICK_NS;
		a->starved = event == 0 ? TICK_NS / 100 * (100 - y->c.shared) : y->c.barred ? TICK_NS : TICK_NS / 100 * y->c.shared;
	}
	if (event == 0 && y->c.one) {
		a->stat_ns = 100 * NSEC_PER_MSEC;
		a->stat_idle = (cpu + 1 == y->c.cpus ? 75 : 25) * NSEC_PER_MSEC;
		if (cpu + 1 < y->c.cpus && node_of(y, cpu) % 2)
			a->stat_idle += (5 + node_of(y, cpu) * 5) * NSEC_PER_MSEC;
		a->stat_stolen = y->c.nodes ? 6 * NSEC_PER_MSEC : 0;
		a->stat_kernel = 10 * NSEC_PER_MSEC;
		a->stat_user = a->stat_ns - a->stat_idle - a->stat_stolen - a->stat_kernel;
	}
	if (event == 0) {
		y->truth.lost_weight += a->lost[LOST_OVERWRITTEN];
		y->truth.lost_samples += a->lost_samples[LOST_OVERWRITTEN];
	}
}

static bool lossy(const struct synth *y, unsigned cpu)
{
	return y->c.losses && cpu == (y->c.hosts > 1 ? y->c.cpus - 1 : 1) && y->tick % 4 == 3;
}

static void tick_cpu(struct synth *y, struct slice *s, unsigned cpu)
{
	struct slice_account a = {.counted = TICK_NS + 1300 * (y->tick % 7)};
	uint64_t due, before = y->truth.samples;

	if (y->paused || synth_hosts_cut(&y->hosts, cpu / y->hosts.cpus, y->tick)) {
		a.counted = 0;
		account(y, s, 0, cpu, &a, y->period);
		return;
	}
	/* every fifth tick an idle CPU's clock runs on without its timer; the cast has 100 at least */
	if (y->c.quiet || (cpu == 1 && y->tick % 5 == 4))
		a.unsampled = a.unsampled_why[UNSAMPLED_IDLE] = y->c.quiet ? a.counted : 20 * y->period;
	due = (a.counted + y->pending[cpu] - a.unsampled) / y->period;
	if (lossy(y, cpu))
		a.lost_samples[LOST_OVERWRITTEN] = 10;
	due -= a.lost_samples[LOST_OVERWRITTEN];
	if (cpu == 1 && y->c.losses && y->tick % 10 == 5)
		a.throttles = 2;
	if (!y->c.quiet) {
		for (unsigned i = 0; i < y->c.functions; i++)
			row(y, s, y->extra_path[i],
			    y->c.tasks ? y->extra_task[i % y->c.tasks] : T_CLANG, 0, cpu, 1,
			    y->period);
		for (unsigned i = cpu; i < y->c.forks; i += y->c.cpus)
			fork_add(y, s, cpu);
		row_addresses(y, s, cpu);
		row_strangers(y, s, cpu);
		row_cast(y, s, cpu, (unsigned)(due - (y->truth.samples - before)));
		a.samples = due;
	}
	account(y, s, 0, cpu, &a, y->period);
	if (y->c.off_cpu)
		tick_off_cpu(y, s, cpu);
	if (y->c.barred) {
		account(y, s, 1, cpu, &(struct slice_account){.counted = 0}, 1);
	} else if (y->c.second_event && !y->c.quiet && y->tick >= y->c.second_from) {
		unsigned hits = 40 + y->tick % 9;

		a = (struct slice_account){.counted = hits * (uint64_t)y->c.second_event,
					   .samples = hits};
		account(y, s, 1, cpu, &a, y->c.second_event);
		row(y, s, y->cast_path[F_SYSCALL], T_GZIP, 1, cpu, hits - 8, y->c.second_event);
		row(y, s, y->cast_path[F_SYSCALL], T_CLANG, 1, cpu, 8, y->c.second_event);
	}
}

static void tick_gauges(struct synth *y, struct slice *s)
{
	for (unsigned i = 0; i < 2 * y->c.cpus; i++) {
		struct slice_gauge *g = slice_add_gauge(s);
		unsigned cpu = i / 2;
		bool sample = i % 2 == 0, lost = sample && lossy(y, cpu);

		if (!g) {
			y->broken = true;
			return;
		}
		*g = (struct slice_gauge){
			.cpu = (int16_t)cpu,
			.kind = sample ? RING_SAMPLE : RING_SIDEBAND,
			.mode = sample ? RING_OVERWRITE : RING_FORWARD,
			.size = sample ? RING_BYTES : SIDE_BYTES,
			.unread = lost ? RING_BYTES * 8 / 5 : sample ? 40 * (50 + y->tick % 50) : 0,
			.bytes = sample ? 4000 + 40 * (y->tick % 3) : 64,
			.records = sample ? 100 : 1,
			.lost = sample ? GAUGE_UNKNOWN : 0,
			.overwritten_bytes = sample ? (lost ? RING_BYTES * 3 / 5 : 0) : GAUGE_UNKNOWN,
			.wakeups = sample ? 1 + y->tick % 2 : 0,
			.oldest_ns = sample ? 3100000 : GAUGE_UNKNOWN,
			.late_ns = lost ? 7000000 : sample ? 40000 : GAUGE_UNKNOWN,
		};
		g->unread_max = lost ? g->unread : g->unread + g->size / 32;
		if (y->c.unread && cpu + 1 == y->c.cpus) {
			g->bytes = g->records = g->lost = g->wakeups = 0;
			g->late_ns = GAUGE_UNKNOWN;
			slice_gauge_unread(g);
		}
	}
}

static void tick_ftrace(struct synth *y, struct slice *s)
{
	struct slice_gauge *g = slice_add_gauge(s);

	if (!g) {
		y->broken = true;
		return;
	}
	*g = (struct slice_gauge){
		.kind = RING_FTRACE, .mode = RING_OVERWRITE, .size = 1u << 20, .unread = 4096, .unread_max = 65536,
		.bytes = 80000, .records = 2000, .overwritten_bytes = GAUGE_UNKNOWN, .oldest_ns = 2000000,
		.late_ns = GAUGE_UNKNOWN,
		.ftrace = {.entries = 100, .overrun = 31, .commit_overrun = 2, .dropped = 1, .read = 2000 * (y->tick + 1)},
	};
}

/* The function at the place; where nobody knows it, one is made up. */
static void answer(struct synth *y, struct slice *s, const struct code_place *p)
{
	const char *name = "made_up";
	uint64_t addr = p->addr;
	struct code *c;

	for (unsigned f = 1; f < F_NR; f++)
		if (functions[f].name && p->addr - functions[f].addr < 0x80 &&
		    !strcmp(objects[functions[f].object].name, p->object)) {
			name = functions[f].name;
			addr = functions[f].addr;
		}
	c = synth_code(p, name, addr, y->c.hostile);
	if (!c || slice_add_code(s, c))
		y->broken = true;
}

/* What is said before the rows. */
static void tick_dict(struct synth *y, struct slice *s)
{
	if (y->tick == 0) {
		put_cast(y, s);
		if (y->c.deep && y->c.callchains)
			put_deep(y, s);
		if (y->c.code)
			put_code(y, s);
		put_extras(y, s);
		slice_log(s, SLICE_INFO, "synth: made up, nothing is measured");
	}
	if (y->tick == y->c.load_ticks)
		put_loaded(y, s);
}

static void tick_self(struct synth *y, struct slice *s)
{
	s->self = (struct slice_self){.cpu_ns = 400000, .rss_bytes = 15 << 20,
				      .table_rows = (uint32_t)s->nrows, .table_capacity = 65536,
				      .unresolved = 7 + y->c.addresses,
				      .loading = y->tick < y->c.load_ticks,
				      .queued = y->tick < y->c.load_ticks};
	if (y->c.unwind)
		s->self.unwind = (struct slice_unwind){
			.stack_bytes = 8192, .samples = 200, .frames = 4100, .guessed = 3, .slow = 1,
			.ends = {180, 12, 1, 7}, .compat = 2, .dropped = y->tick == 3 ? 40 : 0,
			.waiting = 20, .bytes = 1700000, .bytes_max = 2500000, .capacity = 16 << 20,
		};
	if (y->c.auto_paths) {
		s->self.unwind.auto_stack = 4096;
		s->self.unwind.auto_rate = 9200000;
		s->self.unwind.auto_budget = 32 << 20;
		s->self.unwind.chained = 150;
		s->self.unwind.crowded = y->tick == 3 ? 7 : 0;
		s->self.unwind.proved = 148;
		s->self.unwind.inserted = 90;
		s->self.unwind.unproved = 2;
		snprintf(s->self.shallow, sizeof(s->self.shallow), "worker, libfast\033[31m.so and 2 more");
	}
	if (y->c.greedy) {
		s->self.budget_bytes = 400u << 20;
		s->self.budget_limit = 512u << 20;
		s->self.budget_refusals = y->tick == 3 ? 5 : 0;
		s->self.names_given_up = y->tick == 3 ? 12 : 0;
		snprintf(s->self.memory, sizeof(s->self.memory), "debug info of /opt/\033[31m/huge\033.so");
	}
	if (y->c.costly) {
		s->self.cpu_ns = 34 * NSEC_PER_MSEC;
		s->self.cause = SELF_UNWINDING;
		s->self.cpu_limit = 20;
		s->self.rate_divisor = 4;
	}
	if (y->c.aux)
		s->self.switches_forgotten = 1500;
	if (!y->c.file)
		s->helpers[SANDBOX_NAMES] = (struct sandbox_figures){
			.name = "names", .pid = 4321, .uid = 65534, .calls = 10 + y->tick, .starts = 1,
			.cpu_ns = 30000000, .resident = 3 << 20, .peak = 5 << 20,
		};
	if (y->c.greedy || y->c.hostile)
		s->helpers[SANDBOX_LINES] = (struct sandbox_figures){
			.name = "lines", .uid = 65534, .calls = 3, .starts = 2, .ends = 2, .refused = 1,
			.why = "it took \033 long", .missing = "seccomp: \033[31mno",
		};
}

/* One named "full.data" meets a full disk. */
static void tick_recording(struct synth *y)
{
	if (y->recording.state != RECORDING_ON)
		return;
	y->recording.bytes += 123456;
	y->recording.samples += 2000;
	y->recording.lost += lossy(y, 1) ? 310 : 0;
	if (!strcmp(y->recording.file, "full.data"))
		y->recording.state = RECORDING_FAILED;
	y->recording.lost_sideband += lossy(y, 1) ? 4 : 0;
}

/* Of each machine one cgroup has a quota: a period a tick, each second one used up. */
static void tick_throttled(struct synth *y, struct slice *s)
{
	for (unsigned h = 0; h < (y->c.hosts ? y->c.hosts : 1); h++) {
		struct slice_throttle *t = slice_add_throttle(s);

		if (!t) {
			y->broken = true;
			return;
		}
		*t = (struct slice_throttle){.host = (uint16_t)h, .cgroup = "/system.slice/web.service", .periods = 1,
					     .throttled = y->tick % 2, .ns = y->tick % 2 * 30 * NSEC_PER_MSEC};
	}
}

static struct slice *tick_make(struct synth *y)
{
	struct slice *s = slice_create();

	if (!s)
		return NULL;
	s->start = y->tick * TICK_NS;
	s->end = s->start + TICK_NS;
	s->wall = START_WALL + s->end;
	tick_dict(y, s);
	for (unsigned cpu = 0; cpu < y->c.cpus; cpu++)
		tick_cpu(y, s, cpu);
	y->paused = y->pausing;
	forks_release(y, s);
	synth_reuse(&y->dict, s);
	tick_gauges(y, s);
	if (y->c.ftrace)
		tick_ftrace(y, s);
	synth_aux_tick(s, y->c.aux, y->c.cpus, y->tick, y->c.hostile);
	if (y->c.unread && s->naux) {
		s->gauges[s->ngauges - 1] = (struct slice_gauge){
			.cpu = (int16_t)(y->c.cpus - 1), .kind = RING_AUX, .size = s->aux[s->naux - 1].size,
			.mode = RING_FORWARD, .late_ns = GAUGE_UNKNOWN};
		slice_gauge_unread(&s->gauges[s->ngauges - 1]);
		s->aux[s->naux - 1].age_ns = GAUGE_UNKNOWN;
		slice_aux_unread(&s->aux[s->naux - 1]);
	}
	if (y->c.owned)
		tick_throttled(y, s);
	if (y->c.counters)
		synth_counters_tick(s, y->c.cpus, y->tick);
	if (y->c.fields && y->c.stacks)
		synth_fields_stacks(s);
	else if (y->c.fields)
		synth_fields_tick(s, y->tick, y->c.hostile, y->c.in_kernel);
	if (y->c.logged)
		synth_log_tick(s, y->c.second_event ? 2 : 1, y->c.cpus, y->tick, y->c.hostile);
	while (y->nasked) {
		answer(y, s, &y->asked[--y->nasked]);
		code_place_clear(&y->asked[y->nasked]);
	}
	if (lossy(y, 1) && y->tick == 3)
		slice_log(s, SLICE_WARNING, "cpu1: sample ring overwritten, reader 7 ms late");
	tick_self(y, s);
	tick_recording(y);
	y->broken |= !synth_hosts_tick(&y->hosts, s, y->tick);
	s->recording = y->recording;
	s->progress = y->c.file ? (float)(y->tick + 1) / 100 : 0;
	y->broken |= y->dict.broken;
	y->tick++;
	y->truth.ticks++;
	y->ended = y->stopped || (y->c.end_ticks && y->tick >= y->c.end_ticks);
	s->last = y->ended && !y->c.fail;
	return s;
}

/* --- session ops ------------------------------------------------------------------------ */

static void fd_set_ready(struct synth *y)
{
	uint64_t n = 1;

	if (y->taken < y->nqueue || (y->ended && !y->told)) {
		if (write(y->fd, &n, sizeof(n)) != sizeof(n))
			y->broken = true;
	} else if (read(y->fd, &n, sizeof(n)) < 0 && errno != EAGAIN) {
		y->broken = true;
	}
}

static int synth_next(struct session *s, struct slice **slice)
{
	struct synth *y = synth_of(s);

	*slice = NULL;
	if (y->broken)
		return -ENOMEM;
	if (y->taken < y->nqueue) {
		*slice = y->queue[y->taken++];
		if (y->taken == y->nqueue)
			y->taken = y->nqueue = 0;
		fd_set_ready(y);
		return 0;
	}
	if (y->ended && !y->told) {
		y->told = true;
		fd_set_ready(y);
	}
	if (y->ended)
		return y->c.fail ? -y->c.fail : -ESHUTDOWN;
	return 0;
}

static int synth_fd(struct session *s)
{
	return synth_of(s)->fd;
}

static int synth_command(struct session *s, const struct session_request *rq, struct err *err)
{
	struct synth *y = synth_of(s);

	if (rq->command == SESSION_CODE && y->nasked < sizeof(y->asked) / sizeof(y->asked[0]))
		return code_place_copy(&y->asked[y->nasked++], rq->code)
			       ? 0
			       : err_set(err, ENOMEM, "out of memory");
	if (rq->command == SESSION_RECORD) {
		y->recording = (struct slice_recording){
			.state = rq->text ? RECORDING_ON : RECORDING_DONE,
			.bytes = y->recording.bytes, .samples = y->recording.samples};
		snprintf(y->recording.file, sizeof(y->recording.file), "%s",
			 rq->text ? rq->text : "was.data");
		return 0;
	}
	if (rq->command == SESSION_PAUSE || rq->command == SESSION_RESUME) {
		y->pausing = rq->command == SESSION_PAUSE;
		return 0;
	}
	if (rq->command == SESSION_EVENTS)
		return rq->text && !strcmp(rq->text, "page-faults") ? 0 : err_set(err, EBUSY, "a recording is running");
	if (rq->command == SESSION_FETCH)
		return s->info.nhosts ? 0 : err_set(err, EOPNOTSUPP, "it is already on this machine");
	return err_set(err, EOPNOTSUPP, "a made-up session has no such thing");
}

void synth_advance(struct session *s, unsigned ticks)
{
	struct synth *y = synth_of(s);

	for (; ticks && !y->ended && !y->broken; ticks--) {
		struct slice *made = tick_make(y);

		if (!made || !vec_reserve(&y->queue, &y->cap, y->nqueue + 1, sizeof(made))) {
			slice_free(made);
			y->broken = true;
			break;
		}
		y->queue[y->nqueue++] = made;
	}
	fd_set_ready(y);
}

static int synth_choices(struct session *s, struct session_choice **list, size_t *nr, struct err *err)
{
	static const struct session_choice some[] = {
		{"cpu-clock", "software", "ns", "time of a CPU, by a timer"},
		{"page-faults", "software", "", "pages that were not there when they were touched"},
		{"sched:sched_switch", "tracepoint", "", "prev_comm, prev_pid, prev_state, next_comm, next_pid"},
		{"power/energy-pkg/", "pmu", "Joules", "event=0x02"},
		{"evil:\x1b[2J\n\t\xff", "tracepoint", "", "a\x1b]0;title\x07b"},
	};

	(void)s;
	*list = malloc(sizeof(some));
	if (!*list)
		return err_set(err, ENOMEM, "out of memory");
	memcpy(*list, some, sizeof(some));
	*nr = sizeof(some) / sizeof(some[0]);
	return 0;
}

static int synth_event_fields(struct session *s, unsigned event, struct session_choice **list, size_t *nr, struct err *err)
{
	static const struct session_choice some[] = {
		{"id", "long", "", ""}, {"args[0]", "unsigned long[6]", "", ""}, {"common_pid", "int", "", ""},
		{"cpu", "", "", ""}, {"pid", "", "", ""}, {"tid", "", "", ""}, {"comm", "", "", ""},
	};

	if (event >= s->info.nevents || !*s->info.events[event].by)
		return err_set(err, EINVAL, "'%s' is not a tracepoint, and only their records have fields",
			       event < s->info.nevents ? s->info.events[event].name : "");
	*list = malloc(sizeof(some));
	if (!*list)
		return err_set(err, ENOMEM, "out of memory");
	memcpy(*list, some, sizeof(some));
	*nr = sizeof(some) / sizeof(some[0]);
	return 0;
}

static void synth_stop(struct session *s)
{
	struct synth *y = synth_of(s);

	if (y->ended)
		return;
	y->stopped = true;
	synth_advance(s, 1); /* the last slice */
}

static void synth_end(struct session *s, struct session_end *end)
{
	struct synth *y = synth_of(s);

	*end = (struct session_end){.command = y->c.command,
				    .command_status = y->c.command ? 3 << 8 : 0,
				    .error = -y->c.fail};
	if (y->c.fail)
		snprintf(end->text, sizeof(end->text), "synth: told to fail");
}

static void synth_close(struct session *s)
{
	struct synth *y = synth_of(s);

	while (y->taken < y->nqueue)
		slice_free(y->queue[y->taken++]);
	while (y->nasked)
		code_place_clear(&y->asked[--y->nasked]);
	synth_dict_clear(&y->dict);
	free(y->queue);
	free(y->forks);
	free(y->extra_path);
	free(y->extra_task);
	free(y->pending);
	if (y->fd >= 0)
		close(y->fd);
	free(y);
}

void synth_truth(const struct session *s, struct synth_truth *t)
{
	*t = synth_of(s)->truth;
}

static void synth_abandon(struct session *s)
{
	(void)s; /* nothing outlives the process */
}

static const struct session_ops synth_ops = {
	.name = "synth",
	.next = synth_next,
	.fd = synth_fd,
	.command = synth_command,
	.choices = synth_choices,
	.fields = synth_event_fields,
	.stop = synth_stop,
	.end = synth_end,
	.close = synth_close,
	.abandon = synth_abandon,
};

static void synth_info(struct synth *y)
{
	struct session_info *info = &y->base.info;
	unsigned forks = (y->c.forks + y->c.cpus - 1) / y->c.cpus;

	y->period = TICK_NS / (100 + y->c.functions + forks + y->c.addresses +
			      y->c.strangers);
	strcpy(info->host, "web01");
	strcpy(info->target, y->c.command ? "command: gzip -9 big" : y->c.one ? "pid 4242" : "whole machine, 2 CPUs");
	if (y->c.callchains)
		strcpy(info->call_graph, "fp");
	info->start_wall = START_WALL;
	info->cpus = y->c.cpus;
	info->nevents = y->c.off_cpu ? 1 + OFF_NR : y->c.second_event ? 2 : 1;
	info->events = y->events;
	info->live = !y->c.file;
	synth_nodes(y, info->nodes, sizeof(info->nodes));
	synth_aux_info(info, y->c.aux);
	if (y->c.counters)
		synth_counters_info(info, y->c.hostile);
	if (y->c.fields)
		synth_fields_info(info, y->events, y->c.in_kernel, y->c.stacks);
	info->self = tasks[T_SELF].pid;
	synth_hosts_init(&y->hosts, info);
	snprintf(y->events[0].name, sizeof(y->events[0].name), "%s", y->c.event ? y->c.event : "cpu-clock");
	y->events[0].unit = "ns";
	y->events[0].period = y->period;
	strcpy(y->events[1].name, "raw_syscalls:sys_enter");
	y->events[1].unit = "";
	y->events[1].period = y->c.second_event;
	for (unsigned e = 0; y->c.off_cpu && e < OFF_NR; e++) {
		strcpy(y->events[1 + e].name, off_names[e]);
		y->events[1 + e].unit = "ns";
		y->events[1 + e].period = 1;
	}
	if (y->c.logged)
		synth_log_info(y->events);
}

struct session *synth_session_create(const struct synth_config *config)
{
	struct synth *y = calloc(1, sizeof(*y));

	if (!y)
		return NULL;
	if (config)
		y->c = *config;
	y->c.cpus = y->c.cpus ? y->c.cpus : 2;
	y->c.load_ticks = y->c.load_ticks ? y->c.load_ticks : 5;
	y->hosts = (struct synth_hosts){.nr = y->c.hosts, .cpus = y->c.cpus, .cut_from = y->c.cut_from,
					.cut_to = y->c.cut_to, .hostile = y->c.hostile};
	y->c.cpus *= y->c.hosts ? y->c.hosts : 1;
	y->base.ops = &synth_ops;
	y->dict.ids[DICT_OBJECT].next = O_NR;
	synth_info(y);
	y->extra_path = calloc(y->c.functions + 1, sizeof(uint32_t));
	y->extra_task = calloc(y->c.tasks + 1, sizeof(uint32_t));
	y->pending = calloc((1 + OFF_NR) * y->c.cpus, sizeof(uint64_t));
	y->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	y->truth.tasks = T_NR - 1 + y->c.tasks;
	if (!y->extra_path || !y->extra_task || !y->pending || y->fd < 0) {
		synth_close(&y->base);
		return NULL;
	}
	return &y->base;
}
