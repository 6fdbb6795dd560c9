/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "link/wire/message.h"

#include <errno.h>
#include <string.h>

#include "link/wire/slicecode.h"

#define UINT(nr, type, member)	{nr, FIELD_UINT, FIELD_MEMBER(type, member)}
#define MOST(nr, type, member, most) {nr, FIELD_UINT, FIELD_MEMBER(type, member), .max = most}
#define SINT(nr, type, member)	{nr, FIELD_SINT, FIELD_MEMBER(type, member)}
#define TEXT(nr, type, member)	{nr, FIELD_TEXT, FIELD_MEMBER(type, member)}
#define SHOWN(nr, type, member) {nr, FIELD_TEXT, FIELD_MEMBER(type, member), .shown = true}
#define OWNED(nr, type, member) {nr, FIELD_STRING, FIELD_MEMBER(type, member)}

static const struct field hello[] = {
	UINT(1, struct message_hello, major), UINT(2, struct message_hello, minor),
	TEXT(3, struct message_hello, version), TEXT(4, struct message_hello, host),
	TEXT(5, struct message_hello, arch), UINT(6, struct message_hello, uid),
	SINT(7, struct message_hello, pid), TEXT(8, struct message_hello, boot_id),
	UINT(9, struct message_hello, capabilities), TEXT(10, struct message_hello, token),
};

#define WORD_MAX (128u << 10) /* the kernel's, of an argument */

static const struct field word[] = {
	{1, FIELD_STRING, .size = sizeof(char *), .count = 1, .max = WORD_MAX}};
static const struct fields words = FIELDS(word, char *);

static const struct field start[] = {
	{1, FIELD_COLUMNS, FIELD_ARRAY(struct message_start, words, nwords), .table = &words},
	UINT(2, struct message_start, beat_ms), UINT(3, struct message_start, linger_s),
	UINT(4, struct message_start, silent_s), UINT(5, struct message_start, window),
	MOST(6, struct message_start, lines, 1),
};

static const struct field resume[] = {
	TEXT(1, struct message_resume, token), UINT(2, struct message_resume, seq),
};

static const char *const units[] = {"", "ns", NULL};

static const struct field event[] = {
	TEXT(1, struct session_event, name),
	{2, FIELD_CHOICE, FIELD_MEMBER(struct session_event, unit), .choices = units},
	UINT(3, struct session_event, period), UINT(4, struct session_event, frequency),
	TEXT(5, struct session_event, filter), TEXT(6, struct session_event, weight),
	TEXT(7, struct session_event, by), TEXT(8, struct session_event, by_kinds),
	MOST(9, struct session_event, precise, 4), MOST(10, struct session_event, off, 1),
	MOST(11, struct session_event, in_kernel, 1), UINT(12, struct session_event, by_nr),
};
static const struct fields events = FIELDS(event, struct session_event);

static const struct field counter[] = {
	TEXT(1, struct session_counter, name), TEXT(2, struct session_counter, unit),
	{3, FIELD_FLOAT, FIELD_MEMBER(struct session_counter, scale)},
	UINT(4, struct session_counter, type), UINT(5, struct session_counter, config),
	UINT(6, struct session_counter, group), TEXT(7, struct session_counter, why),
	TEXT(8, struct session_counter, starved), TEXT(9, struct session_counter, filter),
	MOST(10, struct session_counter, pinned, 1),
};
static const struct fields counters = FIELDS(counter, struct session_counter);

static const struct field info[] = {
	TEXT(1, struct session_info, host),
	TEXT(2, struct session_info, target),
	SHOWN(3, struct session_info, call_graph),
	TEXT(4, struct session_info, note),
	UINT(5, struct session_info, start_wall),
	UINT(6, struct session_info, cpus),
	{7, FIELD_LIST, FIELD_ARRAY(struct session_info, events, nevents), .table = &events},
	TEXT(8, struct session_info, aux_event),
	SHOWN(9, struct session_info, pmus),
	MOST(10, struct session_info, live, 1),
	MOST(11, struct session_info, debuginfod, 1),
	UINT(12, struct session_info, length),
	SINT(13, struct session_info, self),
	{14, FIELD_LIST, FIELD_ARRAY(struct session_info, counters, ncounters), .table = &counters},
	{15, FIELD_STRUCT, FIELD_MEMBER(struct session_info, between),
	 .table = &slicecode_between_fields},
	TEXT(16, struct session_info, nodes),
};

static const struct field slice[] = {
	UINT(1, struct message_slice, seq), UINT(2, struct message_slice, sent_ns),
	{3, FIELD_POINTER, FIELD_MEMBER(struct message_slice, slice), .table = &slicecode_fields},
};

static const struct field command[] = {
	/* later commands are never sent: home handles them */
	UINT(1, struct message_command, nr),
	MOST(2, struct message_command, command, SESSION_LINES),
	{3, FIELD_POINTER, FIELD_MEMBER(struct message_command, place),
	 .table = &slicecode_place_fields},
	OWNED(4, struct message_command, text),
	MOST(5, struct message_command, change, SESSION_EVENT_BETWEEN),
	UINT(6, struct message_command, event),
	UINT(7, struct message_command, number),
};

