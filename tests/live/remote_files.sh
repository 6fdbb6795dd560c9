#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is written on another host comes here with --fetch: the recording, and snapshots; the same bytes, and perf
# reads them.  The host is this one, by a command in place of ssh.
. "$(dirname "$0")/lib.sh"
need_perf
need_stock_perf

mkdir "$tmp/bin" "$tmp/far" "$tmp/here"
ln -s "$RINGTOP" "$tmp/bin/ringtop"
cat >"$tmp/ssh" <<-'END'
	#!/bin/sh
	while [ "$1" != -- ]; do shift; done
	shift 2
	exec sh -c "$*"
END
chmod 755 "$tmp/ssh"
export PATH=$tmp/bin:$PATH

cd "$tmp/far" || exit 1
remote=(-H web01 --ssh "$tmp/ssh" --fetch "$tmp/here" -e cpu-clock --json -d 1)
rt "${remote[@]}" --fetch "$tmp/nowhere" -n 1
expect_status 2 "with a directory that is not there"
grep -q 'nowhere is not a directory' "$err" || fail "it does not say which"
rt "${remote[@]}" -w "$tmp/far/recorded" -n 2
expect_status 0 "with a recording"
rt "${remote[@]}" --snapshot-dir "$tmp/far" --snapshot-on 'samples/s<1000000:300ms' -n 3
expect_status 0 "with a snapshot"
mapfile -t written < <(find "$tmp/far" -type f | sort)
mapfile -t fetched < <(find "$tmp/here" -type f | sort)
[ ${#written[@]} -ge 2 ] || fail "only ${written[*]} was written"
[ ${#fetched[@]} = ${#written[@]} ] || fail "of ${written[*]} only ${fetched[*]} came"
[ "$(sha256sum "${written[@]}" | cut -d' ' -f1 | sort)" = "$(sha256sum "${fetched[@]}" | cut -d' ' -f1 | sort)" ] ||
	fail "what came is not what was written"
pass "${#fetched[@]} files came as they were written"

for file in "${fetched[@]}"; do
	[[ ${file##*/} =~ ^web01-(recording|snapshot-[0-9]+)-[0-9]{8}-[0-9]{6}.data$ ]] || fail "$file has no name of ours"
	perf report -i "$file" --stdio >"$tmp/report" 2>&1 || fail "perf does not read $file"
done
pass "by names of ours, and perf reads them"
