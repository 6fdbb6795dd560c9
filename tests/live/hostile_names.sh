#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Symbols whose names take demanglers time that doubles with every few characters, and hundreds that are
# merely dear: ringtop goes on, shows them as they are, and says so beside the object.
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip "no python3"
command -v "${CC:-cc}" >/dev/null || skip "no C compiler"

python3 - >"$tmp/names.c" <<'EOF'
def ref(i):
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return "S_" if i == 0 else "S" + (digits[(i - 1) // 36] if i > 36 else "") + digits[(i - 1) % 36] + "_"
def ladder(steps, name="1f"):
    t = "Pi"
    for i in range(steps):
        t = "F" + t + ref(i + 1) + "E"
    return "_Z" + name + "IJEDp" + t + "EEvv"
names = [ladder(40), "_Z" + "cvT_IL_Z" * 60 + "1f" + "EE" * 60, "_D1a" + "FS1b" * 150]
# as dear as they may be
names += [ladder(14, "4%04d" % i) for i in range(200)]
for i, n in enumerate(names):
    print(f'void f{i}(void) __asm__("{n}");\nvoid f{i}(void) {{ for (volatile int k = 0; k < 200000; k++); }}')
print("int main(void) { for (;;) {")
for i in range(len(names)):
    print(f"f{i}();")
print("} }")
EOF
"${CC:-cc}" -O0 -w -o "$tmp/names" "$tmp/names.c" || fail "the compiler refuses the names"

timeout -k 5 30 "$RINGTOP" --json --duration 3 -e cpu-clock -F 999 -- "$tmp/names" >"$out" 2>"$err"
[ $? = 0 ] || fail "ringtop does not end, or badly"
for name in _Z1fIJEDpFFFF _ZcvT_IL_Z _D1aFS1bFS1b; do
	has_text "$out" "$name" || fail "$name... is not there"
done
has_text "$out" "some names stay mangled" || fail "nothing says that names stay mangled"
pass "hostile names"
