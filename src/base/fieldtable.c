/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each way to travel (enum field_as) is a row of calls: into and out of a message, into and out of
 * columns, and the freeing.  Depth is that of the tables, not the sender's to choose.
 */
#include "base/fieldtable.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildid.h"
#include "base/protobuf.h"
#include "base/text.h"

/* Memory that a part may take, by its bytes, which have been paid for. */
#define PART_TIMES 8u
#define PART_LEAST (256u << 10)

#define BLOCK 32u /* bytes that malloc takes beside a block's own, at most */

struct reading {
	size_t *budget;
	struct budget *payer; /* of members that are paid for */
	struct err *err;
};

static int get_message(struct reading *r, struct wire_in *in, const struct fields *t, void *to);

struct way {
	enum protobuf_type type;
	void (*put)(struct wire_out *o, const struct field *f, const char *at);
	/*
	 * Put the member of `nr` structs, from the first one's `at` on; first: the table's first
	 * member, put also if all zero.
	 */
	void (*put_column)(struct wire_out *o, const struct field *f, const char *at, size_t nr,
			   size_t stride, bool first);
	/* Decode one occurrence of the field; `seen` occurrences came before it. */
	int (*get)(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		   size_t seen);
	int (*get_column)(struct reading *r, const struct field *f, char *at,
			  struct protobuf_field *p, size_t seen, size_t nr, size_t stride);
	void (*clear)(const struct field *f, char *at);
};

static const struct way ways[];

static int refuse_field(struct reading *r, const struct field *f, const char *what)
{
	return err_set(r->err, EPROTO, "invalid data received: %s (field %u)", what, f->nr);
}

/* Allocate zeroed memory within the budget into *out (a pointer); NULL if `nr` is 0. */
static int allocate_within_budget(struct reading *r, size_t nr, size_t size, void *out)
{
	void *block = NULL;

	if (nr && (*r->budget < BLOCK || size > (*r->budget - BLOCK) / nr))
		return err_set(r->err, ENOMEM,
			       "the data received needs more memory than it may use");
	if (nr && !(block = calloc(nr, size)))
		return err_room(r->err, ENOMEM, "the data received");
	*r->budget -= nr ? nr * size + BLOCK : 0;
	memcpy(out, &block, sizeof(block));
	return 0;
}

static void *pointer_at(const char *at)
{
	void *p;

	memcpy(&p, at, sizeof(p));
	return p;
}

/* Return the struct that holds the member at `at`. */
static char *struct_of_member(const struct field *f, const char *at)
{
	return (char *)at - f->at;
}

/* --- numbers ------------------------------------------------------------------------------ */

static uint64_t load_number(const char *at, size_t size)
{
	uint8_t n1;
	uint16_t n2;
	uint32_t n4;
	uint64_t n8 = 0;

	if (size == 1)
		return memcpy(&n1, at, 1), n1;
	if (size == 2)
		return memcpy(&n2, at, 2), n2;
	if (size == 4)
		return memcpy(&n4, at, 4), n4;
	memcpy(&n8, at, 8);
	return n8;
}

static void store(char *at, size_t size, uint64_t n)
{
	uint8_t n1 = (uint8_t)n;
	uint16_t n2 = (uint16_t)n;
	uint32_t n4 = (uint32_t)n;

	memcpy(at,
	       size == 1   ? (void *)&n1
	       : size == 2 ? (void *)&n2
	       : size == 4 ? (void *)&n4
			   : (void *)&n,
	       size);
}

static int64_t sign_extended(uint64_t n, size_t size)
{
	unsigned shift = 64 - 8 * (unsigned)size;

	return (int64_t)(n << shift) >> shift;
}

/* Return the number as it is sent; `before` is that of the row before. */
static uint64_t packed(const struct field *f, uint64_t n, uint64_t before)
{
	if (f->as == FIELD_SINT)
		return protobuf_zigzag(sign_extended(n, f->size));
	return f->as == FIELD_DELTA ? protobuf_zigzag((int64_t)(n - before)) : n;
}

