// SPDX-License-Identifier: GPL-2.0-or-later
#include "sysfs.h"

#include <linux/device.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

PMU_FORMAT_ATTR(pt, "config:0");
PMU_FORMAT_ATTR(cyc, "config:1");
PMU_FORMAT_ATTR(pwr_evt, "config:4");
PMU_FORMAT_ATTR(fup_on_ptw, "config:5");
PMU_FORMAT_ATTR(mtc, "config:9");
PMU_FORMAT_ATTR(tsc, "config:10");
PMU_FORMAT_ATTR(noretcomp, "config:11");
PMU_FORMAT_ATTR(ptw, "config:12");
PMU_FORMAT_ATTR(branch, "config:13");
PMU_FORMAT_ATTR(mtc_period, "config:14-17");
PMU_FORMAT_ATTR(cyc_thresh, "config:19-22");
PMU_FORMAT_ATTR(psb_period, "config:24-27");

static struct attribute *format_attrs[] = {
	&format_attr_pt.attr, &format_attr_cyc.attr, &format_attr_pwr_evt.attr,
	&format_attr_fup_on_ptw.attr, &format_attr_mtc.attr, &format_attr_tsc.attr,
	&format_attr_noretcomp.attr, &format_attr_ptw.attr, &format_attr_branch.attr,
	&format_attr_mtc_period.attr, &format_attr_cyc_thresh.attr, &format_attr_psb_period.attr,
	NULL,
};

static const struct attribute_group format_group = {.name = "format", .attrs = format_attrs};

/* A constant in a file; of a processor with MTC and the usual periods, without CYC. */
#define CONSTANT(file, text)                                                                       \
	static struct dev_ext_attribute constant_##file = {                                        \
		__ATTR(file, 0444, show_constant, NULL), text}

static ssize_t show_constant(struct device *dev, struct device_attribute *attr, char *page)
{
	return sprintf(page, "%s\n",
		       (const char *)container_of(attr, struct dev_ext_attribute, attr)->var);
}

CONSTANT(max_subleaf, "1");
CONSTANT(cr3_filtering, "1");
CONSTANT(psb_cyc, "1");
CONSTANT(ip_filtering, "0");
CONSTANT(mtc, "1");
CONSTANT(ptwrite, "0");
CONSTANT(power_event_trace, "0");
CONSTANT(event_trace, "0");
CONSTANT(tnt_disable, "0");
CONSTANT(topa_output, "1");
CONSTANT(topa_multiple_entries, "1");
CONSTANT(single_range_output, "1");
CONSTANT(output_subsys, "0");
CONSTANT(payloads_lip, "0");
CONSTANT(num_address_ranges, "0");
CONSTANT(mtc_periods, "249");
CONSTANT(cycle_thresholds, "0");
CONSTANT(psb_periods, "3f");
CONSTANT(max_nonturbo_ratio, "34");
CONSTANT(tsc_art_ratio, "0:0");

#define FILE_OF(name) (&constant_##name.attr.attr)

static struct attribute *caps_attrs[] = {
	FILE_OF(max_subleaf), FILE_OF(cr3_filtering), FILE_OF(psb_cyc), FILE_OF(ip_filtering),
	FILE_OF(mtc), FILE_OF(ptwrite), FILE_OF(power_event_trace), FILE_OF(event_trace),
	FILE_OF(tnt_disable), FILE_OF(topa_output), FILE_OF(topa_multiple_entries),
	FILE_OF(single_range_output), FILE_OF(output_subsys), FILE_OF(payloads_lip),
	FILE_OF(num_address_ranges), FILE_OF(mtc_periods), FILE_OF(cycle_thresholds),
	FILE_OF(psb_periods), NULL,
};

static const struct attribute_group caps_group = {.name = "caps", .attrs = caps_attrs};

static struct attribute *ratio_attrs[] = {FILE_OF(max_nonturbo_ratio), FILE_OF(tsc_art_ratio), NULL};

static const struct attribute_group ratio_group = {.attrs = ratio_attrs};

const struct attribute_group *softpt_attr_groups[] = {&format_group, &caps_group, &ratio_group, NULL};
