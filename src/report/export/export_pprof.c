/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Google/pprof's profile.proto, gzipped: go tool pprof, Pyroscope, Parca.
 *
 * All events, two values each: samples and weight.  Addresses are in the objects' own address
 * spaces (ELF vaddr), so every mapping begins at 0 of its file.
 *
 * Each field of the profile is built in a buffer of its own (base/protobuf.h) and goes out then.
 *
 * Ids begin with 1, in the order of struct stacks's tables; the strings come last.
 */
#include "report/export/export_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/protobuf.h"
#include "base/text.h"
#include "model/core/stacks.h"

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
	struct wire_out message;       /* field of the profile that is being built */
	uint32_t host, comm, pid, tid; /* names of labels */
};

/* Append the field of the profile that was built, and start a new one. */
static void put_out(struct pprof *p)
{
	if (p->message.failed)
		p->o->error = p->o->error ? p->o->error : -ENOMEM;
	else if (p->message.len)
		out_bytes(p->o, (const char *)p->message.data, p->message.len);
	p->message.len = 0;
}

static void close_message(struct pprof *p, size_t opened)
{
	protobuf_close(&p->message, opened);
	put_out(p);
}

static void put_uint(struct pprof *p, unsigned field, uint64_t n)
{
	protobuf_put_uint(&p->message, field, n);
}

/* --- fields ----------------------------------------------------------------------------- */

static uint32_t string(struct pprof *p, const char *name)
{
	return export_string(p->o, p->strings, name);
}

static void put_type(struct pprof *p, unsigned field, const char *type, const char *unit)
{
	size_t opened = protobuf_open(&p->message, field);

	put_uint(p, TYPE_TYPE, string(p, type));
	put_uint(p, TYPE_UNIT, string(p, unit));
	close_message(p, opened);
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
	size_t opened;

	if (!text && number < 0)
		return;
	opened = protobuf_open(&p->message, SAMPLE_LABEL);
	put_uint(p, LABEL_KEY, key);
	put_uint(p, LABEL_STRING, text);
	put_uint(p, LABEL_NUMBER, text ? 0 : (uint64_t)number);
	protobuf_close(&p->message, opened);
}

static void put_pprof_sample(struct pprof *p, const struct stack *stack)
{
	const struct stacks_task *task = &p->s->tasks[stack->task];
	struct wire_out *o = &p->message;
	size_t sample = protobuf_open(o, PROFILE_SAMPLE),
	       opened = protobuf_open(o, SAMPLE_LOCATION);

	for (uint32_t path = stack->path; path != STACKS_NONE; path = p->s->paths[path].parent)
		protobuf_put_varint(o, p->s->paths[path].frame + 1ull);
	protobuf_close(o, opened);
	opened = protobuf_open(o, SAMPLE_VALUE);
	for (unsigned e = 0; e < p->info->nevents; e++) {
		protobuf_put_varint(o, e == stack->event ? stack->samples : 0);
		protobuf_put_varint(o, e == stack->event ? stack->weight : 0);
	}
	protobuf_close(o, opened);
	put_label(p, p->host, string(p, task->host), -1);
	put_label(p, p->comm, string(p, task->comm), -1);
	put_label(p, p->pid, 0, task->pid);
	put_label(p, p->tid, 0, task->tid);
	close_message(p, sample);
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
	char hex[BUILD_ID_HEX];
	size_t opened = protobuf_open(&p->message, PROFILE_MAPPING);

	text_hex(hex, object->build_id.bytes, object->build_id.len);
	put_uint(p, MAPPING_ID, i + 1ull);
	/* up to the end of the last page that has a sampled address */
	put_uint(p, MAPPING_LIMIT,
		 object->last < UINT64_MAX - 4096 ? (object->last | 4095) + 1 : UINT64_MAX);
	put_uint(p, MAPPING_FILE, string(p, *object->name ? object->name : "[unknown]"));
	put_uint(p, MAPPING_BUILD_ID, string(p, hex));
	put_uint(p, MAPPING_HAS_FUNCTIONS, object_has_functions(p->s, i));
	close_message(p, opened);
}

/*
 * Put a location's lines, the innermost first: inlined functions stand before the function around.
 */
