/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procscan - from /proc: processes that were there before ringtop.
 *
 * Threads: any worker; results belong to the caller.
 */
#ifndef RINGTOP_SYSTEM_PROC_PROCSCAN_H
#define RINGTOP_SYSTEM_PROC_PROCSCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define COMM_LEN 16 /* TASK_COMM_LEN */

struct scan_map { /* an executable map */
	uint64_t start, end, pgoff, ino;
	uint32_t maj, min;
	bool data; /* or a part of a file mapped for reading only: procscan_read_data */
	/*
	 * Set if the map is anonymous, and stands in a hole of a file that is mapped on both sides:
	 * the members are of the file there, of which it may be a copy.  procscan_anonymous takes
	 * that back.
	 */
	bool copied;
	char *path;
};

struct scan {
	pid_t pid;
	bool kernel; /* a kernel thread */
	char comm[COMM_LEN];
	struct scan_map *maps;
	size_t nmaps, cap_maps;
};

/* Read a process.  0; -ESRCH: it is gone; -EACCES: its maps may not be read (comm is filled). */
int procscan_read(pid_t pid, struct scan *s);

/* Like procscan_read(), with maps of files for reading only, too: unwind information is in such. */
int procscan_read_data(pid_t pid, struct scan *s);
/*
 * Read maps like procscan_read(), with code that may be copied: see scan_map.  The caller must
 * compare its bytes.
 */
int procscan_read_copied(pid_t pid, struct scan *s);
void procscan_clear(struct scan *s);

/* Take back that a map is a copy of a file's code: it is none. */
void procscan_anonymous(struct scan_map *m);

struct proc_owner {
	uid_t real, effective;
	pid_t inner; /* its pid in its own namespace */
	pid_t parent; /* 0: it has none that is seen from here */
	bool found;
};

/* Read the owner of process pid.  False: it is gone, *o is unchanged. */
bool procscan_owner(pid_t pid, struct proc_owner *o);

/*
 * Return true if this process is in another PID namespace than the first, in which it sees only a
 * part of all processes.
 */
bool procscan_is_namespaced(void);

/* Read the name of one thread.  False: it is gone. */
bool procscan_comm(pid_t pid, pid_t tid, char comm[COMM_LEN]);

/*
 * Parse one line of /proc/PID/maps; m->path points into it, is not to be written to, and ends at
 * the line's end.  False: malformed, or not executable.
 */
bool procscan_map_line(const char *line, struct scan_map *m);

enum proc_life {
	PROC_GONE,
	PROC_ZOMBIE, /* ended, and not yet reaped by its parent */
	PROC_ALIVE,  /* or not to be read */
};

/*
 * Return the state of a process (with all of its threads) or a thread; *parent (may be NULL) is the
 * process's parent where it is not gone.
 */
enum proc_life procscan_life(pid_t id, bool thread, pid_t *parent);

/*
 * Return when pid started, in the kernel's ticks since boot (field 22 of its stat); 0: it is gone,
 * or cannot be read.
 */
uint64_t procscan_start(pid_t pid);

/* Present state of a thread. */
struct proc_stand {
	char state;   /* as in stat: R, S, D, ... */
	unsigned cpu; /* where it ran last */
	uint64_t ran; /* ns on a CPU, as of its last tick; 0: the kernel does not have it */
	uint64_t ip;  /* user address its system call returns to; 0: none, or not to be read */
};

/* Read the state of a thread.  False: it is gone, or not to be read. */
bool procscan_stand(pid_t tid, struct proc_stand *s);

/* Return the process of a thread; -1: it is gone. */
pid_t procscan_process(pid_t tid);

/* Return all process ids in /proc, malloc'ed; NULL and *nr 0 where it cannot be read. */
pid_t *procscan_pids(size_t *nr);

/* Return the number of descriptors that this process has open, 0 where /proc cannot be read. */
size_t procscan_descriptors(void);

/* Return the thread ids of pid, malloc'ed; NULL where it is gone. */
pid_t *procscan_tids(pid_t pid, size_t *nr);

#endif
