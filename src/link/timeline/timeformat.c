/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/timeline/timeformat.h"
#include "base/fieldrows.h"

#include <errno.h>
#include <string.h>


#define T struct timeformat_block
static const struct field block_rows[] = {UINT(2, start)};
const struct fields timeformat_block_fields = FIELDS(block_rows, T);

static const struct field block_columns[] = {DELTA(1, at), DELTA(2, start), DELTA(3, end),
					     UINT(4, slices)};
static const struct fields block_table = FIELDS(block_columns, T);
#undef T

#define T struct session_mark
static const struct field mark_rows[] = {UINT(1, time), {2, FIELD_TEXT, FIELD_MEMBER(T, name)}};
const struct fields timeformat_mark_fields = FIELDS(mark_rows, T);
#undef T

#define T struct timeformat_index
static const struct field index_rows[] = {
	{1, FIELD_COLUMNS, FIELD_VECTOR(T, blocks, nblocks, cap_blocks), .table = &block_table},
	{2, FIELD_LIST, FIELD_VECTOR(T, marks, nmarks, cap_marks),
	 .table = &timeformat_mark_fields},
};
const struct fields timeformat_index_fields = FIELDS(index_rows, T);
#undef T

void timeformat_put_head(struct wire_out *o)
{
	wire_put_bytes(o, TIMEFORMAT_MAGIC, strlen(TIMEFORMAT_MAGIC));
	wire_put(o, TIMEFORMAT_VERSION, 4);
	wire_put(o, 0, 4);
}

int timeformat_check_head(const uint8_t *head, struct err *err)
{
	struct wire_in in = {head, head + TIMEFORMAT_HEAD, false};
	const void *magic = wire_get_bytes(&in, strlen(TIMEFORMAT_MAGIC));
	uint64_t version = wire_get(&in, 4);

	if (memcmp(magic, TIMEFORMAT_MAGIC, strlen(TIMEFORMAT_MAGIC)) != 0)
		return err_set(err, EPROTO, "not a time line of ringtop");
	if (version == TIMEFORMAT_VERSION)
		return 0;
	err_set(err, EPROTO, "a time line of version %u, which this ringtop cannot read",
		(unsigned)version);
	return err_advise(err, "read it with the ringtop that wrote it");
}

size_t timeformat_find(const struct timeformat_index *index, uint64_t time)
{
	size_t i = index->nblocks - 1;

	while (i && index->blocks[i].start > time)
		i--;
	return i;
}
