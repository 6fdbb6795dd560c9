/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs in trouble, and what a colleague who knows would say of each first: whole sentences, in their order.  What is
 * measured of them is written by hand, as it was seen of programs that do so.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "model/judge/explain.h"
#include "tests/hand.h"

#define PARTS	8
#define LINES	EXPLAIN_MOST
#define US	1000u
#define BOX	"/sys/fs/cgroup/box"

/* A part of the load, which comes in every `every`-th slice (0: each), `after` it. */
struct part {
	const char *event; /* NULL: cpu-clock */
	const char *comm;
	int pid;
	const char *path;
	unsigned samples, us;
	unsigned cpu, every, after;
};

struct situation {
	const char *name;
	const char *call_graph, *target; /* NULL: none, whole machine */
	unsigned cpus, ticks;
	struct part part[PARTS];
	unsigned idle_us;	   /* us of each CPU, in each slice */
	unsigned pending_us;	   /* more in each slice, that gets no sample */
	unsigned periods, throttled; /* periods of a CPU quota, in each tenth slice */
	struct {
		const char *rule, *text; /* "!" before the text: it warns */
	} line[LINES + 1];
};

static const struct situation situations[] = {
	{"children that live for less than a period", .target = "command: storm", .ticks = 60, .pending_us = 60700,
	 .part = {{.comm = "storm", .pid = 1, .path = "handle_mm_fault@[kernel]", .samples = 1, .us = 1000, .every = 5}},
	 .line = {{"unsampled", "!3.6 s of 3.7 s of CPU time has no sample: tasks that live for less than a "
			"period (1.0 ms) are hardly ever sampled. Raise -F."},
		  {"few", "!There are only 12 samples in these 6.0 s, too few to show where the time goes. "
			"Measure longer, or raise -F."},
		  {"used", "It uses 61% of one of 2 CPUs: 3.7 s in 6.0 s (12 samples)."}}},
	{"asleep on purpose", .target = "command: idle", .call_graph = "fp", .ticks = 60,
	 .part = {{.comm = "idle", .pid = 1, .path = "main@/bin/idle > do_nanosleep@[kernel]", .samples = 1, .us = 1000, .every = 30},
		  {"off-cpu", "idle", 1, "main@/bin/idle > clock_nanosleep@/lib/libc.so.6 > do_nanosleep@[kernel]", 1, 99960},
		  {"off-cpu:sleeping", "idle", 1, "main@/bin/idle > "
		   "clock_nanosleep@/lib/libc.so.6 > do_nanosleep@[kernel]", 1, 99960},
		  {"on-cpu", "idle", 1, "main@/bin/idle > do_nanosleep@[kernel]", 1, 40}},
	 .line = {{"off-cpu", "Threads wait 100% of their time (6.0 s), 100% of that asleep. Most of it (100%, "
			"60 waits) is in do_nanosleep, by clock_nanosleep, called from main (idle)."},
		  {"used", "It is idle: 2.0 ms of CPU time in 6.0 s, 0.033% of one CPU (2 samples)."}}},
	{"a stripped program", .target = "command: stripped", .ticks = 60,
	 .part = {{.comm = "stripped", .pid = 1, .path = "?@/opt/stripped", .samples = 99, .us = 99000},
		  {.comm = "stripped", .pid = 1, .path = "finish_task_switch@[kernel]", .samples = 1, .us = 1000, .every = 5}},
	 .line = {{"nameless", "!100% of the time (5.94k samples) is in stripped, where functions have no "
			"names: no symbols are in it."},
		  {"used", "It uses 99% of one of 2 CPUs: 6.0 s in 6.0 s (5.95k samples)."},
		  {"hottest", "The hottest function cannot be determined: of the functions with names "
			"finish_task_switch ([kernel]) has the most, 12 of 5.95k samples."},
		  {"saturated", "CPU 0 is busy 99% of the time (5.95k samples), all 2 on average 50%: one CPU is "
			"the bottleneck."}}},
	{"no frame pointers", .target = "command: burner", .call_graph = "fp", .ticks = 60,
	 .part = {{.comm = "burner", .pid = 1, .path = "burn@/bin/burner", .samples = 100, .us = 100000}},
	 .line = {{"cut-paths", "!100% of the time (of 6.00k samples) has call paths that end after one function: "
			"programs without frame pointers; try --call-graph dwarf."},
		  {"used", "It uses 1.0 of 2 CPUs: 6.0 s of CPU time in 6.0 s (6.00k samples)."},
		  {"hottest", "burn (burner) has 100.0% of the time (6.00k samples)."},
		  {"saturated", "CPU 0 is busy 100% of the time (6.00k samples), all 2 on average 50%: one CPU "
			"is the bottleneck."}}},
	{"held back by a CPU quota", .target = "command: spin", .ticks = 100, .periods = 10, .throttled = 9,
	 .part = {{.comm = "spin", .pid = 1, .path = "spin@/bin/spin", .samples = 10, .us = 10000},
		  {"off-cpu", "spin", 1, "irqentry_exit_to_user_mode@[kernel]", 1, 90000},
		  {"off-cpu:runnable", "spin", 1, "irqentry_exit_to_user_mode@[kernel]", 1, 90000},
		  {"on-cpu", "spin", 1, "spin@/bin/spin", 1, 10000}},
	 .line = {{"quota", "The CPU quota of /sys/fs/cgroup/box throttled it in 90 of 100 periods, for 8.1 "
			"s in total: it waits for its quota (cpu.max)."},
		  {"off-cpu", "Threads wait 90% of their time (9.0 s), 100% of that runnable (0.9 at a time, 1 thread). Most of "
			"it (100%, 100 waits) is in irqentry_exit_to_user_mode."},
		  {"used", "It uses 10% of one of 2 CPUs: 1.0 s in 10.0 s (1.00k samples)."},
		  {"hottest", "spin (spin) has 100.0% of the time (1.00k samples)."}}},
	{"a lock convoy, of which only CPUs are measured", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "convoy", .pid = 4, .path = "burn@/bin/convoy", .samples = 4, .us = 4000},
		  {.comm = "convoy", .pid = 4, .path = "futex_wake@[kernel]", .samples = 2, .us = 2000}},
	 .line = {{"used", "It uses 6% of one of 2 CPUs: 600 ms in 10.0 s (600 samples). It mostly waits: "
			"--off-cpu shows for what."},
		  {"hottest", "burn (convoy) has 66.7% of the time (400 samples), then futex_wake ([kernel]) "
			"33.3% (200)."},
		  {"kernel", "The kernel has 33% of the time that is not idle (200 samples, 200 ms of 600 "
			"ms)."}}},
	{"a lock convoy", .target = "pid 4", .call_graph = "fp", .ticks = 100,
	 .part = {{.comm = "convoy", .pid = 4, .path = "start_thread@/lib/libc.so.6 > "
		   "work@/bin/convoy > burn@/bin/convoy", .samples = 6, .us = 6000},
		  {"off-cpu", "convoy", 4, "start_thread@/lib/libc.so.6 > work@/bin/convoy > "
		   "pthread_mutex_lock@/lib/libc.so.6 > __lll_lock_wait@/lib/libc.so.6 > futex_do_wait@[kernel]", 4, 394000},
		  {"off-cpu:sleeping", "convoy", 4, "start_thread@/lib/libc.so.6 > work@/bin/convoy > "
		   "pthread_mutex_lock@/lib/libc.so.6 > __lll_lock_wait@/lib/libc.so.6 > futex_do_wait@[kernel]", 4, 370000},
		  {"off-cpu:runnable", "convoy", 4, "start_thread@/lib/libc.so.6 > work@/bin/convoy > "
		   "pthread_mutex_lock@/lib/libc.so.6 > __lll_lock_wait@/lib/libc.so.6 > futex_do_wait@[kernel]", 4, 24000},
		  {"off-cpu:woken", "convoy", 4, "convoy@[task]", 4, 350000},
		  {"on-cpu", "convoy", 4, "work@/bin/convoy", 4, 6000}},
	 .line = {{"off-cpu", "Threads wait 98% of their time (39 s), 94% of that asleep, 6% of that runnable "
			"(0.24 at a time, 1 thread). Most of it (100%, 400 waits) is in futex_do_wait, by "
			"pthread_mutex_lock, called from work (convoy); woken by convoy (100%)."},
		  {"used", "It uses 6% of one of 2 CPUs: 600 ms in 10.0 s (600 samples)."},
		  {"hottest", "burn (convoy) has 100.0% of the time (600 samples)."},
		  {"path", "The hottest path has 100.0% (600 samples): start_thread > work > burn."}}},
	{"waiting for the disk", .target = "command: io", .call_graph = "fp", .ticks = 100,
	 .part = {{.comm = "io", .pid = 4, .path = "main@/bin/io > read@/lib/libc.so.6 > "
		   "do_syscall_64@[kernel] > submit_bio_wait@[kernel]", .samples = 3, .us = 3000},
		  {"off-cpu", "io", 4, "main@/bin/io > copy_all@/bin/io > "
		   "read@/lib/libc.so.6 > do_syscall_64@[kernel] > submit_bio_wait@[kernel]", 20, 97000},
		  {"off-cpu:disk", "io", 4, "main@/bin/io > copy_all@/bin/io > "
		   "read@/lib/libc.so.6 > do_syscall_64@[kernel] > submit_bio_wait@[kernel]", 20, 96000},
		  {"on-cpu", "io", 4, "main@/bin/io", 20, 3000}},
	 .line = {{"off-cpu", "Threads wait 97% of their time (9.7 s), 99% of that for the disk. Most of it "
			"(100%, 2.00k waits) is in submit_bio_wait, by read, called from copy_all (io)."},
		  {"used", "It uses 3% of one of 2 CPUs: 300 ms in 10.0 s (300 samples)."},
		  {"hottest", "submit_bio_wait ([kernel]) has 100.0% of the time (300 samples)."},
		  {"path", "The hottest path has 100.0% (300 samples): main > read > do_syscall_64 > "
			"submit_bio_wait."},
		  {"kernel", "The kernel has 100% of the time that is not idle (300 samples, 300 ms of 300 "
			"ms). Most of it is system calls: --question syscalls counts them."}}},
	{"threads in line", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "load", .pid = 4, .path = "burn@/bin/load", .samples = 60, .us = 60000},
		  {.comm = "load", .pid = 5, .path = "burn@/bin/load", .samples = 40, .us = 40000},
		  {"off-cpu", "load", 4, "burn@/bin/load", 5, 150000}, {"off-cpu", "load", 5, "burn@/bin/load", 5, 90000},
		  {"off-cpu:runnable", "load", 4, "burn@/bin/load", 5, 150000},
		  {"off-cpu:runnable", "load", 5, "burn@/bin/load", 5, 90000},
		  {"on-cpu", "load", 4, "burn@/bin/load", 5, 100000}},
	 .line = {{"off-cpu", "Threads wait 71% of their time (24 s), 100% of that runnable (2.4 at a time, 2 threads). "
			"Most of it (100%, 1.00k waits) is in burn."},
		  {"used", "It uses 1.0 of 2 CPUs: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "burn (load) has 100.0% of the time (10.0k samples). Of its 2 processes load 4 uses the most "
			"(60%)."},
		  {"saturated", "CPU 0 is busy 100% of the time (10.0k samples), all 2 on average 50%: one CPU "
			"is the bottleneck."}}},
	{"a spike every two seconds", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 20},
		  {.comm = "cron", .pid = 4, .path = "loop@/bin/cron", .samples = 10, .us = 10000}},
	 .line = {{"used", "It uses 14% of one of 2 CPUs: 1.4 s in 10.0 s (1.45k samples). It mostly waits: --off-cpu shows for "
			"what."},
		  {"hottest", "loop (cron) has 69.0% of the time (1.00k samples), then tidy (cron) 31.0% (450)."},
		  {"spikes", "A spike of load occurs every 2.0 s and lasts 0.1 s: 5 of them, with 1.0 CPUs busy instead of 0.1 (500 samples). "
			"Chance alone would space 5 so evenly less than once in 1000 times."}}},
	{"spikes with a hole", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 20, .after = 3},
		  {.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 20, .after = 5},
		  {.comm = "cron", .pid = 4, .path = "loop@/bin/cron", .samples = 10, .us = 10000}},
	 .line = {{"used", "It uses 19% of one of 2 CPUs: 1.9 s in 10.0 s (1.90k samples). It mostly waits: --off-cpu shows for "
			"what."},
		  {"hottest", "loop (cron) has 52.6% of the time (1.00k samples), then tidy (cron) 47.4% (900)."},
		  {"spikes", "A spike of load occurs every 2.0 s and lasts 0.3 s: 5 of them, with 0.7 CPUs busy instead of 0.1 (1.05k samples). "
			"Chance alone would space 5 so evenly less than once in 1000 times."}}},
	{"three spikes", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 40},
		  {.comm = "cron", .pid = 4, .path = "loop@/bin/cron", .samples = 10, .us = 10000}},
	 .line = {{"used", "It uses 13% of one of 2 CPUs: 1.3 s in 10.0 s (1.27k samples). It mostly waits: --off-cpu shows for "
			"what."},
		  {"hottest", "loop (cron) has 78.7% of the time (1.00k samples), then tidy (cron) 21.3% (270)."}}},
	{"spikes at no even distance", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 19},
		  {.comm = "cron", .pid = 4, .path = "tidy@/bin/cron", .samples = 90, .us = 90000, .every = 29},
		  {.comm = "cron", .pid = 4, .path = "loop@/bin/cron", .samples = 10, .us = 10000}},
	 .line = {{"used", "It uses 19% of one of 2 CPUs: 1.9 s in 10.0 s (1.90k samples). It mostly waits: --off-cpu shows for "
			"what."},
		  {"hottest", "loop (cron) has 52.6% of the time (1.00k samples), then tidy (cron) 47.4% (900)."}}},
	{"two programs of one name", .ticks = 100, .idle_us = 1000,
	 .part = {{.comm = "load", .pid = 4, .path = "fd@/opt/a/load", .samples = 60, .us = 60000},
		  {.comm = "load", .pid = 5, .path = "fd@/opt/b/load", .samples = 39, .us = 39000},
		  {.comm = "load", .pid = 5, .path = "fc@/opt/b/load", .samples = 99, .us = 99000, .cpu = 1}},
	 .line = {{"used", "2.0 of 2 CPUs are used: 20 s of CPU time in 10.0 s (19.8k samples)."},
		  {"hottest", "fc (load) has 50.0% of the time (9.90k samples), then fd (/opt/a/load) 30.3% "
			"(6.00k), fd (/opt/b/load) 19.7% (3.90k)."},
		  {"saturated", "The CPUs are busy: 99% on average of 2."}}},
	{"several processes of one program", .target = "pid 4,5", .ticks = 100,
	 .part = {{.comm = "load", .pid = 4, .path = "fd@/opt/load", .samples = 30, .us = 30000},
		  {.comm = "load", .pid = 5, .path = "fd@/opt/load", .samples = 70, .us = 70000, .cpu = 1}},
	 .line = {{"used", "It uses 1.0 of 2 CPUs: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "fd (load) has 100.0% of the time (10.0k samples). Of its 2 processes load 5 uses "
			"the most (70%)."}}},
	{"a storm of system calls", .target = "command: storm", .call_graph = "fp", .ticks = 100,
	 .part = {{.comm = "storm", .pid = 4, .path = "main@/bin/storm > ge"
		   "tppid@/lib/libc.so.6", .samples = 20, .us = 20000},
		  {.comm = "storm", .pid = 4, .path = "main@/bin/storm > getppid@/lib/libc.so.6 > "
		   "do_syscall_64@[kernel] > __x64_sys_getppid@[kernel]", .samples = 80, .us = 80000}},
	 .line = {{"used", "It uses 1.0 of 2 CPUs: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "__x64_sys_getppid ([kernel]) has 80.0% of the time (8.00k samples), then "
			"getppid (libc.so.6) 20.0% (2.00k)."},
		  {"path", "The hottest path has 80.0% (8.00k samples): main > getppid > do_syscall_64 > "
			"__x64_sys_getppid."},
		  {"saturated", "CPU 0 is busy 100% of the time (10.0k samples), all 2 on average 50%: one CPU "
			"is the bottleneck."},
		  {"kernel", "The kernel has 80% of the time that is not idle (8.00k samples, 8.0 s of 10 s). "
			"Most of it is system calls: --question syscalls counts them."}}},
	{"recursion", .target = "command: fib", .call_graph = "fp", .ticks = 100,
	 .part = {{.comm = "fib", .pid = 4, .path = "main@/bin/fib > fib@/bin/fib > "
		   "fib@/bin/fib > fib@/bin/fib > fib@/bin/fib", .samples = 60, .us = 60000},
		  {.comm = "fib", .pid = 4, .path = "main@/bin/fib > fib@/bin/fib > fib@/bin/fib", .samples = 40, .us = 40000}},
	 .line = {{"used", "It uses 1.0 of 2 CPUs: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "fib (fib) has 100.0% of the time (10.0k samples)."},
		  {"path", "The hottest path has 100.0% (10.0k samples): main > fib x4."},
		  {"saturated", "CPU 0 is busy 100% of the time (10.0k samples), all 2 on average 50%: one CPU "
			"is the bottleneck."}}},
	{"a saved time line that left functions out", .target = "flat.tl: whole machine", .ticks = 100, .idle_us = 50000,
	 .part = {{.comm = "git", .pid = 4, .path = "[folded]@[folded]", .samples = 50, .us = 50000},
		  {.comm = "git", .pid = 4, .path = "memcmp@/lib/libc.so.6", .samples = 50, .us = 50000, .cpu = 1}},
	 .line = {{"folded", "!50% of the time is [folded] (5.00k samples): a saved time line or a slow "
			"link dropped the function names of these. Shares of functions are too small, some more than "
			"others."},
		  {"used", "1.0 of 2 CPUs are used: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "Of functions with names, memcmp (libc.so.6) has 50.0% of the time (5.00k "
			"samples)."}}},
	{"an idle machine", .ticks = 100, .idle_us = 99900,
	 .part = {{.comm = "cron", .pid = 4, .path = "main@/bin/cron", .samples = 1, .us = 200, .every = 20}},
	 .line = {{"used", "The machine is idle: 1.0 ms of CPU time in 10.0 s, 0.005% of its CPUs (5 "
			"samples)."}}},
	{"a flat profile", .target = "pid 4", .ticks = 50,
	 .part = {{.comm = "cc1", .pid = 4, .path = "a@/bin/cc1", .samples = 1, .us = 20000, .every = 2},
		  {.comm = "cc1", .pid = 4, .path = "b@/bin/cc1", .samples = 1, .us = 20000, .every = 2},
		  {.comm = "cc1", .pid = 4, .path = "c@/bin/cc1", .samples = 1, .us = 20000, .every = 3},
		  {.comm = "cc1", .pid = 4, .path = "d@/bin/cc1", .samples = 1, .us = 20000, .every = 3}},
	 .line = {{"used", "It uses 34% of one of 2 CPUs: 1.7 s in 5.0 s (84 samples). It mostly waits: "
			"--off-cpu shows for what."},
		  {"hottest", "The hottest function cannot be determined: of the functions with names a (cc1) has "
			"the most, 25 of 84 samples."}}},
	{"long names", .target = "pid 4", .ticks = 100,
	 .part = {{.comm = "node", .pid = 4, .path = "v8::internal::HashTable<v8::internal::StringTable, v8::internal::SeqSubStringKey<unsigned"
		   " char>>::LookupKey<v8::internal::SeqSubStringKey<unsigned char>>@/bin/node", .samples = 60, .us = 60000},
		  {.comm = "node", .pid = 4, .path = "größe_größe_größe_größe_größe_größe_größe_g"
		   "röße_größe_größe_größe_größe_größe@/bin/node", .samples = 40, .us = 40000}},
	 .line = {{"used", "It uses 1.0 of 2 CPUs: 10 s of CPU time in 10.0 s (10.0k samples)."},
		  {"hottest", "v8::internal::HashTable<…>::LookupKey<…> (node) has 60.0% of the time (6.00k "
			"samples), then größe_größe_größe_größe_größe_…größe_größe_größe_größe_größe "
			"(node) 40.0% (4.00k)."},
		  {"saturated", "CPU 0 is busy 100% of the time (10.0k samples), all 2 on average 50%: one CPU "
			"is the bottleneck."}}},
};

static unsigned event_of(struct hand *h, const char *name)
{
	for (unsigned e = 0; e < h->info.nevents; e++)
		if (!strcmp(h->events[e].name, name))
			return e;
	return hand_event(h, name);
}

/* All events are there from the start on. */
static void begin(struct hand *h, const struct situation *s)
{
	hand_begin(h, s->cpus ? s->cpus : 2);
	snprintf(h->info.call_graph, sizeof(h->info.call_graph), "%s", s->call_graph ? s->call_graph : "");
	snprintf(h->info.target, sizeof(h->info.target), "%s", s->target ? s->target : "whole machine");
	for (size_t i = 0; i < PARTS && s->part[i].path; i++)
		if (s->part[i].event)
			event_of(h, s->part[i].event);
	if (h->info.nevents > 1)
		event_of(h, "on-cpu");
}

static void tick(struct hand *h, const struct situation *s, unsigned nr)
{
	for (size_t i = 0; i < PARTS && s->part[i].path; i++) {
		const struct part *p = &s->part[i];

		if (p->every && nr % p->every != p->after)
			continue;
		hand_add(h, &(struct hand_row){.event = event_of(h, p->event ? p->event : "cpu-clock"), .cpu = p->cpu,
					       .task = hand_task(h, p->comm, p->pid, p->pid, s->periods ? BOX : NULL),
					       .path = hand_path(h, p->path), .samples = p->samples,
					       .ns = (uint64_t)p->us * US});
	}
	for (unsigned cpu = 0; cpu < h->info.cpus && s->idle_us; cpu++) {
		hand_account(h, 0, cpu)->unsampled = (int64_t)s->idle_us * US;
		hand_account(h, 0, cpu)->unsampled_why[UNSAMPLED_IDLE] = (int64_t)s->idle_us * US;
	}
	hand_account(h, 0, 0)->pending += (uint64_t)s->pending_us * US;
	if (s->periods && nr % 10 == 9)
		hand_throttle(h, BOX, s->periods, s->throttled, s->throttled * (uint64_t)NSEC_PER_MSEC * 90);
	hand_end(h);
}

/* The rule on changes has tests of its own (test_explain); of these programs nothing changes. */
static size_t without_changes(struct explain_line *line, size_t nr)
{
	size_t left = 0;

	for (size_t i = 0; i < nr; i++)
		if (strcmp(line[i].rule, "changes") != 0)
			line[left++] = line[i];
	return left;
}

static void assert_lines(const struct situation *s, const struct explain_line *line, size_t nr)
{
	for (size_t i = 0; i < nr || (i < LINES && s->line[i].rule); i++) {
		char is[sizeof(line->text) + 2];

		if (i == nr)
			fail_msg("%s: nothing is said of %s", s->name, s->line[i].rule);
		snprintf(is, sizeof(is), "%s%s", line[i].warns ? "!" : "", line[i].text);
		if (!s->line[i].rule)
			fail_msg("%s: %s says: %s", s->name, line[i].rule, is);
		if (strcmp(line[i].rule, s->line[i].rule) != 0 || strcmp(is, s->line[i].text) != 0)
			fail_msg("%s: %s says\n%s\nand not\n%s", s->name, line[i].rule, is, s->line[i].text);
	}
}

static void test_situations(void **state)
{
	const struct query q = {.hide_idle = true};

	(void)state;
	for (size_t i = 0; i < sizeof(situations) / sizeof(*situations); i++) {
		struct explain_line line[EXPLAIN_MOST];
		struct hand h;
		size_t nr;

		begin(&h, &situations[i]);
		for (unsigned t = 0; t < situations[i].ticks; t++)
			tick(&h, &situations[i], t);
		nr = explain(h.m, &q, WINDOW_ALL, line);
		assert_lines(&situations[i], line, without_changes(line, nr));
		hand_free(&h);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_situations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
