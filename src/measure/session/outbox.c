/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/session/outbox.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "core/slice/merge.h"
#include "core/slice/sliceparts.h"

int outbox_init(struct outbox *o)
{
	memset(o, 0, sizeof(*o));
	pthread_mutex_init(&o->lock, NULL);
	o->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return o->fd < 0 ? -errno : 0;
}

/* Return what merging the slice with the one before it costs. */
static size_t cost_of(const struct outbox *o, unsigned i)
{
	return o->slice[i - 1]->nrows + o->slice[i]->nrows;
}

/*
 * Merge the cheapest pair of neighbours: so waiting slices grow evenly, and a row is merged as
 * often as the number of slices that came has doubled.  Merging all into the newest would merge
 * each row again with every new slice.
 */
static void merge_cheapest_pair(struct outbox *o)
{
	unsigned best = 0;

	for (unsigned i = 1; i < o->nr; i++)
		if (!parts_count(o->slice[i], PART_ANEW) &&
		    (!best || cost_of(o, i) < cost_of(o, best)))
			best = i;
	if (!best || slice_merge(o->slice[best - 1], o->slice[best]))
		return;
	memmove(o->slice + best, o->slice + best + 1, (--o->nr - best) * sizeof(struct slice *));
}

/* Keep a slice; OUTBOX_SPARE more fit where none can be merged, for lack of memory. */
static void add_or_drop_slice(struct outbox *o, struct slice *s)
{
	if (o->nr >= OUTBOX_MAX)
		merge_cheapest_pair(o);
	if (o->nr < OUTBOX_MAX + OUTBOX_SPARE) {
		o->slice[o->nr++] = s;
		return;
	}
	slice_free(s);
	o->lost++;
}

void outbox_put(struct outbox *o, struct slice *s)
{
	pthread_mutex_lock(&o->lock);
	add_or_drop_slice(o, s);
	pthread_mutex_unlock(&o->lock);
	eventfd_write(o->fd, 1);
}

void outbox_end(struct outbox *o, int code)
{
	pthread_mutex_lock(&o->lock);
	o->ended = code;
	pthread_mutex_unlock(&o->lock);
	eventfd_write(o->fd, 1);
}

int outbox_take(struct outbox *o, struct slice **s)
{
	eventfd_t n;
	int ret = 0;

	*s = NULL;
	pthread_mutex_lock(&o->lock);
	if (o->nr) {
		*s = o->slice[0];
		memmove(o->slice, o->slice + 1, --o->nr * sizeof(*o->slice));
	} else {
		ret = o->ended;
		o->told = ret != 0;
	}
	/* Readable as long as another call would bring something new. */
	if (!o->nr && (!o->ended || o->told))
		eventfd_read(o->fd, &n);
	pthread_mutex_unlock(&o->lock);
	return ret;
}

unsigned outbox_waiting(struct outbox *o)
{
	unsigned nr;

	pthread_mutex_lock(&o->lock);
	nr = o->nr;
	pthread_mutex_unlock(&o->lock);
	return nr;
}

void outbox_clear(struct outbox *o)
{
	for (unsigned i = 0; i < o->nr; i++)
		slice_free(o->slice[i]);
	if (o->fd >= 0)
		close(o->fd);
	pthread_mutex_destroy(&o->lock);
}