/* Recover a number as it was sent.  False: it is out of the member's range. */
static bool unpacked(const struct field *f, uint64_t wire, uint64_t before, uint64_t *n)
{
	*n = wire;
	if (f->as == FIELD_SINT) {
		*n = (uint64_t)protobuf_unzigzag(wire);
		return sign_extended(*n, f->size) == (int64_t)*n;
	}
	if (f->as == FIELD_DELTA)
		*n = before + (uint64_t)protobuf_unzigzag(wire);
	return *n <= (f->max ? f->max : UINT64_MAX >> (64 - 8 * f->size));
}

static bool all_zero(const struct field *f, const char *at, size_t nr, size_t stride)
{
	for (; nr; nr--, at += stride)
		for (size_t i = 0; i < f->size * f->count; i++)
			if (at[i])
				return false;
	return true;
}

static void put_number_column(struct wire_out *o, const struct field *f, const char *at, size_t nr,
			      size_t stride, bool first)
{
	uint64_t before = 0;
	size_t opened;

	if (!first && all_zero(f, at, nr, stride))
		return;
	opened = protobuf_open(o, f->nr);
	for (; nr; nr--, at += stride)
		for (size_t i = 0; i < f->count; i++) {
			uint64_t n = load_number(at + i * f->size, f->size);

			protobuf_put_varint(o, packed(f, n, before));
			before = n;
		}
	protobuf_close(o, opened);
}

static void put_number_member(struct wire_out *o, const struct field *f, const char *at)
{
	if (f->count > 1)
		put_number_column(o, f, at, 1, 0, false);
	else
		protobuf_put_uint(o, f->nr, packed(f, load_number(at, f->size), 0));
}

static int get_number_column(struct reading *r, const struct field *f, char *at,
			     struct protobuf_field *p, size_t seen, size_t nr, size_t stride)
{
	uint64_t n = 0;

	if (seen || p->type != PROTOBUF_BYTES || protobuf_count(&p->bytes) != nr * f->count)
		return refuse_field(r, f, "a column is longer or shorter than others");
	for (; nr; nr--, at += stride)
		for (size_t i = 0; i < f->count; i++) {
			if (!unpacked(f, protobuf_get_varint(&p->bytes), n, &n))
				return refuse_field(r, f, "a number is too large");
			store(at + i * f->size, f->size, n);
		}
	return p->bytes.failed ? refuse_field(r, f, "a number is too long") : 0;
}

static int get_number_member(struct reading *r, const struct field *f, char *at,
			     struct protobuf_field *p, size_t seen)
{
	uint64_t n;

	if (f->count > 1)
		return get_number_column(r, f, at, p, seen, 1, 0);
	if (p->type != PROTOBUF_VARINT || !unpacked(f, p->n, 0, &n))
		return refuse_field(r, f, "a number is too large");
	store(at, f->size, n);
	return 0;
}

static void put_float(struct wire_out *o, const struct field *f, const char *at)
{
	protobuf_put_fixed32(o, f->nr, (uint32_t)load_number(at, 4));
}

static int get_float(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		     size_t seen)
{
	(void)r, (void)seen;
	store(at, f->size, p->n);
	return 0;
}

/* --- texts -------------------------------------------------------------------------------- */

static void put_text_member(struct wire_out *o, const struct field *f, const char *at)
{
	size_t len = strnlen(at, f->size);

	if (len)
		protobuf_put_bytes(o, f->nr, at, len);
}

static size_t text_length(const struct protobuf_field *p)
{
	return (size_t)(p->bytes.end - p->bytes.at);
}

