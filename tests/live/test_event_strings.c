/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event strings as people and scripts write them: what perf makes of each (perf stat -vv dumps its attributes,
 * whether they can be opened here or not) and what we make of it are the same; what perf refuses, we refuse.
 */
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

#include "kernel/event/parse.h"
#include "kernel/event/tracepoint.h"
#include "tests/skip.h"

#define ATTRS_MAX 400

/* Every kind, with what may stand behind and before it. */
static const char *const same[] = {
	"cycles", "cpu-cycles", "instructions", "cache-references", "cache-misses", "branches",
	"branch-instructions", "branch-misses", "bus-cycles", "ref-cycles", "stalled-cycles-frontend",
	"idle-cycles-frontend", "stalled-cycles-backend", "idle-cycles-backend",
	"cpu-clock", "task-clock", "page-faults", "faults", "minor-faults", "major-faults", "context-switches",
	"cs", "cpu-migrations", "migrations", "alignment-faults", "emulation-faults", "cgroup-switches", "dummy",
	"bpf-output",
	/* caches, in all spellings */
	"L1-dcache-loads", "L1-dcache-load-misses", "L1-dcache-load-miss", "L1-dcache-stores",
	"L1-dcache-store-misses", "L1-dcache-prefetches", "L1-dcache-prefetch-misses", "L1-dcache",
	"L1-dcache-misses", "l1d-load", "l1-d-read-refs", "L1-data-write-access", "L1-icache-loads",
	"L1-icache-load-misses", "l1i-prefetch", "L1-instruction-speculative-read", "LLC-loads", "LLC-load-misses",
	"LLC-stores", "LLC-store-misses", "LLC-prefetches", "LLC-misses", "L2-loads", "dTLB-loads",
	"dTLB-load-misses", "dTLB-stores", "dTLB-store-misses", "d-tlb-misses", "Data-TLB-ops", "iTLB-loads",
	"iTLB-load-misses", "i-tlb-Reference", "branch-loads", "branch-load-misses", "bpu-read-miss", "btb-loads",
	"bpc-load-miss", "node-loads", "node-load-misses", "node-stores", "node-store-misses", "node-prefetches",
	"L1-dcache-speculative-load-miss",
	/* raw */
	"r1", "r1a", "r1234", "rffffffffffff", "1:1", "1:0x9", "0:1", "4:0x6530160", "2:3:u", "1:3:k",
	/* modifiers */
	"cycles:u", "cycles:k", "cycles:h", "cycles:uk", "cycles:uh", "cycles:kh", "cycles:ukh", "cycles:G",
	"cycles:H", "cycles:GH", "cycles:uG", "cycles:uH", "cycles:kG", "cycles:I", "cycles:kIG", "cycles:p",
	"cycles:pp", "cycles:ppp", "cycles:up", "cycles:upp", "cycles:kppp", "cycles:hp", "instructions:uDp",
	"cycles:D", "instructions:uep", "cycles:e", "cycles:W", "faults:u", "faults:k", "r1a:kp", "r1a:up",
	"L1-dcache-load-miss:kp", "task-clock:u", "cpu-clock:I", "cycles:pG", "cycles:pH", "cycles:Gp",
	"cs:u,cs:k,cs", "dummy:u",
	/* breakpoints */
	"mem:0", "mem:0:x", "mem:0:r", "mem:0:w", "mem:0:rw", "mem:0:u", "mem:0:x:k", "mem:0:r:hp", "mem:0:w:up",
	"mem:0/1", "mem:0/2:w", "mem:0/4:rw:u", "mem:0/8:r", "mem:0x1000/8:w:k", "mem:4096",
	/* terms */
	"cycles/name=x/", "cycles//u", "cycles//", "cycles/period=1000/",
	"instructions/name=insn/", "r1234/name=rawpmu/", "4:0x6530160/name=numpmu/",
	"L1-dcache-misses/name=cachepmu/", "cpu-clock/name=a,period=5000/u",
	"cycles/call-graph=fp/", "cs/call-graph=dwarf,stack-size=4096/", "cycles/call-graph=no,period=2000/u",
	"cycles/call-graph=lbr/", "cs/max-stack=7/", "cycles/overwrite/", "cs/no-overwrite/u", "cycles/inherit/",
	"cs/no-inherit/", "cycles/percore/", "cs/time=0/", "cs/time=1,freq=100/", "cycles:b", "{cs,faults}:b", "cs/aux-output/",
	"cycles/name='COMPLEX_CYCLES_NAME:orig=cycles,desc=chip-clock-ticks'/Duk",
	/* lists and groups */
	"cycles,instructions", "r1,1:1:hp", "{instructions:k,cycles:upp}", "{faults:k,cache-references}:u,cycles:k",
	"group1{cs:H,cycles:kppp},group2{cycles,1:3}:G,instructions:u", "{cycles:u,instructions:kp}:p",
	"{cycles,instructions}:G,{cycles:G,instructions:G},cycles", "{cycles,cache-misses:G}:H",
	"{cycles,cache-misses:H}:G", "{cycles:G,cache-misses:H}:u", "{cycles:G,cache-misses:H}:uG",
	"{cycles,cache-misses,branch-misses}:S", "{instructions,branch-misses}:Su",
	"{cycles,cache-misses,branch-misses}:D", "{cycles,cache-misses,branch-misses}:e", "{cs,faults}:W",
	"{cs,faults,task-clock}", "{cs:u}:k", "{cs}:u,faults", "{cs:k,faults:u}", "{faults:k,cs}:u,minor-faults:k",
	"one{cs:H,faults:k},two{cs,1:3}:G,dummy:u", "{cs:u,faults:k}:D", "{cs,faults}:G,{cs:G,faults:G},cs",
	"{cs,faults:G}:H", "{cs,faults:H}:G", "{cs:G,faults:H}:u", "{cs:G,faults:H}:uG", "{cs,faults}:S",
	"{cs,faults}:Su", "{cs,faults,dummy}:e",
};

