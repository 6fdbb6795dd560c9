/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Firefox Profiler's processed profile format: one event over time.
 *
 * A thread per task with its samples by slice, and beside them counters: how full each sample ring
 * was, and how many samples were lost.  Newer viewers upgrade the version that is pinned here.
 *
 * The tables are those of struct stacks, column by column.  Thread 0 stands for ringtop and has the
 * counters; the others are the tasks, heaviest first.  A slice has no times of its samples: its
 * stacks are spread evenly over it.
 */
#include "report/export/export_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/text.h"
#include "report/jsonout.h"
#include "model/core/stacks.h"

#define VISIBLE 16 /* threads shown at first */

enum { CATEGORY_OTHER, CATEGORY_USER, CATEGORY_KERNEL };

struct thread {
	uint32_t task;
	uint64_t weight;
	size_t first, nr; /* range of its stacks */
};

struct firefox {
	struct out *o;
	const struct export_source *src;
	const struct session_info *info;
	const struct session_event *event;
	struct stacks *s;
	struct intern *strings;
	struct intern *sources; /* names of source files */
	struct thread *threads; /* sorted by weight */
	uint32_t *lib;          /* by object: its index among the files + 1; 0: no file */
	bool time;              /* weights are ns */
};

/* --- columns ---------------------------------------------------------------------------- */

/* Put a column of a table, `,"name":[value,...]`, calling put(f, index) for each value. */
static void put_column(struct firefox *f, const char *name, size_t nr,
		       void (*put)(struct firefox *f, uint32_t i))
{
	out_printf(f->o, ",\"%s\":[", name);
	for (uint32_t i = 0; i < nr && !f->o->error; i++) {
		if (i)
			out_bytes(f->o, ",", 1);
		put(f, i);
		export_breathe(f->o);
	}
	out_text(f->o, "]");
}

static void put_index(struct firefox *f, uint32_t i, const char *none)
{
	if (i == STACKS_NONE)
		out_text(f->o, none);
	else
		out_number(f->o, i);
}

static void put_string_index(struct firefox *f, const char *name)
{
	out_number(f->o, export_string(f->o, f->strings, name));
}

static void put_null(struct firefox *f, uint32_t i)
{
	(void)i;
	out_text(f->o, "null");
}

static void put_false(struct firefox *f, uint32_t i)
{
	(void)i;
	out_text(f->o, "false");
}

static void put_zero(struct firefox *f, uint32_t i)
{
	(void)i;
	out_text(f->o, "0");
}

static void put_one(struct firefox *f, uint32_t i)
{
	(void)i;
	out_text(f->o, "1");
}

static void stack_frame(struct firefox *f, uint32_t i)
{
	out_number(f->o, f->s->paths[i].frame);
}

static void stack_prefix(struct firefox *f, uint32_t i)
{
	put_index(f, f->s->paths[i].parent, "null");
}

/*
 * Put a frame's address in its file; -1 without a file, as for the kernel, or beyond JSON's range.
 */
static void frame_address(struct firefox *f, uint32_t i)
{
	const struct stacks_frame *frame = &f->s->frames[i];

	if (frame->object != STACKS_NONE && f->lib[frame->object] && frame->addr >> 53 == 0)
		out_number(f->o, frame->addr);
	else
		out_text(f->o, "-1");
}

static void frame_inline(struct firefox *f, uint32_t i)
{
	const struct stacks_frame *frame = &f->s->frames[i];

	out_number(f->o, frame->level ? frame->level : frame->inlined);
}

static void frame_line(struct firefox *f, uint32_t i)
{
	if (f->s->frames[i].line)
		out_number(f->o, f->s->frames[i].line);
	else
		out_text(f->o, "null");
}

static void frame_category(struct firefox *f, uint32_t i)
{
	out_number(f->o, f->s->frames[i].kernel ? CATEGORY_KERNEL : CATEGORY_USER);
}

static void frame_function(struct firefox *f, uint32_t i)
{
	out_number(f->o, f->s->frames[i].function);
}

