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
	 "Running children and their children are measured too; the head shows how many, and "
	 "the log how many were too many to measure.  Children of a parent that has ended are "
	 "not found; -G covers all processes of a service or a container.  ringtop itself is "
	 "left out."},
	{'t', "tid", "TID[,TID...]", ARG_NEEDED, THERE, set_list, AT(measure.tids), 1, INT_MAX,
	 "single threads, without what they start", NULL},
	{'u', "user", "USER", ARG_NEEDED, THERE, set_text, AT(measure.user), 0, 0,
	 "the processes of a user, by name or number", NULL},
	{'G', "cgroup", "CGROUP", ARG_NEEDED, THERE, set_text, AT(measure.cgroup), 0, 0,
	 "the tasks of a cgroup and of those below it",
	 "The path below the root of the cgroup file system, such as "
	 "system.slice/ssh.service, or the full path.  Like -a it needs the rights for the "
	 "whole machine."},
	{'C', "cpu", "CPUS", ARG_NEEDED, THERE, set_list, AT(measure.cpus), 0, INT16_MAX,
	 "only these CPUs, such as 0-3,5",
	 "With -p, -t, -u or COMMAND only what these do on these CPUs is measured."},
	{0, "per-thread", NULL, ARG_NONE, THERE, set_flag, AT(measure.per_thread), 0, 0,
	 "one ring per thread instead of one per CPU",
	 "Needs -p, -t, -u or COMMAND.  Such a ring has no CPU to be read on, so it is paused "
	 "while it is read; the pauses appear as a cause of loss.  Children are not followed."},
	{0, "no-inherit", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_inherit), 0, 0,
	 "do not follow new threads and children",
	 "Running children of -p are not measured either.  Inherited events on many CPUs make "
	 "thread creation in the measured program slower."},
	{0, "delay-start", "MS", ARG_NEEDED, THERE, set_milliseconds, AT(measure.start_ns), 1,
	 86400000,
	 "start counting only after this many milliseconds",
	 "This leaves out the start-up phase of a program; its maps and names are recorded "
	 "all the same."},
	{'i', "input", "FILE", ARG_NEEDED, HERE, set_text, AT(measure.input), 0, 0,
	 "replay FILE of perf record, trace-cmd or --save instead of measuring",
	 "A perf file may be a file or a stream (pipe format), of either byte order, "
	 "compressed or not; - is the standard input.  For trace.dat see ringtop-events(7).  "
	 "Nothing is measured, and times are the file's.  Names come from files with the "
	 "recorded build-id, at their paths or in perf's cache, ~/.debug."},

	{0, "at", "TIME", ARG_NEEDED, HERE, set_text, AT(at), 0, 0,
	 "begin the saved time line of -i there: 14:03, 14:03:20, or -600 seconds before its "
	 "end",
	 "A time of day means its last occurrence in the time line.  A report begins there; "
	 "the screen shows the window around it."},
	{0, "diff", "A B", ARG_PAIR, HERE, set_diff, 0, 0, 0,
	 "compare two perf.data files: what changed, and how certain that is",
	 "A is the baseline.  Both files are read completely.  The report gives each "
	 "function's difference, its 95 % confidence interval, and whether the change is "
	 "significant.  See ringtop-trust(7)."},
	{0, "baseline", "FILE", ARG_NEEDED, HERE, set_baseline, 0, 0, 0,
	 "compare the measurement, or -i, with FILE, a recording or a saved time line",
	 "The screen begins with the comparison; a report is followed by one.  See "
	 "ringtop-trust(7)."},
	{0, "fail-on-change", NULL, ARG_NONE, HERE, set_flag, AT(fail_on_change), 0, 0,
	 "with --diff, --baseline or --by host: exit with 4 if something changed", NULL},

	HEADING("Remote"),
	{'H', "host", "[USER@]HOST[,HOST...]", ARG_NEEDED, HERE, set_hosts, 0, 0, 0,
	 "measure on other machines over ssh",
	 "HOST is anything that ssh accepts, such as a name in ~/.ssh/config.  Nothing needs "
	 "to be installed there.  Targets, events, COMMAND and file names refer to that "
	 "machine; reports, exports and the screen are made here.  May be given several "
	 "times.  See ringtop-remote(7)."},
	{0, "ssh", "COMMAND", ARG_NEEDED, HERE, set_text, AT(ssh), 0, 0,
	 "the ssh command with its options: 'ssh -p 2222'",
	 "Split at blanks; '...' and \"...\" keep them.  It gets the arguments of ssh, unless "
	 "a word is %h: that is replaced by the host, and the rest must lead to its shell: "
	 "'docker exec -i %h sh'."},
	{0, "sudo", NULL, ARG_NONE, HERE, set_flag, AT(sudo), 0, 0,
	 "with -H: run as root there, by sudo",
	 "If sudo there needs a password, ringtop asks for it here."},
	{0, "keep", NULL, ARG_NONE, HERE, set_flag, AT(keep), 0, 0,
	 "with -H: keep the agent there for the next time",
	 "If the host has no suitable ringtop, ringtop-agent is sent each time and leaves no "
	 "file.  With this option it stays in ~/.cache/ringtop."},
	{0, "linger", "SECONDS", ARG_NEEDED, HERE, set_count, AT(linger), 1, 86400,
	 "with -H: the agent survives a lost connection for this long",
	 "If the connection is back within this time, no data is missing as far as the "
	 "agent's memory reaches.  Without it the agent ends at once."},
	{0, "fetch", "DIR", ARG_NEEDED, HERE, set_text, AT(fetch), 0, 0,
	 "with -H: copy snapshots and recordings here, to DIR",
	 "Each file is copied when it is complete; it also stays on the host."},

	HEADING("Events"),
	{'e', "event", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "events to sample (default: cycles, else cpu-clock)",
	 "Names and syntax are perf's: hardware, cache and software events, tracepoints, "
	 "events of PMUs as pmu/term=value,.../, breakpoints, kprobes, uprobes, groups in "
	 "braces; modifiers such as :u and :k.  May be given several times.  With -i only "
	 "NAME/weight=FIELD/ is valid, the weight of a recorded tracepoint.  See "
	 "ringtop-events(7)."},
	{0, "pfm-events", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_pfm_event, 0, 0, 0,
	 "sample events by their names in libpfm4",
	 "As in perf: PMU::EVENT:UMASK:MODIFIER=VALUE, groups in braces.  Equal to -e with "
	 "pfm: before each name; -S accepts that too.  Needs libpfm4 at build time and at run "
	 "time."},
	{'S', "stat", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "count these events without sampling (may be given more than once)",
	 "The syntax is that of -e.  Counters are read ten times a second, per CPU, or per "
	 "thread with its children; see view 8 and counters in reports.  'default' is the set "
	 "of perf stat, or the software events without hardware counters.  A group in braces "
	 "is counted together; if counters are shared, the counts are scaled and the share of "
	 "time is given."},
	{0, "list", NULL, ARG_NONE, HERE, set_events_listed, 0, 0, 0,
	 "print the events of this machine, and exit",
	 "One event a line: name, kind, description, and the reason if it cannot be opened; "
	 "with --json as objects.  Further words select events by a part of the name or "
	 "description, or by a glob of the name."},
	{0, "filter", "FILTER", ARG_NEEDED, THERE, set_filter, 0, 0, 0,
	 "kernel filter for the preceding -e, -S, -A or --ftrace",
	 "For example 'prev_pid == 42 && prev_state != 0' or 'comm ~ \"gz*\"'.  Tracepoints "
	 "and probes can be filtered by the fields in /sys/kernel/tracing/events/*/*/format, "
	 "and -A by addresses if its PMU can.  Given twice, both must match.  See "
	 "ringtop-events(7)."},
	{0, "by", "host|FIELD[,FIELD...]", ARG_NEEDED, THERE, set_by, AT(measure.by), 0, 0,
	 "compare two hosts, or sum up tracepoint samples by fields",
	 "host compares the functions of B with those of A (-H A,B); see ringtop-trust(7).  "
	 "FIELD: up to four fields of the records, also FIELD.hex, FIELD.log2, FIELD.syscall, "
	 "and cpu, pid, tid, comm and stack.  Works for live tracepoints and for recordings "
	 "(-i); on the screen see view 0.  See ringtop-events(7)."},
	{0, "question", "NAME", ARG_NEEDED, THERE, set_question, 0, 0, 0,
	 "a preset of event and fields for a frequent question, such as syscalls",
	 "Presets: syscalls, syscalls-by-command, syscall-times, waits, switches, wakeups, "
	 "migrations, forks, programs, page-faults, block-io, packets, signals, interrupts, "
	 "softirqs.  Key E lists those that this machine supports.  See ringtop-events(7)."},
	{0, "in-kernel", NULL, ARG_NONE, THERE, set_flag, AT(measure.in_kernel), 0, 0,
	 "with --by: let the kernel compute the sums, without records",
	 "Uses hist triggers in an ftrace instance of ringtop; needs root and the whole "
	 "machine.  The cost depends on the number of keys, not of hits.  See "
	 "ringtop-events(7)."},
	{0, "between", "A,B[:FIELD...]", ARG_NEEDED, THERE, set_text, AT(measure.between), 0, 0,
	 "measure the time from tracepoint A to tracepoint B",
	 "Pairs are matched per thread, or by the values of up to four FIELDs joined by +.  "
	 "Presets: syscalls, block and wakeup.  On the screen see view 0.  See "
	 "ringtop-events(7)."},
	{'F', "freq", "HZ|max", ARG_NEEDED, THERE, set_frequency, 0, 1, UINT32_MAX - 1,
	 "samples per second and CPU",
	 "Default: 999; of software events and tracepoints then every hit is a sample, "
	 "because the kernel estimates their periods only roughly.  max is the kernel's "
	 "current limit (kernel.perf_event_max_sample_rate); for clocks it is 10000, because "
	 "the kernel does not throttle their timers."},
	{'c', "count", "PERIOD", ARG_NEEDED, THERE, set_period, AT(measure.period), 1, INT64_MAX,
	 "one sample every PERIOD events; suffixes k, m, g",
	 "With a fixed period all accounts are exact."},
	{'g', NULL, NULL, ARG_NONE, THERE, set_graph, 0, 0, 0,
	 "record call paths, as --call-graph auto", NULL},
	{0, "call-graph", "MODE", ARG_NEEDED, THERE, set_call_graph, 0, 0, 0,
	 "call paths: auto[,BYTES], fp, dwarf[,BYTES] or lbr",
	 "fp follows frame pointers; dwarf copies registers and BYTES (8192) of the stack "
	 "with each sample (x86-64, aarch64, riscv64); lbr uses the branch records of Intel "
	 "processors.  auto begins with fp and copies stacks where frame pointers fail, up to BYTES "
	 "a second (16M for each CPU).  See ringtop-events(7)."},

	{0, "off-cpu", NULL, ARG_NONE, THERE, set_flag, AT(measure.off_cpu), 0, 0,
	 "also measure where threads wait, for how long, and who wakes them",
	 "Adds the events on-cpu and off-cpu, in ns, with parts by state, off-cpu:wakers and "
	 "off-cpu:woken.  They come from context switches and wakeups, live or in a recording "
	 "(-i); without tracepoint rights only times are known.  See ringtop-events(7)."},
	{0, "ftrace", "EVENT[,EVENT...]", ARG_NEEDED, THERE, set_event, 0, 0, 0,
	 "read these tracepoints from ftrace's ring buffer instead of perf's",
	 "SUBSYSTEM:NAME (with globs), or the tracers function and function_graph, as "
	 "function:FUNCTIONS for some functions only.  ringtop uses an instance of its own in "
	 "tracefs.  -m is the buffer size of each CPU.  Needs root.  See ringtop-events(7)."},
	{0, "no-lines", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_lines), 0, 0,
	 "do not look for source lines and inlined functions",
	 "They are read from debug information (DWARF) in the background, at low priority."},
	{0, "debuginfod", NULL, ARG_NONE, THERE, set_flag, AT(measure.debuginfod), 0, 0,
	 "get missing debug files from the servers in $DEBUGINFOD_URLS",
	 "By build-id, one at a time, in the background, into the cache that gdb and perf "
	 "share; names and lines improve when a file has arrived.  Only -i waits for them, up "
	 "to $DEBUGINFOD_TIMEOUT.  Files in that cache are used without this option too."},
	{0, "symfs", "DIR", ARG_NEEDED, THERE, set_text, AT(measure.symfs), 0, 0,
	 "look for the programs' files below DIR first",
	 "DIR acts as their root directory, such as a copy of the recorded machine's files, "
	 "for names, lines, code and debug files.  A file with another build-id than the "
	 "recorded one is not used, nor one without a build-id whose code is shorter than the "
	 "mapping.  Without -i the file must have the build-id of the running one, unless "
	 "that is deleted."},
	{0, "vmlinux", "FILE", ARG_NEEDED, HERE, set_text, AT(measure.vmlinux), 0, 0,
	 "with -i: take the recorded kernel's names from its ELF file",
	 "The file must have symbols (.symtab), as the kernel's build leaves it.  The load "
	 "address comes from the recording; modules are not covered.  A file with another "
	 "build-id than the recorded one is an error."},
	{0, "kallsyms", "FILE", ARG_NEEDED, THERE, set_text, AT(measure.kallsyms), 0, 0,
	 "take the kernel's names from a copy of /proc/kallsyms",
	 "A copy from the recorded machine, made as root; its modules have names only if it "
	 "was made before the next boot.  Without -i it helps users who may not read the "
	 "running kernel's addresses: a copy made since boot."},

	HEADING("Rings"),
	{'m', "mmap-pages", "PAGES|SIZE", ARG_NEEDED, THERE, set_ring, 0, 1, BYTES_MAX,
	 "size of each sample ring: pages, or K, M, G",
	 "Rounded up to a power of two of pages; default 2M (4M with --by or weight=; with "
	 "--call-graph dwarf a sixth of a second of data, at most 16M).  A larger ring helps "
	 "only if rings overflow, which the Buffers view shows."},
	{0, "sideband-pages", "N", ARG_NEEDED, THERE, set_count, AT(measure.sideband_pages), 1,
	 BYTES_MAX >> 12, "pages of each ring for maps, names and forks", NULL},
	{0, "no-overwrite", NULL, ARG_NONE, THERE, set_flag, AT(measure.no_overwrite), 0, 0,
	 "a full ring keeps old samples and drops new ones",
	 "Samples go to forward rings: nothing is overwritten; samples that do not fit are "
	 "lost and counted by the kernel."},
	{0, "realtime", "PRIO", ARG_NEEDED, THERE, set_priority, 0, 1, 99,
	 "run the readers as SCHED_FIFO at this priority",
	 "1 to 99; needs CAP_SYS_NICE.  Without it the readers ask for a short scheduling slice."},

	HEADING("Hardware trace"),
	{'A', "aux-event", "EVENT", ARG_NEEDED, THERE, set_aux_event, AT(measure.aux_event), 0, 0,
	 "also trace EVENT of an AUX-capable PMU, such as intel_pt//u",
	 "One of Intel PT, Arm SPE, CoreSight or any PMU with an AUX area, with terms as in "
	 "pmu/term=value/, on each CPU or for each thread, beside the events of -e.  See "
	 "ringtop-events(7)."},
	{0, "aux-size", "SIZE", ARG_NEEDED, THERE, set_bytes, AT(measure.aux_bytes), 4096,
	 BYTES_MAX,
	 "size of each AUX area: K, M, G (default: 4M)",
	 "Rounded up to a power of two of pages.  Without privileges the default is 128K.  "
	 "Snapshot mode needs twice as much again for copies."},
	{0, "aux-mode", "MODE", ARG_NEEDED, THERE, set_aux_mode, 0, 0, 0,
	 "snapshot (the default) or full",
	 "In snapshot mode the trace overwrites itself and is read only for snapshots.  In "
	 "full mode it is drained continuously, into a recording (-w) if there is one."},
	{0, "aux-sample-size", "SIZE", ARG_NEEDED, THERE, set_bytes, AT(measure.aux_sample_bytes),
	 8, 65528,
	 "with every sample of -e, this much of the trace before it",
	 "At most 64K minus the rest of a sample.  For recordings; needs kernel 5.6 and a PMU "
	 "that supports it (Intel PT).  For single events use the term aux-sample-size=."},
	{0, "aux-measure", NULL, ARG_NONE, THERE, set_flag, AT(measure.aux_measure), 0, 0,
	 "snapshot mode: stop the trace briefly to measure its rate",
	 "Some PMUs do not report how much they write.  With this option the trace is stopped "
	 "twice a second, for microseconds; code that runs meanwhile is not traced."},
	HEADING("Snapshots"),
	{0, "snapshot-on", "CONDITION", ARG_NEEDED, BOTH, set_condition, AT(snapshot_on), 0, 0,
	 "take a snapshot on a condition, such as 'function>80%:2s'",
	 "May be given several times.  See ringtop-events(7)."},
	{0, "snapshot-dir", "DIR", ARG_NEEDED, THERE, set_text, AT(measure.snapshot_dir), 0, 0,
	 "directory for snapshots (default: the current directory)", NULL},

	HEADING("Conditions"),
	{0, "mark-on", "CONDITION", ARG_NEEDED, HERE, set_condition, AT(mark_on), 0, 0,
	 "set a mark on a condition, such as 'task:gzip>50%'",
	 "The mark is named after the condition, with its value.  May be given several times. "
	 " See ringtop-events(7)."},
	{0, "alert", "CONDITION", ARG_NEEDED, HERE, set_condition, AT(alert), 0, 0,
	 "alert while it holds: 'function>20%:5s', 'lost>0.1%', 'delta>3sigma'",
	 "Shown on the screen while it holds, and in reports and JSON with its time.  May be "
	 "given several times.  See ringtop-events(7)."},
	{0, "on-alert", "COMMAND", ARG_NEEDED, HERE, set_text, AT(on_alert), 0, 0,
	 "run this for each alert, at most once in 10 s for each condition",
	 "Split at blanks; '...' and \"...\" keep them; no shell is used.  The environment "
	 "has RINGTOP_ALERT, RINGTOP_REASON, RINGTOP_TIME and RINGTOP_NUMBER.  Its output "
	 "goes to the standard error, with a screen nowhere."},
	{0, "control", "FIFO", ARG_NEEDED, HERE, set_text, AT(control), 0, 0,
	 "read orders from a FIFO: mark NAME, pause, resume, snapshot, stop, ping",
	 "One order a line: echo mark deploy >FIFO.  The FIFO is created if it does not "
	 "exist.  fifo:FIFO[,ACK] also answers orders, as in perf record.  See ringtop-events(7)."},

	HEADING("Reports"),
	{'d', "delay", "SECONDS", ARG_NEEDED, HERE, set_seconds, AT(show.delay), 0, 0,
	 "time between reports or refreshes (default: 1)",
	 "For reports of a file: a hundredth of its length, but at least 1."},
	{'n', "iterations", "N", ARG_NEEDED, HERE, set_count, AT(show.iterations), 1, UINT32_MAX,
	 "end after N reports", NULL},
	{0, "duration", "SECONDS", ARG_NEEDED, HERE, set_seconds, AT(show.duration), 0, 0,
	 "end after this time", NULL},
	{0, "text", NULL, ARG_NONE, HERE, set_text_front, 0, 0, 0,
	 "no screen: a report per interval and one for the whole run",
	 "This is the default when the standard output is not a terminal."},
	{0, "json", NULL, ARG_NONE, HERE, set_json_front, 0, 0, 0,
	 "the same report as one JSON object a line",
	 "See ringtop-json(5)."},
	{0, "explain", NULL, ARG_NONE, HERE, set_flag, AT(explain), 0, 0,
	 "instead of reports: the most notable facts, in at most ten lines",
	 "For --duration, else for -d seconds, else for 10; of COMMAND or a file (-i) to its "
	 "end.  See ringtop-trust(7)."},
	{0, "top", "N", ARG_NEEDED, HERE, set_count, AT(show.top), 1, UINT32_MAX,
	 "at most N functions in an interval's report",
	 "The total report is never cut."},
	{0, "group", "GROUP", ARG_NEEDED, HERE, set_word, AT(show.group), 0, 0,
	 "rows by user, cgroup, parent, command, ..., also in reports",
	 "It is also the screen's first grouping, which key g changes.  See ringtop-trust(7)."},
	{0, "sort", "COLUMN", ARG_NEEDED, HERE, set_word, AT(show.sort), 0, 0,
	 "order of rows: total, samples, peak, throttled, ... (default: share)",
	 "It is also the screen's first order, which key s changes."},
	{0, "log-events", NULL, ARG_NONE, THERE, set_flag, AT(measure.log_events), 0, 0,
	 "also report each record of the tracepoints of -e as a line",
	 "Lines have time, CPU, thread, event and the text of the tracepoint's print format, "
	 "ordered over all CPUs, before each interval's report; with --json an object a line. "
	 " The Events view shows them without this option, except those of other hosts (-H).  "
	 "See ringtop-events(7)."},
	{0, "paths", NULL, ARG_NONE, HERE, set_flag, AT(show.paths), 0, 0,
	 "with --json: call paths with their weights",
	 "Without -g or --call-graph each path is one function."},
	{0, "export", "FORMAT:FILE", ARG_NEEDED, HERE, set_export, 0, 0, 0,
	 "at the end, write the data to FILE in a format of another program",
	 "May be given several times.  See ringtop-events(7)."},
	{'w', "record", "FILE", ARG_NEEDED, THERE, set_text, AT(measure.record), 0, 0,
	 "also record to FILE, like perf record",
	 "Samples go to forward rings, as with --no-overwrite.  The file gets its name when "
	 "it is complete; an existing file becomes FILE.old.  See ringtop-events(7)."},
	{0, "save", "FILE", ARG_NEEDED, HERE, set_text, AT(save), 0, 0,
	 "save the time line to FILE, for -i and --diff",
	 "It has functions, threads and CPUs by the second, losses, counters and marks, some "
	 "megabytes an hour, and can be read at any time, also after a kill.  An existing "
	 "file becomes FILE.old.  See ringtop-remote(7)."},
	{0, "keep-for", "TIME DIR", ARG_PAIR, HERE, set_keep, 0, 0, 0,
	 "keep the time line of the last TIME (24h, 90m, 7d) in DIR, for -i DIR",
	 "Each file has a part of that time; the oldest are removed for new ones.  See "
	 "ringtop-remote(7)."},
	{0, "keep-bytes", "SIZE", ARG_NEEDED, HERE, set_bytes, AT(keep_bytes), 1 << 20, BYTES_MAX,
	 "size limit of --keep-for (default: 1G)",
	 "Rare call paths are folded if the size would not suffice for TIME; if that is not "
	 "enough, less time is kept."},
	{0, "only", "FILTER", ARG_NEEDED, HERE, set_text, AT(show.filter), 0, 0,
	 "only rows that match, as with the f key",
	 "See FILTERS."},
	{0, "show-self", NULL, ARG_NONE, HERE, set_flag, AT(show.show_self), 0, 0,
	 "show ringtop's own samples too", NULL},
	{0, "show-idle", NULL, ARG_NONE, HERE, set_flag, AT(show.show_idle), 0, 0,
	 "on the screen, count idle time as rows and in the 100 %, like key I",
	 "Reports always include it: their shares are of all that was attributed."},
	{0, "propagate", NULL, ARG_NONE, HERE, set_flag, AT(propagate), 0, 0,
	 "exit with COMMAND's status", NULL},
	{0, "history", "SIZE", ARG_NEEDED, HERE, set_bytes, AT(history_bytes), HISTORY_MIN,
	 BYTES_MAX, "memory for past data (default: 64M)",
	 "Data older than 20 s is kept in steps of 1 s, after 10 min in steps of 10 s, sooner "
	 "if memory is short.  Then old steps are thinned: small functions lose callers and "
	 "addresses, later their names, and the screen marks this; finally the oldest data is "
	 "dropped.  The total of the run is always kept."},
	{0, "max-cpu", "PERCENT", ARG_NEEDED, THERE, set_count, AT(measure.max_cpu), 1, 100,
	 "CPU limit for measuring, in percent of a CPU for each CPU watched (default: 10)",
	 "If ringtop with its helpers stays above it for 3 s because of samples, clocks and "
	 "hardware events are sampled at 1/2, 1/4, ... of the requested rate, at least 10 "
	 "times a second, until the load falls.  The head, the log and JSON (rate_divisor) "
	 "show the rate, and accounts stay correct.  Software events, tracepoints and "
	 "weighted events keep their rate, and so do all events during a recording."},
	{0, "max-memory", "SIZE", ARG_NEEDED, BOTH, set_bytes, AT(max_memory), BUDGET_MIN,
	 BYTES_MAX, "memory for symbols, lines and maps (default: 512M)",
	 "It covers everything read from programs' files, maps and JIT files; one object may "
	 "use a quarter, and a quarter is reserved for the session's names and call paths.  "
	 "The least recently used data is dropped first; what does not fit is refused, with a "
	 "reason at the object and in the log, and samples of call paths without room count "
	 "as [out of memory].  History has its own limit, --history."},
	{0, "view", "NAME", ARG_NEEDED, HERE, set_text, AT(show.view), 0, 0,
	 "begin with this view: tasks, or a saved one",
	 "The name of a saved view, or commands as typed after : , separated by semicolons, "
	 "such as 'tasks; sort peak'.  For the screen only."},
	{0, "saved-view", "NAME: COMMANDS", ARG_NEEDED, HERE, set_condition, AT(saved_views), 0, 0,
	 "define a named view, for the settings file: key V opens it",
	 "May be given several times.  :save-view NAME writes the current view into the file. "
	 " See SAVED VIEWS."},
	{0, "ascii", NULL, ARG_NONE, HERE, set_flag, AT(show.ascii), 0, 0,
	 "draw with ASCII only", NULL},
	{0, "mono", NULL, ARG_NONE, HERE, set_flag, AT(show.mono), 0, 0, "no colours",
	 "The same as --color=never."},
	{0, "color", "WHEN", ARG_NEEDED, HERE, set_colour, 0, 0, 0,
	 "colours: always, auto (the default) or never",
	 "auto uses no colours if NO_COLOR is set and not empty, or if CLICOLOR=0 and "
	 "CLICOLOR_FORCE is not set or 0.  Terminals without colours and reports have none."},
	{0, "palette", "NAME", ARG_NEEDED, HERE, set_palette, 0, 0, 0,
	 "colours for any background (the default), dark, light or color-blind",
	 "dark and light are for such backgrounds.  color-blind uses blue and orange instead "
	 "of green and red, and yellow.  Fine shades need 256 colours; with 8, the terminal's "
	 "own colours are used."},
	{0, "no-mouse", NULL, ARG_NONE, HERE, set_flag, AT(show.no_mouse), 0, 0,
	 "leave the mouse to the terminal",
	 "For selecting text without the Shift key."},

	HEADING("About ringtop itself"),
	{'v', "verbose", "DOMAIN", ARG_ATTACHED, BOTH, set_verbose, 0, 0, 0,
	 "log internal events, of one domain or all",
	 "The value follows immediately: -vresolve or --verbose=resolve.  An unknown domain "
	 "prints the list."},
	{0, "log", "FILE", ARG_NEEDED, HERE, set_text, AT(log_file), 0, 0,
	 "file for the log (default: standard error)", NULL},
	{0, "self-stats", NULL, ARG_NONE, HERE, set_flag, AT(self_stats), 0, 0,
	 "at the end, print ringtop's own resource usage", NULL},
	{0, "no-config", NULL, ARG_NONE, HERE, set_flag, AT(no_config), 0, 0,
	 "do not read the settings file",
	 "See SETTINGS."},
	{0, "no-helper", NULL, ARG_NONE, BOTH, set_flag, AT(no_helper), 0, 0,
	 "read all files in this process: for debugging",
	 "Otherwise files that do not belong to root are read by sandboxed processes without "
	 "privileges, so that a damaged file costs only its own names and lines.  See "
	 "ringtop-trust(7)."},
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