static const struct field error[] = {
	MOST(1, struct err, code, 4095), SHOWN(2, struct err, text), SHOWN(3, struct err, advice),
};
static const struct fields errors = FIELDS(error, struct err);

static const struct field reply[] = {
	UINT(1, struct message_reply, nr),
	{2, FIELD_STRUCT, FIELD_MEMBER(struct message_reply, err), .table = &errors},
};

static const struct field credit[] = {UINT(1, struct message_credit, seq)};

static const struct field time_[] = {
	UINT(1, struct message_time, nr),   UINT(2, struct message_time, t1),
	UINT(3, struct message_time, t2),   UINT(4, struct message_time, t3),
	UINT(5, struct message_time, wall),
};

static const struct field file_ask[] = {
	UINT(1, struct message_file_ask, nr), UINT(2, struct message_file_ask, snapshot),
	UINT(3, struct message_file_ask, offset), UINT(4, struct message_file_ask, length),
	UINT(5, struct message_file_ask, id),
};

static const struct field file_part[] = {
	UINT(1, struct message_file_part, nr), UINT(2, struct message_file_part, offset),
	UINT(3, struct message_file_part, total),
	{4, FIELD_BYTES, FIELD_ARRAY(struct message_file_part, bytes, nbytes)},
	MOST(5, struct message_file_part, last, 1),
	{6, FIELD_UINT, FIELD_MEMBERS(struct message_file_part, sha256)},
	{7, FIELD_STRUCT, FIELD_MEMBER(struct message_file_part, err), .table = &errors},
	UINT(8, struct message_file_part, id),
};

static const struct field session_end[] = {
	MOST(1, struct session_end, command, 1), SINT(2, struct session_end, command_status),
	SINT(3, struct session_end, error), SHOWN(4, struct session_end, text),
};
static const struct fields session_ends = FIELDS(session_end, struct session_end);

static const struct field end[] = {
	{1, FIELD_STRUCT, FIELD_MEMBER(struct message_end, err), .table = &errors},
	{2, FIELD_STRUCT, FIELD_MEMBER(struct message_end, end), .table = &session_ends},
};

static const struct kind {
	struct fields fields;
	bool pack;
	const char *magic; /* in front of the fields, or NULL */
} kinds[WIRE_KINDS] = {
	[WIRE_HELLO] = {FIELDS(hello, struct message_hello), .magic = WIRE_MAGIC},
	[WIRE_START] = {FIELDS(start, struct message_start)},
	[WIRE_RESUME] = {FIELDS(resume, struct message_resume)},
	[WIRE_INFO] = {FIELDS(info, struct session_info), .pack = true},
	[WIRE_SLICE] = {FIELDS(slice, struct message_slice), .pack = true},
	[WIRE_COMMAND] = {FIELDS(command, struct message_command)},
	[WIRE_REPLY] = {FIELDS(reply, struct message_reply)},
	[WIRE_CREDIT] = {FIELDS(credit, struct message_credit)},
	[WIRE_TIME] = {FIELDS(time_, struct message_time)},
	[WIRE_FILE_ASK] = {FIELDS(file_ask, struct message_file_ask)},
	[WIRE_FILE_PART] = {FIELDS(file_part, struct message_file_part), .pack = true},
	[WIRE_END] = {FIELDS(end, struct message_end)},
};

_Static_assert(sizeof(struct message_info) == sizeof(struct session_info),
	       "INFO is a session_info");

void message_put(struct wire_out *o, enum wire_kind kind, const void *message)
{
	const struct kind *k = &kinds[kind];

	if (k->magic)
		wire_put_bytes(o, k->magic, strlen(k->magic));
	fields_put(o, &k->fields, message);
}

const struct fields *message_fields(enum wire_kind kind)
{
	return &kinds[kind].fields;
}

bool message_packed(enum wire_kind kind)
{
	return kinds[kind].pack;
}

int message_send(struct link *l, enum wire_kind kind, const void *message)
{
	struct wire_out o = {.len = 0};
	int ret;

	message_put(&o, kind, message);
	ret = link_put(l, kind, &o, kinds[kind].pack);
	wire_clear(&o);
	return ret;
}

int message_get(const struct link_frame *f, void *message, size_t budget, struct err *err)
{
	const struct kind *k = &kinds[f->kind];
	struct wire_in in = {f->data, f->data + f->len, false};
	size_t nmagic = k->magic ? strlen(k->magic) : 0;
	const void *magic = wire_get_bytes(&in, nmagic);
	int ret;

	if (k->fields.size)
		memset(message, 0, k->fields.size);
	if (in.failed || (nmagic && memcmp(magic, k->magic, nmagic) != 0))
		return err_set(err, EPROTO, "the data received is not from ringtop");
	ret = fields_get(&in, &k->fields, message, &budget, err);
	if (ret)
		message_clear(f->kind, message);
	return ret;
}

void message_clear(enum wire_kind kind, void *message)
{
	if (kinds[kind].fields.size)
		fields_clear(&kinds[kind].fields, message);
}
