/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A message is a sequence of fields; a field is a varint of number << 3 | type, then a varint (type
 * 0) or a length and that many bytes (type 2).  That is all of protobuf that is needed here.
 * Messages inside are built in a buffer of their own first, since their length comes before them.
 *
 * Ids begin with 1, in the order of struct stacks's tables; the strings come last.
 */
#include "front/export_pprof.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "model/stacks.h"

enum { PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION, PROFILE_FUNCTION,
       PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION, PROFILE_PERIOD_TYPE, PROFILE_PERIOD,
       PROFILE_COMMENT, PROFILE_DEFAULT_TYPE };
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STRING, LABEL_NUMBER };
enum { MAPPING_ID = 1, MAPPING_START, MAPPING_LIMIT, MAPPING_OFFSET, MAPPING_FILE, MAPPING_BUILD_ID,
       MAPPING_HAS_FUNCTIONS };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1, LINE_LINE };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE };

struct pprof {
	struct out *o;
	const struct export_source *src;
	const struct session_info *info;
	const struct stacks *s;
	struct intern *strings;
	struct out message, inner; /* under way: a field of the profile, a field of that */
	uint32_t comm, pid, tid;   /* names of labels */
};

/* --- protobuf --------------------------------------------------------------------------- */

static void put_varint(struct out *o, uint64_t n)
{
	char buf[10];
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		buf[len++] = (char)(n | 0x80);
	buf[len++] = (char)n;
	out_bytes(o, buf, len);
}

static void put_uint(struct out *o, unsigned field, uint64_t n)
{
	if (!n)
		return; /* the default */
	put_varint(o, field << 3);
	put_varint(o, n);
}

static void put_bytes(struct out *o, unsigned field, const char *data, size_t len)
{
	put_varint(o, field << 3 | 2);
	put_varint(o, len);
	if (len)
		out_bytes(o, data, len);
}

/* Put what was built in `from` into `o`, and begin anew. */
static void put_message(struct out *o, unsigned field, struct out *from)
{
	put_bytes(o, field, from->data, from->len);
	if (from->error && !o->error)
		o->error = from->error;
	from->len = 0;
}

/* --- fields ----------------------------------------------------------------------------- */

static uint32_t string(struct pprof *p, const char *name)
{
	return export_string(p->o, p->strings, name);
}

static void put_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	put_uint(&p->message, TYPE_TYPE, string(p, type));
	put_uint(&p->message, TYPE_UNIT, string(p, unit));
	put_message(p->o, field, &p->message);
}

static void put_types(struct pprof *p)
{
	char samples[sizeof(p->info->events->name) + 16] = "samples";

	for (unsigned e = 0; e < p->info->nevents; e++) {
		const struct session_event *event = &p->info->events[e];

		if (p->info->nevents > 1)
			snprintf(samples, sizeof(samples), "%s samples", event->name);
		put_type(p, PROFILE_SAMPLE_TYPE, samples, "count");
		put_type(p, PROFILE_SAMPLE_TYPE, event->name, export_unit(event));
	}
}

static void put_label(struct pprof *p, uint32_t key, uint32_t text, int32_t number)
{
	if (!text && number < 0)
		return;
	put_uint(&p->inner, LABEL_KEY, key);
	put_uint(&p->inner, LABEL_STRING, text);
	put_uint(&p->inner, LABEL_NUMBER, text ? 0 : (uint64_t)number);
	put_message(&p->message, SAMPLE_LABEL, &p->inner);
}

static void put_sample(struct pprof *p, const struct stack *stack)
{
	const struct stacks_task *task = &p->s->tasks[stack->task];

	for (uint32_t path = stack->path; path != STACKS_NONE; path = p->s->paths[path].parent)
		put_varint(&p->inner, p->s->paths[path].frame + 1ull);
	put_message(&p->message, SAMPLE_LOCATION, &p->inner);
	for (unsigned e = 0; e < p->info->nevents; e++) {
		put_varint(&p->inner, e == stack->event ? stack->samples : 0);
		put_varint(&p->inner, e == stack->event ? stack->weight : 0);
	}
	put_message(&p->message, SAMPLE_VALUE, &p->inner);
	put_label(p, p->comm, string(p, task->comm), -1);
	put_label(p, p->pid, 0, task->pid);
	put_label(p, p->tid, 0, task->tid);
	put_message(p->o, PROFILE_SAMPLE, &p->message);
}

static bool object_has_functions(const struct stacks *s, uint32_t object)
{
	for (size_t i = 0; i < s->nfunctions; i++)
		if (s->functions[i].object == object && !s->functions[i].unresolved)
			return true;
	return false;
}

static void put_mapping(struct pprof *p, uint32_t i)
{
	const struct stacks_object *object = &p->s->objects[i];
	char hex[2 * STACKS_BUILD_ID_MAX + 1];

	text_hex(hex, object->build_id, object->build_id_len);
	put_uint(&p->message, MAPPING_ID, i + 1ull);
	/* up to the end of the last page that was met */
	put_uint(&p->message, MAPPING_LIMIT,
		 object->last < UINT64_MAX - 4096 ? (object->last | 4095) + 1 : UINT64_MAX);
	put_uint(&p->message, MAPPING_FILE, string(p, *object->name ? object->name : "[unknown]"));
	put_uint(&p->message, MAPPING_BUILD_ID, string(p, hex));
	put_uint(&p->message, MAPPING_HAS_FUNCTIONS, object_has_functions(p->s, i));
	put_message(p->o, PROFILE_MAPPING, &p->message);
}

