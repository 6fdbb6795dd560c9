/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread - threads that signals do not reach: those belong to the main thread.  Threads: any. */
#ifndef RINGTOP_BASE_THREAD_H
#define RINGTOP_BASE_THREAD_H

#include <pthread.h>

/* pthread_create with all signals blocked in the new thread.  0 or -errno, *thread is undefined then. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
