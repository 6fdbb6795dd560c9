/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/resolve/frames_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "files/elf/demangle.h"
#include "names/resolve/frames_parts.h"

#define AGAIN_MS 10000 /* ms between reads of the symbols, if one was not found */
#define LOOK_MS  1000  /* ms between looks at modules, while samples are in one */
#define MET_MS   20000 /* ms that looks go on after the last such sample not from the cache */

/*
 * Return the symbol, demangled here: few of the kernel's names are mangled, and all come from the
 * kernel.  Programs and modules come and go: another name at the same place is another symbol.
 */
static uint32_t kernel_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e)
{
	uint64_t version = hash_bytes(e->name, strlen(e->name)) | 1;
	uint32_t id = dictout_symbol_find(r->names, object, e->addr, version);
	struct symtab_entry readable = *e;
	char *made[1 + SYMTAB_ALSO];

	if (id)
		return id;
	for (unsigned i = 0; i <= SYMTAB_ALSO; i++) {
		const char **name = i ? &readable.also[i - 1] : &readable.name;

		made[i] = *name ? demangle(*name, &r->kernel_names) : NULL;
		*name = made[i] ? made[i] : *name;
	}
	id = frames_symbol(r, object, &readable, version);
	for (unsigned i = 0; i <= SYMTAB_ALSO; i++)
		free(made[i]);
	return id;
}

static enum object_state kernel_state(const struct resolver *r)
{
	if (r->kernel.loaded)
		return OBJECT_READY;
	return r->kernel.busy ? OBJECT_LOADING : OBJECT_NAMELESS;
}

static uint32_t kernel_object(struct resolver *r, uint64_t ip)
{
	const char *module = r->kernel.loaded ? kallsyms_module_of(&r->kernel.syms, ip) : "";
	enum object_state state = kernel_state(r);
	char name[80];

	if (!*module)
		return frames_fixed_object(r, "[kernel]", OBJECT_KERNEL, state,
					   state == OBJECT_NAMELESS ? r->kernel.why : NULL);
	snprintf(name, sizeof(name), "[%.60s]", module);
	return frames_fixed_object(r, name, OBJECT_MODULE, state, NULL);
}

/*
 * Return the module that /proc/kallsyms has for code that the kernel generates, as records have
 * none; NULL: other code.
 */
static const char *written_by(const char *name)
{
	if (!strcmp(name, "ftrace_trampoline"))
		return "[__builtin__ftrace]";
	if (!strcmp(name, "kprobe_insn_page") || !strcmp(name, "kprobe_optinsn_page"))
		return "[__builtin__kprobes]";
	return NULL;
}

/* Fill in a function named in a record, of the kernel or of a module: "ext4_sync_file\t[ext4]". */
static void named_value(struct resolver *r, const struct kmap *map, struct dict_frame *v)
{
	const char *tab = strchr(map->name, '\t');
	bool said = tab && tab[1] == '[' && tab[strlen(tab) - 1] == ']';
	const char *module = said ? tab + 1 : written_by(map->name);
	char name[sizeof(map->name)];
	struct symtab_entry e = {.addr = map->start, .size = map->end - map->start, .name = name};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(map->name, "\t"), map->name);
	v->object = frames_fixed_object(r, module ? module : "[kernel]",
					module ? OBJECT_MODULE : OBJECT_KERNEL, OBJECT_READY, NULL);
	v->symbol = kernel_symbol(r, v->object, &e);
	if (kernel_halts(name))
		v->flags |= FRAME_IDLE;
}

static void gone_value(struct resolver *r, struct dict_frame *v)
{
	v->object = frames_fixed_object(r, "[kernel]", OBJECT_KERNEL, OBJECT_NAMELESS,
					"the kernel code at that address was already gone, or not "
					"loaded yet");
}

