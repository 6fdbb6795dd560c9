/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * treeout - the nodes of a tree for display: summed up, small ones folded into "[other]", named,
 * siblings sorted, parents before their children.
 *
 * Threads: the model's owner.
 */
#ifndef RINGTOP_MODEL_TREE_TREEOUT_H
#define RINGTOP_MODEL_TREE_TREEOUT_H

#include "model/tree/treework.h"

/* Fill b->t->tree from its nodes, all of them placed.  0 or -ENOMEM. */
int treeout_write(struct tree_build *b);

#endif