/* Copy a text into `to` of `size` bytes, cut to fit. */
static void copy_field_text(const struct field *f, char *to, size_t size, const uint8_t *from,
			    size_t len)
{
	char text[FIELD_NAME_MAX + 1];

	if (!f->shown) {
		memcpy(to, from, len < size ? len : size - 1);
		return;
	}
	len = len < FIELD_NAME_MAX ? len : FIELD_NAME_MAX;
	memcpy(text, from, len);
	text[len] = '\0';
	text_escape(to, size, text);
}

static int get_text_member(struct reading *r, const struct field *f, char *at,
			   struct protobuf_field *p, size_t seen)
{
	size_t len = text_length(p);

	if (seen || memchr(p->bytes.at, '\0', len))
		return refuse_field(r, f, "an invalid text");
	copy_field_text(f, at, f->size, p->bytes.at, len);
	return 0;
}

static size_t string_max(const struct field *f)
{
	return f->max ? f->max : FIELD_NAME_MAX;
}

static void put_string_member(struct wire_out *o, const struct field *f, const char *at)
{
	const char *text = pointer_at(at);

	if (text)
		protobuf_put_bytes(o, f->nr, text, strnlen(text, string_max(f)));
}

static int get_string(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		      size_t seen)
{
	size_t len = text_length(p), size = f->shown ? 4 * len + 1 : len + 1; /* \xNN at the most */
	int ret;

	if (seen || len > string_max(f) || memchr(p->bytes.at, '\0', len))
		return refuse_field(r, f, "an invalid or too long text");
	ret = allocate_within_budget(r, 1, size, at);
	if (ret)
		return ret;
	copy_field_text(f, pointer_at(at), size, p->bytes.at, len);
	if (f->nr_size)
		store(struct_of_member(f, at) + f->nr_at, f->nr_size, len);
	return 0;
}

static void put_build_id(struct wire_out *o, const struct field *f, const char *at)
{
	struct build_id id;

	memcpy(&id, at, sizeof(id));
	if (id.len)
		protobuf_put_bytes(o, f->nr, id.bytes, id.len);
}

static int get_build_id_member(struct reading *r, const struct field *f, char *at,
			       struct protobuf_field *p, size_t seen)
{
	struct build_id id = build_id_of(p->bytes.at, text_length(p));

	(void)seen;
	if (id.len != text_length(p))
		return refuse_field(r, f, "a build-id is too long");
	memcpy(at, &id, sizeof(id));
	return 0;
}

static void put_choice(struct wire_out *o, const struct field *f, const char *at)
{
	const char *text = pointer_at(at);

	for (unsigned i = 0; text && f->choices[i]; i++)
		if (!strcmp(f->choices[i], text))
			protobuf_put_uint(o, f->nr, i + 1);
}

static int get_choice(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		      size_t seen)
{
	uint64_t nr = 0;

	(void)seen;
	while (f->choices[nr] && nr + 1 < p->n)
		nr++;
	if (!p->n || !f->choices[nr])
		return refuse_field(r, f, "an invalid choice");
	memcpy(at, (const void *)&f->choices[nr], sizeof(f->choices[nr]));
	return 0;
}

/* Members that are byte strings need one occurrence for each row, also for an empty one. */
static void put_bytes_column(struct wire_out *o, const struct field *f, const char *at, size_t nr,
			     size_t stride, bool first)
{
	(void)first;
	for (; nr; nr--, at += stride) {
		size_t before = o->len;

		ways[f->as].put(o, f, at);
		if (o->len == before)
			protobuf_put_bytes(o, f->nr, NULL, 0);
	}
}

static int get_bytes_column(struct reading *r, const struct field *f, char *at,
			    struct protobuf_field *p, size_t seen, size_t nr, size_t stride)
{
	if (p->type != PROTOBUF_BYTES || seen >= nr)
		return refuse_field(r, f, "a column is longer than others");
	return ways[f->as].get(r, f, at + seen * stride, p, 0);
}

/* --- structs ------------------------------------------------------------------------------ */

static void put_nested_message(struct wire_out *o, unsigned nr, const struct fields *t,
			       const void *from)
{
	size_t opened = protobuf_open(o, nr);

	fields_put(o, t, from);
	protobuf_close(o, opened);
}