/* The innermost first: what is inlined stands before what it is in. */
static void put_lines(struct pprof *p, uint32_t i, unsigned depth)
{
	const struct stacks_frame *f = &p->s->frames[i];

	if (f->inner != STACKS_NONE && depth < FRAME_LEVELS_MAX)
		put_lines(p, f->inner, depth + 1);
	/* An address without a name has no line: pprof shows the address, or looks for a name itself. */
	if (p->s->functions[f->function].unresolved)
		return;
	put_uint(&p->inner, LINE_FUNCTION, f->function + 1ull);
	put_uint(&p->inner, LINE_LINE, f->line);
	put_message(&p->message, LOCATION_LINE, &p->inner);
}

static void put_location(struct pprof *p, uint32_t i)
{
	const struct stacks_frame *f = &p->s->frames[i];

	if (f->level)
		return; /* a part of the location that it is in */
	put_uint(&p->message, LOCATION_ID, i + 1ull);
	put_uint(&p->message, LOCATION_MAPPING, f->object == STACKS_NONE ? 0 : f->object + 1ull);
	put_uint(&p->message, LOCATION_ADDRESS, f->addr);
	put_lines(p, i, 0);
	put_message(p->o, PROFILE_LOCATION, &p->message);
}

static void put_function(struct pprof *p, uint32_t i)
{
	const struct stacks_function *f = &p->s->functions[i];

	put_uint(&p->message, FUNCTION_ID, i + 1ull);
	put_uint(&p->message, FUNCTION_NAME, string(p, f->name));
	put_uint(&p->message, FUNCTION_SYSTEM_NAME, string(p, f->name));
	put_uint(&p->message, FUNCTION_FILE, string(p, f->file));
	put_message(p->o, PROFILE_FUNCTION, &p->message);
}

static void put_times(struct pprof *p)
{
	const struct stacks_slice *slice = p->s->slices;
	const struct session_event *e = &p->info->events[0];
	uint64_t period = e->period;

	if (p->s->nslices) {
		put_uint(p->o, PROFILE_TIME, p->info->start_wall + slice->start);
		put_uint(p->o, PROFILE_DURATION, slice->end - slice->start);
	}
	/* of a clock, the frequency says it too */
	if (!period && e->frequency && !strcmp(export_unit(e), "nanoseconds"))
		period = NSEC_PER_SEC / e->frequency;
	put_type(p, PROFILE_PERIOD_TYPE, e->name, export_unit(e));
	put_uint(p->o, PROFILE_PERIOD, period);
	put_uint(p->o, PROFILE_DEFAULT_TYPE, string(p, e->name));
}

static void put_comment(struct pprof *p, const char *text)
{
	if (*text)
		put_uint(p->o, PROFILE_COMMENT, string(p, text));
}

static void put_comments(struct pprof *p)
{
	char text[512];

	snprintf(text, sizeof(text), "ringtop %s on %s: %s", p->src->version ? p->src->version : "",
		 p->info->host, p->info->target);
	put_comment(p, text);
	for (unsigned e = 0; e < p->info->nevents; e++) {
		export_loss(p->src, e, text, sizeof(text));
		put_comment(p, text);
	}
	export_missing(p->src, p->s->missing, text, sizeof(text));
	put_comment(p, text);
}

static void put_strings(struct pprof *p)
{
	put_bytes(p->o, PROFILE_STRING, NULL, 0);
	for (uint32_t id = 1; id < intern_bound(p->strings); id++) {
		size_t len;
		const char *text = intern_key(p->strings, id, &len);

		put_bytes(p->o, PROFILE_STRING, text, len);
	}
}

static void put_profile(struct pprof *p)
{
	p->comm = string(p, "comm");
	p->pid = string(p, "pid");
	p->tid = string(p, "tid");
	put_types(p);
	for (size_t i = 0; i < p->s->nr; i++)
		put_sample(p, &p->s->stacks[i]);
	for (uint32_t i = 0; i < p->s->nobjects; i++)
		put_mapping(p, i);
	for (uint32_t i = 0; i < p->s->nframes; i++)
		put_location(p, i);
	for (uint32_t i = 0; i < p->s->nfunctions; i++)
		put_function(p, i);
	put_times(p);
	put_comments(p);
	put_strings(p);
}

static void pprof_write(struct out *o, const struct export_source *src)
{
	struct stacks *s = stacks_create(src->model, src->query, src->window, STACKS_ALL_EVENTS);
	struct pprof p = {.o = o, .src = src, .info = model_info(src->model), .s = s,
			  .strings = intern_create()};

	out_init(&p.message, -1, -1);
	out_init(&p.inner, -1, -1);
	if (s && p.strings)
		put_profile(&p);
	else
		o->error = -ENOMEM;
	out_clear(&p.message);
	out_clear(&p.inner);
	intern_free(p.strings);
	stacks_free(s);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.gzip = true,
	.write = pprof_write,
};