static const char *const traced[] = {
	"sched:sched_switch", "sched:sched_switch:u", "sched:sched_switch:k", "sched:sched_s*", "sched:*",
	"sched:sched_wak*:u", "sched:sched_switch,cycles", "{sched:sched_switch,cs}:u", "sched:sched_process_?or*",
	"syscalls:sys_enter_open*", "{sched:sched_switch,cycles}:H",
};

static const char *const refused[] = {
	"", ",", "cycles,", ",cycles", "cycles,,cs", "nonsense", "cs,nonsense", "cycles:", "cycles:x", "cycles:pppp",
	"{cycles,cs", "cycles}", "{cycles},}", "{}", "{{cs}}", "r", "r12xyz", "iTLB-stores", "branch-stores",
	"L1-icache-stores", "node-loads-misses-x", "L1-dcache-load-load", "mem:", "mem:x", "mem:0:q", "mem:0:rwxr",
	"1:", ":1", "1:x", "sched:no_such_event", "nothing:at_all", "nothing:*", "cycles/nonsense=1/", "cs/call-graph=up/", "cs/call-graph/", "cs/inherit=7/", "cs/max-stack=x/", "cs/stack-size=-1/", "cycles/",
	"cycles/period/x/", "no_such_pmu/config=1/", "{cycles,cs}:q", "cycles:u:k", "--", "cycles instructions",
};

struct attrs {
	struct perf_event_attr a[ATTRS_MAX];
	unsigned nr;
	bool failed; /* some could not be opened */
};

/* One line of a dump: a name, spaces, a number. */
static void take_line(struct perf_event_attr *a, const char *line)
{
	static const char *const names[] = {
		"type ", "config ", "bp_type ", "{ bp_addr, config1 } ", "{ bp_len, config2 } ", "exclude_user ",
		"exclude_kernel ", "exclude_hv ", "exclude_host ", "exclude_guest ", "exclude_idle ", "precise_ip ",
		"pinned ", "exclusive ",
	};
	uint64_t n;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names) && strncmp(line, names[i], strlen(names[i])); i++)
		;
	if (i == sizeof(names) / sizeof(*names))
		return;
	n = strtoull(line + strlen(names[i]), NULL, 0);
	switch (i) {
	case 0: a->type = (uint32_t)n; break;
	case 1: a->config = n; break;
	case 2: a->bp_type = (uint32_t)n; break;
	case 3: a->config1 = n; break;
	case 4: a->config2 = n; break;
	case 5: a->exclude_user = 1; break;
	case 6: a->exclude_kernel = 1; break;
	case 7: a->exclude_hv = 1; break;
	case 8: a->exclude_host = 1; break;
	case 9: a->exclude_guest = 1; break;
	case 10: a->exclude_idle = 1; break;
	case 11: a->precise_ip = n & 3; break;
	case 12: a->pinned = 1; break;
	default: a->exclusive = 1;
	}
}

/* perf's attributes of it.  False: it refuses. */
static bool perf_attrs(const char *text, struct attrs *t)
{
	char command[1024], line[512];
	bool inside = false, opened = false;
	FILE *f;

	memset(t, 0, sizeof(*t));
	snprintf(command, sizeof(command), "perf stat -vv -e \"%s\" -- true 2>&1", text);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "perf_event_attr:", 16) && t->nr < ATTRS_MAX) {
			inside = true;
			t->nr++;
		} else if (line[0] == '-' || line[0] != ' ') {
			inside = false;
		} else if (inside) {
			take_line(&t->a[t->nr - 1], line + strspn(line, " "));
		}
		opened |= !strncmp(line, "sys_perf_event_open", 19);
		t->failed |= strstr(line, "failed, error") != NULL;
	}
	pclose(f);
	return opened;
}