static void put_structs(struct wire_out *o, const struct field *f, const char *at)
{
	for (size_t i = 0; i < f->count; i++)
		put_nested_message(o, f->nr, f->table, at + i * f->size);
}

static int get_struct(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		      size_t seen)
{
	if (seen >= f->count)
		return refuse_field(r, f, "an index out of range");
	return get_message(r, &p->bytes, f->table, at + seen * f->size);
}

static void clear_structs(const struct field *f, char *at)
{
	for (size_t i = 0; i < f->count; i++)
		fields_clear(f->table, at + i * f->size);
}

static void put_pointer(struct wire_out *o, const struct field *f, const char *at)
{
	const void *to = pointer_at(at);

	if (to)
		put_nested_message(o, f->nr, f->table, to);
}

static int get_pointer(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		       size_t seen)
{
	int ret = seen ? refuse_field(r, f, "given twice")
		       : allocate_within_budget(r, 1, f->table->size, at);

	return ret ? ret : get_message(r, &p->bytes, f->table, pointer_at(at));
}

static void clear_pointer(const struct field *f, char *at)
{
	void *to = pointer_at(at);

	if (to)
		fields_clear(f->table, to);
	free(to);
}

/* --- arrays ------------------------------------------------------------------------------- */

static size_t array_number(const struct field *f, const char *at)
{
	return load_number(struct_of_member(f, at) + f->nr_at, f->nr_size);
}

static void set_array_number(const struct field *f, char *at, size_t nr)
{
	store(struct_of_member(f, at) + f->nr_at, f->nr_size, nr);
	if (f->cap_at)
		store(struct_of_member(f, at) + f->cap_at, sizeof(size_t), nr);
}

static int array_take(struct reading *r, const struct field *f, char *at, size_t nr, size_t size)
{
	int ret = f->max && nr > f->max ? refuse_field(r, f, "too many")
					: allocate_within_budget(r, nr, size, at);

	if (!ret)
		set_array_number(f, at, nr);
	return ret;
}

static void clear_array(const struct field *f, char *at)
{
	char *array = pointer_at(at);

	for (size_t i = 0, nr = array ? array_number(f, at) : 0; i < nr; i++)
		fields_clear(f->table, array + i * f->table->size);
	free(array);
}

static void put_list_member(struct wire_out *o, const struct field *f, const char *at)
{
	const char *array = pointer_at(at);

	for (size_t i = 0, nr = array_number(f, at); i < nr; i++)
		put_nested_message(o, f->nr, f->table, array + i * f->table->size);
}

/* Count the fields of this number that follow. */
static size_t occurrences(struct wire_in in, unsigned nr)
{
	struct protobuf_field p;
	size_t found = 0;

	while (protobuf_next(&in, &p))
		found += p.nr == nr;
	return found;
}

/* The array was made for all of them (begin_lists). */
static int get_list(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		    size_t seen)
{
	return get_message(r, &p->bytes, f->table, (char *)pointer_at(at) + seen * f->table->size);
}

static int begin_lists(struct reading *r, const struct fields *t, char *to,
		       const struct wire_in *in)
{
	int ret = 0;

	for (unsigned i = 0; i < t->nr && !ret; i++)
		if (t->field[i].as == FIELD_LIST)
			ret = array_take(r, &t->field[i], to + t->field[i].at,
					 occurrences(*in, t->field[i].nr), t->field[i].table->size);
	return ret;
}

static void put_columns(struct wire_out *o, const struct field *f, const char *at)
{
	const struct fields *t = f->table;
	size_t nr = array_number(f, at), opened;

	if (!nr)
		return;
	opened = protobuf_open(o, f->nr);
	for (unsigned i = 0; i < t->nr; i++) {
		const struct field *m = &t->field[i];

		ways[m->as].put_column(o, m, (const char *)pointer_at(at) + m->at, nr, t->size, !i);
	}
	protobuf_close(o, opened);
}

