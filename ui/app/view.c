/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/view.h"

#include <ctype.h>
#include <string.h>

#include "ui/app/app.h"
#include "ui/parts/rowcolumns.h"

#define VIEW_OPS(id, name, key, title, help) extern const struct view_ops view_##name;
VIEWS_WITH_KEY(VIEW_OPS)
VIEWS_WITHOUT_KEY(VIEW_OPS)

const struct view_ops *const views[VIEW_NR] = {
#define VIEW_ROW(id, name, key, title, help) &view_##name,
	VIEWS_WITH_KEY(VIEW_ROW) VIEWS_WITHOUT_KEY(VIEW_ROW)
};

const char *const view_names[VIEW_NR] = {
#define VIEW_NAME(id, name, key, title, help) title,
	VIEWS_WITH_KEY(VIEW_NAME) VIEWS_WITHOUT_KEY(VIEW_NAME)
};

char view_digit(enum view_id view)
{
	static const char keys[VIEW_NR] = {
#define VIEW_KEY(id, name, key, title, help) key,
		VIEWS_WITH_KEY(VIEW_KEY) VIEWS_WITHOUT_KEY(VIEW_KEY)
	};

	return isdigit(keys[view]) ? keys[view] : 0;
}

bool view_has_tab(const struct app *a, enum view_id view)
{
	return view_digit(view) &&
	       (a->view == view || !views[view]->wanted || views[view]->wanted(a));
}

unsigned view_columns(enum view_id view, struct widget_column *to)
{
	const struct view_ops *v = views[view];

	if (!v->columns)
		return rowcolumns_list(view, to);
	memcpy(to, v->columns, v->ncolumns * sizeof(*to));
	return v->ncolumns;
}

unsigned view_sorts(const struct app *a)
{
	const struct view_ops *v = views[a->view];
	unsigned bits = v->columns ? 0 : rowcolumns_sorts(a->view, a->table[a->view].group);

	for (unsigned i = 0; i < v->ncolumns; i++)
		if (v->columns[i].sort >= 0)
			bits |= 1u << v->columns[i].sort;
	return bits;
}
