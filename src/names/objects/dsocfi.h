/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dsocfi - the unwind information of the objects that are mapped, opened when first asked for and
 * kept with the object.
 *
 * Opened once, whatever comes of it: what could not be opened has none.  One bounded memory for
 * all objects of a session.
 *
 * Threads: dsocfi_get from any number of them, while a reference to the maps that hold the object
 * is held; create and free from one, when nobody else is there any more.
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

/* recorded: another machine's, or another time's: no process leads to its files. */
struct dsocfis *dsocfis_create(bool recorded);
void dsocfis_free(struct dsocfis *oc); /* after the objects */

/* A process that has the object mapped, and where: the file is looked for there first. */
struct dsocfi_place {
	pid_t pid;
	uint64_t start, end;
};

/* The object's; NULL: nothing is known of it.  Reads a file the first time. */
struct cfi *dsocfi_get(struct dsocfis *oc, struct dso *o, const struct dsocfi_place *at);

#endif
