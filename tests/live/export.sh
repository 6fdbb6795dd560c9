#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is handed on: the report, rows and flame graphs of a program whose names are markup and formulas, read
# back by parsers that are not ours, and held against the JSON of the same run.
. "$(dirname "$0")/lib.sh"
need_perf
need_work spin_paths
command -v python3 >/dev/null || skip "no python3"
command -v objcopy >/dev/null || skip "no objcopy"

hostile="=<b>&\"'"
objcopy -g --redefine-sym path_lex='=</title><script>alert(1)</script>' \
	--redefine-sym path_walk='--><!--"&amp;,]]>' "$work/spin_paths" "$tmp/$hostile" || fail "objcopy refuses the names"

rt --json -g -d 0.5 -e cpu-clock,context-switches -F 1999 --export "text:$tmp/text" --export "csv:$tmp/csv" \
	--export "svg:$tmp/svg" --export "html:$tmp/html" \
	-- "$tmp/$hostile" -n 3000 -s 600
expect_status 0 "exports"
check_report
holds "$(json 'sum:total.functions[event=cpu-clock].samples') > 500" || fail "hardly any samples"

python3 - "$tmp" <<'PY' || fail "see above"
import base64, csv, hashlib, html.parser, json, re, sys, xml.dom.minidom

tmp = sys.argv[1]
total = json.loads(open(tmp + "/out").read().splitlines()[-1])
rows = list(csv.DictReader(open(tmp + "/csv", newline=""), strict=True))
want = sorted((r["event"], r["function"], r["object"] or "", r["samples"], r["weight"]) for r in total["functions"])
mine = []
for r in rows:
    assert None not in r and None not in r.values(), r
    for cell in r.values():
        assert cell[:1] not in tuple("=+-@"), "a formula: " + cell
    name, obj = (c[1:] if c[:1] == "'" else c for c in (r["function"], r["object"]))
    mine.append((r["event"], name, obj, int(r["samples"]), int(r["self"])))
assert sorted(mine) == want, "csv and JSON differ"
assert any("<script>" in m[1] and m[1][0] == "=" for m in mine), "no hostile name"

# frames of an SVG: (title, x, width) by their parser, not by ours
def frames(root):
    found = []
    for g in root.getElementsByTagName("g"):
        rect = g.getElementsByTagName("rect")[0]
        found.append((g.getElementsByTagName("title")[0].firstChild.data, float(rect.getAttribute("x")),
                      float(rect.getAttribute("width"))))
    return found
svg = xml.dom.minidom.parse(tmp + "/svg")
assert not svg.getElementsByTagName("script") and not svg.getElementsByTagName("b")
drawn = frames(svg)
assert any(t.startswith("=</title><script>alert(1)</script>\n") for t, _, _ in drawn), "no hostile name"
shares = {}
for title, x, width in drawn:
    assert -1e-3 <= x and x + width <= 1200 + 1e-3, title
lex = sum(w for t, _, w in drawn if t.startswith("=</title>")) / 1200
row = [r for r in total["functions"] if r["event"] == "cpu-clock" and r["function"].startswith("=</title>")]
assert len(row) == 1 and abs(lex - row[0]["total"]) < 0.01, (lex, row)
print("ok: svg: %d frames" % len(drawn))


# HTML: what a browser would take from it, and that it may take nothing from elsewhere
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.count, self.inside, self.rows, self.policy = [], {}, {}, [], ""
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.count[tag] = self.count.get(tag, 0) + 1
        assert not any(a.startswith("on") or a in ("src", "href", "action", "style", "srcset", "xlink:href")
                       for a in attributes), (tag, attributes)
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag not in ("meta", "input", "rect"):
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
    def handle_startendtag(self, tag, attributes):
        assert tag == "rect", tag
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open:
            self.inside[self.open[-1]] = self.inside.get(self.open[-1], "") + data
            if self.open[-1] == "td":
                self.rows[-1][-1] += data
raw = open(tmp + "/html").read()
page = Page()
page.feed(raw)
page.close()
assert not page.open and set(page.count) <= set("html head meta title style body h1 h2 h3 table tr th td section p div "
    "input button output svg g text ul li script".split()), page.count
assert page.count["script"] == page.count["style"] == 1
for tag in ("script", "style"):
    digest = base64.b64encode(hashlib.sha256(page.inside[tag].encode()).digest()).decode()
    assert "%s-src 'sha256-%s'" % (tag, digest) in page.policy, page.policy
assert page.policy.startswith("default-src 'none'; ")
assert "alert(1)" not in page.inside["script"] and "=</title><script>alert(1)</script>" in page.inside["td"]
assert set(re.findall("[a-z]+://[^\"' ]*", raw)) == {"http://www.w3.org/2000/svg"}
for e in total["events"]:
    counted = [r for r in page.rows if r and r[0] == "counted"][total["events"].index(e)]
    want = "%.3f s" % (e["counted"] / 1e9) if e["unit"] == "ns" else str(e["counted"])
    assert counted[1] == want, (counted, want)
    lost = sum(e["lost"].values())
    assert ("Nothing was lost: all %d samples" % e["samples"] in raw) if e["samples"] and not lost else True
found = [r for r in page.rows if len(r) == 8 and r[4].startswith("=</title>")]
assert found and int(found[0][3]) == row[0]["samples"], found
print("ok: html: %d functions and tasks, %d bytes" % (len(page.rows), len(raw)))

text = open(tmp + "/text").read()
assert "total of" in text and all(c == "\n" or c.isprintable() for c in text)
assert "script" in text and " lost " in text
print("ok: csv: %d rows, the JSON's; text: %d lines" % (len(rows), text.count("\n")))
PY

if command -v node >/dev/null; then
	node "$live_dir/export_page.js" "$tmp/html" || fail "the page's script does not do what it should"
fi

# of the same file twice the same report
"$RINGTOP" --text --duration 0.5 -e cpu-clock --export "text:$tmp/again" -- "$work/spin_paths" -s 0.3 >"$out" 2>"$err"
[ -s "$tmp/again" ] || fail "no text"
sed -n '/^total of/,$p' "$out" | cmp - <(sed -n '/^total of/,$p' "$tmp/again") || fail "text is not what --text says"
pass "text is the report's total"
rt --text --duration 0.5 -e cpu-clock --export "text:/dev/full" -- "$work/spin_paths" -s 0.3
expect_status 1 "a device"
has_text "$err" "/dev/full" || fail "the device is not named"

# a disk that is full (the page's script alone is more than 4 KB): told, by name, and nothing is left of it
if [ "$(id -u)" = 0 ] && mkdir "$tmp/full" && mount -t tmpfs -o size=4k ringtop-test "$tmp/full" 2>/dev/null; then
	on_exit 'umount "$tmp/full"'
	rt --json -g --duration 0.3 -e cpu-clock --export "html:$tmp/full/page" --export "csv:$tmp/csv" \
		-- "$work/spin_paths" -s 0.2
	expect_status 1 "a full disk"
	has_text "$err" "cannot write $tmp/full/page: No space left" || fail "the full disk is not told"
	[ -z "$(ls -A "$tmp/full")" ] || fail "something is left on the full disk: $(ls -A "$tmp/full")"
	[ -s "$tmp/csv" ] || fail "the other file is not written"
	pass "a full disk is told and left as it was"
fi
