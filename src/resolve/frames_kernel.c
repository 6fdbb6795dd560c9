/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "resolve/frames_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"
#include "resolve/frames_parts.h"

#define AGAIN_MS 10000 /* between looks at its symbols, where one was not found */

/* Of the kernel: few of its names are mangled, and nobody else's are. */
static uint32_t kernel_symbol(struct resolver *r, uint32_t object, const struct symtab_entry *e)
{
	uint32_t id = dictout_symbol_find(r->names, object, e->addr, 0);
	struct symtab_entry readable = *e;
	char *name;

	if (id)
		return id;
	name = demangle(e->name, &r->kernel_names);
	readable.name = name ? name : e->name;
	id = frames_symbol(r, object, &readable, 0);
	free(name);
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

/* A function that the file names, of the kernel or of a module: "ext4_sync_file\t[ext4]". */
static void named_value(struct resolver *r, const struct kmap *map, struct dict_frame *v)
{
	const char *tab = strchr(map->name, '\t');
	bool module = tab && tab[1] == '[' && tab[strlen(tab) - 1] == ']';
	char name[sizeof(map->name)];
	struct symtab_entry e = {map->start, map->end - map->start, name};

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(map->name, "\t"), map->name);
	v->object = frames_fixed_object(r, module ? tab + 1 : "[kernel]", module ? OBJECT_MODULE : OBJECT_KERNEL,
					OBJECT_READY, NULL);
	v->symbol = kernel_symbol(r, v->object, &e);
	if (kernel_halts(name))
		v->flags |= FRAME_IDLE;
}

static void recorded_value(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	const struct kmap *map = kmaps_find(&r->kmaps, ip);
	struct symtab_entry e = {.name = ""};
	const struct symtab *symbols;
	enum object_state state;
	const char *why;
	uint64_t moved;
	bool found;

	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL};
	if (map && map->kind == KMAP_PROGRAM) {
		v->object = frames_fixed_object(r, "[bpf]", OBJECT_MODULE, OBJECT_READY, NULL);
		e = (struct symtab_entry){map->start, map->end - map->start, map->name};
		v->symbol = kernel_symbol(r, v->object, &e);
		return;
	}
	if (map && map->kind == KMAP_SYMBOL) {
		named_value(r, map, v);
		return;
	}
	if (!map && r->kmaps.kernel.start != r->kmaps.kernel.end) {
		v->object = frames_fixed_object(r, "[unknown]", OBJECT_UNKNOWN, OBJECT_NAMELESS,
					 "no map of the kernel covers the address");
		return;
	}
	symbols = kernelfile_symbols(&r->kernel, &r->kmaps, map, &moved, &why);
	state = symbols ? OBJECT_READY : r->kernel.busy ? OBJECT_LOADING : OBJECT_NAMELESS;
	v->object = frames_fixed_object(r, map ? map->name : "[kernel]",
				 map && map->kind == KMAP_MODULE ? OBJECT_MODULE : OBJECT_KERNEL, state,
				 symbols ? NULL : why);
	found = kernelfile_find(&r->kernel, &r->kmaps, map, ip, &e);
	if (kernelfile_idle(&r->kernel, &r->kmaps, map, ip) || (found && kernel_halts(e.name)))
		v->flags |= FRAME_IDLE;
	if (found)
		v->symbol = kernel_symbol(r, v->object, &e);
	else if (map && map->kind == KMAP_MODULE && state != OBJECT_LOADING)
		v->addr = ip - map->start; /* as in its file, which is what can be looked into */
}

static void kernel_value(struct resolver *r, uint64_t ip, struct dict_frame *v)
{
	struct symtab_entry e;

	if (r->config.recorded) {
		recorded_value(r, ip, v);
		return;
	}
	*v = (struct dict_frame){.addr = ip, .flags = FRAME_KERNEL, .object = kernel_object(r, ip)};
	if (r->kernel.loaded && symtab_find(r->kernel.syms.symtab, ip, &e)) {
		v->symbol = kernel_symbol(r, v->object, &e);
		if (kernel_idles(r->kernel.syms.mark, ip) || kernel_halts(e.name))
			v->flags |= FRAME_IDLE;
	} else if (r->config.kernel && !r->kernel.busy && r->kernel.loaded &&
		 (r->kernel.stale || (int32_t)(dictout_now(r->names) - r->kernel.next) >= 0)) {
		/* A module or a program was loaded since. */
		r->kernel.next = dictout_now(r->names) + AGAIN_MS;
		kernel_load(&r->kernel, r->workers, frames_kernel_loaded);
	}
}

uint32_t frames_kernel_make(struct resolver *r, uint64_t ip)
{
	const struct kmap *map = kmaps_find(&r->kmaps, ip);
	struct frame_key key = {.place = PLACE_KERNEL, .addr = ip, .version = map ? map->serial : 0};
	struct dict_frame v;
	bool fresh;
	uint32_t id;

	kernel_value(r, ip, &v);
	id = dictout_frame(r->names, &key, &v, &fresh);
	if (id && fresh && !v.symbol && r->kernel.busy)
		frames_wait(r, &r->kernel_waiting, &r->nkernel_waiting, &r->cap_kernel_waiting, id);
	return id;
}

void frames_kernel_loaded(void *arg)
{
	struct resolver *r = arg;
	size_t nr = r->nkernel_waiting;

	r->nkernel_waiting = 0;
	frames_forget(r);
	for (size_t i = 0; i < nr; i++) {
		uint32_t id = r->kernel_waiting[i];
		struct dict_frame v;

		if (!dictout_frame_known(r->names, id) ||
		    !(dictout_frame_value(r->names, id)->flags & FRAME_KERNEL))
			continue;
		kernel_value(r, dictout_frame_value(r->names, id)->addr, &v);
		dictout_frame_update(r->names, id, &v);
	}
	if (!r->kernel.loaded && r->kernel.why)
		slice_log(r->slice, SLICE_WARNING, "kernel symbols: %s", r->kernel.why);
}
