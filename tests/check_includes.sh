#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Includes run one way: `#include "floor/room/..."` only along the arrows below, which each folder's README
# repeats from its own side ("May be included by:").  check_includes.sh --readmes writes these lines.
# Also: curses stays in ui/, perf_event_open in kernel/capture, and every .c but a main has its .h.
set -u
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1

# From the ground up: a room may include what stands to its right, all of it above it in this table: rooms, all rooms of a
# floor, or single headers.
rooms=(
	"base:"
	"system/proc: base"
	"system/sandbox: base system/proc"
	"core/slice: base system/sandbox/helperfigures.h"
	"core/table: base"
	"files/elf: base system"
	"files/unwind: base system/sandbox files/elf"
	"files/jit: base system files/elf"
	"files/decode: base"
	"kernel/event: base files/elf"
	"kernel/capture: base kernel/event"
	"names/kernel: base files/elf files/decode"
	"names/objects: base system core files"
	"names/resolve: base system core files names/kernel names/objects"
	"names/code: base system core/slice files names/resolve"
	"names/pt: base system core/slice files/elf files/decode names/kernel names/resolve"
	"measure/trace: base system/sandbox core/slice files/decode kernel/event"
	"measure/session: base system core files/decode names/code names/kernel names/resolve"
	"measure/consumers: base system/proc core files/decode kernel/event names/resolve measure/trace measure/session"
	"link/wire: base core/slice system/sandbox/helperfigures.h measure/session/session.h"
	"link/agent: base core/slice measure/session/session.h link/wire"
	"link/timeline: base core/slice measure/session link/wire link/agent/compact.h"
	"link/remote: base core/slice system/proc names/code/rawcode.h measure/session/change.h measure/session/session.h link/wire"
	"sources/aux: base core/slice files/decode kernel names/pt"
	"sources/ftrace: base core/slice system/proc files/elf/symtab.h files/decode kernel names/kernel/kallsyms.h measure/trace"
	"sources/record: base system core/slice files/elf files/decode kernel names sources/aux"
	"sources/live: base system core files/unwind files/decode kernel names measure sources/aux sources/ftrace sources/record"
	"sources/replay: base system/sandbox core files kernel/event names measure sources/ftrace/tracedat.h"
	"model: base core/slice measure/session/session.h measure/session/session_backfill.h"
	"control: base"
	"report: base system/sandbox/helperfigures.h core/slice measure/session/session.h model control"
	"ui: base system/sandbox/helperfigures.h core/slice measure/session/question.h measure/session/session.h model control"
	"app/options: base measure/session/measure_config.h measure/session/question.h model/rows/show_options.h"
	"app/helpermain: system/sandbox files measure/trace names/code names/pt sources/ftrace/guardian.h sources/replay"
	"app/start: base system/sandbox kernel/event sources link/timeline app/options"
	"app/agentmain: base system/sandbox names/code/rawcode.h measure/session/session.h link/agent app/options app/start"
	"app/list_events: base kernel report"
	"app/only: base measure/session/session.h model app/options"
	"app/diff: base measure/session/session.h model report app/only app/options app/start"
	"app/hostsession: base measure/session/session.h link/remote app/options"
	"app/main: base system/sandbox kernel/event core/slice measure/session/question.h link/timeline model control report ui app"
	"app/main_options: app/options"
	"app/main_agent: app/agentmain app/helpermain app/start"
)
# Folders that are one room: their files need each other's.
together() { # folder: sets room
	case $1 in
	model/* | report/* | ui/*) room=${1%%/*} ;;
	sources/change | sources/consumers) room=sources/live ;;
	*) room=$1 ;;
	esac
}

bad=0
complain() {
	echo "$1"
	bad=1
}

declare -A may
for row in "${rooms[@]}"; do
	may[${row%%:*}]=${row#*:}
done

# The room of a header as it is included, or of a source: its folder, but for app, where most files are one each.
room_of() { # path below src/, or below the top for ui: sets room
	case $1 in
	app/option*) room=app/options ;;
	app/*) room=${1%.*} ;;
	*) together "${1%/*}" ;;
	esac
}

# What includes it and is included, by the table: a room, all of its floor, or one header of it.
allowed() { # room, included file
	local from=$1 to ok

	room_of "$2"
	to=$room
	[ "$to" != "$from" ] || return 0
	for ok in ${may[$from]}; do
		[ "$ok" = "$to" ] || [ "$ok" = "$2" ] || [[ $to == "$ok"/* ]] || continue
		return 0
	done
	return 1
}

# The rooms that may include a folder's headers, all or some, as its README says.
includers() { # folder
	local row ok of list=
	for row in "${rooms[@]}"; do
		of=${row%%:*}
		for ok in ${row#*:}; do
			together "$1"
			[ "$ok" = "$room" ] || [[ $room == "$ok"/* || ${ok%/*} == "$1" && $ok == *.h ]] || continue
			list+=", $of"
			break
		done
	done
	echo "May be included by: ${list#, }${list:+.}" | sed 's/: $/: none but its own./' | fold -s -w 100 | sed 's/ $//'
}

# Folders with sources, which need a README that is true.
mapfile -t files < <(find src ui -name '*.[ch]' | sort)
[ ${#files[@]} -gt 0 ] || complain "no sources found"
while read -r folder; do
	if [ ! -f "$folder/README" ]; then
		complain "$folder has no README"
		continue
	fi
	[ "$folder" != src/app ] || continue # mains and what they share: the table has a row for each
	said=$(sed -n '/^May be included by:/,/^$/p' "$folder/README")
	want=$(includers "${folder#src/}")
	[ "$said" != "$want" ] || continue
	if [ "${1:-}" = --readmes ]; then
		awk -v want="$want" '
			/^May be included by:/ { print want; old = done = 1 }
			/^$/ { old = 0 }
			!old
			END { if (!done) printf "\n%s\n", want }' "$folder/README" >"$folder/README.new"
		mv "$folder/README.new" "$folder/README"
	else
		complain "$folder/README should say: $want"
	fi
done < <(printf '%s\n' "${files[@]%/*}" | sort -u)

while IFS=: read -r file line include; do
	include=${include#*\"}
	include=${include%%\"*}
	[ "$include" != config.h ] || continue
	room_of "${file#src/}"
	from=$room
	if [ -z "${may[$from]+known}" ]; then
		complain "$file: room '$from' is in no rule"
	elif [[ $include == *.h && ! -e src/$include && ! -e $include ]]; then
		complain "$file:$line: no $include, by its whole path below src/ or ui/"
	elif ! allowed "$from" "$include"; then
		complain "$file:$line: $from may not include $include"
	fi
done < <(grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "${files[@]}")

# No file reaches itself by way of another room; a .c and its .h are one.
file_arrows() {
	grep -H '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "${files[@]}" |
		sed -E 's,^(src/)?([^:]*)\.[ch]:.*"(.*)\.h".*,\2 \3,' |
		awk '$1 != $2 && $2 != "config"' | sort -u
}

# "room FILE ROOM" of each, for the search below.
file_rooms() {
	local file room

	for file in "${files[@]}"; do
		file=${file#src/}
		room_of "$file"
		echo "room ${file%.*} $room"
	done
}

while read -r file; do
	complain "$file"
done < <({ file_rooms; file_arrows; } | awk '
	NF == 3 { room[$2] = $3; next }
	{ to[$1] = to[$1] " " $2 }
	# all that f reaches, and whether a way back to it leaves its room
	function reach(f, start, left,    n, i, next_, l) {
		n = split(to[f], next_, " ")
		for (i = 1; i <= n; i++) {
			l = left || room[next_[i]] != room[start]
			if (next_[i] == start && l)
				loop[start] = f
			if (seen[next_[i]] >= 1 + l)
				continue
			seen[next_[i]] = 1 + l
			reach(next_[i], start, l)
		}
	}
	END {
		for (f in to) {
			split("", seen)
			reach(f, f, 0)
		}
		for (f in loop)
			print f ".h includes itself by way of another room, at last " loop[f] ".h"
	}')

only_in() { # path prefix, regex, what
	while read -r file; do
		[[ $file == "$1"* ]] || complain "$file: $3 belongs to $1"
	done < <(grep -lE "$2" "${files[@]}")
}

only_in ui/ '#[[:space:]]*include[[:space:]]*<(ncursesw/)?(n?curses|term)\.h>' curses
only_in src/base/atomics.h '__atomic_|__sync_|memory_order|_explicit\(' 'an atomic access with an order'
only_in src/kernel/capture/ '(__NR|SYS)_perf_event_open' perf_event_open

# A folder is read in an afternoon, or it is two.
while read -r lines folder; do
	[ "$lines" -le 8000 ] || complain "$folder has $lines lines, 8000 at the most"
done < <(wc -l "${files[@]}" | awk '$2 != "total" { sub("/[^/]*$", "", $2); n[$2] += $1 } END { for (f in n) print n[f], f }')

# NAME.c begins with NAME.h; parts of one may share a header: NAME_part.c begins with NAME_parts.h.
for file in "${files[@]}"; do
	[[ $file == *.c && $file != src/app/main*.c ]] || continue
	header=${file%.c}.h
	[ -f "$header" ] || header=${file%_*}_parts.h
	own=${header#src/}
	if [ ! -f "$header" ]; then
		complain "$file has no header"
	elif ! grep -m1 -E '^[[:space:]]*#[[:space:]]*include' "$file" | grep -qF "\"$own\""; then
		complain "$file: its own header does not come first"
	fi
done
exit $bad
