#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# report.sh TARGET... - how many inputs each fuzz target has tried in all its runs here, by run.sh and by
# driver.c, how many are in its corpus and were found since, and how many failed.
set -u
found=${FUZZ_FOUND:-build-found}
top=$(dirname "$0")/../corpus

files_in() {
	if [ -d "$1" ]; then
		find "$1" -type f | wc -l
	else
		echo 0
	fi
}

failures() {
	find "$found" -maxdepth 1 -type f \( -name "$1-crash-*" -o -name "$1-timeout-*" -o -name "$1-oom-*" \
		-o -name "$1-leak-*" -o -name "$1-slow-unit-*" \) 2>/dev/null | wc -l
}

printf '%-16s %14s %8s %8s %8s\n' TARGET EXECUTIONS CORPUS FOUND FAILED
for target in "$@"; do
	name=$(basename "$target" .test)
	count=$(cat "$found/$name.count" 2>/dev/null | awk '{n += $1} END {printf "%.0f", n}')
	printf '%-16s %14s %8s %8s %8s\n' "${name#fuzz_}" "$count" "$(files_in "$top/${name#fuzz_}")" \
		"$(files_in "$found/$name")" "$(failures "$name")"
done
