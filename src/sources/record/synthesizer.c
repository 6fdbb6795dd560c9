/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources/record/synthesizer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "base/thread.h"
#include "kernel/capture/ringset.h"
#include "sources/record/synthesize.h"

#define PIECE (64u << 10)

struct synthesizer {
	struct synthesize state; /* used by the thread only */
	int wake_fd;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;   /* for everything below */
	pthread_cond_t changed;
	struct perfwrite piece;
	bool full;              /* a piece can be taken */
	bool last;              /* no piece follows */
	bool stop;
};

/* Hand over a piece once the previous one was taken. False: no more is wanted. */
static bool hand_over_piece(struct synthesizer *e, struct perfwrite *piece, bool last)
{
	bool stop;

	pthread_mutex_lock(&e->lock);
	while (e->full && !e->stop)
		pthread_cond_wait(&e->changed, &e->lock);
	stop = e->stop;
	if (!stop) {
		e->piece = *piece;
		e->full = true;
		e->last = last;
		pthread_cond_signal(&e->changed);
	}
	pthread_mutex_unlock(&e->lock);
	if (stop)
		perfwrite_clear(piece);
	else
		eventfd_write(e->wake_fd, 1);
	return !stop;
}

static void *collect_state(void *arg)
{
	struct perfwrite piece = {.trailer = RINGSET_SIDEBAND_TYPE};
	struct synthesizer *e = arg;
	bool more;

	pthread_setname_np(pthread_self(), "ringtop-earlier");
	while (synthesize_kernel(&e->state, &piece))
		;
	more = hand_over_piece(e, &piece, false);
	while (more) {
		piece = (struct perfwrite){.trailer = RINGSET_SIDEBAND_TYPE};
		while (more && piece.len < PIECE)
			more = synthesize_next(&e->state, &piece);
		more = hand_over_piece(e, &piece, !more) && more;
	}
	return NULL;
}

int synthesizer_start(struct synthesizer **to, const pid_t *tids, size_t ntids, bool data,
		      int wake_fd)
{
	struct synthesizer *e = *to = calloc(1, sizeof(*e));
	int ret;

	if (!e)
		return -ENOMEM;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->changed, NULL);
	e->wake_fd = wake_fd;
	ret = ntids ? synthesize_begin(&e->state, tids, ntids) : 0;
	if (ret)
		return ret;
	e->state.data = data;
	ret = thread_start(&e->thread, collect_state, e);
	e->running = !ret;
	return ret;
}

bool synthesizer_take(struct synthesizer *e, struct perfwrite *piece, bool wait)
{
	bool taken;

	pthread_mutex_lock(&e->lock);
	while (wait && !e->full && !e->last)
		pthread_cond_wait(&e->changed, &e->lock);
	taken = e->full;
	if (taken) {
		*piece = e->piece;
		e->piece = (struct perfwrite){.failed = false};
		e->full = false;
		pthread_cond_signal(&e->changed);
	}
	pthread_mutex_unlock(&e->lock);
	return taken;
}

bool synthesizer_done(struct synthesizer *e)
{
	bool done;

	pthread_mutex_lock(&e->lock);
	done = e->last && !e->full;
	pthread_mutex_unlock(&e->lock);
	return done;
}

void synthesizer_free(struct synthesizer *e)
{
	if (!e)
		return;
	if (e->running) {
		pthread_mutex_lock(&e->lock);
		e->stop = true;
		pthread_cond_signal(&e->changed);
		pthread_mutex_unlock(&e->lock);
		pthread_join(e->thread, NULL);
	}
	perfwrite_clear(&e->piece);
	synthesize_clear(&e->state);
	pthread_cond_destroy(&e->changed);
	pthread_mutex_destroy(&e->lock);
	free(e);
}
