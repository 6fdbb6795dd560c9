# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# lib.sh - what the tests in a virtual machine share; sourced by them.
#
# Such a test is one script that runs on both sides.  vm_machine boots a machine that runs the
# same script and ends the script with what came of it; in the machine it just returns:
#
#	. "$(dirname "$0")/lib.sh"
#	need_vm_work ptloop			on the host: programs of tests/work
#	vm_machine "-k 6.1" "-k 6.12 -s 8"	with the options of tests/vm/run: a boot of the first, and
#						with VM_ALL=1 of the others too; VM_ONLY="-k 7" for
#						those alone that have these words
#	try "what is claimed" a_function	in the machine: TAP, a test each
#	try_kept "what is claimed" a_function	on the host, afterwards, with what the machine's functions left by
#						keep in $kept: perf decodes there in a second what takes it a minute
#						here.  Programs of $vm_work have the same path on both sides
#	tried
#
# A function that is tried says why it failed on stdout or stderr and returns not 0; `unable REASON`
# skips it.  Slow ones begin with need_vm_all: they run with VM_ALL=1.
set -u

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
src_dir=$(cd "$vm_dir/../.." && pwd)
vm_work=${WORK_DIR:-$PWD/build-work}
vm_built=$(dirname "${JSONCHECK:-$PWD/tests/live/jsoncheck.test}") # where the test programs of tests/live are
vm_programs=()
vm_n=0
kept=${VM_KEPT:-/out/kept}

in_machine() {
	[ -n "${VM_MODULE:-}" ]
}

need_vm_all() {
	in_machine || [ -n "${VM_ALL:-}" ] || {
		echo "SKIP: takes long: VM_ALL=1"
		exit 77
	}
}

# The newest perf there is, in $NEWER_PERF on both sides; "" where it cannot be had.
want_newer_perf() {
	in_machine || NEWER_PERF=$(VM_CACHE=${VM_CACHE:-$PWD/build-vm} "$vm_dir/newer" perf) || NEWER_PERF=
	export NEWER_PERF
}

# These are what the machine finds in its WORK_DIR; tiny is for tests/live/lib.sh.
need_vm_work() {
	in_machine || bash "$src_dir/tests/work/build.sh" "$vm_work" tiny "$@" || exit 1
	vm_programs=(tiny "$@")
}

# --- on the host ----------------------------------------------------------------------------------

vm_machine() {
	local options status worst=77 vm_out

	[ -z "${VM_KEPT:-}" ] || return 0
	in_machine && {
		[ -n "${VM_CASE:-}" ] || enter_machine
		return
	}
	vm_out=$(mktemp -d "${TMPDIR:-/tmp}/ringtop-vm.XXXXXX") || exit 1
	# shellcheck disable=SC2064 # as it is now
	trap "rm -rf '$vm_out'" EXIT
	export RINGTOP=${RINGTOP:-$PWD/src/ringtop} JSONCHECK=${JSONCHECK:-$PWD/tests/live/jsoncheck.test}
	export WORK_DIR=$vm_work VM_PYTHON
	VM_PYTHON=$(command python3 -c 'import sys; print(sys.executable)')
	for options; do
		[[ "$options " == *"${VM_ONLY-} "* ]] || continue
		export VM_OPTIONS=$options
		# shellcheck disable=SC2086 # options are words
		VM_ENV="RINGTOP JSONCHECK WORK_DIR VM_ALL VM_OPTIONS VM_PYTHON NEWER_PERF" "$vm_dir/run" \
			-d "$src_dir" -o "$vm_out" $options -- bash "$(realpath "$0")"
		status=$?
		[ ! -d "$vm_out/kept" ] || VM_KEPT=$vm_out/kept bash "$0"
		rm -rf "$vm_out/kept"
		# Skipped is only what was skipped on all of them.
		[ $status = 77 ] || [ $status = 0 ] && [ $worst != 77 ] || worst=$status
		[ -n "${VM_ALL-}${VM_ONLY-}" ] || break
	done
	exit $worst
}

# --- in the machine -------------------------------------------------------------------------------

