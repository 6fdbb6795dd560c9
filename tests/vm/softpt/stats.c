// SPDX-License-Identifier: GPL-2.0-or-later
#include "stats.h"

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>

static struct dentry *directory;
static const struct softpt_stats *(*stats_of)(int cpu);

static int stats_show(struct seq_file *m, void *unused)
{
	int cpu;

	seq_puts(m, "cpu made written lost bytes starts truncated partial collision skipped "
		    "pauses resumes samples paused on\n");
	for_each_possible_cpu(cpu) {
		const struct softpt_stats *s = stats_of(cpu);

		seq_printf(m, "%d %llu %llu %llu %llu %llu %llu %llu %llu "
			   "%llu %llu %llu %llu %d %d\n", cpu,
			   s->made, s->written, s->lost, s->bytes, s->starts, s->truncated,
			   s->partial, s->collision, s->skipped,
			   s->pauses, s->resumes, s->samples, s->paused, s->on);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(stats);

int stats_create(const struct softpt_stats *(*of_cpu)(int cpu))
{
	stats_of = of_cpu;
	directory = debugfs_create_dir("softpt", NULL);
	return PTR_ERR_OR_ZERO(debugfs_create_file("stats", 0444, directory, NULL, &stats_fops));
}

void stats_remove(void)
{
	debugfs_remove_recursive(directory);
}
