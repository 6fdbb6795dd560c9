/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "app/only.h"

#include <stddef.h>

#include "base/text.h"
#include "model/rows/rowfilter.h"
#include "app/options.h"
#include "measure/session/session.h"

int only_compile(const struct options *o, const struct session_info *info,
		 struct rowfilter **filter, struct err *err)
{
	char shown[8 * SLICE_FIELD_NAMES] = "", names[9 * SLICE_FIELD_NAMES];
	const char *by = o->measure.by;

	*filter = NULL;
	if (!o->show.filter)
		return 0;
	if (info)
		session_by_names(info, shown, sizeof(shown));
	/* The session's fields, or if it has none (yet) those of --by, which may still come. */
	text_append(names, sizeof(names), 0, "%s", *shown ? shown : by ? by : "");
	return rowfilter_compile_keys(o->show.filter, names, filter, err)
		       ? err_option(err, "--only") : 0;
}

int only_check(const struct options *o, const struct session_info *info, struct err *err)
{
	struct rowfilter *filter = NULL;
	int ret = o->measure.input && !info ? 0 : only_compile(o, info, &filter, err);

	rowfilter_free(filter);
	return ret;
}