static void function_name(struct firefox *f, uint32_t i)
{
	put_string_index(f, f->s->functions[i].name);
}

static void function_source(struct firefox *f, uint32_t i)
{
	const char *file = f->s->functions[i].file;
	uint32_t id = *file ? intern_get(f->sources, file, strlen(file), 0, NULL) : 0;

	put_index(f, id - 1, "null"); /* 0 - 1 is STACKS_NONE */
}

static void source_name(struct firefox *f, uint32_t i)
{
	put_string_index(f, intern_key(f->sources, i + 1, NULL));
}

static void function_resource(struct firefox *f, uint32_t i)
{
	put_index(f, f->s->functions[i].object, "-1");
}

static void resource_lib(struct firefox *f, uint32_t i)
{
	put_index(f, f->lib[i] - 1, "null"); /* 0 - 1 is STACKS_NONE */
}

static void resource_name(struct firefox *f, uint32_t i)
{
	put_string_index(f, f->s->objects[i].name);
}

static void put_length(struct firefox *f, const char *table, size_t nr)
{
	out_printf(f->o, "\"%s\":{\"length\":%zu", table, nr);
}

/* --- tables shared by threads ----------------------------------------------------------- */

static void put_tables(struct firefox *f)
{
	const struct stacks *s = f->s;

	put_length(f, "stackTable", s->npaths);
	put_column(f, "frame", s->npaths, stack_frame);
	put_column(f, "prefix", s->npaths, stack_prefix);
	out_text(f->o, "},\n");
	put_length(f, "frameTable", s->nframes);
	put_column(f, "address", s->nframes, frame_address);
	put_column(f, "inlineDepth", s->nframes, frame_inline);
	put_column(f, "category", s->nframes, frame_category);
	put_column(f, "subcategory", s->nframes, put_zero);
	put_column(f, "func", s->nframes, frame_function);
	put_column(f, "nativeSymbol", s->nframes, put_null);
	put_column(f, "innerWindowID", s->nframes, put_null);
	put_column(f, "line", s->nframes, frame_line);
	put_column(f, "column", s->nframes, put_null);
	out_text(f->o, "},\n");
	put_length(f, "funcTable", s->nfunctions);
	put_column(f, "name", s->nfunctions, function_name);
	put_column(f, "isJS", s->nfunctions, put_false);
	put_column(f, "relevantForJS", s->nfunctions, put_false);
	put_column(f, "resource", s->nfunctions, function_resource);
	put_column(f, "source", s->nfunctions, function_source);
	put_column(f, "lineNumber", s->nfunctions, put_null);
	put_column(f, "columnNumber", s->nfunctions, put_null);
	out_text(f->o, "},\n");
	put_length(f, "resourceTable", s->nobjects);
	put_column(f, "lib", s->nobjects, resource_lib);
	put_column(f, "name", s->nobjects, resource_name);
	put_column(f, "host", s->nobjects, put_null);
	put_column(f, "type", s->nobjects, put_one); /* a library */
	out_text(f->o, "},\n\"nativeSymbols\":{\"length\":0,\"libIndex\":[],\"address\":[],"
		       "\"name\":[],\"functionSize\":[]},\n");
	put_length(f, "sources", intern_count(f->sources));
	put_column(f, "uuid", intern_count(f->sources), put_null);
	put_column(f, "filename", intern_count(f->sources), source_name);
	out_text(f->o, "}");
}

/* Put the tables that all threads share; string 0 is the empty one, as export_string() has it. */
static void put_shared(struct firefox *f)
{
	out_text(f->o, ",\n\"shared\":{");
	put_tables(f);
	out_text(f->o, ",\n\"stringArray\":[\"\"");
	for (uint32_t id = 1; id < intern_bound(f->strings) && !f->o->error; id++) {
		out_text(f->o, ",\n");
		jsonout_name(f->o, intern_key(f->strings, id, NULL));
		export_breathe(f->o);
	}
	out_text(f->o, "]}");
}

