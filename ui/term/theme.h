/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * theme - roles of cells, and their looks with and without colours.
 *
 * Views name roles, never colours.  In mono every role that carries a warning or a selection still
 * differs from plain text.  Threads: any (const tables).
 */
#ifndef RINGTOP_UI_TERM_THEME_H
#define RINGTOP_UI_TERM_THEME_H

#include <stdbool.h>
#include <stdint.h>

enum role {
	ROLE_TEXT,
	ROLE_DIM,      /* explanations, separators */
	ROLE_STRONG,   /* names of things, figures that matter */
	ROLE_GOOD,     /* live, nothing lost */
	ROLE_WARN,     /* loss > 1 %, notes */
	ROLE_BAD,      /* loss > 10 %, failures */
	ROLE_TITLE,    /* heads of columns */
	ROLE_SORTED,   /* the head of the column sorted by */
	ROLE_TAB,
	ROLE_TAB_ON,
	ROLE_KEY,      /* a key in the key line */
	ROLE_LABEL,    /* the key's action */
	ROLE_SELECTED,
	ROLE_KERNEL,   /* names of the kernel */
	ROLE_MATCH,    /* found by the search */
	ROLE_LOADING,
	ROLE_TREND,
	ROLE_HOT,      /* shares that matter most: theme_heat */
	ROLE_WARM,
	ROLE_FEW,      /* figures of too few samples */
	ROLE_GAUGE,
	ROLE_WINDOW,   /* the shown part of the timeline */
	ROLE_PANEL,    /* frames of panels and menus */
	ROLE_PROMPT,
	ROLE_BOX,            /* of the flame graph: user code */
	ROLE_BOX_KERNEL,
	ROLE_BOX_INLINED,
	ROLE_BOX_UNRESOLVED, /* an address */
	ROLE_BOX_TASK,
	ROLE_BOX_LOST,       /* dropped or truncated */
	ROLE_BOX_OFF,        /* time off the CPU */
	ROLE_OFF,            /* time off the CPU, in rows */
	ROLE_BOX_MORE,       /* while windows are compared: surely more than before */
	ROLE_BOX_LESS,
	ROLE_BOX_SAME,       /* no change is sure */
	ROLE_MORE,           /* surely more than before, in rows */
	ROLE_LESS,
	ROLE_NR
};

enum theme_flag { THEME_BOLD = 1, THEME_DIM = 2, THEME_REVERSE = 4, THEME_UNDERLINE = 8 };

struct theme_look {
	int8_t fg, bg;  /* 0..7 as in ANSI, -1: the terminal's own */
	uint8_t flags;
	uint8_t fine;   /* foreground with 256 colours: 16..231, the cube of 6 levels; 0: fg */
};

/* Palettes, by background and user.  PALETTE_ANY is readable on white and on black. */
enum palette { PALETTE_ANY, PALETTE_DARK, PALETTE_LIGHT, PALETTE_COLOUR_BLIND, PALETTE_NR };

struct theme_role {
	const char *name;
	char letter; /* in dumps of a scene */
	struct theme_look colour;
	uint8_t mono; /* flags */
};

extern const struct theme_role theme_roles[ROLE_NR];

/* Return the palette of that name; PALETTE_ANY for NULL or an unknown name. */
enum palette theme_palette(const char *name);

/* Return a role's look in colour. */
const struct theme_look *theme_look(enum palette palette, enum role role);

/* Return the role of a loss; share: 0..1 of all counts. */
enum role theme_loss(double share);

/*
 * Return the heat of a share, by perf top's bounds: 5 %, 0.5 %.  The colours differ in brightness
 * and weight, not only in red and green, so that colour-blind users can distinguish them.
 */
enum role theme_heat(double share);

/*
 * Return a colour of the cube as red, green, blue, 8 bits each: for terminals with direct colours.
 */
uint32_t theme_rgb(uint8_t fine);

/*
 * Return a letter for scene_dump(): by role, or by the role's attributes without colours ('.', B,
 * D, R, U, ...).
 */
char theme_letter(uint8_t role);
char theme_letter_mono(uint8_t role);

#endif
