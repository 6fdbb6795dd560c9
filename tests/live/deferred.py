#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
#
# deferred.py - turns perf's recording with frame pointers into one as `perf record --call-graph fp,defer` of newer
# kernels makes it: the user's part of each chain comes in a record of its own, before the thread's next sample.
#
#   deferred.py FROM TO [EVERY]     every EVERY-th of these records is left out; prints how many chains there are, and
#                                   how many of these records
import struct
import sys

SAMPLE, ROUND, DEFERRED = 9, 68, 22
USER, LATER = (1 << 64) - 512, (1 << 64) - 640
IP, TID, TIME, ADDR, READ, CHAIN, ID, CPU, PERIOD, STREAM, IDENTIFIER = (
    1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 1 << 8, 1 << 9, 1 << 16)
FIXED = (IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM, CPU, PERIOD)


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


data = bytearray(open(sys.argv[1], "rb").read())
every = int(sys.argv[3]) if len(sys.argv) > 3 else 0
attr_size, attrs, attrs_size, begin, size = struct.unpack_from("<QQQQQ", data, 16)
layout = {} # of an event's id: sample type, places of its fixed fields, place of its chain
for at in range(attrs, attrs + attrs_size, attr_size):
    kind = u64(data, at + 24)
    assert kind & IDENTIFIER and kind & TID and kind & TIME and not kind & READ
    if kind & CHAIN:
        struct.pack_into("<Q", data, at + 40, u64(data, at + 40) | 1 << 38)
    place, to_chain = {}, 8
    for field in FIXED:
        if kind & field:
            place[field] = to_chain
            to_chain += 8
    ids, ids_size = struct.unpack_from("<QQ", data, at + attr_size - 16)
    for id in range(ids, ids + ids_size, 8):
        layout[u64(data, id)] = kind, place, to_chain

records, at = [], begin
while at < begin + size:
    n = struct.unpack_from("<H", data, at + 6)[0]
    records.append(bytes(data[at:at + n]))
    at += n

# When each thread's next sample comes, from the last one on.
samples = sorted((u64(r, layout[u64(r, 8)][1][TIME]), i) for i, r in enumerate(records) if r[0] == SAMPLE)
after, until = {}, {}
for time, i in reversed(samples):
    tid = u64(records[i], layout[u64(records[i], 8)][1][TID])
    until[i] = max(time, after.get(tid, samples[-1][0] + 1) - 1)
    after[tid] = time

out, chains, put = [], 0, 0
for i, r in enumerate(records):
    kind, place, to_chain = layout[u64(r, 8)] if r[0] == SAMPLE else (0, {}, 0)
    nr = u64(r, to_chain) if kind & CHAIN else 0
    chain = struct.unpack_from("<%dQ" % nr, r, to_chain + 8)
    if r[0] == ROUND:
        continue
    if USER not in chain:
        out.append(r)
        continue
    chains += 1
    cut = chain.index(USER)
    first = chain[:cut] + (LATER, chains)
    body = (r[8:to_chain] + struct.pack("<%dQ" % (1 + len(first)), len(first), *first) + r[to_chain + 8 + nr * 8:])
    out.append(r[:6] + struct.pack("<H", 8 + len(body)) + body)
    if every and chains % every == 0:
        continue
    put += 1
    body = struct.pack("<%dQ" % (2 + nr - cut), chains, nr - cut, *chain[cut:])
    for field in (TID, TIME, ID, STREAM, CPU, IDENTIFIER):
        if kind & field:
            value = until[i] if field == TIME else u64(r, place[field])
            body += struct.pack("<Q", value)
    out.append(struct.pack("<IHH", DEFERRED, 2, 8 + len(body)) + body)

new = b"".join(out)
rest = bytearray(data[begin + size:])
features = sum(bin(b).count("1") for b in data[72:104])
for i in range(features):
    struct.pack_into("<Q", rest, i * 16, u64(rest, i * 16) + len(new) - size)
struct.pack_into("<Q", data, 48, len(new))
open(sys.argv[2], "wb").write(bytes(data[:begin]) + new + rest)
print(chains, put)