/* Count the rows of columns: the first member is present for each row. */
static size_t count_rows(struct wire_in in, const struct field *first)
{
	struct protobuf_field p;
	size_t nr = 0;

	while (protobuf_next(&in, &p))
		if (p.nr == first->nr)
			nr += ways[first->as].put_column == put_bytes_column
				      ? 1
				      : protobuf_count(&p.bytes) / first->count;
	return nr;
}

static const struct field *field_by_number(const struct fields *t, unsigned nr)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (t->field[i].nr == nr)
			return &t->field[i];
	return NULL;
}

/* Members that are byte strings must be present for each row. */
static int check_columns(struct reading *r, const struct fields *t, const size_t *seen, size_t nr)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (ways[t->field[i].as].put_column == put_bytes_column && seen[i] != nr)
			return refuse_field(r, &t->field[i], "a column is shorter than others");
	return 0;
}

static int get_columns(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		       size_t seen)
{
	const struct fields *t = f->table;
	size_t nr = count_rows(p->bytes, t->field), seen_of[FIELDS_MAX] = {0};
	struct protobuf_field column;
	int ret = seen ? refuse_field(r, f, "given twice") : array_take(r, f, at, nr, t->size);

	if (!ret && !nr)
		return p->bytes.at < p->bytes.end
			       ? refuse_field(r, f, "columns without the first one")
			       : 0;
	while (!ret && protobuf_next(&p->bytes, &column)) {
		const struct field *m = field_by_number(t, column.nr);

		if (m)
			ret = ways[m->as].get_column(r, m, (char *)pointer_at(at) + m->at, &column,
						     seen_of[m - t->field]++, nr, t->size);
	}
	if (!ret && p->bytes.failed)
		ret = refuse_field(r, f, "it ends within a field");
	return ret ? ret : check_columns(r, t, seen_of, nr);
}

static void put_block(struct wire_out *o, const struct field *f, const char *at)
{
	size_t nr = array_number(f, at);

	if (nr)
		protobuf_put_bytes(o, f->nr, pointer_at(at), nr * f->count);
}

static int take_block(struct reading *r, const struct field *f, char *at, size_t bytes)
{
	char *block;

	if (!f->paid)
		return allocate_within_budget(r, 1, bytes, at);
	block = budget_alloc(r->payer, (enum budget_class)(f->paid - 1), bytes);
	if (!block)
		return err_room(r->err, ENOMEM, "the data received");
	block[bytes - 1] = '\0';
	memcpy(at, &block, sizeof(block));
	return 0;
}

static int get_block(struct reading *r, const struct field *f, char *at, struct protobuf_field *p,
		     size_t seen)
{
	size_t len = text_length(p), nr = len / f->count, before = array_number(f, at);
	int ret;

	if (seen || len % f->count || (f->max && nr > f->max) || (before && before != nr))
		return refuse_field(r, f, "repeated, or of a wrong length");
	ret = len ? take_block(r, f, at, len + 1) : 0;
	if (ret || !len)
		return ret;
	memcpy(pointer_at(at), p->bytes.at, len);
	set_array_number(f, at, nr);
	return 0;
}

static void clear_block(const struct field *f, char *at)
{
	(f->paid ? budget_free : free)(pointer_at(at));
}

/* --- all ---------------------------------------------------------------------------------- */

