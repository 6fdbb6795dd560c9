#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# screen_bytes.sh [-s SECONDS] [-v VIEWS] [-p] RINGTOP - bytes a second that the screen sends at 999 Hz, all CPUs busy, beside the mark
# for its size: what a slow line can take.  Figures, no test; what is above its mark says so.  VIEWS: their
# digits ("1 2 3"; the first alone).  -p: which parts of the screen they went to (screen_parts.py).  TERM, NO_COLOR and
# more of the environment are as they are.  Needs root.
set -u
export LC_ALL=C.UTF-8
[ "${TERM:-dumb}" != dumb ] || export TERM=xterm-256color

seconds=8 views=1 parts=
while getopts s:v:p option; do
	case $option in
	s) seconds=$OPTARG ;;
	v) views=$OPTARG ;;
	p) parts=1 ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
ringtop=${1:?usage: screen_bytes.sh [-s SECONDS] [-v VIEWS] [-p] RINGTOP}
bench_dir=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null; rm -rf "$tmp"' EXIT

# CC may be two words, as "ccache gcc"
read -r -a cc <<<"${CC:-gcc}"
"${cc[@]}" -D_GNU_SOURCE -DPTYRUN_NO_VTERM -O2 -o "$tmp/ptyrun" "$bench_dir/ptyrun.c" -lutil || exit 1
for ((i = 0; i < $(nproc); i++)); do
	nice -n 19 sh -c 'while :; do ls /usr/bin | sort | md5sum >/dev/null; done' &
	pids+=($!)
done
# measure ROWS COLS MARK VIEW
measure() {
	local rows=$1 cols=$2 mark=$3 view=$4 got

	got=$("$tmp/ptyrun" -r "$rows" -c "$cols" -o "$tmp/log" -- "$ringtop" --no-config -F 999 <<-END | sed -n 's/.*bytes=\([0-9]*\).*/\1/p'
		expect 20 Functions
		key $view
		pump 6
		begin
		pump $seconds
		end
		key q
		exit 10
	END
	)
	[ -n "$got" ] || { echo "screen_bytes.sh: no figure at ${cols}x$rows" >&2; exit 1; }
	printf '%-8s %4s %10d %10d%s\n' "${cols}x$rows" "$view" $((got / seconds)) "$mark" "$( ((got / seconds > mark)) && echo "  ABOVE")"
	[ -z "$parts" ] || tail -c "$got" "$tmp/log" | python3 "$bench_dir/screen_parts.py" "$rows" "$cols" "$seconds"
}

printf '%-8s %4s %10s %10s\n' size view bytes/s mark
while read -r rows cols mark; do
	for view in $views; do
		measure "$rows" "$cols" "$mark" "$view"
	done
done <<-END
	24 80 2000
	40 120 3000
	50 200 10000
END
