/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fence - bytes that others chose are read by processes without rights.
 *
 * A helper is this program started once more (system/fence/helper.h): nobody's uid where we are root, no
 * capabilities, no new ones, few system calls, bounded memory and time.  It gets a question and a file's
 * descriptor and says what it read there; we believe no word of that beyond its form.  What it dies of
 * costs the answer: the caller says so for that one object, and the next question starts it anew.
 *
 *   fence_call ── ASK + fd ──────▶ helper ──▶ job's serve()
 *              ◀── WANT path ─────           (a debug file: opened here, if it is an ELF file)
 *              ─── GIVE + fd ───▶
 *              ◀── NEED ─────────            (of a job's own: need() says)
 *              ─── BYTES ───────▶
 *              ◀── ANSWER ────────
 *
 * The processes by what waits for them: names (a screen waits), frames (samples do), lines
 * (nobody does), traces (may take minutes), events (a screen does, all the time).  Without fence_allow everything is read in this process, as with --no-helper.
 *
 * Threads: any; one process answers one question at a time.
 */
#ifndef RINGTOP_SYSTEM_FENCE_FENCE_H
#define RINGTOP_SYSTEM_FENCE_FENCE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/budget.h"
#include "base/err.h"
#include "base/wire.h"
#include "system/fence/figures.h"

/* What can be asked; who serves it is the table in helper.c of the top level. */
enum fence_job {
	FENCE_PROBE, /* what the helper may not do, for the tests */
	FENCE_HEAD,
	FENCE_SYMBOLS,
	FENCE_DEMANGLE,
	FENCE_FIND_LINES,
	FENCE_CFI_OPEN,
	FENCE_CFI_ROWS,
	FENCE_PERFMAP,
	FENCE_JITDUMP,
	FENCE_JITDUMP_LINES,
	FENCE_DISASM,
	FENCE_PT,
	FENCE_FILE_OPEN,
	FENCE_FILE_NEXT,
	FENCE_FILE_NAME,
	FENCE_PRINT,
	FENCE_JOBS
};

/* Zeroed but for tests. */
struct fence_config {
	const char *program; /* instead of this one */
	uid_t uid;	     /* uid of helpers that root starts, instead of PROCESS_USER's */
	unsigned seconds;    /* for a question, instead of system/fence/process.c's */
	bool distrust;       /* root's own files too */
};

/* From now on helpers may be started.  Once, before there are threads. */
void fence_allow(const struct fence_config *c);
bool fence_allowed(void);

/* End them all, and forget how often they did.  No call may be under way. */
void fence_end(void);

/* End one that has not been asked for so long: what it keeps is memory. */
void fence_rest(enum fence_process p, uint64_t idle_ns);

/* End all on the way out: what is under way fails, and so does all that is asked from then on.  Any thread. */
void fence_abandon(void);

/*
 * May this process read fd itself?  So it is where no helper may be started, and where fd is root's own file,
 * which nobody else may write, on a file system whose word that is: what users may mount (FUSE, a stick) is
 * mounted nosuid.  path: where it is in our own file system.
 */
bool fence_trusts(int fd, const char *path);

/* One question.  Fill job, ask, fd and, where further files may be wanted, root; the rest zeroed. */
struct fence_call {
	enum fence_job job;
	struct wire_out ask;
	int fd;             /* that it is about, -1: none */
	const char *root;   /* below it further files are opened, where the helper wants that; NULL: ours */
	uint64_t took;      /* out: nanoseconds, without those that others' questions took */
	bool brief;         /* -EBUSY rather than to wait long for the answers to others */
	uint32_t life;      /* in: the life of the helper that must answer, 0: any; out: that answered */
	struct wire_in in;  /* out: the answer, until fence_done */
	void *bytes;        /* the answer's, of the budget */
	struct budget *budget; /* that the answer is taken from while it is read, or NULL */
	/* What the helper needs for its answer, by helper_need there; or NULL. */
	void (*need)(void *arg, struct wire_in *in, struct wire_out *out);
	void *arg;
};

/*
 * Ask and wait.  0, or with err: -ECONNRESET (it ended meanwhile), -ETIME (it was too slow, and was ended),
 * -ESTALE (life: that one has ended before), -EPROTO (it answered nonsense, and was ended), -EBUSY (it ended
 * too often of late), -EHOSTDOWN (FENCE_GIVE_UP of its lives in a row ended without an answer: none is begun for a
 * minute), -ENOMEM; -errno of the start.
 */
#define FENCE_GIVE_UP 16

int fence_call(struct fence_call *c, struct err *err);

/* Was the helper lost to what it was asked?  Not to be asked again. */
static inline bool fence_lost(int ret)
{
	return ret == -ECONNRESET || ret == -ETIME || ret == -EPROTO;
}

/* Return true if the failure is one of the helper and of the moment, so that another try may succeed. */
static inline bool fence_later(int ret)
{
	return ret == -EBUSY || ret == -EHOSTDOWN;
}

/* Answer a question: read it from `in`, put the answer into `out`.  fd: -1 or the file; whose it is, closes it. */
typedef void helper_serve(struct wire_in *in, int fd, struct wire_out *out);

/* The same; where no helper may be started, `serve` answers here. */
int fence_call_or(struct fence_call *c, helper_serve *serve, struct err *err);

/* Frees what the call holds. */
void fence_done(struct fence_call *c);

/* An answer that was not what it should be: its reader found out.  Returns -EPROTO with err. */
int fence_nonsense(struct fence_call *c, struct err *err);

/*
 * The end of a call: it, or who read its answer, returned ret, and so does this, or -EPROTO with err where the
 * answer was nonsense (c->in has failed).  Frees what the call holds.
 */
int fence_taken(struct fence_call *c, int ret, struct err *err);

/* --- what a person can see ---------------------------------------------------------------- */

/* As it is now, but for what figures_look finds: that is as it was when asked last. */
void fence_figures(enum fence_process p, struct fence_figures *f);

/* CPU time of all of them so far, ns. */
uint64_t fence_cpu(void);

/* Is pid a helper of ours?  Lock-free. */
bool fence_is_helper(pid_t pid);

#endif