static const struct way ways[] = {
	[FIELD_UINT] = {PROTOBUF_VARINT, put_number_member, put_number_column, get_number_member,
			get_number_column, NULL},
	[FIELD_SINT] = {PROTOBUF_VARINT, put_number_member, put_number_column, get_number_member,
			get_number_column, NULL},
	[FIELD_DELTA] = {PROTOBUF_VARINT, put_number_member, put_number_column, get_number_member,
			 get_number_column, NULL},
	[FIELD_FLOAT] = {PROTOBUF_FIXED32, put_float, NULL, get_float, NULL, NULL},
	[FIELD_TEXT] = {PROTOBUF_BYTES, put_text_member, put_bytes_column, get_text_member,
			get_bytes_column, NULL},
	[FIELD_STRING] = {PROTOBUF_BYTES, put_string_member, put_bytes_column, get_string,
			  get_bytes_column, clear_block},
	[FIELD_BUILD_ID] = {PROTOBUF_BYTES, put_build_id, put_bytes_column, get_build_id_member,
			    get_bytes_column, NULL},
	[FIELD_CHOICE] = {PROTOBUF_VARINT, put_choice, NULL, get_choice, NULL, NULL},
	[FIELD_STRUCT] = {PROTOBUF_BYTES, put_structs, NULL, get_struct, NULL, clear_structs},
	[FIELD_POINTER] = {PROTOBUF_BYTES, put_pointer, NULL, get_pointer, NULL, clear_pointer},
	[FIELD_LIST] = {PROTOBUF_BYTES, put_list_member, NULL, get_list, NULL, clear_array},
	[FIELD_COLUMNS] = {PROTOBUF_BYTES, put_columns, NULL, get_columns, NULL, clear_array},
	[FIELD_BYTES] = {PROTOBUF_BYTES, put_block, NULL, get_block, NULL, clear_block},
};

void fields_put(struct wire_out *o, const struct fields *t, const void *from)
{
	for (unsigned i = 0; i < t->nr; i++)
		ways[t->field[i].as].put(o, &t->field[i], (const char *)from + t->field[i].at);
}

/* Several numbers of one member are packed, which is bytes. */
static enum protobuf_type field_wire_type(const struct field *f)
{
	bool number = ways[f->as].put_column == put_number_column;

	return number && f->count > 1 ? PROTOBUF_BYTES : ways[f->as].type;
}

static int get_message(struct reading *r, struct wire_in *in, const struct fields *t, void *to)
{
	struct protobuf_field p;
	size_t seen[FIELDS_MAX] = {0};
	int ret = begin_lists(r, t, to, in);

	while (!ret && protobuf_next(in, &p)) {
		const struct field *f = field_by_number(t, p.nr);

		if (f && p.type != field_wire_type(f))
			ret = refuse_field(r, f, "it has another type");
		else if (f)
			ret = ways[f->as].get(r, f, (char *)to + f->at, &p, seen[f - t->field]++);
	}
	if (!ret && in->failed)
		ret = err_set(r->err, EPROTO, "invalid data received: it ends within a field");
	return ret;
}

int fields_get(struct wire_in *in, const struct fields *t, void *to, size_t *budget,
	       struct err *err)
{
	struct reading r = {.budget = budget, .err = err};

	return get_message(&r, in, t, to);
}

void fields_put_part(struct wire_out *o, const struct fields *t, const void *from)
{
	size_t at = o->len;
	uint64_t len;

	wire_put(o, 0, sizeof(len));
	fields_put(o, t, from);
	len = htole64(o->len - at - sizeof(len));
	if (!o->failed)
		memcpy(o->data + at, &len, sizeof(len));
}

int fields_get_part(struct wire_in *in, const struct fields *t, void *to, struct budget *b)
{
	size_t len = wire_get_count(in, 1), most = PART_TIMES * len + PART_LEAST;
	const uint8_t *at = wire_get_bytes(in, len);
	struct wire_in part = {at, at + len, false};
	struct reading r = {.budget = &most, .payer = b};
	int ret = in->failed ? -EPROTO : get_message(&r, &part, t, to);

	in->failed |= ret == -EPROTO;
	return ret;
}

void fields_clear(const struct fields *t, void *of)
{
	for (unsigned i = 0; i < t->nr; i++)
		if (ways[t->field[i].as].clear)
			ways[t->field[i].as].clear(&t->field[i], (char *)of + t->field[i].at);
	memset(of, 0, t->size);
}
