/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread - start threads that get no signals: the main thread handles them.  Threads: any. */
#ifndef RINGTOP_BASE_THREAD_H
#define RINGTOP_BASE_THREAD_H

#include <pthread.h>

/* Start a thread with all signals blocked.  0, or -errno with *thread undefined. */
int thread_start(pthread_t *thread, void *(*run)(void *), void *arg);

#endif
