#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Includes run one way: `#include "room/..."` only along the arrows of HACKING's "The rooms".
# Also: curses stays in ui/, perf_event_open in capture/, and every .c but a main has its .h.
set -u
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1

# From the ground up: a room may include what stands to its right, all of it above it in this table.
declare -A may=(
	[base]=''
	[proc]='base'
	[fence]='base proc'
	[elf]='base proc fence'
	[unwind]='base fence elf'
	[jit]='base fence elf proc'
	[event]='base elf'
	[capture]='base event'
	[decode]='base'
	[table]='base'
	[slice]='base fence/figures.h'
	[trace]='base fence event decode slice'
	[resolve]='base proc fence elf unwind jit decode table slice'
	[code]='base proc fence elf unwind jit slice resolve'
	[pt]='base proc fence elf decode slice resolve'
	[session]='base proc fence event decode table slice trace resolve code'
	[wire]='base fence/figures.h slice session/session.h'
	[aux]='base event capture decode slice pt'
	[ftrace]='base proc elf/symtab.h event capture decode trace slice resolve/kallsyms.h'
	[record]='base proc fence elf event capture decode slice resolve pt aux'
	[live]='base proc fence unwind event capture decode table trace slice resolve code session aux ftrace record'
	[replay]='base fence elf event decode table slice trace ftrace/tracedat.h resolve code session'
	[agent]='base slice session/session.h wire'
	[timeline]='base slice session wire agent/thin.h'
	[remote]='base wire slice code/raw.h session/change.h session/session.h proc'
	[model]='base slice session/session.h session/past.h'
	[control]='base'
	[front]='base fence/figures.h slice model control session/session.h'
	[ui]='base fence/figures.h slice model control session/question.h session/session.h'
	[options]='base session/question.h optionfile.h options.h optionparse.h optiontext.h optionvalue.h'
	[helper]='fence elf unwind jit ftrace/guardian.h code pt replay trace'
	[start]='base fence event ftrace/guardian.h ftrace/instance.h live replay timeline options.h'
	[agentmain]='base fence code/raw.h agent session/session.h options.h start.h'
	[list]='base event capture front'
	[diff]='base session/session.h model front only.h options.h start.h'
	[only]='base session/session.h model options.h'
	[hosts]='base session/session.h remote options.h'
	[main]='base fence event slice session/question.h model control front timeline ui agentmain.h diff.h helper.h hosts.h list.h only.h optionfile.h options.h start.h'
	[main_agent]='agentmain.h helper.h start.h'
)

bad=0
complain() {
	echo "$1"
	bad=1
}

# The room of a file: the folder below src, ui, options for option*, or main itself.
room_of() {
	case $1 in
	src/*/*) room=${1#src/} room=${room%%/*} ;;
	src/option*) room=options ;;
	src/*) room=${1#src/} room=${room%.*} ;;
	ui/*) room=ui ;;
	esac
}

allowed() { # room, included file
	local to=${2%%/*} ok
	[ "$to" != "$1" ] || return 0
	[ "${2%.*}" != "$1" ] || return 0
	for ok in ${may[$1]}; do
		[ "$ok" = "$to" ] || [ "$ok" = "$2" ] || continue
		return 0
	done
	return 1
}

mapfile -t files < <(find src ui -name '*.[ch]' | sort)
[ ${#files[@]} -gt 0 ] || complain "no sources found"
while IFS=: read -r file line include; do
	include=${include#*\"}
	include=${include%%\"*}
	[ "$include" != config.h ] || continue
	room_of "$file"
	if [ -z "${may[$room]+known}" ]; then
		complain "$file: room '$room' is in no rule"
	elif [[ $include != */* && ! -e src/$include ]]; then
		complain "$file:$line: include \"room/$include\", not \"$include\""
	elif ! allowed "$room" "$include"; then
		complain "$file:$line: $room may not include $include"
	fi
done < <(grep -Hn '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "${files[@]}")

# No file reaches itself by way of another room; a .c and its .h are one.
file_arrows() {
	grep -H '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "${files[@]}" |
		sed -E 's,^(src/)?([^:]*)\.[ch]:.*"(.*)\.h".*,\2 \3,' |
		awk '$1 != $2 && $2 != "config"' | sort -u
}

while read -r file; do
	complain "$file"
done < <(file_arrows | awk '
	function room(f) { sub("/.*", "", f); sub("^option.*", "options", f); return f }
	{ to[$1] = to[$1] " " $2 }
	# all that f reaches, and whether a way back to it leaves its room
	function reach(f, start, left,    n, i, next_, l) {
		n = split(to[f], next_, " ")
		for (i = 1; i <= n; i++) {
			l = left || room(next_[i]) != room(start)
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
only_in src/capture/ '(__NR|SYS)_perf_event_open' perf_event_open

# NAME.c begins with NAME.h; parts of one may share a header: NAME_part.c begins with NAME_parts.h.
for file in "${files[@]}"; do
	[[ $file == *.c && $file != src/main*.c ]] || continue
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