/* Put a breakpad id: a GUID of the build-id's first 16 bytes, and an age of 0. */
static void put_breakpad_id(struct firefox *f, const struct stacks_object *object)
{
	static const uint8_t order[16] = {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15};

	for (unsigned i = 0; object->build_id.len && i < 16; i++)
		out_printf(f->o, "%02X",
			   order[i] < object->build_id.len ? object->build_id.bytes[order[i]] : 0);
	if (object->build_id.len)
		out_text(f->o, "0");
}

static void put_lib(struct firefox *f, const struct stacks_object *object)
{
	const char *slash = strrchr(object->name, '/');
	const char *name = slash ? slash + 1 : object->name;
	char hex[BUILD_ID_HEX];

	out_text(f->o, "{\"arch\":\"\"");
	jsonout_string(f->o, "name", name);
	jsonout_string(f->o, "path", object->name);
	jsonout_string(f->o, "debugName", name);
	jsonout_string(f->o, "debugPath", object->name);
	out_text(f->o, ",\"breakpadId\":\"");
	put_breakpad_id(f, object);
	out_text(f->o, object->build_id.len ? "\",\"codeId\":\"" : "\",\"codeId\":null");
	out_text(f->o, text_hex(hex, object->build_id.bytes, object->build_id.len));
	out_text(f->o, object->build_id.len ? "\"}" : "}");
}

static void put_libs(struct firefox *f)
{
	uint32_t nr = 0;

	out_text(f->o, ",\n\"libs\":[");
	for (size_t i = 0; i < f->s->nobjects; i++) {
		if (f->s->objects[i].kind != OBJECT_FILE)
			continue;
		out_text(f->o, nr ? ",\n" : "");
		put_lib(f, &f->s->objects[i]);
		f->lib[i] = ++nr;
	}
	out_text(f->o, "]");
}

/* --- threads ---------------------------------------------------------------------------- */

static void put_ms(struct firefox *f, double ns)
{
	out_printf(f->o, "%.6f", ns / 1e6);
}

/* Return the number of a thread's stacks, from `i` on, that are in one slice. */
static size_t slice_run(const struct firefox *f, const struct thread *t, size_t i)
{
	const struct stack *stack = f->s->stacks + t->first;
	size_t nr = 1;

	while (i + nr < t->nr && stack[i + nr].slice == stack[i].slice)
		nr++;
	return nr;
}

static void put_sample_times(struct firefox *f, const struct thread *t)
{
	size_t nr;

	for (size_t i = 0; i < t->nr; i += nr) {
		const struct stack *stack = &f->s->stacks[t->first + i];
		const struct stacks_slice *slice = &f->s->slices[stack->slice];
		double step;

		nr = slice_run(f, t, i);
		step = (double)(slice->end - slice->start) / (double)nr;
		for (size_t k = 0; k < nr; k++) {
			out_text(f->o, i + k ? "," : "");
			put_ms(f, (double)slice->start + ((double)k + 0.5) * step);
		}
		export_breathe(f->o);
	}
}

static void put_samples(struct firefox *f, const struct thread *t)
{
	const struct stack *stack = f->s->stacks + t->first;

	out_printf(f->o, ",\"samples\":{\"length\":%zu,\"weightType\":\"%s\",\"stack\":[", t->nr,
		   f->time ? "tracing-ms" : "samples");
	for (size_t i = 0; i < t->nr; i++) {
		out_text(f->o, i ? "," : "");
		put_index(f, stack[i].path, "null");
		export_breathe(f->o);
	}
	out_text(f->o, "],\"time\":[");
	put_sample_times(f, t);
	out_text(f->o, "],\"weight\":[");
	for (size_t i = 0; i < t->nr; i++) {
		out_text(f->o, i ? "," : "");
		if (f->time)
			put_ms(f, (double)stack[i].weight);
		else
			out_number(f->o, stack[i].samples);
		export_breathe(f->o);
	}
	out_text(f->o, "]}");
}

