#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh PROGRAM SECONDS - a target made with libFuzzer, on its corpus and on what was found before.
#
# What is found goes to $FUZZ_FOUND/fuzz_NAME/, what fails to $FUZZ_FOUND/fuzz_NAME-crash-... and so on,
# and how many inputs were tried is added to $FUZZ_FOUND/fuzz_NAME.count: see report.sh.
set -u
program=$1 seconds=$2
name=$(basename "$program" .test)
found=${FUZZ_FOUND:-build-found}
corpus=$(dirname "$0")/../corpus/${name#fuzz_}
log=$found/$name.log

mkdir -p "$found/$name" || exit 1
[ -d "$corpus" ] || corpus=
# shellcheck disable=SC2086 # no corpus is no word
"$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
	-artifact_prefix="$found/$name-" "$found/$name" $corpus 2>&1 | tee "$log" | grep -v '^#'
status=${PIPESTATUS[0]}
sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1 >>"$found/$name.count"
exit "$status"
