/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Speedscope's own JSON (its file-format-spec), a sampled profile per event.
 *
 * Stacks begin with the process; the name of a profile has its event's losses.
 *
 * Every event's tree is made twice: its functions come first in the file, its stacks after those of
 * all events, and the model keeps one tree at a time.
 */
#include "report/export/export_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "report/jsonout.h"
#include "model/core/tally.h"
#include "model/tree/tree.h"

struct speedscope {
	struct out *o;
	const struct export_source *src;
	struct tally frames; /* an entry's index is the frame's index in the file */
	uint32_t *path;      /* nodes from one up to the root */
};

static const struct tree *event_tree(struct speedscope *s, unsigned event)
{
	struct tree_query q = {.q = *s->src->query, .tasks = TREE_PROCESSES, .hosts = true};
	const struct tree *t;

	q.q.event = event;
	t = model_tree(s->src->model, &q, s->src->window);
	if (!t)
		s->o->error = -ENOMEM;
	return t;
}

static uint64_t frame_key(const struct tree_node *n)
{
	return hash_mix(hash_u64(n->key), n->flags & (TREE_TASK | TREE_INLINED));
}

static void put_speedscope_frame(struct speedscope *s, const struct tree_node *n)
{
	size_t had = s->frames.nr;
	char name[4352];

	if (!tally_get(&s->frames, frame_key(n))) {
		s->o->error = -ENOMEM;
		return;
	}
	if (s->frames.nr == had)
		return;
	out_text(s->o, had ? ",\n{\"name\":" : "{\"name\":");
	if (n->flags & TREE_TASK && n->pid >= 0) {
		snprintf(name, sizeof(name), "%s (%d)", n->name, n->pid);
		jsonout_name(s->o, name);
	} else if (n->flags & TREE_INLINED) {
		snprintf(name, sizeof(name), "%.*s" TREE_INLINED_MARK,
			 (int)(sizeof(name) - sizeof(TREE_INLINED_MARK)), n->name);
		jsonout_name(s->o, name);
	} else {
		jsonout_name(s->o, n->name);
	}
	if (*n->file || *n->object) {
		out_text(s->o, ",\"file\":");
		jsonout_name(s->o, *n->file ? n->file : n->object);
	}
	out_text(s->o, "}");
	export_breathe(s->o);
}

static void put_frames(struct speedscope *s, unsigned event)
{
	const struct tree *t = event_tree(s, event);

	for (uint32_t i = 1; t && i < t->nr && !s->o->error; i++)
		put_speedscope_frame(s, &t->node[i]);
}

static void put_stack(struct speedscope *s, const struct tree *t, uint32_t node)
{
	uint32_t depth = t->node[node].depth;

	for (uint32_t d = depth; d > 0; d--, node = t->node[node].parent)
		s->path[d - 1] = node;
	for (uint32_t d = 0; d < depth; d++) {
		const struct tally_entry *e =
			tally_find(&s->frames, frame_key(&t->node[s->path[d]]));

		out_text(s->o, d ? "," : "[");
		/* found: put_frames() has added all frames of the same rows */
		out_number(s->o, e ? (uint64_t)(e - s->frames.entries) : 0);
	}
	out_text(s->o, "]");
	export_breathe(s->o);
}

static void put_stacks(struct speedscope *s, const struct tree *t)
{
	bool first = true;

	out_text(s->o, ",\"samples\":[");
	for (uint32_t i = 1; i < t->nr && !s->o->error; i++) {
		if (!t->node[i].self)
			continue;
		out_text(s->o, first ? "" : ",\n");
		put_stack(s, t, i);
		first = false;
	}
	out_text(s->o, "],\"weights\":[");
	first = true;
	for (uint32_t i = 1; i < t->nr && !s->o->error; i++) {
		if (!t->node[i].self)
			continue;
		out_text(s->o, first ? "" : ",");
		out_number(s->o, t->node[i].self);
		export_breathe(s->o);
		first = false;
	}
	out_text(s->o, "]");
}

static void put_event_profile(struct speedscope *s, unsigned event)
{
	const struct session_event *e = &model_info(s->src->model)->events[event];
	const struct tree *t = event_tree(s, event);
	char name[1024], loss[512], missing[256];

	if (!t)
		return;
	free(s->path);
	s->path = calloc(t->depth + 1, sizeof(*s->path));
	if (!s->path) {
		s->o->error = -ENOMEM;
		return;
	}
	export_loss(s->src, event, loss, sizeof(loss));
	missing[0] = '\0';
	if (event == s->src->query->event)
		export_missing(s->src, t->missing, missing, sizeof(missing));
	snprintf(name, sizeof(name), "%s%s%s", loss, *missing ? "; " : "", missing);
	out_text(s->o, event ? ",\n{" : "{");
	out_text(s->o, "\"type\":\"sampled\",\"name\":");
	jsonout_name(s->o, name);
	out_printf(s->o, ",\"unit\":\"%s\",\"startValue\":0,\"endValue\":",
		   *export_unit(e) == 'n' ? "nanoseconds" : "none");
	out_number(s->o, t->node[0].total);
	put_stacks(s, t);
	out_text(s->o, "}");
}

static void speedscope_write(struct out *o, const struct export_source *src)
{
	const struct session_info *info = model_info(src->model);
	struct speedscope s = {.o = o, .src = src};
	char name[512];

	snprintf(name, sizeof(name), "%s: %s", info->host, info->target);
	out_text(
		o,
		"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":");
	out_printf(o, "\"ringtop %s\",\"name\":", src->version ? src->version : "");
	jsonout_name(o, name);
	out_printf(o, ",\"activeProfileIndex\":%u,\"shared\":{\"frames\":[\n", src->query->event);
	for (unsigned e = 0; e < info->nevents; e++)
		put_frames(&s, e);
	out_text(o, "]},\"profiles\":[\n");
	for (unsigned e = 0; e < info->nevents; e++)
		put_event_profile(&s, e);
	out_text(o, "]}\n");
	tally_clear(&s.frames);
	free(s.path);
}

const struct export_format export_speedscope = {
	.name = "speedscope",
	.suffix = ".speedscope.json",
	.write = speedscope_write,
};
