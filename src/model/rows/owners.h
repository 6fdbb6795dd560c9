/* SPDX-License-Identifier: GPL-2.0-or-later */
/* owners - short names for cgroups, and what stands where an owner is not known.  Threads: any; no state. */
#ifndef RINGTOP_MODEL_ROWS_OWNERS_H
#define RINGTOP_MODEL_ROWS_OWNERS_H

#define OWNER_UNKNOWN "(unknown)"

/*
 * What people call a cgroup of that path: a container by what runs it and 12 digits of its id ("docker 0123456789ab"),
 * else the systemd unit, with what is below it ("ssh.service", "user.service/app"); any other is its path.  In buf, or
 * a part of the path.
 */
const char *owners_cgroup_name(const char *path, char buf[32]);

#endif
