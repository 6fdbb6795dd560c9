/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debugfetch - separate debug files from debuginfod servers, by build-id, through elfutils' client
 * and into its cache, where debugfile.h looks.
 *
 * Names never wait for it: one thread requests one file after another, and a server that does not
 * reply costs nothing but the names that it might have had. The client brings an HTTP library along
 * and is opened when the first file is wanted.
 *
 * Threads: the resolver's.
 */
#ifndef RINGTOP_NAMES_OBJECTS_DEBUGFETCH_H
#define RINGTOP_NAMES_OBJECTS_DEBUGFETCH_H

#include <stddef.h>

#include "base/err.h"
#include "names/objects/dso.h"

struct debugfetch;

/*
 * begin: called first on the fetching thread, or NULL. NULL: built without the client, or
 * $DEBUGINFOD_URLS names no server.
 */
struct debugfetch *debugfetch_create(void (*begin)(void), struct err *err);

/* Abort what is under way, within a second or so, and free. Call before the objects are freed. */
void debugfetch_free(struct debugfetch *f);

/*
 * Request o's debug file by o's build-id; o stays busy until debugfetch_collect has reported the
 * result.
 */
void debugfetch_ask(struct debugfetch *f, struct dso *o);

/*
 * result: 0, the file is in the cache; -ENOENT: no server has it; -ENOBUFS: it is larger than
 * --max-memory; other -errno: not fetched, for the reason `why`.
 */
typedef void debugfetch_done(void *arg, struct dso *o, int result, const char *why);
void debugfetch_collect(struct debugfetch *f, debugfetch_done *done, void *arg);

size_t debugfetch_pending(const struct debugfetch *f);
int debugfetch_fd(const struct debugfetch *f); /* readable when there is something to collect */

#endif
