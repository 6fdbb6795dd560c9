#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Figures of how well the tree reads.  As a test: each that tests/house.limits names is at most as large as there,
# and that file is to be lowered when one has fallen.
#
#   tests/house.sh            the test
#   tests/house.sh --list     all figures; lines of a folder, too
#   tests/house.sh --lower    write the figures as limits
#   tests/house.sh --show N   the places that the figure N counts
cd "${RINGTOP_SRCDIR:-$(dirname "$0")/..}" || exit 1
command -v python3 >/dev/null || { echo "SKIP: no python3"; exit 77; }
exec python3 - "$@" <<'PYTHON'
import collections, glob, os, re, subprocess, sys

sources = sorted(glob.glob('src/**/*.[ch]', recursive=True) + glob.glob('ui/**/*.[ch]', recursive=True))
text = {name: open(name, encoding='utf-8').read() for name in sources}
places = collections.defaultdict(list)

def columns(line):
    return len(line.expandtabs(8))

# The width of a tab is the .editorconfig's 8.
for name in sources:
    for number, line in enumerate(text[name].split('\n'), 1):
        if columns(line) > 100:
            places['wide_lines'].append(f'{name}:{number}')
for number, line in enumerate(open('HACKING', encoding='utf-8'), 1):
    if columns(line.rstrip('\n')) > 100:
        places['wide_lines_hacking'].append(f'HACKING:{number}')

# A comment that stands right above a prototype, and begins with a word that has no subject.
without = re.compile(r'(?:What|Who|Whose|Of|The same|Those|That|As)\b')
comment = re.compile(r'^/\*+\s*((?:[^*]|\*(?!/))*)\*/\n(?=[a-z][^;{}#]*\([^;{}]*\)[^;{}]*;)', re.M)
prototypes = 0
for name in sources:
    if not name.endswith('.h'):
        continue
    for found in comment.finditer(text[name]):
        prototypes += 1
        if without.match(found[1].lstrip(' *\n\t')):
            places['comments_without_subject'].append(f"{name}:{text[name].count(chr(10), 0, found.start()) + 1}")

# Functions: definitions begin in the first column.
static = collections.defaultdict(set)
definition = re.compile(r'^(static )?(?:inline )?[a-z_][\w *]*?\b(\w+)\(((?:[^()]|\([^()]*\))*)\)\s*\{', re.M)
for name in sources:
    for found in definition.finditer(re.sub(r'/\*.*?\*/', ' ', text[name], flags=re.S)):
        if found[1]:
            static[found[2]].add(name)
        if found[3].count(',') >= 6:
            places['many_parameters'].append(f'{name}: {found[2]}')
for word, where in sorted(static.items()):
    if len(where) > 1:
        places['static_names_shared'] += [f'{word}: {name}' for name in sorted(where)]

for name in sources:
    if text[name].count('\n') > 700:
        places['long_files'].append(f"{name}: {text[name].count(chr(10))}")
    if len(re.findall(r'^[ \t]*#[ \t]*include[ \t]*"', text[name], re.M)) > 20:
        places['many_includes'].append(name)
places['makefile_lines'] = ['Makefile.am'] * open('Makefile.am').read().count('\n')
places['lines'] = ['src, ui'] * sum(t.count('\n') for t in text.values())

# `room: Verb what` of at most 72 columns; without a repository there are none.
subject = re.compile(r'[\w./-]+: [A-Z][a-z]+ ')
log = subprocess.run(['git', 'log', '--no-merges', '--format=%h %s'], capture_output=True, text=True).stdout
for line in log.splitlines():
    commit, _, words = line.partition(' ')
    if len(words) > 72 or not subject.match(words):
        places['commit_subjects'].append(line)

order = ['comments_without_subject', 'wide_lines', 'wide_lines_hacking', 'static_names_shared', 'many_parameters',
         'long_files', 'many_includes', 'makefile_lines', 'commit_subjects', 'lines']
figures = {key: len(places[key]) for key in order}
option = sys.argv[1] if len(sys.argv) > 1 else ''
if option == '--show':
    print('\n'.join(places[sys.argv[2]]))
elif option == '--lower':
    with open('tests/house.limits', 'w') as limits:
        limits.writelines(f'{key} {figures[key]}\n' for key in order if key != 'lines')
elif option == '--list':
    folder = collections.Counter()
    for name in sources:
        folder[os.path.dirname(name)] += text[name].count('\n')
    for name, lines in sorted(folder.items()):
        print(f'{lines:7} {name}')
    print(f'{prototypes:7} prototypes with a comment')
    print(f'{sum(map(len, static.values())):7} static functions')
    for key in order:
        print(f'{figures[key]:7} {key}')
else:
    bad = 0
    for line in open('tests/house.limits'):
        key, limit = line.split()
        if figures[key] > int(limit):
            bad = 1
            print(f'{key}: {figures[key]}, {limit} at the most (tests/house.sh --show {key})')
        elif figures[key] < int(limit):
            print(f'{key}: {figures[key]}, lower the limit of {limit} (tests/house.sh --lower)')
    sys.exit(bad)
PYTHON
