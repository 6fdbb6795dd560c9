/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row per option; the parser (optionparse.h), --help and the man page's OPTIONS (optiontext.h)
 * all walk the same table.  Only a value's form is checked here: whether a process, user or event
 * exists is checked where it is opened.
 */
#include "app/options.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/budget.h"
#include "app/optionfile.h"
#include "app/optionparse.h"
#include "app/optionvalue.h"

#define BYTES_MAX    (1ull << 40)
#define HISTORY_MIN  (64ull << 10)

#define AT(member) offsetof(struct options, member)
#define HERE  OPTION_HERE
#define THERE OPTION_THERE
#define BOTH  OPTION_BOTH
#define HEADING(text) {0, NULL, NULL, ARG_NONE, HERE, NULL, 0, 0, 0, text, NULL}

static const struct option_row rows[] = {
	HEADING("What to measure"),
	{'a', "all-cpus", NULL, ARG_NONE, THERE, set_flag, AT(measure.all_cpus), 0, 0,
	 "the whole machine (the default where you may)",
	 "Without the rights for it ringtop measures your own processes and says so; with -a it "
	 "ends with status 3 instead."},
	{'p', "pid", "PID[,PID...]", ARG_NEEDED, THERE, set_list, AT(measure.pids), 1, INT_MAX,
	 "processes, with their threads and children",
	 "Children that run already are measured, too, and theirs: the head says how many, and the "
	 "log how many are left out where they are too many.  A process whose parent has ended is "
	 "nobody's child any more; -G has all of a service or a container.  ringtop itself is left "
	 "out."},
	{'t', "tid", "TID[,TID...]", ARG_NEEDED, THERE, set_list, AT(measure.tids), 1, INT_MAX,
	 "single threads, without what they start", NULL},
	{'u', "user", "USER", ARG_NEEDED, THERE, set_text, AT(measure.user), 0, 0,
	 "the processes of a user, by name or number", NULL},
	{'G', "cgroup", "CGROUP", ARG_NEEDED, THERE, set_text, AT(measure.cgroup), 0, 0,
	 "the tasks of a cgroup, and of those below it",
	 "Its path below the root of the cgroups, such as system.slice/ssh.service, or with it.  As "
	 "-a it needs the rights for the whole machine."},
	{'C', "cpu", "CPUS", ARG_NEEDED, THERE, set_list, AT(measure.cpus), 0, INT16_MAX,
	 "only these CPUs, such as 0-3,5",
	 "Goes together with -p, -t, -u and COMMAND: then what they do on these CPUs."},
	{0, "per-thread", NULL, ARG_NONE, THERE, set_flag, AT(measure.per_thread), 0, 0,
	 "one ring per thread rather than per CPU",
	 "Needs -p, -t, -u or COMMAND.  Such a ring has no CPU to read it on, so it is paused while "
	 "it is read; the pauses show as a cause of loss.  Children are not followed."},
	{0, "no-inherit", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_inherit), 0, 0,
	 "do not follow new threads and children",
	 "Nor children of -p that run already.  Inherited events on many CPUs make starting a "
	 "thread slower in the measured program."},
	{0, "delay-start", "MS", ARG_NEEDED, THERE, set_milliseconds, AT(measure.start_ns), 1,
	 86400000,
	 "let the events count only so many milliseconds after the start",
	 "What a program does until it is ready stays out, its maps and names do not."},
	{'i', "input", "FILE", ARG_NEEDED, HERE, set_text, AT(measure.input), 0, 0,
	 "nothing live: what perf record, trace-cmd or --save wrote to FILE",
	 "Of perf a file or a stream (pipe format), of either byte order, compressed or not; - is "
	 "the standard input, in pipe format.  Of trace-cmd a trace.dat: see TRACE.DAT.  Nothing is "
	 "measured; time is the file's.  Names come from files that have the build-id that was "
	 "recorded, where they are or in perf's cache, ~/.debug."},

	{0, "at", "TIME", ARG_NEEDED, HERE, set_text, AT(at), 0, 0,
	 "begin the saved time line of -i there: 14:03, 14:03:20, or -600 seconds before its end",
	 "The last time that it was so late on the clock here.  A report begins there, the screen "
	 "shows what is around it."},
	{0, "diff", "A B", ARG_PAIR, HERE, set_diff, 0, 0, 0,
	 "what changed from one perf.data file to another, and how sure",
	 "A is the baseline.  Both are read to their ends, one after the other, and a report says "
	 "of each function by how much its share differs, how far off that may be by chance, and "
	 "whether it is more than that.  See COMPARING."},
	{0, "baseline", "FILE", ARG_NEEDED, HERE, set_baseline, 0, 0, 0,
	 "compare what is measured, or -i, with FILE: a recording or a saved time line",
	 "On the screen it begins with what changed; a report is followed by one of it.  See "
	 "COMPARING."},
	{0, "fail-on-change", NULL, ARG_NONE, HERE, set_flag, AT(fail_on_change), 0, 0,
	 "with --diff, --baseline or --by host: exit with 4 where something changed", NULL},

	HEADING("Remote"),
	{'H', "host", "[USER@]HOST[,HOST...]", ARG_NEEDED, HERE, set_hosts, 0, 0, 0,
	 "measure on other machines, over ssh",
	 "HOST is what ssh takes: a name of ~/.ssh/config, too.  Nothing needs to be installed "
	 "there.  What to measure and how, COMMAND and the names of files mean there what they mean "
	 "here without -H; reports, exports and the screen are made here.  May be given several "
	 "times.  See REMOTE."},
	{0, "ssh", "COMMAND", ARG_NEEDED, HERE, set_text, AT(ssh), 0, 0,
	 "instead of ssh, with its options: 'ssh -p 2222'",
	 "Divided at blanks; '...' and \"...\" keep them.  It is given what ssh is; but where a "
	 "word is %h, that is the host, and the rest leads to its shell: 'docker exec -i %h sh'."},
	{0, "sudo", NULL, ARG_NONE, HERE, set_flag, AT(sudo), 0, 0,
	 "with -H: as root there, by sudo",
	 "The password is asked for here where sudo wants one there."},
	{0, "keep", NULL, ARG_NONE, HERE, set_flag, AT(keep), 0, 0,
	 "with -H: keep the agent there for the next time",
	 "Where there is no ringtop that fits, ringtop-agent is sent each time and leaves no file.  "
	 "With this it stays in ~/.cache/ringtop."},
	{0, "linger", "SECONDS", ARG_NEEDED, HERE, set_count, AT(linger), 1, 86400,
	 "with -H: the agent goes on so long without us",
	 "When the connection is cut.  Once it is back within this time nothing is missing, as far "
	 "as the agent's memory reached.  Without it the agent ends at once."},
	{0, "fetch", "DIR", ARG_NEEDED, HERE, set_text, AT(fetch), 0, 0,
	 "with -H: bring snapshots and recordings here, to DIR",
	 "When each is whole; it stays there, too."},

	HEADING("Events"),
	{'e', "event", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "what to sample (default: cycles, else cpu-clock)",
	 "By perf's names and in perf's syntax: hardware, cache and software events, tracepoints, "
	 "PMUs' own as pmu/term=value,.../, breakpoints, kprobes, uprobes, groups in braces; a "
	 "modifier :u or :k keeps user or kernel only.  May be given several times.  With -i only "
	 "NAME/weight=FIELD/: what hits of a recorded tracepoint weigh.  See EVENTS."},
	{0, "pfm-events", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_pfm_event, 0, 0, 0,
	 "sample these, by the names that libpfm4 has for a processor's events",
	 "As perf has it: PMU::EVENT:UMASK:MODIFIER=VALUE, groups in braces.  The same as -e with "
	 "pfm: before each; -S takes that, too.  Needs libpfm4, here and when ringtop was built."},
	{'S', "stat", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "count these, beside what is sampled (may be given more than once)",
	 "In the syntax of -e.  They cost a read ten times a second: view 8, counters in reports.  "
	 "'default' is what perf stat counts where there is hardware for it, else the software "
	 "events.  On each CPU, or of each thread with what it forks.  A group in braces is counted "
	 "all at once; where more is wanted than the hardware has, the share of time that each "
	 "counted is told, and the estimate for all of it."},
	{0, "list", NULL, ARG_NONE, HERE, set_events_listed, 0, 0, 0,
	 "print the events of this machine, and end",
	 "One a line: name, kind, what it counts, and why it cannot be opened now, if so; with "
	 "--json as objects. Words that follow choose: a part of the name or of the text, or a glob "
	 "of the name."},
	{0, "filter", "FILTER", ARG_NEEDED, THERE, set_filter, 0, 0, 0,
	 "of the events of the -e, -S, -A or --ftrace before it only some",
	 "In the kernel's words, which decides before anything is written or counted: 'prev_pid == "
	 "42 && prev_state != 0', 'comm ~ \"gz*\"'.  For tracepoints and probes, whose fields "
	 "/sys/kernel/tracing/events/*/*/format lists; the other events beside them take none.  "
	 "Given twice, both must hold.  For -A, where its PMU has address filters: 'filter "
	 "0x1000/0x200@/bin/x'.  One that the kernel refuses ends with status 2, and its reason."},
	{0, "by", "host|FIELD[,FIELD...]", ARG_NEEDED, THERE, set_by, AT(measure.by), 0, 0,
	 "compare two hosts, or sum up tracepoints' samples by fields of their records",
	 "host: with -H A,B what functions have on B is compared with what they have on A, in the "
	 "same time.  On the screen it begins with that; a report is followed by one of it.  See "
	 "COMPARING.  (A field that is called host goes with another one: comm,host.)  FIELD: up to "
	 "four: numbers, texts, elements of arrays (args[0]), and cpu, pid, tid, comm, stack.  "
	 "stack is the whole call path, of samples that have one (-g, by frame pointers then, or "
	 "call-graph=fp or lbr of the event; copied stacks, dwarf, with -i alone).  A field of the "
	 "record that is called so comes before these.  Of a number FIELD.hex, FIELD.log2 (the "
	 "power of two below it) and FIELD.syscall (the name of the system call of that number on "
	 "this kind of machine; 32-bit programs' numbers are others), as the kernel's hist triggers "
	 "have them.  For all tracepoints of -e that have them: how many samples each combination "
	 "has, and of what they weigh (weight=, one hit else) the sum, least, most, average and a "
	 "histogram by powers of two.  Of a recording (-i), too: what it has of tracepoints' "
	 "records.  On the screen: view 0."},
	{0, "question", "NAME", ARG_NEEDED, THERE, set_question, 0, 0, 0,
	 "what is asked often of a machine, such as syscalls: its event, its fields",
	 "As if the options that answer it were given, and the screen begins with its rows.  "
	 "syscalls: system calls by name; syscalls-by-command: who makes which; syscall-times: how "
	 "long they take (--between syscalls); waits (--off-cpu); switches, wakeups, migrations, "
	 "forks, programs, page-faults, block-io, packets, signals, interrupts, softirqs: what "
	 "their names say, by the tracepoint's fields.  Key E lists those that this machine has "
	 "tracepoints for, and asks one while it runs."},
	{0, "in-kernel", NULL, ARG_NONE, THERE, set_flag, AT(measure.in_kernel), 0, 0,
	 "with --by: the kernel sums up by itself, and writes no records",
	 "By histograms (hist triggers) in an instance of ftrace of our own, read ten times a "
	 "second: what it costs grows with the number of keys, not with that of hits.  As root, of "
	 "the whole machine, kernels with CONFIG_HIST_TRIGGERS.  Up to three fields, no elements of "
	 "arrays, tid, comm and cpu, not pid and stack; filters hold.  There are counts and sums, "
	 "of weight=, but no least, most and histogram, and no functions, tasks and paths.  Of an "
	 "event 8192 keys have room; hits of further ones are lost, as dropped.  The instance is "
	 "removed at the end, also where ringtop is killed."},
	{0, "between", "A,B[:FIELD...]", ARG_NEEDED, THERE, set_text, AT(measure.between), 0, 0,
	 "how long it takes from tracepoint A to tracepoint B",
	 "Pairs are of one thread, across CPUs; with FIELD, up to four joined by +, of the records "
	 "whose fields have the same values (dev+sector; pid=next_pid where B calls it otherwise).  "
	 "Every hit of both is taken, beside the events of -e.  Count, sum, average, p50, p99, "
	 "maximum and a histogram, in ns; halves whose other one never was are counted apart, and "
	 "so are those whose other one may be among lost records: no pair is guessed.  syscalls is "
	 "raw_syscalls:sys_enter,raw_syscalls:sys_exit, block is "
	 "block:block_rq_issue,block:block_rq_complete:dev+sector, wakeup is "
	 "sched:sched_waking,sched:sched_switch:pid=next_pid.  Of a recording (-i) both must be in "
	 "it; of several hosts (-H) all pairs are told together.  On the screen: view 0."},
	{'F', "freq", "HZ|max", ARG_NEEDED, THERE, set_frequency, 0, 1, UINT32_MAX - 1,
	 "samples per second and CPU",
	 "999 where nothing is given; of software events and tracepoints then every one is a "
	 "sample, for by frequency the kernel tells their periods only roughly.  max is what the "
	 "kernel allows now (kernel.perf_event_max_sample_rate), of clocks 10000: their timers are "
	 "not slowed down where they take too much time."},
	{'c', "count", "PERIOD", ARG_NEEDED, THERE, set_period, AT(measure.period), 1, INT64_MAX,
	 "a sample every PERIOD events; suffixes k, m, g",
	 "With a fixed period all accounts are exact."},
	{'g', NULL, NULL, ARG_NONE, THERE, set_graph, 0, 0, 0,
	 "call paths, as --call-graph auto", NULL},
	{0, "call-graph", "MODE", ARG_NEEDED, THERE, set_call_graph, 0, 0, 0,
	 "call paths: auto[,BYTES], fp, dwarf[,BYTES] or lbr",
	 "auto is fp as long as that leads somewhere.  Where most chains end after one function, or "
	 "one in 10 leads to no code, in an object with 50 samples of late and so with one in 20 of "
	 "all, registers and up to 8192 bytes of the stack are copied beside it, and each sample "
	 "whose path by frame pointers begins in such an object, ends after one function or leads "
	 "to no code is unwound by its copy; Tree, Buffers and reports name the objects.  With "
	 "copies samples may take BYTES a second (16M for each CPU): above that less is copied of "
	 "each stack, then nothing, and it is said.  What nothing needs for 30 s is copied no more.  "
	 "fp lets the kernel follow frame pointers, which costs least and needs programs that keep "
	 "them (-fno-omit-frame-pointer).  dwarf copies registers and BYTES of the stack (8192) "
	 "with every sample and unwinds them by what the programs' files say of their frames; "
	 "x86-64 only.  lbr takes the user's part from the branch records of Intel processors, "
	 "which hold up to 32 calls.  A path whose callers are beyond what is known begins with "
	 "[truncated], one that leads nowhere with [broken]: of frame pointers, to an address that "
	 "no executable map of the process has."},

	{0, "off-cpu", NULL, ARG_NONE, THERE, set_flag, AT(measure.off_cpu), 0, 0,
	 "where threads wait, how long and for whom, beside what is sampled",
	 "Events of their own, in ns, beside those of -e.  on-cpu and off-cpu are all of a "
	 "thread's time.  off-cpu counts each wait with the path at which the thread left its "
	 "CPU, without the scheduler's own functions; off-cpu:runnable, :sleeping, :disk, "
	 ":resting (stopped, or a kernel thread without work) and :unknown are its parts by "
	 "state.  Of runnable, off-cpu:preempted is what a thread was taken off for (its time was "
	 "over, another one came first, its cgroup's CPU time was used up: these the kernel does "
	 "not tell apart) and :yielded what it gave by sched_yield; the rest stood in line after "
	 "a waking, or was woken before it slept, or it is not known: that takes the kernel's "
	 "call paths and addresses, with -i this machine's.  :resting is off-cpu:idle (without "
	 "work, or parked) and :stopped.  Unknown is one state for sleeping or runnable: a wait "
	 "that ended and was not seen to be woken may have been runnable, waiting for a CPU at "
	 "its end.  on-cpu is from the switch that brings a thread to the one that takes it, so "
	 "it is without the switches themselves, 5 to 20 us each with perf's records: those are "
	 "in off-cpu, while the kernel (schedstat, task-clock) counts them as running; samples of "
	 "on-cpu are how many times it ran.  off-cpu:wakers is what others slept until the task "
	 "and path there woke them (an interrupt: the idle task), off-cpu:woken the same by who "
	 "slept: its leaf is the task that woke it, called by that one's path and, behind [woken "
	 "by], the wait's; [waker unknown] where the kernel told of none.  They are made of "
	 "sched:sched_switch, sched:sched_waking and context-switch records; call paths are taken "
	 "as with -g.  sched_waking is taken on all CPUs, of -p, -t, -u, -G and COMMAND too, for "
	 "threads are mostly woken while others run; its rows and counts are of the threads "
	 "measured alone.  Where tracepoints are not allowed the records alone tell no path, "
	 "state or waker: what is not seen to be preempted is off-cpu:unknown; where whole CPUs "
	 "may not be measured, or with -C or rings of threads, so is what was not seen to be "
	 "woken.  A wait counts about once a second while it lasts, and when it or the session is "
	 "over, and is pending in between; one that lost its end is lost by the time that it can "
	 "have taken.  A thread that is not switched at all does what /proc says it does.  Of a "
	 "pid namespace that is not the machine's own the wakers are not known.  With -i: by the "
	 "recording's sched:sched_switch (each hit, as perf sched record has them), "
	 "sched:sched_waking or sched:sched_wakeup, and context-switch records; of what was there "
	 "before its first switch nothing is known."},
	{0, "ftrace", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "these tracepoints by ftrace's ring buffer instead of perf's",
	 "In an instance of tracefs that is ringtop's own, made for the session and removed with "
	 "it; where ringtop is killed its guardian removes it, a process of its own, or else the "
	 "next start of any ringtop.  Every hit is a record: SUBSYSTEM:NAME (with * ? []), "
	 "SUBSYSTEM:NAME/weight=FIELD/, and where the kernel has them the tracers function (each "
	 "call of a kernel's function, with its caller) and function_graph (ftrace:funcgraph_exit "
	 "weighs the ns that a call took, what it called included; Linux 6.12), as "
	 "function:FUNCTIONS of some only (with *; several with blanks between them).  -m is the "
	 "size for each CPU; --no-overwrite is producer/consumer mode, in which a full buffer drops "
	 "what is new, else what is old is overwritten.  What was lost is counted by the kernel to "
	 "the event; where several events share the buffer, which of them were lost is an estimate.  "
	 "For -p, -t, COMMAND, -C or the whole machine; without -e nothing else is sampled.  Of its "
	 "records --by pid tells the process that the thread is of when they are told.  Of COMMAND "
	 "the system calls that start it are counted, too.  Needs root."},
	{0, "no-lines", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_lines), 0, 0,
	 "do not look for source lines and inlined functions",
	 "They are read from debug information (DWARF) in the background, at a low priority."},
	{0, "debuginfod", NULL, ARG_NONE, THERE, set_flag, AT(measure.debuginfod), 0, 0,
	 "get missing debug files from the servers in $DEBUGINFOD_URLS",
	 "By build-id, one after another, in the background and into the cache that gdb and perf "
	 "have too; names and lines get better when a file has come.  Only a file's session (-i) "
	 "waits for them, as long as $DEBUGINFOD_TIMEOUT has it.  What is in that cache is used "
	 "without this option, too."},
	{0, "symfs", "DIR", ARG_NEEDED, THERE, set_text, AT(measure.symfs), 0, 0,
	 "look for the programs' files below DIR first",
	 "As if DIR were their /, such as a copy of the recorded machine's files: names, lines and "
	 "code, debug files below DIR, too.  A file of another build-id than was recorded, or "
	 "without one whose code does not reach as far as what was mapped, is not taken.  Without "
	 "-i only a file of the same build-id as that which runs is, or any where that is gone."},
	{0, "vmlinux", "FILE", ARG_NEEDED, HERE, set_text, AT(measure.vmlinux), 0, 0,
	 "with -i: names of the recorded kernel from its ELF file",
	 "One with symbols (.symtab), as the kernel's build leaves it.  Where that kernel stood the "
	 "recording says; of modules it tells nothing.  A file of another build-id than was "
	 "recorded is an error."},
	{0, "kallsyms", "FILE", ARG_NEEDED, THERE, set_text, AT(measure.kallsyms), 0, 0,
	 "names of the kernel from a copy of /proc/kallsyms",
	 "Of the recorded machine, made as root; its modules have names only if it was made before "
	 "the next boot.  Without -i for users who may not read the running kernel's addresses: a "
	 "copy made since it was started."},

	HEADING("Rings"),
	{'m', "mmap-pages", "PAGES|SIZE", ARG_NEEDED, THERE, set_ring, 0, 1, BYTES_MAX,
	 "size of each sample ring: pages, or K, M, G",
	 "Rounded up to a power of two of pages; 2M where nothing is given (4M with --by or "
	 "weight=), with --call-graph dwarf as much as comes in a sixth of a second, 16M at most.  "
	 "More only helps where a ring overflows; the Buffers view says so."},
	{0, "sideband-pages", "N", ARG_NEEDED, THERE, set_count, AT(measure.sideband_pages), 1,
	 BYTES_MAX >> 12, "pages of each ring for maps, names and forks", NULL},
	{0, "no-overwrite", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_overwrite), 0, 0,
	 "a full ring keeps the old samples, not the new",
	 "Samples go to forward rings: nothing is overwritten, what does not fit is lost and "
	 "counted by the kernel."},
	{0, "realtime", "PRIO", ARG_NEEDED, THERE, set_priority, 0, 1, 99,
	 "run the readers as SCHED_FIFO at this priority",
	 "1 to 99; needs CAP_SYS_NICE.  Without it the readers ask for a short scheduling slice."},

	HEADING("Hardware trace"),
	{'A', "aux-event", "EVENT", ARG_NEEDED, THERE, set_aux_event, AT(measure.aux_event), 0, 0,
	 "trace EVENT of an AUX-capable PMU too, such as intel_pt//u",
	 "One of Intel PT, Arm SPE or CoreSight, ... : any PMU that has an AUX area, with its terms "
	 "as in pmu/term=value/.  It runs beside the events of -e, on each CPU or for each thread.  "
	 "From kernel 6.13 on, and where the PMU can, it may begin with aux-action=start-paused, "
	 "and events of -e with aux-action=resume or aux-action=pause start and stop it: -e "
	 "sched:sched_switch/aux-action=resume/."},
	{0, "aux-size", "SIZE", ARG_NEEDED, THERE, set_bytes, AT(measure.aux_bytes), 4096,
	 BYTES_MAX,
	 "size of each AUX area: K, M, G (default: 4M)",
	 "Rounded up to a power of two of pages.  Without privileges the default is 128K.  In "
	 "snapshot mode as much again is needed twice, for copies."},
	{0, "aux-mode", "MODE", ARG_NEEDED, THERE, set_aux_mode, 0, 0, 0,
	 "snapshot (the default) or full",
	 "In snapshot mode the trace runs over itself and nothing is read until a snapshot is "
	 "taken.  In full mode it is drained as it comes; without a recording what is drained is "
	 "counted only."},
	{0, "aux-sample-size", "SIZE", ARG_NEEDED, THERE, set_bytes, AT(measure.aux_sample_bytes),
	 8, 65528,
	 "with every sample of -e, so much of the trace before it",
	 "At most 64K less what else is in a sample.  It is there for recordings; kernel 5.6, and a "
	 "PMU that can (Intel PT).  For single events: the term aux-sample-size=."},
	{0, "aux-measure", NULL, ARG_NONE, THERE, set_flag, AT(measure.aux_measure), 0, 0,
	 "snapshot mode: stop for short to know the rate",
	 "Some PMUs do not say how much they write while they run.  With this the trace is stopped "
	 "twice a second, for microseconds, to look; what runs meanwhile is not traced."},
	HEADING("Snapshots"),
	{0, "snapshot-on", "CONDITION", ARG_NEEDED, BOTH, set_condition, AT(snapshot_on), 0, 0,
	 "take a snapshot when it holds, such as 'function>80%:2s'",
	 "May be given several times.  See SNAPSHOTS."},
	{0, "snapshot-dir", "DIR", ARG_NEEDED, THERE, set_text, AT(measure.snapshot_dir), 0, 0,
	 "where snapshots go (default: the current directory)", NULL},

	HEADING("Conditions"),
	{0, "mark-on", "CONDITION", ARG_NEEDED, HERE, set_condition, AT(mark_on), 0, 0,
	 "set a mark when it holds, such as 'task:gzip>50%'",
	 "The mark is called by the condition, with its value.  May be given several times.  See "
	 "CONDITIONS."},
	{0, "alert", "CONDITION", ARG_NEEDED, HERE, set_condition, AT(alert), 0, 0,
	 "say so while it holds: 'function>20%:5s', 'lost>0.1%', 'delta>3sigma'",
	 "On the screen as long as it holds, in reports and JSON with the time.  May be given "
	 "several times.  See CONDITIONS."},
	{0, "on-alert", "COMMAND", ARG_NEEDED, HERE, set_text, AT(on_alert), 0, 0,
	 "run this for each alert, at most once in 10 s for each condition",
	 "Divided at blanks; '...' and \"...\" keep them; there is no shell.  RINGTOP_ALERT, "
	 "RINGTOP_REASON, RINGTOP_TIME and RINGTOP_NUMBER in its environment say what; its output "
	 "goes to the standard error, beside a screen to nowhere."},
	{0, "control", "FIFO", ARG_NEEDED, HERE, set_text, AT(control), 0, 0,
	 "take orders from it: mark NAME, pause, resume, snapshot, stop, ping",
	 "One a line: echo mark deploy >FIFO.  It is made where it is not there.  Or "
	 "fifo:FIFO[,ACK] as for perf record: what was obeyed is answered there.  See CONTROL."},

	HEADING("Reports"),
	{'d', "delay", "SECONDS", ARG_NEEDED, HERE, set_seconds, AT(show.delay), 0, 0,
	 "between reports or refreshes (default: 1)",
	 "Reports of a file's session: a hundredth of its length, but 1 at least."},
	{'n', "iterations", "N", ARG_NEEDED, HERE, set_count, AT(show.iterations), 1, UINT32_MAX,
	 "end after N reports", NULL},
	{0, "duration", "SECONDS", ARG_NEEDED, HERE, set_seconds, AT(show.duration), 0, 0,
	 "end after this time", NULL},
	{0, "text", NULL, ARG_NONE, HERE, set_text_front, 0, 0, 0,
	 "no screen: a report per interval and one for all",
	 "This is what happens too where the standard output is no terminal."},
	{0, "json", NULL, ARG_NONE, HERE, set_json_front, 0, 0, 0,
	 "the same as one JSON object a line", "See ringtop-json(5)."},
	{0, "explain", NULL, ARG_NONE, HERE, set_flag, AT(explain), 0, 0,
	 "instead of reports: what stands out, in ten lines at most",
	 "For --duration, else for -d seconds, else for 10; of COMMAND or a file (-i) to its end.  "
	 "See EXPLAIN."},
	{0, "top", "N", ARG_NEEDED, HERE, set_count, AT(show.top), 1, UINT32_MAX,
	 "at most N functions in an interval's report", "The total is never cut."},
	{0, "group", "GROUP", ARG_NEEDED, HERE, set_group, AT(show.group), 0, 0,
	 "rows by user, cgroup, parent, command, ... in reports, too",
	 "object, line (of the source), task, cpu or host, pattern (threads whose names differ by "
	 "numbers alone), command, user, cgroup, parent (all whose processes were forked by "
	 "processes of that name).  The screen begins with it, which key g changes there.  See "
	 "GROUPS."},
	{0, "sort", "COLUMN", ARG_NEEDED, HERE, set_sort, AT(show.sort), 0, 0,
	 "order rows by total, samples, peak, throttled, ... instead of share",
	 "self (the default, of a group its share), total, name, object, task, samples, pid, peak "
	 "(the highest tenth of the time), change (against the interval before, which a report's "
	 "total has not), or, with --group cgroup, throttled: how long a CPU quota let it wait.  "
	 "The screen begins with it, which key s changes there."},
	{0, "log-events", NULL, ARG_NONE, THERE, set_flag, AT(measure.log_events), 0, 0,
	 "report each record of the tracepoints of -e, too, as a line",
	 "Time, CPU, thread, event and what its print format makes of it, in order over all CPUs, "
	 "before the report of the interval; with --json an object a line.  A record waits half a "
	 "second at most for a CPU that is late.  Of more than 10000 in 100 ms the newest are "
	 "shown: the others are counted as not_shown, apart from records that were lost.  On the "
	 "screen the Events view has them anyway, where the tracepoints' data may be read; those of "
	 "other hosts (-H) only with this option."},
	{0, "paths", NULL, ARG_NONE, HERE, set_flag, AT(show.paths), 0, 0,
	 "with --json: call paths with their weights",
	 "Without -g or --call-graph a path is one function."},
	{0, "export", "FORMAT:FILE", ARG_NEEDED, HERE, set_export, 0, 0, 0,
	 "at the end, write all to FILE for another program",
	 "May be given several times.  See EXPORTS."},
	{'w', "record", "FILE", ARG_NEEDED, THERE, set_text, AT(measure.record), 0, 0,
	 "record to FILE too, as perf record does",
	 "The samples go to forward rings, as with --no-overwrite.  The file gets its name when it "
	 "is whole; what stood there before becomes FILE.old.  See RECORDING."},
	{0, "save", "FILE", ARG_NEEDED, HERE, set_text, AT(save), 0, 0,
	 "save the time line to FILE, for -i and --diff",
	 "Functions, threads and CPUs of every second, losses, counters and marks, some megabytes "
	 "an hour.  What is written can be read at any time, also after a kill.  What stood there "
	 "before becomes FILE.old.  See TIME LINES."},
	{0, "keep-for", "TIME DIR", ARG_PAIR, HERE, set_keep, 0, 0, 0,
	 "keep the time line of the last TIME (24h, 90m, 7d) in DIR, for -i DIR",
	 "Files of a part of it each, the oldest removed for the newest.  See TIME LINES."},
	{0, "keep-bytes", "SIZE", ARG_NEEDED, HERE, set_bytes, AT(keep_bytes), 1 << 20, BYTES_MAX,
	 "bytes that --keep-for may take (default: 1G)",
	 "What is rare is folded where they would not last for TIME; if that is not enough, less "
	 "time is kept."},
	{0, "only", "FILTER", ARG_NEEDED, HERE, set_text, AT(show.filter), 0, 0,
	 "only rows that match, as with the f key", "See FILTERS."},
	{0, "show-self", NULL, ARG_NONE, HERE, set_flag, AT(show.show_self), 0, 0,
	 "show ringtop's own samples too", NULL},
	{0, "show-idle", NULL, ARG_NONE, HERE, set_flag, AT(show.show_idle), 0, 0,
	 "on the screen, idle time as rows and as a part of 100 %, as I does",
	 "Reports have it always: their shares are of all that was attributed."},
	{0, "propagate", NULL, ARG_NONE, HERE, set_flag, AT(propagate), 0, 0,
	 "exit with COMMAND's status", NULL},
	{0, "history", "SIZE", ARG_NEEDED, HERE, set_bytes, AT(history_bytes), HISTORY_MIN,
	 BYTES_MAX, "memory for the past (default: 64M)",
	 "After 20 s the past is kept in steps of 1 s, after 10 min of 10 s, sooner where memory is "
	 "short.  Then old steps are thinned: small functions lose callers and addresses, later "
	 "their names, the screen says where; last the oldest is forgotten.  The total over the run "
	 "is always kept."},
	{0, "max-cpu", "PERCENT", ARG_NEEDED, THERE, set_count, AT(measure.max_cpu), 1, 100,
	 "of a CPU for each that is watched: what measuring may cost (default: 10)",
	 "Where ringtop's own CPU time, with its helpers', stays above it for 3 s, and is for what "
	 "samples cause, clocks and hardware events are sampled at a half, a quarter, ... of the "
	 "rate asked for, at least 10 times a second, until there is room for more.  The head, the "
	 "log and JSON (rate_divisor) say so; rates say which counts were under which rate, and "
	 "accounts hold across it.  Software events, tracepoints and what weighs its hits stay as "
	 "they are, and so does all while it is recorded."},
	{0, "max-memory", "SIZE", ARG_NEEDED, BOTH, set_bytes, AT(max_memory), BUDGET_MIN,
	 BYTES_MAX, "memory for symbols, lines and maps (default: 512M)",
	 "All that is read of the programs' files, of their maps and of what JITs write; one object "
	 "may keep a quarter.  A quarter of all is set aside for the names and call paths that the "
	 "session speaks of.  What was used longest ago is dropped first; what does not fit is "
	 "refused: the object says why, and the log does; samples of call paths that find no room "
	 "count for [out of memory].  What the past keeps is --history's."},
	{0, "view", "NAME", ARG_NEEDED, HERE, set_text, AT(show.view), 0, 0,
	 "begin with this view: tasks, or a saved one",
	 "The name of a saved view, or commands as they are typed after : , divided by semicolons, "
	 "such as 'tasks; sort peak'.  Goes with the screen alone."},
	{0, "saved-view", "NAME: COMMANDS", ARG_NEEDED, HERE, set_condition, AT(saved_views), 0, 0,
	 "a view by a name, for the file of settings: key V goes to it",
	 "May be given several times.  :save-view NAME writes one of what is shown into the file.  "
	 "See SAVED VIEWS."},
	{0, "ascii", NULL, ARG_NONE, HERE, set_flag, AT(show.ascii), 0, 0,
	 "draw with ASCII only", NULL},
	{0, "mono", NULL, ARG_NONE, HERE, set_flag, AT(show.mono), 0, 0, "no colours",
	 "The same as --color=never."},
	{0, "color", "WHEN", ARG_NEEDED, HERE, set_colour, 0, 0, 0,
	 "colours: always, auto (the default) or never",
	 "auto heeds the environment: none with a NO_COLOR that is not empty, nor with CLICOLOR=0 "
	 "unless CLICOLOR_FORCE is set and not 0.  A terminal that has none shows none.  Reports "
	 "have no colours."},
	{0, "palette", "NAME", ARG_NEEDED, HERE, set_palette, 0, 0, 0,
	 "colours for any ground (the default), dark, light or color-blind",
	 "dark and light are easier to read on a ground of that kind.  color-blind has blue and "
	 "orange where others have green and red, and yellow beside them.  Fine shades want 256 "
	 "colours; where there are 8, the terminal's own stand."},
	{0, "no-mouse", NULL, ARG_NONE, HERE, set_flag, AT(show.no_mouse), 0, 0,
	 "leave the mouse to the terminal", "To select text with it without the Shift key."},

	HEADING("About ringtop itself"),
	{'v', "verbose", "DOMAIN", ARG_ATTACHED, BOTH, set_verbose, 0, 0, 0,
	 "log what happens inside, of one part or all",
	 "The value is written right after: -vresolve or --verbose=resolve.  An unknown one is "
	 "answered with the list."},
	{0, "log", "FILE", ARG_NEEDED, HERE, set_text, AT(log_file), 0, 0,
	 "where the log goes (default: standard error)", NULL},
	{0, "self-stats", NULL, ARG_NONE, HERE, set_flag, AT(self_stats), 0, 0,
	 "at the end, say what ringtop itself used", NULL},
	{0, "no-config", NULL, ARG_NONE, HERE, set_flag, AT(no_config), 0, 0,
	 "do not read the file of settings", "See SETTINGS."},
	{0, "no-helper", NULL, ARG_NONE, BOTH, set_flag, AT(no_helper), 0, 0,
	 "read all files in this process: for debugging",
	 "Files that are not root's are else read by processes without rights, which are started "
	 "when they are first needed: what such a file breaks is then no more than its own names "
	 "and lines."},
	{0, "version", NULL, ARG_NONE, HERE, set_version, 0, 0, 0, "print the version", NULL},
	{'h', "help", NULL, ARG_NONE, HERE, set_help, 0, 0, 0, "print this", NULL},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