/* Fill in the name that a record has for the place.  False: it has none. */
static bool said_value(struct resolver *r, const struct kmap *map, struct dict_frame *v)
{
	struct symtab_entry e = {.addr = map->start, .size = map->end - map->start,
				 .name = map->name};

	switch (map->kind) {
	case KMAP_PROGRAM:
		v->object = frames_fixed_object(r, "[bpf]", OBJECT_MODULE, OBJECT_READY, NULL);
		v->symbol = kernel_symbol(r, v->object, &e);
		return true;
	case KMAP_SYMBOL:
		named_value(r, map, v);
		return true;
	case KMAP_GONE:
		gone_value(r, v);
		return true;
	default:
		return false;
	}
}

static void recorded_value(struct resolver *r, const struct kmap *map, uint64_t ip,
			   struct dict_frame *v)
{
	struct symtab_entry e = {.name = ""};
	const struct symtab *symbols;
	enum object_state state;
	const char *why;
	uint64_t moved;
	bool found;

	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL};
	if (map && said_value(r, map, v))
		return;
	if (!map && r->kmaps.kernel.start != r->kmaps.kernel.end) {
		v->object = frames_fixed_object(r, "[unknown]", OBJECT_UNKNOWN, OBJECT_NAMELESS,
					 "no map of the kernel covers the address");
		return;
	}
	symbols = kernelfile_symbols(&r->kernel, &r->kmaps, map, &moved, &why);
	state = symbols ? OBJECT_READY : r->kernel.busy ? OBJECT_LOADING : OBJECT_NAMELESS;
	v->object =
		frames_fixed_object(r, map ? map->name : "[kernel]",
				    map && map->kind == KMAP_MODULE ? OBJECT_MODULE : OBJECT_KERNEL,
				    state, symbols ? NULL : why);
	found = kernelfile_find(&r->kernel, &r->kmaps, map, ip, &e);
	if (kernelfile_idle(&r->kernel, &r->kmaps, map, ip) || (found && kernel_halts(e.name)))
		v->flags |= FRAME_IDLE;
	if (found)
		v->symbol = kernel_symbol(r, v->object, &e);
	else if (map && map->kind == KMAP_MODULE && state != OBJECT_LOADING)
		v->addr = ip - map->start; /* as in its file, which can be looked into */
}

/* Fill in the kernel's code at a place without a record. */
static void listed_value(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	struct symtab_entry e;

	v->object = kernel_object(r, ip);
	if (r->kernel.loaded && symtab_find(r->kernel.syms.symtab, ip, &e)) {
		symtab_names(r->kernel.syms.symtab, &e);
		v->symbol = kernel_symbol(r, v->object, &e);
		if (kernel_idles(r->kernel.syms.mark, ip) || kernel_halts(e.name))
			v->flags |= FRAME_IDLE;
		if (*kallsyms_module_of(&r->kernel.syms, ip))
			r->kernel.met = dictout_now(r->names) | 1;
	} else if (r->config.kernel && !r->kernel.busy && r->kernel.loaded &&
		   (int32_t)(dictout_now(r->names) - r->kernel.next) >= 0) {
		/* A module was loaded since, or records were lost. */
		r->kernel.next = dictout_now(r->names) + AGAIN_MS;
		frames_kernel_read(r);
	}
}

bool frames_kernel_timer(struct resolver *r, uint64_t ip, uint64_t time)
{
	static const char *const names[] = {"__hrtimer_run_queues", "call_timer_fn",
					    "expire_timers", "__run_timers", "run_timer_softirq"};
	const struct kmap *map = kmaps_find(&r->kmaps, ip, time);
	struct symtab_entry e = {.name = ""};

	if (map && map->kind == KMAP_SYMBOL)
		e.name = map->name;
	else if (r->config.recorded)
		kernelfile_find(&r->kernel, &r->kmaps, map, ip, &e);
	else if (r->kernel.loaded && symtab_find(r->kernel.syms.symtab, ip, &e))
		symtab_names(r->kernel.syms.symtab, &e);
	for (size_t i = 0; e.name && i < sizeof(names) / sizeof(names[0]); i++) {
		size_t len = strlen(names[i]);

		if (!strncmp(e.name, names[i], len) && (!e.name[len] || e.name[len] == '.'))
			return true;
	}
	return false;
}

static void live_value(struct resolver *r, const struct kmap *map, uint64_t ip,
		       struct dict_frame *v)
{
	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL};
	if (!map || !said_value(r, map, v))
		listed_value(r, ip, v);
}

