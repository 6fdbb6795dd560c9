/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of an object's cfi only goes up, and `cfi` is written before it says READY; so whoever
 * sees READY needs no lock.  Opening is under one: the second that wants the same object waits for
 * it instead of guessing its frames.
 */
#include "resolve/dsocfi.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/log.h"
#include "elf/elffile.h"
#include "elf/objfile.h"
#include "elf/vdso.h"

enum { CFI_NEW, CFI_OPENED }; /* of object.cfi_state */

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

/* Frames of another build would be worse than none. */
static int check_build_id(const struct dso *o, int fd, struct err *err)
{
	struct elffile f;
	uint8_t id[20];
	unsigned len;

	if (!o->want_len)
		return 0;
	if (elffile_open(&f, fd, err))
		return -EINVAL;
	len = elffile_build_id(&f, id, sizeof(id));
	elffile_close(&f);
	if (len == o->want_len && !memcmp(id, o->want_id, len))
		return 0;
	return err_set(err, ESTALE, "%s is another build than what was recorded", o->path);
}

static struct cfi *open_file(struct dsocfis *oc, const struct map *map, pid_t pid, struct err *err)
{
	const struct dso *o = map->object;
	/* Of a recording no process leads to it. */
	struct dso_place place = dso_place_at(o, oc->recorded ? 0 : pid, map->start,
						    oc->recorded ? 0 : map->end);
	struct dso_opened opened;
	struct cfi *c = NULL;
	int fd;

	fd = dso_open(&place, &opened, err);
	if (fd < 0)
		return NULL;
	if (!check_build_id(o, fd, err))
		c = cfi_open(fd, &(struct cfi_names){o->path, opened.root}, &oc->memory, err);
	close(fd);
	return c;
}

static struct cfi *open_vdso(struct dsocfis *oc, const struct map *map, pid_t pid, struct err *err)
{
	struct cfi *c;
	size_t size;
	void *image;

	/* Of a recorded process there is no memory to read: start 0 asks for ours. */
	if (vdso_read(pid, oc->recorded ? 0 : map->start, oc->recorded ? 0 : map->end, &image, &size,
		      err))
		return NULL;
	c = cfi_open_memory(image, size, &oc->memory, err);
	free(image);
	return c;
}

static void open_object(struct dsocfis *oc, const struct map *map, pid_t pid)
{
	struct dso *o = map->object;
	struct err err = {0};

	o->cfi = o->kind == OBJECT_VDSO ? open_vdso(oc, map, pid, &err)
					: open_file(oc, map, pid, &err);
	if (!o->cfi)
		log_msg(LOG_RESOLVE, "no unwind information of %s: %s", o->path, err.text);
}

struct cfi *dsocfi_get(struct dsocfis *oc, const struct map *map, pid_t pid)
{
	struct dso *o = map->object;

	if (o->kind != OBJECT_FILE && o->kind != OBJECT_VDSO)
		return NULL;
	/* pairs with the release below */
	if (atomic_load_acquire(&o->cfi_state) == CFI_OPENED)
		return o->cfi;
	pthread_mutex_lock(&oc->lock);
	if (atomic_load_relaxed(&o->cfi_state) == CFI_NEW) {
		open_object(oc, map, pid);
		/* pairs with the acquire above */
		atomic_store_release(&o->cfi_state, CFI_OPENED);
	}
	pthread_mutex_unlock(&oc->lock);
	return o->cfi;
}
