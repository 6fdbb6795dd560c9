/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildcache - perf's cache of recorded objects: ~/.debug/.build-id/XX/YYYY.../elf, and kallsyms
 * for kernels. `perf record` copies every object that had samples there, so a recording can be
 * named even after its programs were rebuilt.
 *
 * Source of the layout: tools/perf/util/build-id.c of Linux 6.1.  Threads: any worker; no state.
 */
#ifndef RINGTOP_FILES_ELF_BUILDCACHE_H
#define RINGTOP_FILES_ELF_BUILDCACHE_H

#include "base/buildid.h"

/*
 * Open the file of this name ("elf", "kallsyms") cached for a build-id. Return a descriptor, which
 * the caller closes, or -ENOENT, -EINVAL (not a regular file), ... The caller must check that the
 * content is right.
 */
int buildcache_open(const struct build_id *id, const char *name);

#endif
