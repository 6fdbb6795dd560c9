/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * nodes - what the views of the call tree share: asking for it, names, roles, hints, details.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_NODES_H
#define RINGTOP_UI_PARTS_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/tree.h"
#include "ui/term/theme.h"

struct app;
struct details;

#define NODES_NAME 600

/* The window's tree by the current view's grouping; as model_tree. */
const struct tree *nodes_tree(struct app *a, enum tree_order order, uint64_t function);

/* NULL: there is none with this id. */
const struct tree_node *nodes_find(const struct tree *t, uint64_t id);

/* The name with its marks, escaped. */
size_t nodes_name(const struct app *a, char *buf, size_t size, const struct tree_node *n, int width);
/* What it means that no symbol names a function of this name and object. */
const char *nodes_unresolved(const char *name, const char *object);

/* The file, by as much of its path as tells it from those of siblings of the same name; t NULL: by its last part. */
void nodes_object(char *buf, size_t size, const struct tree *t, const struct tree_node *n);
enum role nodes_role(const struct tree_node *n);
bool nodes_match(const struct tree_node *n, const char *search);

/* What a person should know about all of it, or "". */
void nodes_hint(const struct app *a, const struct tree *t, char *buf, size_t size);

/* view_ops.function of node n; NULL: nothing is selected. */
uint64_t nodes_function(const struct tree_node *n, char *name, size_t size);

/* bottom_up: of a tree of callers. */
void nodes_details(const struct app *a, struct details *d, const struct tree_node *n, bool bottom_up);

#endif