_Static_assert(ROWS <= OPTION_ROWS_MAX, "struct parse knows which were given");

int options_parse(int argc, char *const argv[], struct options *o, enum options_action *action,
		  struct err *err)
{
	struct parse p = {.rows = rows, .nrows = ROWS, .o = o, .action = action, .err = err};
	int ret;

	memset(o, 0, sizeof(*o));
	*action = OPTIONS_RUN;
	ret = optionparse_words(&p, argc, argv);
	if (ret)
		options_clear(o);
	return ret;
}

/*
 * Parse the settings, then the words of the command line again: the words for another machine are
 * in that order.
 */
static int parse_both(int argc, char *const argv[], struct optionfile *f, options_check *check,
		      struct options *o, struct err *err)
{
	enum options_action action = OPTIONS_RUN;
	struct options alone = {.nhosts = 0};
	struct parse words = {
		.rows = rows, .nrows = ROWS, .o = &alone, .action = &action, .err = err};
	struct parse p = {
		.rows = rows, .nrows = ROWS, .o = o, .action = &action, .err = err, .check = check};
	int ret = optionparse_words(&words, argc, argv);

	if (!ret)
		optionparse_settings(&p, &words, f);
	options_clear(&alone);
	if (!ret)
		ret = optionparse_words(&p, argc, argv);
	if (ret)
		optionfile_complain(f, 0, "ignored as a whole: %s", err->text);
	return ret;
}

