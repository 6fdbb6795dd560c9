/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cgroupname - short names for cgroups, and the text for an unknown owner.  Threads: any; no state.
 */
#ifndef RINGTOP_MODEL_ROWS_CGROUPNAME_H
#define RINGTOP_MODEL_ROWS_CGROUPNAME_H

#define OWNER_UNKNOWN "(unknown)"

/*
 * Return the common name of a cgroup by its path: a container by its runtime and 12 digits of its
 * id ("docker 0123456789ab"), else the systemd unit, with any path below it ("ssh.service",
 * "user.service/app"); else the path.  The result is in buf, or a part of the path.
 */
const char *cgroupname(const char *path, char buf[32]);

#endif