/*
 * Put pid and tid, as texts where they stand for several tasks or another host: they must differ.
 */
static void put_thread_ids(struct firefox *f, const struct stacks_task *task,
			   const struct thread *t)
{
	char id[400];

	out_printf(f->o, ",\"isMainThread\":%s", task->pid == task->tid ? "true" : "false");
	if (task->pid < 0) {
		out_printf(f->o, ",\"pid\":\"several %u\",\"tid\":\"several %u\"", t->task,
			   t->task);
	} else if (!*task->host) {
		out_printf(f->o, ",\"pid\":\"%d\",\"tid\":%d", task->pid, task->tid);
	} else {
		out_text(f->o, ",\"pid\":");
		snprintf(id, sizeof(id), "%s %d", task->host, task->pid);
		jsonout_name(f->o, id);
		out_text(f->o, ",\"tid\":");
		snprintf(id, sizeof(id), "%s %d", task->host, task->tid);
		jsonout_name(f->o, id);
	}
}

static void put_firefox_thread(struct firefox *f, const struct stacks_task *task,
			       const struct thread *t)
{
	char process[1024];

	snprintf(process, sizeof(process), "%s%s%s", task->host, *task->host ? ": " : "",
		 *task->process ? task->process : task->comm);
	out_text(f->o, "{\"processType\":\"default\",\"processName\":");
	jsonout_name(f->o, process);
	out_text(f->o, ",\"processStartupTime\":0,\"processShutdownTime\":null,\"registerTime\":0,"
		       "\"unregisterTime\":null,\"pausedRanges\":[],\"name\":");
	jsonout_name(f->o, task->comm);
	put_thread_ids(f, task, t);
	put_samples(f, t);
	out_text(f->o, ",\"markers\":{\"length\":0,\"data\":[],\"name\":[],\"startTime\":[],"
		       "\"endTime\":[],\"phase\":[],\"category\":[]}}");
}

static void put_threads(struct firefox *f)
{
	static const struct stacks_task ours = {.comm = "rings and losses", .process = "[ringtop]",
						.host = "", .pid = 0, .tid = 0};
	const struct thread none = {0};

	out_text(f->o, ",\n\"threads\":[\n");
	put_firefox_thread(f, &ours, &none);
	for (size_t i = 0; i < f->s->ntasks && !f->o->error; i++) {
		out_text(f->o, ",\n");
		put_firefox_thread(f, &f->s->tasks[f->threads[i].task], &f->threads[i]);
	}
	out_text(f->o, "]");
}

/* --- counters --------------------------------------------------------------------------- */

static struct window slice_window(const struct firefox *f, size_t i)
{
	return (struct window){f->s->slices[i].start, f->s->slices[i].end};
}

/* Return the most bytes that were unread in a ring in a slice. */
static double ring_fill(const struct firefox *f, size_t ring, size_t slice)
{
	struct gauge g;

	model_gauge(f->src->model, ring, slice_window(f, slice), &g);
	/* This format wants a value at each time: 0 stands for not measured. */
	return isnan(g.fill_max) ? 0 : g.fill_max * (double)g.now.size;
}

/* Return the samples lost in a slice; the causes are in meta.extra. */
static double event_lost(const struct firefox *f, size_t ring, size_t slice)
{
	struct account a;

	(void)ring;
	model_account(f->src->model, f->src->query->event, ALL_CPUS, slice_window(f, slice), &a);
	return (double)a.lost_samples_all;
}

