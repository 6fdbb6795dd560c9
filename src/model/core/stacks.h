/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacks - the content of a window, as flat tables with small indices of their own: for writing it
 * to a file.
 *
 * Only entries that the window's rows refer to are in the tables.  As with trees, WINDOW_ALL is all
 * that history still holds.
 *
 * Threads: as model.h.  Names are the model's: valid until its next call that is not const.
 */
#ifndef RINGTOP_MODEL_CORE_STACKS_H
#define RINGTOP_MODEL_CORE_STACKS_H

#include "model/core/model.h"

#define STACKS_NONE UINT32_MAX

enum stacks_option {
	STACKS_ALL_EVENTS = 1, /* not only the query's event */
	STACKS_BY_SLICE = 2,   /* else all slices are added up into one */
	STACKS_INLINED = 4,    /* inlined functions are on the paths as if they had been called;
				* else they hang on the frames */
};

struct stacks_object {
	const char *name;
	struct build_id build_id;
	uint8_t kind;  /* enum object_kind */
	uint64_t last; /* the highest address met in it */
};

struct stacks_function {
	const char *name;
	const char *file; /* source file, "": not known */
	uint32_t object;  /* or STACKS_NONE */
	bool kernel, unresolved;
	bool place;       /* unresolved, but named by its place, as on the screen */
};

struct stacks_frame {
	uint64_t addr; /* as in struct dict_frame */
	uint32_t function, object; /* object: or STACKS_NONE */
	bool kernel, inlined;
	const char *file; /* "": not known */
	uint32_t line;    /* 0: not known */
	uint32_t inner;   /* frame inlined here, or STACKS_NONE */
	uint32_t level;   /* not 0: inlined in another frame */
};

/* Parents come before their children. */
struct stacks_path {
	uint32_t parent, frame; /* parent: or STACKS_NONE */
};

struct stacks_task {
	const char *comm, *process; /* process: comm of its first thread */
	const char *host;           /* several hosts: name of the task's, else "" */
	int32_t pid, tid;           /* -1: stands for several tasks */
};

struct stacks_slice {
	uint64_t start, end;
};

struct stack {
	uint32_t slice, event, task, path; /* sort keys, in this order */
	uint64_t samples, weight;
};

struct stacks {
	struct stacks_object *objects;
	struct stacks_function *functions;
	struct stacks_frame *frames;
	struct stacks_path *paths;
	struct stacks_task *tasks;
	struct stacks_slice *slices;
	struct stack *stacks;
	char (*names)[32]; /* names of functions without one: addresses */
	size_t nobjects, nfunctions, nframes, npaths, ntasks, nslices, nr;
	size_t cap_objects, cap_functions, cap_frames, cap_paths, cap_tasks, cap_slices, cap;
	uint64_t missing; /* WINDOW_ALL: weight of the query's event whose paths were forgotten */
};

/*
 * Create the tables, by the query's event, hiding, filter and show_self; `options`: enum
 * stacks_option.  The caller frees them.  NULL: out of memory.
 */
struct stacks *stacks_create(struct model *m, const struct query *q, struct window w,
			     unsigned options);
void stacks_free(struct stacks *s);

#endif