/*
 * Fill in a frame that waited for the symbols that were read now.  They may be too new for a place
 * that has a record since.
 */
static void value_again(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	const struct kmap *map = kmaps_find(&r->kmaps, ip, KMAPS_NOW);

	if (r->config.recorded) {
		recorded_value(r, map, ip, v);
		return;
	}
	live_value(r, NULL, ip, v);
	if (!map)
		return;
	v->symbol = 0;
	gone_value(r, v);
}

/* Name the waiting frames: symbols were read, or could not be. */
static void kernel_loaded(void *arg)
{
	struct resolver *r = arg;
	size_t nr = r->nkernel_waiting;

	r->nkernel_waiting = 0;
	kmaps_reread(&r->kmaps, r->kmaps_read);
	frames_forget(r);
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = r->kernel_waiting[i];
		struct dict_frame v;

		if (!dictout_frame_known(r->names, id) ||
		    !(dictout_frame_value(r->names, id)->flags & FRAME_KERNEL))
			continue;
		value_again(r, dictout_frame_value(r->names, id)->addr, &v);
		dictout_frame_update(r->names, id, &v);
	}
	if (!r->kernel.loaded && r->kernel.why)
		slice_log(r->slice, SLICE_WARNING, "kernel symbols: %s", r->kernel.why);
}

void frames_kernel_read(struct resolver *r)
{
	if (r->kernel.busy || r->kernel.looking)
		return;
	r->kmaps_read = r->kmaps.serial;
	kernel_load(&r->kernel, r->workers, kernel_loaded);
}

void frames_kernel_look(struct resolver *r)
{
	uint32_t now = dictout_now(r->names);

	if (!r->config.kernel || !r->kernel.loaded || r->kernel.busy || r->kernel.looking ||
	    !r->kernel.met || now - r->kernel.met > MET_MS || now - r->kernel.looked < LOOK_MS)
		return;
	r->kernel.looked = now;
	r->kmaps_read = r->kmaps.serial;
	kernel_look(&r->kernel, r->workers, kernel_loaded);
}

/*
 * Return a version that tells frames of one address apart.  Live it is the symbol, as another one
 * may be there later; without a symbol it counts the reads of the symbols, and code that was gone
 * has a fixed one.
 */
static uint32_t version_of(const struct resolver *r, const struct kmap *map,
			   const struct dict_frame *v)
{
	if (r->config.recorded)
		return map ? map->serial : 0;
	if (v->symbol)
		return v->symbol;
	return 1u << 31 | (map ? 1u << 30 : r->kernel.times);
}

uint32_t frames_kernel_make(struct resolver *r, uint64_t ip, uint64_t time)
{
	/* Rows of a file are resolved before a record changes anything. */
	const struct kmap *map = kmaps_find(&r->kmaps, ip, r->config.recorded ? KMAPS_NOW : time);
	struct frame_key key = {.place = PLACE_KERNEL, .addr = ip};
	struct dict_frame v;
	bool fresh;
	uint32_t id;

	if (r->config.recorded)
		recorded_value(r, map, ip, &v);
	else
		live_value(r, map, ip, &v);
	key.version = version_of(r, map, &v);
	id = dictout_frame(r->names, &key, &v, &fresh);
	if (id && fresh && !v.symbol && r->kernel.busy && (r->config.recorded || !map))
		frames_wait(r, &r->kernel_waiting, &r->nkernel_waiting, &r->cap_kernel_waiting, id);
	return id;
}

void frames_kernel_changed(struct resolver *r, const struct record_ksymbol *s, uint64_t time)
{
	uint64_t low = r->kmaps.low, high = r->kmaps.high;
	unsigned dropped = r->kmaps.dropped;

	if (!kmaps_ksymbol(&r->kmaps, s, time))
		return;
	r->kmaps_changed = dictout_now(r->names);
	/* Live, code that comes and goes is not cached. */
	if (r->config.recorded || r->kmaps.low != low || r->kmaps.high != high)
		frames_forget(r);
	if (dropped != r->kmaps.dropped && r->config.kernel)
		frames_kernel_read(r);
}