# Programs of the build where they can be changed, as the live tests want it.
enter_machine() {
	local name

	mkdir -p /tmp/work
	for name in "${vm_programs[@]}"; do
		cp -p "$WORK_DIR/$name"* /tmp/work/
	done
	cp "$RINGTOP" /tmp/ringtop
	cp "$JSONCHECK" /tmp/jsoncheck
	export WORK_DIR=/tmp/work RINGTOP=/tmp/ringtop JSONCHECK=/tmp/jsoncheck
	export WAIT_FACTOR=4 # the host has other work, too
	cd /tmp || exit 1
}

# The interpreter itself, without what this host adds to it: that takes seconds in a machine.
python3() {
	"$VM_PYTHON" -I -S "$@"
}

unable() {
	echo "SKIP: $*"
	exit 77
}

# keep NAME FILE: for try_kept
keep() {
	mkdir -p "$kept" && cp "$2" "$kept/$1"
}

# try CLAIM COMMAND..., and try_kept
try() {
	[ -n "${VM_KEPT:-}" ] || try_here "$@"
}

try_kept() {
	in_machine || try_here "$@"
}

# What perf said into a file, but for symbols of the machine's kernel, which the host has not.  1: nothing
perf_complains() { # file
	grep -v '^No kallsyms or vmlinux with build-id' "$1"
}

try_here() {
	local claim="$VM_OPTIONS: $1" log=${VM_KEPT:-/tmp}/tried status began=$SECONDS

	shift
	vm_n=$((vm_n + 1))
	("$@") >$log 2>&1 </dev/null
	status=$?
	echo "$((SECONDS - began)) s" >>$log
	case $status in
	0) echo "ok $vm_n - $claim" ;;
	77) echo "ok $vm_n - $claim # SKIP $(sed -n 's/^SKIP: //p' $log | tail -n 1)" ;;
	*) echo "not ok $vm_n - $claim" ;;
	esac
	sed 's/^/# /' $log
}

tried() {
	echo "1..$vm_n"
}

# try_case CLAIM FUNCTION: one of the script's functions with what tests/live/lib.sh offers, in a
# process of its own, so that what it started ends with it.  The script calls vm_case when its
# functions are defined.
try_case() {
	try "$1" env VM_CASE="$2" bash "$vm_dir/$(basename "$0")"
}

vm_case() {
	[ -n "${VM_CASE:-}" ] || return 0
	source "$src_dir/tests/live/lib.sh"
	"$VM_CASE"
	exit
}

# A live test as it is, in this machine.  The host takes its CPUs away at any time: what fails is looked at twice more,
# here, where the machine is booted already.
try_live() { # name
	try "tests/live/$1.sh" thrice bash "$src_dir/tests/live/$1.sh"
}

thrice() { # command
	local turn status

	for turn in 1 2 3; do
		"$@"
		status=$?
		[ $status != 0 ] && [ $status != 77 ] || break
		echo "turn $turn: status $status"
	done
	return $status
}

# wait_until SECONDS COMMAND...: 1 when it does not become true in time
wait_until() {
	local deadline=$(($(date +%s) + $1 * WAIT_FACTOR))

	shift
	until "$@"; do
		[ "$(date +%s)" -lt "$deadline" ] || return 1
		sleep 0.05
	done
}

# --- softpt ---------------------------------------------------------------------------------------

softpt_stats=/sys/kernel/debug/softpt/stats

# softpt PARAMETER...: load it, with other parameters than before; rate= and others: `softpt_set`
softpt() {
	softpt_off
	insmod "$VM_MODULE" "$@"
}

softpt_off() {
	! grep -q '^softpt ' /proc/modules || rmmod softpt
}

softpt_set() { # parameter value
	echo "$2" >"/sys/module/softpt/parameters/$1"
}

# softpt_stat CPU COLUMN; CPU `all` for the sum
softpt_stat() {
	awk -v cpu="$1" -v column="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i; next }
		cpu == "all" || $1 == cpu { sum += $at }
		END { if (!at) exit 1; printf "%d\n", sum }' $softpt_stats
}

# softpt_is COLUMN OP NUMBER [CPU]: for wait_until
softpt_is() {
	[ "$(softpt_stat "${4:-all}" "$1")" "$2" "$3" ]
}

# refused SAYS OPTION...: a session that ends with an error, which says so
refused() {
	local says=$1

	shift
	"$RINGTOP" --json --duration 1 "$@" >/tmp/refused 2>/tmp/err
	local status=$?
	cat /tmp/err
	[ $status != 0 ] && grep -q "$says" /tmp/err
}
