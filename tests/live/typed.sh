# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# typed.sh - a screen on a terminal of script(1), what it drew in $tmp/screen, and keys for it; after lib.sh.

command -v script >/dev/null || skip "no script(1) for a terminal"

# open_screen TEXT OPTION...: ringtop on a terminal of its own, $screen; it has drawn the text
open_screen() {
	local first=$1

	shift
	rm -f "$tmp/keys"
	mkfifo "$tmp/keys"
	exec 7<>"$tmp/keys"
	: >"$tmp/screen" # what one before has drawn: keys that come before the new one has its terminal are lost
	TERM=xterm-256color script -q -c "stty rows 40 cols 120; exec '$RINGTOP' $*" \
		/dev/null <"$tmp/keys" >"$tmp/screen" 2>&1 9>&- &
	screen=$!
	started+=("$screen")
	wait_until 20 has_text "$tmp/screen" "$first\|no screen" || fail "no first screen"
	grep -qs "no screen" "$tmp/screen" && skip "this build has no screen"
}

keys() {
	printf '%b' "$1" >&7
}

command_line() {
	printf ':%s\r' "$1" >&7
}

# seen N TEXT: it was drawn at least so often
seen() {
	[ "$(grep -ao "$2" "$tmp/screen" | wc -l)" -ge "$1" ]
}

# report [NAME]: what the screen holds, as $out
report() {
	local at=$tmp/${1:-report.json}

	rm -f "$at"
	command_line "write json:$at"
	wait_until 20 has_text "$at" '"type":"total"' || fail "$at: no report is written"
	cp "$at" "$out"
}
