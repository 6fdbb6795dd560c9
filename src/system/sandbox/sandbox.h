/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox - bytes that others chose are read by processes without rights.
 *
 * A helper is this program started once more (system/sandbox/helper.h): with an unprivileged uid
 * where ringtop is root, no capabilities, no new ones, few system calls, bounded memory and time.
 * It gets a request and a file's descriptor and replies with what it read there; nothing of that is
 * trusted beyond its form.  If it dies, only that reply is lost: the caller reports it for that one
 * object, and the next request starts it anew.
 *
 *   sandbox_call ── ASK + fd ──────▶ helper ──▶ job's serve()
 *              ◀── WANT path ─────           (a debug file: opened here, if it is an ELF file)
 *              ─── GIVE + fd ───▶
 *              ◀── NEED ─────────            (of a job's own: need() has the bytes)
 *              ─── BYTES ───────▶
 *              ◀── ANSWER ────────
 *
 * The processes by what waits for them: names (a screen waits), frames (samples do), lines (nothing
 * does), traces (may take minutes), events (a screen does, all the time).  Without sandbox_allow
 * everything is read in this process, as with --no-helper.
 *
 * Threads: any; one process serves one request at a time.
 */
#ifndef RINGTOP_SYSTEM_SANDBOX_SANDBOX_H
#define RINGTOP_SYSTEM_SANDBOX_SANDBOX_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/budget.h"
#include "base/err.h"
#include "base/wire.h"
#include "system/sandbox/helperfigures.h"

/* Requests; the table in helper.c of the top level has the function that serves each. */
enum sandbox_job {
	SANDBOX_PROBE, /* reports what the helper may not do, for the tests */
	SANDBOX_HEAD,
	SANDBOX_SYMBOLS,
	SANDBOX_DEMANGLE,
	SANDBOX_FIND_LINES,
	SANDBOX_CFI_OPEN,
	SANDBOX_CFI_ROWS,
	SANDBOX_PERFMAP,
	SANDBOX_JITDUMP,
	SANDBOX_JITDUMP_LINES,
	SANDBOX_DISASM,
	SANDBOX_PT,
	SANDBOX_FILE_OPEN,
	SANDBOX_FILE_NEXT,
	SANDBOX_FILE_NAME,
	SANDBOX_PRINT,
	SANDBOX_JOBS
};

/* Zeroed except in tests. */
struct sandbox_config {
	const char *program; /* program to start instead of this one */
	uid_t uid;	     /* uid of helpers that root starts, instead of PROCESS_USER's */
	unsigned seconds;    /* CPU time for a request, instead of system/sandbox/process.c's */
	bool distrust;       /* distrust root's own files, too */
};

/* Allow helpers to be started from now on.  Once, before there are threads. */
void sandbox_allow(const struct sandbox_config *c);
bool sandbox_allowed(void);

/* End all helpers, and forget how often they ended.  No call may be under way. */
void sandbox_end(void);

/* End a helper that has had no request for idle_ns: it holds memory. */
void sandbox_rest(enum sandbox_process p, uint64_t idle_ns);

/* End all on the way out: calls under way fail, and so do later ones.  Any thread. */
void sandbox_abandon(void);

/*
 * Return true if this process may read fd itself.  It may where no helper may be started, and where
 * fd is root's own file that only root may write, on a file system that can be trusted in that: one
 * that users may mount (FUSE, a stick) is mounted nosuid.  path: where it is in ringtop's own file
 * system.
 */
bool sandbox_trusts(int fd, const char *path);

/*
 * One request.  Fill in job, ask, fd and, where further files may be wanted, root; the rest zeroed.
 */
struct sandbox_call {
	enum sandbox_job job;
	struct wire_out ask;
	int fd;             /* file that it is about; -1: none */
	const char *root;   /* root of the helper's further files; NULL: ringtop's own */
	uint64_t took;      /* out: nanoseconds, without those of other requests */
	bool brief;         /* fail with -EBUSY rather than wait long for other requests */
	uint32_t life;      /* in: life that must reply, 0: any; out: the one that did */
	struct wire_in in;  /* out: the reply, until sandbox_done */
	void *bytes;        /* the reply's, of the budget */
	struct budget *budget; /* budget that the reply is taken from while it is read, or NULL */
	/* Provide what the helper requests for its reply by helper_need; or NULL. */
	void (*need)(void *arg, struct wire_in *in, struct wire_out *out);
	void *arg;
};

/*
 * Send a request and wait for the reply.  0, or with err: -ECONNRESET (it ended meanwhile), -ETIME
 * (it was too slow, and was ended), -ESTALE (life: that one has ended before), -EPROTO (its reply
 * was malformed, and it was ended), -EBUSY (it ended too often of late), -EHOSTDOWN
 * (SANDBOX_GIVE_UP of its lives in a row ended without a reply: none is begun for a minute),
 * -ENOMEM; -errno of the start.
 */
#define SANDBOX_GIVE_UP 16

int sandbox_call(struct sandbox_call *c, struct err *err);

/* Return true if the helper was lost by the request, which is not to be repeated. */
static inline bool sandbox_lost(int ret)
{
	return ret == -ECONNRESET || ret == -ETIME || ret == -EPROTO;
}

/* Return true if the failure is one of the helper and of the moment: another try may succeed. */
static inline bool sandbox_later(int ret)
{
	return ret == -EBUSY || ret == -EHOSTDOWN;
}

/*
 * Serve a request: read it from `in`, put the reply into `out`.  fd: the file or -1; the caller of
 * this closes it.
 */
typedef void helper_serve(struct wire_in *in, int fd, struct wire_out *out);

/* Like sandbox_call(); where no helper may be started, `serve` is called in this process. */
int sandbox_call_or(struct sandbox_call *c, helper_serve *serve, struct err *err);

/* Free the memory of the call. */
void sandbox_done(struct sandbox_call *c);

/* Report that the reply was malformed, as its reader found out.  Returns -EPROTO with err. */
int sandbox_nonsense(struct sandbox_call *c, struct err *err);

/*
 * End a call.  ret: result of the call, or of reading its reply; it is returned, or -EPROTO with
 * err where the reply was malformed (c->in has failed).  Frees the memory of the call.
 */
int sandbox_taken(struct sandbox_call *c, int ret, struct err *err);

/* --- figures for people ------------------------------------------------------------------ */

/* Copy out the present figures; those of figures_look are of the last call. */
void sandbox_figures(enum sandbox_process p, struct sandbox_figures *f);

/* Return the CPU time of all helpers so far, ns. */
uint64_t sandbox_cpu(void);

/* Return true if pid is one of ringtop's helpers.  Lock-free. */
bool sandbox_is_helper(pid_t pid);

#endif