static bool attr_same(const struct perf_event_attr *a, const struct perf_event_attr *b)
{
	return a->type == b->type && a->config == b->config && a->bp_type == b->bp_type &&
	       a->config1 == b->config1 && a->config2 == b->config2 && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel && a->exclude_hv == b->exclude_hv &&
	       a->exclude_host == b->exclude_host && a->exclude_guest == b->exclude_guest &&
	       a->exclude_idle == b->exclude_idle && a->precise_ip == b->precise_ip && a->pinned == b->pinned &&
	       a->exclusive == b->exclusive;
}

static void attr_print(const char *who, const struct perf_event_attr *a)
{
	print_message("  %s: type %u config %#llx,%#llx,%#llx bp %u u%u k%u hv%u H%u G%u I%u p%u D%u e%u\n", who,
		      a->type, (unsigned long long)a->config, (unsigned long long)a->config1,
		      (unsigned long long)a->config2, a->bp_type, a->exclude_user, a->exclude_kernel, a->exclude_hv,
		      a->exclude_host, a->exclude_guest, a->exclude_idle, a->precise_ip, a->pinned, a->exclusive);
}

static struct attrs theirs, ours;

static int attr_order(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct perf_event_attr));
}

/* Each attribute once, only with what a dump tells. */
static void attrs_settle(struct attrs *t)
{
	unsigned nr = 0;

	qsort(t->a, t->nr, sizeof(*t->a), attr_order);
	for (unsigned i = 0; i < t->nr; i++)
		if (!nr || !attr_same(&t->a[nr - 1], &t->a[i]))
			t->a[nr++] = t->a[i];
	t->nr = nr;
}

/* What could not be opened perf tries again with guests. */
static void attrs_drop_retries(struct attrs *t)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < t->nr; i++) {
		struct perf_event_attr first = t->a[i];
		bool again = false;

		first.exclude_guest = 1;
		for (unsigned k = 0; k < t->nr; k++)
			again |= !t->a[i].exclude_guest && attr_same(&first, &t->a[k]);
		if (!again)
			t->a[nr++] = t->a[i];
	}
	t->nr = nr;
}

static void attrs_take(struct attrs *t, const struct event_list *list)
{
	memset(t, 0, sizeof(*t));
	for (unsigned i = 0; i < list->nr; i++) {
		t->a[i] = list->events[i].attr;
		t->a[i].size = 0;
		t->a[i].sample_period = 0;
		t->a[i].freq = 0;
	}
	t->nr = list->nr;
	attrs_settle(t);
}

/*
 * Both understand it alike.  Globs: perf has them in the directory's order.  Where an event cannot be opened here,
 * perf does not come to the rest of its group.
 */
static bool compare(const char *text)
{
	struct event_list list = {0};
	struct err err = {0};
	bool good = true;

	if (event_parse(text, &list, &err)) {
		print_message("%s: refused: %s\n", text, err.text);
		return false;
	}
	attrs_take(&ours, &list);
	attrs_settle(&theirs);
	if (theirs.failed)
		attrs_drop_retries(&theirs);
	good = theirs.failed ? theirs.nr <= ours.nr : theirs.nr == ours.nr;
	for (unsigned i = 0, k = 0; i < theirs.nr && good; i++) {
		while (k < ours.nr && theirs.failed && !attr_same(&ours.a[k], &theirs.a[i]))
			k++;
		good = k < ours.nr && attr_same(&ours.a[k], &theirs.a[i]);
		k++;
	}
	if (!good) {
		print_message("%s: differs\n", text);
		for (unsigned i = 0; i < ours.nr; i++)
			attr_print("ours", &ours.a[i]);
		for (unsigned i = 0; i < theirs.nr; i++)
			attr_print("perf", &theirs.a[i]);
	}
	event_list_clear(&list);
	return good;
}

static void compare_all(const char *const *texts, size_t nr)
{
	unsigned good = 0, asked = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!perf_attrs(texts[i], &theirs)) {
			print_message("%s: this perf does not take it\n", texts[i]);
			continue;
		}
		asked++;
		good += compare(texts[i]);
	}
	print_message("%u of %u strings that perf takes are the same\n", good, asked);
	assert_true(asked > 0);
	assert_int_equal(good, asked);
}

static void need_perf(void)
{
	if (system("perf stat -e cs -- true >/dev/null 2>&1"))
		SKIP("no perf that counts here");
}

static void test_same(void **state)
{
	(void)state;
	need_perf();
	compare_all(same, sizeof(same) / sizeof(*same));
}

static void test_tracepoints(void **state)
{
	struct err err;

	(void)state;
	need_perf();
	if (!tracepoint_root(&err))
		SKIP("%s", err.text);
	compare_all(traced, sizeof(traced) / sizeof(*traced));
}

/* Each with a text that points into it. */
static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct event_list list = {0};
		struct err err = {0};
		int ret = event_parse(refused[i], &list, &err);

		if (!ret)
			fail_msg("'%s' was taken", refused[i]);
		assert_int_equal(list.nr, 0);
		assert_true(err.text[0]);
		assert_true(err.caret <= strlen(err.quote));
		event_list_clear(&list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
