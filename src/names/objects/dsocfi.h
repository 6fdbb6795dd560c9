/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dsocfi - unwind information of mapped objects, opened at the first request and kept with the
 * object.
 *
 * Each object is opened once; if that fails, it has none. All objects of a session share one
 * bounded memory.
 *
 * Threads: dsocfi_get from any number, each holding a reference to the maps that hold the object;
 * create and free from one, while no other thread uses it.
 */
#ifndef RINGTOP_NAMES_OBJECTS_DSOCFI_H
#define RINGTOP_NAMES_OBJECTS_DSOCFI_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "names/objects/maps.h"
#include "files/unwind/cfi.h"

#define OBJCFI_BYTES (24u << 20) /* indexes and rows of all objects; clang's libraries take 4 MB */

struct dsocfis;

/*
 * recorded: the objects are of another machine or an earlier time, so no process leads to their
 * files.
 */
struct dsocfis *dsocfis_create(bool recorded);
void dsocfis_free(struct dsocfis *oc); /* call after the objects are freed */

/* A process that maps the object, and the mapping's range: the file is looked for there first. */
struct dsocfi_place {
	pid_t pid;
	uint64_t start, end;
};

/* Return the object's unwind information, owned by o. NULL: none. Reads a file the first time. */
struct cfi *dsocfi_get(struct dsocfis *oc, struct dso *o, const struct dsocfi_place *at);

#endif
