/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The length of the code (a byte), the code, which stands at 0x401000, then the stream: whatever both
 * say, decoding ends, counts every byte once and stays within its bounds.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "names/pt/ptdecode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct code {
	const uint8_t *data;
	size_t len;
};

static int read_code(void *arg, uint32_t who, uint64_t addr, void *buf, size_t len)
{
	const struct code *c = arg;
	uint64_t at = addr - 0x401000;

	(void)who;
	if (at >= c->len)
		return -ENOENT;
	if (len > c->len - at)
		len = c->len - at;
	memcpy(buf, c->data + at, len);
	return (int)len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ptdecode_run runs[] = {{1000, 1}, {1300, 2}, {1300, 3}, {1ull << 40, 4}};
	struct code code = {data + 1, size ? data[0] : 0};
	struct ptdecode_config c = {.read = read_code, .arg = &code, .runs = runs, .nruns = 4,
				    .max_insns = 100000, .max_places = 64};
	uint64_t sum = 0, insns = 0, time = 0;
	struct ptdecode_result r;

	if (!size || size - 1 < code.len)
		return 0;
	c.data = data + 1 + code.len;
	c.len = size - 1 - code.len;
	if (ptdecode_run(&c, &r, NULL))
		return 0;
	for (unsigned i = 0; i < PT_LOST_NR; i++)
		sum += r.lost_bytes[i];
	if (r.decoded + sum != r.bytes || r.nplaces > 64 || r.nstretches > PTDECODE_STRETCHES)
		abort();
	for (size_t i = 0; i < r.nplaces; i++) {
		insns += r.places[i].insns;
		time += r.places[i].time;
	}
	if (insns + r.folded_insns != r.insns || time + r.folded_time != r.time)
		abort();
	ptdecode_clear(&r);
	return 0;
}