static void put_lines(struct pprof *p, uint32_t i, unsigned depth)
{
	const struct stacks_frame *f = &p->s->frames[i];
	size_t opened;

	if (f->inner != STACKS_NONE && depth < FRAME_LEVELS_MAX)
		put_lines(p, f->inner, depth + 1);
	/*
	 * An address without a name has no line: pprof shows the address, or looks for a name
	 * itself.
	 */
	if (p->s->functions[f->function].unresolved && !p->s->functions[f->function].place)
		return;
	opened = protobuf_open(&p->message, LOCATION_LINE);
	put_uint(p, LINE_FUNCTION, f->function + 1ull);
	put_uint(p, LINE_LINE, f->line);
	protobuf_close(&p->message, opened);
}

static void put_location(struct pprof *p, uint32_t i)
{
	const struct stacks_frame *f = &p->s->frames[i];
	size_t opened;

	if (f->level)
		return; /* inlined: part of another frame's location */
	opened = protobuf_open(&p->message, PROFILE_LOCATION);
	put_uint(p, LOCATION_ID, i + 1ull);
	put_uint(p, LOCATION_MAPPING, f->object == STACKS_NONE ? 0 : f->object + 1ull);
	put_uint(p, LOCATION_ADDRESS, f->addr);
	put_lines(p, i, 0);
	close_message(p, opened);
}

static void put_pprof_function(struct pprof *p, uint32_t i)
{
	const struct stacks_function *f = &p->s->functions[i];
	size_t opened = protobuf_open(&p->message, PROFILE_FUNCTION);

	put_uint(p, FUNCTION_ID, i + 1ull);
	put_uint(p, FUNCTION_NAME, string(p, f->name));
	put_uint(p, FUNCTION_SYSTEM_NAME, string(p, f->name));
	put_uint(p, FUNCTION_FILE, string(p, f->file));
	close_message(p, opened);
}

static void put_times(struct pprof *p)
{
	const struct stacks_slice *slice = p->s->slices;
	const struct session_event *e = &p->info->events[0];
	uint64_t period = e->period;

	if (p->s->nslices) {
		put_uint(p, PROFILE_TIME, p->info->start_wall + slice->start);
		put_uint(p, PROFILE_DURATION, slice->end - slice->start);
	}
	/* for a clock, the frequency gives it too */
	if (!period && e->frequency && !strcmp(export_unit(e), "nanoseconds"))
		period = NSEC_PER_SEC / e->frequency;
	put_type(p, PROFILE_PERIOD_TYPE, e->name, export_unit(e));
	put_uint(p, PROFILE_PERIOD, period);
	put_uint(p, PROFILE_DEFAULT_TYPE, string(p, e->name));
	put_out(p);
}

static void put_comment(struct pprof *p, const char *text)
{
	if (*text)
		put_uint(p, PROFILE_COMMENT, string(p, text));
	put_out(p);
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
	export_marks(p->src, text, sizeof(text));
	put_comment(p, text);
}

static void put_strings(struct pprof *p)
{
	protobuf_put_bytes(&p->message, PROFILE_STRING, NULL, 0);
	for (uint32_t id = 1; id < intern_bound(p->strings); id++) {
		size_t len;
		const char *text = intern_key(p->strings, id, &len);

		protobuf_put_bytes(&p->message, PROFILE_STRING, text, len);
		put_out(p);
	}
	put_out(p);
}

static void put_pprof_profile(struct pprof *p)
{
	p->host = p->info->nhosts > 1 ? string(p, "host") : 0;
	p->comm = string(p, "comm");
	p->pid = string(p, "pid");
	p->tid = string(p, "tid");
	put_types(p);
	for (size_t i = 0; i < p->s->nr; i++)
		put_pprof_sample(p, &p->s->stacks[i]);
	for (uint32_t i = 0; i < p->s->nobjects; i++)
		put_mapping(p, i);
	for (uint32_t i = 0; i < p->s->nframes; i++)
		put_location(p, i);
	for (uint32_t i = 0; i < p->s->nfunctions; i++)
		put_pprof_function(p, i);
	put_times(p);
	put_comments(p);
	put_strings(p);
}

static void pprof_write(struct out *o, const struct export_source *src)
{
	struct stacks *s = stacks_create(src->model, src->query, src->window, STACKS_ALL_EVENTS);
	struct pprof p = {.o = o, .src = src, .info = model_info(src->model), .s = s,
			  .strings = intern_create()};

	if (s && p.strings)
		put_pprof_profile(&p);
	else
		o->error = -ENOMEM;
	wire_clear(&p.message);
	intern_free(p.strings);
	stacks_free(s);
}

const struct export_format export_pprof = {
	.name = "pprof",
	.suffix = ".pb.gz",
	.gzip = true,
	.write = pprof_write,
};
