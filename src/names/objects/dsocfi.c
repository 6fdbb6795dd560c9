/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an object's cfi only goes up, and `cfi` is written before it is READY; so a thread
 * that sees READY needs no lock. Opening takes a lock: a second thread that wants the same object
 * waits for it instead of guessing its frames.
 */
#include "names/objects/dsocfi.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/atomics.h"
#include "base/log.h"
#include "system/sandbox/sandbox.h"

enum { CFI_NEW, CFI_OPENED }; /* values of object.cfi_state */

struct dsocfis {
	struct cfi_memory memory;
	pthread_mutex_t lock;
	bool recorded;
};

struct dsocfis *dsocfis_create(bool recorded)
{
	struct dsocfis *oc = calloc(1, sizeof(*oc));

	if (!oc)
		return NULL;
	oc->memory.max = OBJCFI_BYTES;
	oc->recorded = recorded;
	pthread_mutex_init(&oc->lock, NULL);
	return oc;
}

void dsocfis_free(struct dsocfis *oc)
{
	if (!oc)
		return;
	pthread_mutex_destroy(&oc->lock);
	free(oc);
}

/* Return false if it cannot be opened now. Another try opens the file again. */
static bool open_object(struct dsocfis *oc, struct dso *o, const struct dsocfi_place *at)
{
	/*
	 * In a recording no process leads to the file; the vdso is ringtop's, where a process may
	 * have put another.
	 */
	bool theirs = !oc->recorded && o->kind == OBJECT_FILE;
	struct objfile of =
		theirs ? dso_file_at(o, at->pid, at->start, at->end) : dso_file_at(o, 0, 0, 0);
	struct err err = {0};
	struct image im;

	if (!dso_open(o, &of, &im, NULL, &err)) {
		o->cfi = cfi_open(&im, &oc->memory, &err);
		image_close(&im);
	}
	if (!o->cfi && sandbox_later(-err.code))
		return false;
	if (!o->cfi)
		log_msg(LOG_RESOLVE, "no unwind information of %s: %s", o->path, err.text);
	return true;
}

struct cfi *dsocfi_get(struct dsocfis *oc, struct dso *o, const struct dsocfi_place *at)
{
	if (o->kind != OBJECT_FILE && o->kind != OBJECT_VDSO)
		return NULL;
	/* pairs with the release below */
	if (atomic_load_acquire(&o->cfi_state) == CFI_OPENED)
		return o->cfi;
	pthread_mutex_lock(&oc->lock);
	if (atomic_load_relaxed(&o->cfi_state) == CFI_NEW && open_object(oc, o, at))
		/* pairs with the acquire above */
		atomic_store_release(&o->cfi_state, CFI_OPENED);
	pthread_mutex_unlock(&oc->lock);
	return o->cfi;
}
