#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Tests of tests/run: made-up tests that fail in every way it distinguishes.  Each script counts its runs in
# a file, so that a later run can end differently.
set -u
unset "${!RINGTOP_TEST@}" # those of the run that this is a test of

tmp=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-run.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tests"
cp "$(dirname "$0")/run" "$tmp/tests/run" || exit 1
cd "$tmp" || exit 1
bad=0

# define NAME FIRST SECOND THIRD: a test that says and does these at its runs; the last stands for all further ones
define() {
	local name=$1 turn

	shift
	{
		echo "n=\$(cat $tmp/$name.runs 2>/dev/null || echo 0)"
		echo "echo \$((n + 1)) >$tmp/$name.runs"
		echo 'case $n in'
		for ((turn = 0; turn < $# - 1; turn++)); do
			printf '%d)\n%s\n;;\n' $turn "${*:turn+1:1}"
		done
		printf '*)\n%s\n;;\nesac\n' "${*:$#}"
	} >"tests/$name.sh"
}

# run_tests TEST...: in a run of its own; what it prints is in said, its status in status
run_tests() {
	local tests=("${@/%/.sh}")

	bash tests/run --top . "${tests[@]/#/tests/}" >said 2>&1
	status=$?
}

complain() {
	echo "FAIL: $*"
	sed 's/^/    /' said
	bad=1
}

# expect NAME STATUS RUNS LINE: the only test of a run ends with the status after so many runs, and one line
# matches the expression
expect() {
	run_tests "$1"
	[ "$status" = "$2" ] || complain "$1: status $status, not $2"
	[ "$(cat "$1.runs")" = "$3" ] || complain "$1: ran $(cat "$1.runs") times, not $3"
	grep -qE "$4" said || complain "$1: no line '$4'"
}

plan='echo 1..2'
good="$plan; echo ok 1 - a; echo ok 2 - b"
assertion="$plan; echo not ok 1 - a; echo '# a == b'; echo ok 2 - b"
leak="echo '==7==ERROR: LeakSanitizer: detected memory leaks'
	echo 'SUMMARY: AddressSanitizer: 40 byte(s) leaked in 1 allocation(s).'"
freed="echo '==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1'
	echo 'SUMMARY: AddressSanitizer: heap-use-after-free a.c:1 in f'"

define passes "$good"
expect passes 0 1 '^2 passed, 0 failed, 0 skipped'
define skips 'echo SKIP: no such thing; exit 77'
expect skips 1 1 '^SKIP skips.sh: no such thing'
define short "$plan; echo ok 1 - a"
expect short 1 3 '^FAIL short.sh: ended with status 0 after 1 of 2 tests'
define fails "$assertion; exit 1"
expect fails 1 3 '^FAIL fails.sh: a'
define once "$assertion; exit 1" "$good"
expect once 0 2 '^UNSTEADY once.sh: a'
define twice "exit 1" "exit 1" "true"
expect twice 0 3 '^UNSTEADY twice.sh: ended with status 1'

# a leak is the assertion's doing, or a fault of its own
define lost "$assertion; $leak; exit 1" "$good"
expect lost 0 2 '^UNSTEADY lost.sh: a'
define leaks "$good; $leak; exit 1" "$good"
expect leaks 1 1 '^FAIL leaks.sh: ended with status 1'
define freed "$assertion; $leak; $freed; exit 1" "$good"
expect freed 1 1 '^FAIL freed.sh: a'
define races "echo 'WARNING: ThreadSanitizer: data race (pid=7)'; exit 66" true
expect races 1 1 '^FAIL races.sh: ended with status 66'
define undefined "$assertion; echo 'a.c:1:2: runtime error: shift exponent 64 is too large'; exit 1" "$good"
expect undefined 1 1 '^FAIL undefined.sh: a'

# crashes, of the program and inside of a cmocka test
define crashes 'kill -SEGV $$' true
expect crashes 1 1 '^FAIL crashes.sh: ended with status 139'
define caught "$assertion; echo '# Test failed with exception: Segmentation fault(11)'; exit 1" "$good"
expect caught 1 1 '^FAIL caught.sh: a'

# a fault at a later run counts as much
define later "$assertion; exit 1" "$good; $leak; exit 1" "$good"
expect later 1 2 '^FAIL later.sh: ended with status 1'
define crashes_later "exit 1" 'kill -SEGV $$' true
expect crashes_later 1 2 '^FAIL crashes_later.sh: ended with status 139'

# more unsteady tests than the bound, and just as many
most=$(sed -n 's/^UNSTEADY_MOST=\([0-9]*\).*/\1/p' tests/run)
names=()
for ((i = 0; i <= most; i++)); do
	define "shaky$i" 'exit 1' true
	names+=("shaky$i")
done
run_tests "${names[@]}"
[ "$status" = 1 ] && grep -q "^FAIL $((most + 1)) tests are unsteady" said || complain "$((most + 1)) unsteady tests pass"
rm -f shaky*.runs
run_tests "${names[@]:1}"
[ "$status" = 0 ] && [ "$(grep -c ^UNSTEADY said)" = "$most" ] || complain "$most unsteady tests fail"

# parts of a larger run: their results are summed up later, and what failed runs again only then
define part "$assertion; $leak; exit 1" "$good"
echo "began $(date +%s)" >results
RINGTOP_TEST_LABEL=asan RINGTOP_TEST_RESULTS=results bash tests/run --top . tests/part.sh tests/passes.sh >said 2>&1
[ "$(cat part.runs)" = 1 ] && grep -q '^unsteady asan:part.sh: a' results || complain "part: was not put off"
bash tests/run --sum results >said 2>&1 || complain "part: its second run does not pass"
grep -q '^UNSTEADY asan:part.sh: a' said && grep -q '^4 passed, 0 failed' said || complain "part: is not summed up"
exit $bad
