/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm_birth - threads, or with the word "fork" processes, that are born all the time while a
 * profiler attaches.
 *
 * Each of -k creators has -t of them at a time: a new one takes the place of the oldest, which ends
 * without a word.  At the first byte of stdin no more are born, and all that are there make -n
 * getppid() calls each.  Prints the exact total, and how many were born in all.
 */
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "work.h"

#define BIRTH_CREATORS_MAX 16

enum { BIRTH_WAIT, BIRTH_END, BIRTH_CALL };

struct birth {
	_Atomic int word; /* a futex */
	pthread_t thread;
	pid_t pid;
	bool there;
};

struct creator {
	pthread_t thread;
	struct birth *birth;
	uint64_t born, living;
};

static struct work birth_work;
static bool birth_forks;
static _Atomic bool birth_over;

static void *birth_live(void *arg)
{
	struct birth *b = arg;

	while (atomic_load(&b->word) == BIRTH_WAIT)
		syscall(SYS_futex, &b->word, FUTEX_WAIT, BIRTH_WAIT, NULL, NULL, 0);
	for (uint64_t i = 0; atomic_load(&b->word) == BIRTH_CALL && i < birth_work.count; i++)
		syscall(SYS_getppid);
	return NULL;
}

static void birth_tell(struct birth *b, int word)
{
	atomic_store(&b->word, word);
	syscall(SYS_futex, &b->word, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void birth_reap(struct birth *b)
{
	if (b->there && birth_forks)
		waitpid(b->pid, NULL, 0);
	else if (b->there)
		pthread_join(b->thread, NULL);
	b->there = false;
}

static void birth_make(struct birth *b)
{
	pid_t pid;

	atomic_store(&b->word, BIRTH_WAIT);
	b->there = true;
	if (!birth_forks) {
		if (pthread_create(&b->thread, NULL, birth_live, b))
			errx(1, "cannot create a thread");
		return;
	}
	pid = fork(); /* the child shares *b */
	if (pid < 0)
		err(1, "fork");
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* no getppid() but those that are told of */
		birth_live(b);
		_exit(0);
	}
	b->pid = pid;
}

static void creator_end(struct creator *c)
{
	for (unsigned i = 0; i < birth_work.threads; i++) {
		c->living += c->birth[i].there;
		if (c->birth[i].there)
			birth_tell(&c->birth[i], BIRTH_CALL);
	}
	for (unsigned i = 0; i < birth_work.threads; i++)
		birth_reap(&c->birth[i]);
}

static void *creator_run(void *arg)
{
	struct creator *c = arg;

	for (; !atomic_load(&birth_over); c->born++) {
		struct birth *b = &c->birth[c->born % birth_work.threads];

		if (b->there)
			birth_tell(b, BIRTH_END);
		birth_reap(b);
		birth_make(b);
	}
	creator_end(c);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct creator creators[BIRTH_CREATORS_MAX];
	uint64_t born = 0, living = 0;
	unsigned n;

	work_parse(&birth_work, argc, argv);
	birth_forks = birth_work.nrest && !strcmp(birth_work.rest[0], "fork");
	n = birth_work.children ? birth_work.children : 1;
	if (n > BIRTH_CREATORS_MAX || !birth_work.threads)
		errx(2, "-t, and at most %d creators", BIRTH_CREATORS_MAX);
	for (unsigned i = 0; i < n; i++) {
		creators[i].birth = mmap(NULL, birth_work.threads * sizeof(struct birth),
					 PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (creators[i].birth == MAP_FAILED)
			err(1, "mmap");
		if (pthread_create(&creators[i].thread, NULL, creator_run, &creators[i]))
			errx(1, "cannot create a thread");
	}
	work_begin(&birth_work);
	atomic_store(&birth_over, true);
	for (unsigned i = 0; i < n; i++) {
		pthread_join(creators[i].thread, NULL);
		living += creators[i].living;
		born += creators[i].born;
	}
	printf("pid=%d getppid=%" PRIu64 " living=%" PRIu64 " born=%" PRIu64 "\n", (int)getpid(),
	       birth_work.count * living, living, born);
	return 0;
}