/* Put a counter; `level`: values are levels, not counts, and the format wants their differences. */
static void put_firefox_counter(struct firefox *f, const char *name, const char *what, bool level,
				size_t ring,
				double (*value)(const struct firefox *f, size_t ring, size_t slice))
{
	double before = 0;

	out_text(f->o, "{\"name\":");
	jsonout_name(f->o, name);
	out_printf(f->o, ",\"category\":\"%s\",\"description\":\"%s\",\"pid\":\"0\","
			 "\"mainThreadIndex\":0,\"samples\":{\"length\":%zu,\"time\":[",
		   level ? "Memory" : "ringtop", what, f->s->nslices);
	for (size_t i = 0; i < f->s->nslices; i++) {
		out_text(f->o, i ? "," : "");
		put_ms(f, (double)f->s->slices[i].end);
	}
	out_text(f->o, "],\"count\":[");
	for (size_t i = 0; i < f->s->nslices; i++) {
		double now = value(f, ring, i);

		out_printf(f->o, "%s%.0f", i ? "," : "", level ? now - before : now);
		before = now;
		export_breathe(f->o);
	}
	out_printf(f->o, "]},\"display\":{\"graphType\":\"%s\",\"unit\":\"%s\",\"color\":\"%s\","
			 "\"markerSchemaLocation\":null,\"sortWeight\":%d,\"label\":",
		   level ? "line-accumulated" : "line-rate", level ? "bytes" : "",
		   level ? "orange" : "red", level ? 20 : 10);
	jsonout_name(f->o, name);
	out_printf(f->o, ",\"tooltipRows\":[{\"type\":\"value\",\"source\":\"%s\",\"format\":"
			 "{\"unit\":\"%s\"},\"label\":\"%s\"}]}}",
		   level ? "accumulated" : "count", level ? "bytes" : "number", what);
}

static void put_firefox_counters(struct firefox *f)
{
	const char *host;
	char name[400];
	struct gauge g;
	int cpu;

	out_text(f->o, ",\n\"counters\":[\n");
	put_firefox_counter(f, "samples lost", "samples lost", false, 0, event_lost);
	for (size_t i = 0; i < model_ngauges(f->src->model) && !f->o->error; i++) {
		model_gauge(f->src->model, i, f->src->window, &g);
		if (g.now.kind != RING_SAMPLE)
			continue;
		cpu = session_place(f->info, g.now.cpu).cpu;
		host = session_place_name(f->info, g.now.cpu);
		snprintf(name, sizeof(name), "ring fill, %s%s%s %d", host, *host ? " " : "",
			 cpu >= 0 ? "cpu" : "thread", cpu >= 0 ? cpu : g.now.tid);
		out_text(f->o, ",\n");
		put_firefox_counter(f, name, "unread bytes", true, i, ring_fill);
	}
	out_text(f->o, "]");
}

/* --- meta ------------------------------------------------------------------------------- */

static double sample_interval(const struct firefox *f)
{
	if (f->event->frequency)
		return 1000.0 / f->event->frequency;
	return f->time && f->event->period ? (double)f->event->period / 1e6 : 1;
}

/* Put an entry of the accounts, if there is a text. */
static void put_extra_entry(struct firefox *f, const char *label, const char *text)
{
	if (!*text)
		return;
	jsonout_open(f->o, NULL, "{");
	jsonout_string(f->o, "label", label);
	jsonout_string(f->o, "format", "string");
	jsonout_string(f->o, "value", text);
	out_text(f->o, "}");
}

static void put_extra(struct firefox *f)
{
	char text[512];

	out_text(f->o, ",\"extra\":[{\"label\":\"Accounts\",\"entries\":[");
	for (unsigned e = 0; e < f->info->nevents; e++) {
		export_loss(f->src, e, text, sizeof(text));
		put_extra_entry(f, f->info->events[e].name, text);
	}
	export_missing(f->src, f->s->missing, text, sizeof(text));
	put_extra_entry(f, "forgotten", text);
	export_marks(f->src, text, sizeof(text));
	put_extra_entry(f, "marks", text);
	out_text(f->o, "]}]");
}

