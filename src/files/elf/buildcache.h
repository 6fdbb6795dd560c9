/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildcache - perf's cache of what it recorded: ~/.debug/.build-id/XX/YYYY.../elf, and kallsyms for
 * kernels.  `perf record` copies every object that had samples there, so a recording can be named
 * after its programs were built anew.
 *
 * Source of the layout: tools/perf/util/build-id.c of Linux 6.1.  Threads: any worker; no state.
 */
#ifndef RINGTOP_FILES_ELF_BUILDCACHE_H
#define RINGTOP_FILES_ELF_BUILDCACHE_H

#include "base/buildid.h"

/*
 * The file of this name ("elf", "kallsyms") that is kept for a build-id: a descriptor, or -ENOENT,
 * -EINVAL (no regular file), ...  Whoever reads it checks that it is what it should be.
 */
int buildcache_open(const struct build_id *id, const char *name);

#endif
