/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treenodes - common to the views of the call tree: queries, names, roles, hints, details.
 *
 * Threads: one owner.
 */
#ifndef RINGTOP_UI_PARTS_TREENODES_H
#define RINGTOP_UI_PARTS_TREENODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/tree/tree.h"
#include "ui/term/theme.h"

struct app;
struct details;

#define TREENODES_NAME 600

/* Return the window's tree by the current view's grouping, like model_tree(). */
const struct tree *treenodes_tree(struct app *a, enum tree_order order, uint64_t function);

/* Return the node with this id, or NULL. */
const struct tree_node *treenodes_find(const struct tree *t, uint64_t id);

/* Write the node's name with its marks, escaped; returns its bytes. */
size_t treenodes_name(const struct app *a, char *buf, size_t size, const struct tree_node *n,
		  int width);

/* Return an explanation why the function of this name and object has no symbol. */
const char *treenodes_unresolved(const char *name, const char *object);

/*
 * Write the file's path as far as it differs from that of siblings of the same name; t NULL: its
 * last part.
 */
void treenodes_object(char *buf, size_t size, const struct tree *t, const struct tree_node *n);
enum role treenodes_role(const struct tree_node *n);
bool treenodes_match(const struct tree_node *n, const char *search);

/* Write a hint that concerns the whole tree, or "". */
void treenodes_hint(const struct app *a, const struct tree *t, char *buf, size_t size);

/* Implement view_ops.function for node n; NULL: nothing is selected. */
uint64_t treenodes_function(const struct tree_node *n, char *name, size_t size);

/* Add the node's details; bottom_up: the tree is of callers. */
void treenodes_details(const struct app *a, struct details *d, const struct tree_node *n,
		   bool bottom_up);

#endif
