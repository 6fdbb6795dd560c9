/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Container runtimes write ids into paths in a few ways: as a part of the path below one that names
 * the runtime (/docker/ID, /kubepods/burstable/podUID/ID), or as a systemd scope with both
 * (docker-ID.scope, cri-containerd-ID.scope).  Any user may name a cgroup so; it is then shown so,
 * and its path still shows what it is.
 */
#include "model/rows/cgroupname.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ID_DIGITS    64 /* of a container */
#define ID_SHOWN     12
#define POD_UID      36 /* with - or _ between its parts */

static size_t part_length(const char *part)
{
	return strcspn(part, "/");
}

static bool all_hex(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

static bool ends_in(const char *part, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len > n && !memcmp(part + len - n, end, n);
}

/* Scopes of containers have one of these as prefix; directories are below one. */
static const struct runtime {
	const char *prefix, *name;
} runtimes[] = {
	{"docker", "docker"},
	{"cri-containerd", "containerd"},
	{"containerd", "containerd"},
	{"crio", "cri-o"},
	{"libpod", "podman"},
	{"libpod_parent", "podman"},
	{"kubepods", "k8s"},
	{"kubepods.slice", "k8s"},
	{"ecs", "ecs"},
	{"garden", "garden"},
	{"actions_job", "docker"},
};

static const char *runtime_of(const char *part, size_t len)
{
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(*runtimes); i++)
		if (strlen(runtimes[i].prefix) == len && !memcmp(runtimes[i].prefix, part, len))
			return runtimes[i].name;
	return NULL;
}

/*
 * Return the digits of a container's id in the part, which are at its begin or after "RUNTIME-";
 * NULL: it is no container.
 */
static const char *container_id(const char *part, size_t len)
{
	len -= ends_in(part, len, ".scope") ? strlen(".scope") : 0;
	if (len < ID_DIGITS || !all_hex(part + len - ID_DIGITS, ID_DIGITS))
		return NULL;
	return len == ID_DIGITS || part[len - ID_DIGITS - 1] == '-' ? part + len - ID_DIGITS : NULL;
}

/* Return the uid in "podUID" or "kubepods-burstable-podUID.slice"; NULL: it is no pod. */
static const char *pod_uid(const char *part, size_t len)
{
	len -= ends_in(part, len, ".slice") ? strlen(".slice") : 0;
	if (len < POD_UID + 3 || memcmp(part + len - POD_UID - 3, "pod", 3) != 0 ||
	    !all_hex(part + len - POD_UID, 8))
		return NULL;
	return part + len - POD_UID;
}

/* Write the name of a pod: its uid without separators. */
static void pod_name(const char *uid, char buf[32])
{
	size_t pos = (size_t)snprintf(buf, 32, "pod ");

	for (size_t i = 0; i < POD_UID && pos < strlen("pod ") + ID_SHOWN; i++)
		if (isalnum((unsigned char)uid[i]))
			buf[pos++] = uid[i];
	buf[pos] = '\0';
}

static void container_name(const char *path, const char *part, const char *id, char buf[32])
{
	const char *who = id > part ? runtime_of(part, (size_t)(id - part) - 1) : NULL;

	/* Else the runtime is a part of the path above, at any depth. */
	for (const char *at = path; !who && at < part; at += part_length(at), at += *at == '/')
		who = runtime_of(at, part_length(at));
	snprintf(buf, 32, "%s%s%.*s", who ? who : "", who ? " " : "", ID_SHOWN, id);
}

static bool is_unit(const char *part, size_t len)
{
	static const char *const ends[] = {".service", ".scope", ".socket", ".mount", ".swap"};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (ends_in(part, len, ends[i]))
			return true;
	return false;
}

const char *cgroupname(const char *path, char buf[32])
{
	const char *unit = NULL, *slice = NULL, *pod = NULL;

	for (const char *part = path; *part; part += *part == '/') {
		size_t len = part_length(part);
		const char *id = container_id(part, len);

		if (id) {
			container_name(path, part, id, buf);
			return buf;
		}
		pod = pod_uid(part, len) ? pod_uid(part, len) : pod;
		unit = is_unit(part, len) ? part : unit;
		slice = ends_in(part, len, ".slice") && !part[len] ? part : NULL;
		part += len;
	}
	if (pod) {
		pod_name(pod, buf);
		return buf;
	}
	return unit ? unit : slice ? slice : path;
}