void options_take_file(int argc, char *const argv[], struct options *o, struct optionfile *f,
		       options_check *check)
{
	struct options both = {.nhosts = 0};
	struct err err = {.code = 0};

	if (f && f->nr && parse_both(argc, argv, f, check, &both, &err)) {
		options_clear(&both);
	} else if (f && f->nr) {
		options_clear(o);
		*o = both;
	}
	o->file = f;
}

int options_parse_user(int argc, char *const argv[], struct options *o, enum options_action *action,
		       options_check *check, struct err *err)
{
	int ret = options_parse(argc, argv, o, action, err);

	if (!ret && *action == OPTIONS_RUN && !o->no_config)
		options_take_file(argc, argv, o, optionfile_read(optionfile_name()), check);
	return ret;
}

void options_clear(struct options *o)
{
	optionfile_free(o->file);
	optionparse_free(o->hosts, o->nhosts);
	optionparse_free(o->there, o->nthere);
	optionparse_free(o->made, o->nmade);
	free((void *)o->measure.events);
	free((void *)o->measure.counted);
	free((void *)o->measure.ftraces);
	free((void *)o->measure.filters);
	free((void *)o->exports);
	free((void *)o->snapshot_on.word);
	free((void *)o->mark_on.word);
	free((void *)o->alert.word);
	free((void *)o->saved_views.word);
	memset(o, 0, sizeof(*o));
}

int options_help(char *buf, int size)
{
	return optiontext_help(rows, ROWS, buf, size);
}

int options_man(char *buf, int size)
{
	return optiontext_man(rows, ROWS, buf, size);
}