static void put_meta(struct firefox *f)
{
	size_t shown = f->s->ntasks < VISIBLE ? f->s->ntasks : VISIBLE;

	out_printf(f->o,
		   "{\"meta\":{\"preprocessedProfileVersion\":%d,\"version\":24,\"interval\":%.6f,"
		   "\"startTime\":%.3f",
		   FIREFOX_VERSION, sample_interval(f), (double)f->info->start_wall / 1e6);
	out_text(f->o, ",\"product\":");
	jsonout_name(f->o, f->info->target);
	out_text(f->o, ",\"importedFrom\":\"ringtop\",\"oscpu\":\"Linux\",\"platform\":");
	jsonout_name(f->o, f->info->host);
	out_printf(f->o, ",\"logicalCPUs\":%u", f->info->cpus);
	out_text(f->o, ",\"processType\":0,\"stackwalk\":1,\"debug\":false,\"symbolicated\":true,"
		       "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
		       "\"keepProfileThreadOrder\":true,\"markerSchema\":[],"
		       "\"extensions\":{\"length\":0,\"baseURL\":[],\"id\":[],\"name\":[]},"
		       "\"sampleUnits\":{\"time\":\"ms\",\"eventDelay\":\"ms\","
		       "\"threadCPUDelta\":\"\302\265s\"},\"categories\":["
		       "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},"
		       "{\"name\":\"User\",\"color\":\"yellow\",\"subcategories\":[\"Other\"]},"
		       "{\"name\":\"Kernel\",\"color\":\"orange\",\"subcategories\":[\"Other\"]}],"
		       "\"initialVisibleThreads\":[0");
	for (size_t i = 1; i <= shown; i++)
		out_printf(f->o, ",%zu", i);
	out_text(f->o,
		 shown ? "],\"initialSelectedThreads\":[1]" : "],\"initialSelectedThreads\":[0]");
	put_extra(f);
	out_text(f->o, "},\n\"pages\":[],\"profilerOverhead\":[]");
}

/* --- all of it -------------------------------------------------------------------------- */

static int compare_task_stacks(const void *left, const void *right)
{
	const struct stack *a = left, *b = right;

	return COMPARE(a->task, b->task) ?: COMPARE(a->slice, b->slice) ?:
	       COMPARE(a->path, b->path);
}

static int thread_compare(const void *left, const void *right)
{
	const struct thread *a = left, *b = right;

	return COMPARE(b->weight, a->weight) ?: COMPARE(a->task, b->task);
}

static int sort_threads(struct firefox *f)
{
	struct stacks *s = f->s;

	f->threads = calloc(s->ntasks + 1, sizeof(*f->threads));
	f->lib = calloc(s->nobjects + 1, sizeof(*f->lib));
	if (!f->threads || !f->lib)
		return -ENOMEM;
	if (s->nr)
		qsort(s->stacks, s->nr, sizeof(*s->stacks), compare_task_stacks);
	for (size_t i = 0; i < s->nr; i++) {
		struct thread *t = &f->threads[s->stacks[i].task];

		if (!t->nr)
			*t = (struct thread){.task = s->stacks[i].task, .first = i};
		t->nr++;
		t->weight += s->stacks[i].weight;
	}
	if (s->ntasks)
		qsort(f->threads, s->ntasks, sizeof(*f->threads), thread_compare);
	return 0;
}

static void firefox_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);
	struct firefox f = {.o = o,
			    .src = src,
			    .info = info,
			    .event = &info->events[src->query->event],
			    .s = stacks_create(src->model, src->query, src->window,
					       STACKS_BY_SLICE | STACKS_INLINED),
			    .strings = intern_create(),
			    .sources = intern_create()};

	f.time = *export_unit(f.event) == 'n';
	if (!f.s || !f.strings || !f.sources || sort_threads(&f)) {
		o->error = -ENOMEM;
	} else {
		put_meta(&f);
		put_libs(&f);
		put_threads(&f);
		put_firefox_counters(&f);
		put_shared(&f);
		out_text(o, "}\n");
	}
	free(f.threads);
	free(f.lib);
	intern_free(f.strings);
	intern_free(f.sources);
	stacks_free(f.s);
}

const struct export_format export_firefox = {
	.name = "firefox",
	.suffix = ".firefox.json",
	.write = firefox_write,
};
