#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is asked often, by two keys on the real screen: system calls by name, whose sum is exact for a known program, and
# those that stand by their names; by :question and --question, too; what there is none of is refused in words.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/typed.sh"
need_tracepoint raw_syscalls sys_enter
need_work storm_exact

calls=200000

# drawn TEXT: it stands on the screen, which is sent whole: of what changes only some cells come
drawn() {
	keys '\0014'
	seen 1 "$1"
}

mkfifo "$tmp/go"
"$work/storm_exact" $calls wait <"$tmp/go" >/dev/null 9>&- &
storm=$!
started+=("$storm")
exec 6>"$tmp/go"

open_screen Functions -p "$storm" -e cpu-clock
command_line "window all"
what="system calls by name, by E Enter"
keys 'E'
wait_until 20 has_text "$tmp/screen" 'system calls by name' || fail "$what: E does not offer it"
keys '\r'
# is_by EVENT FIELDS: it is summed up by these now
is_by() {
	report
	[ "$(json "header.events[name=$1].by" | head -n 1 | tr -d ' ')" = "$2" ]
}
wait_until 20 is_by raw_syscalls:sys_enter id.syscall || fail "$what: it is by '$(json 'header.events.by')'"
printf x >&6
# names: "NAME COUNT" of all keys, sorted
names() {
	report
	python3 - "$out" <<'END'
import json, sys
for line in open(sys.argv[1]):
    r = json.loads(line)
    if r["type"] == "total":
        total = r
for f in sorted(total["fields"], key=lambda f: f["count"], reverse=True):
    print(" ".join(str(v) for v in f["key"].values()), f["count"])
END
}
exact() {
	[ "$(names)" = "getppid $((calls - 1))
exit_group 1" ]
}
wait_until 20 exact || fail "$what: $(names)"
wait_until 10 drawn getppid || fail "$what: the screen does not name it"
pass "$what: $(names | paste -sd' ')"

command_line quit
wait_until 10 gone "$screen" || fail "it does not end"

what="by :question, of the whole machine"
if [ "$(id -u)" = 0 ]; then
	open_screen Functions -e cpu-clock
	command_line "question waits"
	wait_until 20 drawn 'OFF-CPU/s' || fail "$what: waits are not shown"
	# Off-CPU times have sched_waking as a part of theirs: this is another one.
	command_line "question wakeups"
	wait_until 20 drawn target_cpu || fail "$what: wakeups are not summed up"
	command_line quit
	wait_until 10 gone "$screen" || fail "it does not end"
	pass "$what"
fi

what="--question"
rt --json --question syscalls -- "$work/storm_exact" $calls
expect_status 0 "$what"
python3 - "$out" $calls <<'END' || fail "$what: not exact"
import json, sys
total = [r for r in map(json.loads, open(sys.argv[1])) if r["type"] == "total"][0]
have = {f["key"]["id.syscall"]: f["count"] for f in total["fields"]}
assert have == {"getppid": int(sys.argv[2]) - 1, "exit_group": 1}, have
END
pass "$what: exact"
expect_refused "unknown question 'nosuch': syscalls, " --question nosuch -- true
pass "$what nosuch is refused"
