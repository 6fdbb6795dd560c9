/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sysfs - the files by which perf knows an intel_pt PMU: format/, caps/ and two ratios. */
#ifndef SOFTPT_SYSFS_H
#define SOFTPT_SYSFS_H

#include <linux/sysfs.h>

/* The bits of attr.config that format/ names; others are refused. */
#define SOFTPT_CONFIG_MASK 0x0f7bfe33ull

extern const struct attribute_group *softpt_attr_groups[];

#endif
