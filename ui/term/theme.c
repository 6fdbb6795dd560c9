/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/theme.h"

#include <string.h>

enum { OWN = -1, BLACK, RED, GREEN, YELLOW, BLUE, MAGENTA, CYAN, WHITE };

const struct theme_role theme_roles[ROLE_NR] = {
	[ROLE_TEXT] = {"text", '.', {OWN, OWN, 0}, 0},
	[ROLE_DIM] = {"dim", 'd', {OWN, OWN, THEME_DIM}, 0},
	[ROLE_STRONG] = {"strong", 's', {OWN, OWN, THEME_BOLD}, THEME_BOLD},
	[ROLE_GOOD] = {"good", 'g', {GREEN, OWN, 0}, 0},
	/* Bold yellow is unreadable on white; this one is readable on both. */
	[ROLE_WARN] = {"warn", 'w', {YELLOW, OWN, THEME_BOLD, 136}, THEME_BOLD},
	[ROLE_BAD] = {"bad", 'b', {RED, OWN, THEME_BOLD}, THEME_BOLD | THEME_REVERSE},
	[ROLE_TITLE] = {"title", 't', {BLACK, GREEN, 0}, THEME_REVERSE},
	[ROLE_SORTED] = {"sorted", 'T', {BLACK, CYAN, 0}, THEME_REVERSE | THEME_BOLD},
	[ROLE_TAB] = {"tab", 'a', {OWN, OWN, 0}, 0},
	[ROLE_TAB_ON] = {"tab on", 'A', {BLACK, CYAN, 0}, THEME_REVERSE},
	[ROLE_KEY] = {"key", 'k', {OWN, OWN, THEME_BOLD}, THEME_BOLD},
	[ROLE_LABEL] = {"label", 'l', {BLACK, CYAN, 0}, 0},
	[ROLE_SELECTED] = {"selected", 'S', {BLACK, CYAN, 0}, THEME_REVERSE},
	[ROLE_KERNEL] = {"kernel", 'K', {MAGENTA, OWN, 0}, 0},
	[ROLE_MATCH] = {"match", 'm', {BLACK, YELLOW, 0}, THEME_UNDERLINE},
	[ROLE_LOADING] = {"loading", 'o', {OWN, OWN, THEME_DIM}, 0},
	/* Figures and trends change most: a different look would cost a third of all bytes sent. */
	[ROLE_TREND] = {"trend", 'r', {OWN, OWN, 0}, 0},
	[ROLE_HOT] = {"hot", 'Q', {RED, OWN, THEME_BOLD, 202}, THEME_BOLD},
	[ROLE_WARM] = {"warm", 'y', {YELLOW, OWN, 0, 172}, 0},
	[ROLE_FEW] = {"few", 'f', {OWN, OWN, THEME_DIM}, 0},
	[ROLE_GAUGE] = {"gauge", 'G', {GREEN, OWN, 0}, 0},
	[ROLE_WINDOW] = {"window", 'W', {CYAN, OWN, THEME_BOLD}, THEME_BOLD},
	[ROLE_PANEL] = {"panel", 'p', {CYAN, OWN, 0}, 0},
	[ROLE_PROMPT] = {"prompt", 'P', {OWN, OWN, THEME_BOLD}, THEME_BOLD},
	[ROLE_BOX] = {"box", 'x', {BLACK, GREEN, 0}, 0},
	[ROLE_BOX_KERNEL] = {"box kernel", 'X', {BLACK, MAGENTA, 0}, THEME_BOLD},
	[ROLE_BOX_INLINED] = {"box inlined", 'i', {GREEN, OWN, 0}, 0},
	[ROLE_BOX_UNRESOLVED] = {"box unresolved", 'u', {BLACK, WHITE, 0}, THEME_DIM},
	[ROLE_BOX_TASK] = {"box task", 'q', {WHITE, BLUE, THEME_BOLD}, THEME_BOLD},
	[ROLE_BOX_LOST] = {"box lost", 'L', {BLACK, RED, 0}, THEME_BOLD | THEME_UNDERLINE},
	[ROLE_BOX_OFF] = {"box off", 'Z', {WHITE, BLUE, 0}, THEME_DIM},
	[ROLE_OFF] = {"off", 'z', {BLUE, OWN, THEME_BOLD}, 0},
	[ROLE_BOX_MORE] = {"box more", 'H', {WHITE, RED, THEME_BOLD}, THEME_BOLD | THEME_REVERSE},
	[ROLE_BOX_LESS] = {"box less", 'J', {WHITE, BLUE, THEME_BOLD}, THEME_BOLD},
	[ROLE_BOX_SAME] = {"box same", 'e', {OWN, OWN, THEME_DIM}, 0},
	[ROLE_MORE] = {"more", 'h', {RED, OWN, THEME_BOLD}, THEME_BOLD},
	[ROLE_LESS] = {"less", 'j', {CYAN, OWN, THEME_BOLD}, THEME_BOLD},
};

/*
 * Looks of palettes that differ from theme_roles.  Colours that distinguish something are of the
 * 256: eight are too few.
 */
static const struct theme_look looks[PALETTE_NR][ROLE_NR] = {
	[PALETTE_DARK] = {
		[ROLE_GOOD] = {GREEN, OWN, 0, 114},
		[ROLE_WARN] = {YELLOW, OWN, THEME_BOLD, 221},
		[ROLE_BAD] = {RED, OWN, THEME_BOLD, 203},
		[ROLE_KERNEL] = {MAGENTA, OWN, 0, 177},
		[ROLE_HOT] = {RED, OWN, THEME_BOLD, 209},
		[ROLE_WARM] = {YELLOW, OWN, 0, 222},
		[ROLE_GAUGE] = {GREEN, OWN, 0, 114},
		[ROLE_OFF] = {BLUE, OWN, THEME_BOLD, 111},
		[ROLE_MORE] = {RED, OWN, THEME_BOLD, 203},
		[ROLE_LESS] = {CYAN, OWN, THEME_BOLD, 117},
	},
	[PALETTE_LIGHT] = {
		[ROLE_GOOD] = {GREEN, OWN, 0, 22},
		[ROLE_WARN] = {RED, OWN, THEME_BOLD, 94},
		[ROLE_BAD] = {RED, OWN, THEME_BOLD, 124},
		[ROLE_KERNEL] = {MAGENTA, OWN, 0, 90},
		[ROLE_HOT] = {RED, OWN, THEME_BOLD, 160},
		[ROLE_WARM] = {RED, OWN, 0, 94},
		[ROLE_GAUGE] = {GREEN, OWN, 0, 28},
		[ROLE_WINDOW] = {BLUE, OWN, THEME_BOLD, 24},
		[ROLE_PANEL] = {BLUE, OWN, 0, 24},
		[ROLE_BOX_INLINED] = {GREEN, OWN, 0, 22},
		[ROLE_OFF] = {BLUE, OWN, THEME_BOLD, 19},
		[ROLE_MORE] = {RED, OWN, THEME_BOLD, 124},
		[ROLE_LESS] = {BLUE, OWN, THEME_BOLD, 24},
	},
	[PALETTE_COLOUR_BLIND] = {
		[ROLE_GOOD] = {CYAN, OWN, 0, 32},
		[ROLE_WARN] = {YELLOW, OWN, THEME_BOLD, 136},
		[ROLE_BAD] = {RED, OWN, THEME_BOLD | THEME_REVERSE, 166},
		[ROLE_TITLE] = {BLACK, CYAN, 0},
		[ROLE_HOT] = {RED, OWN, THEME_BOLD, 166},
		[ROLE_WARM] = {YELLOW, OWN, 0, 136},
		[ROLE_GAUGE] = {CYAN, OWN, 0, 32},
		[ROLE_BOX] = {BLACK, CYAN, 0},
		[ROLE_BOX_KERNEL] = {BLACK, YELLOW, 0},
		[ROLE_BOX_INLINED] = {CYAN, OWN, 0, 32},
		[ROLE_BOX_LOST] = {WHITE, RED, THEME_BOLD | THEME_UNDERLINE},
		[ROLE_BOX_MORE] = {BLACK, YELLOW, THEME_BOLD},
		[ROLE_MORE] = {RED, OWN, THEME_BOLD, 166},
		[ROLE_LESS] = {CYAN, OWN, THEME_BOLD, 32},
	},
};

enum palette theme_palette(const char *name)
{
	static const char *const names[PALETTE_NR] = {"any", "dark", "light", "color-blind"};

	for (int i = 0; name && i < PALETTE_NR; i++)
		if (!strcmp(names[i], name))
			return (enum palette)i;
	return PALETTE_ANY;
}

const struct theme_look *theme_look(enum palette palette, enum role role)
{
	const struct theme_look *own = &looks[palette][role];

	return own->fg || own->bg ? own : &theme_roles[role].colour; /* black on black: not set */
}

enum role theme_loss(double share)
{
	return share > 0.10 ? ROLE_BAD : share > 0.01 ? ROLE_WARN : ROLE_TEXT;
}

enum role theme_heat(double share)
{
	return share >= 0.05 ? ROLE_HOT : share >= 0.005 ? ROLE_WARM : ROLE_TEXT;
}

uint32_t theme_rgb(uint8_t fine)
{
	static const uint8_t level[6] = {0, 95, 135, 175, 215, 255};
	unsigned i = fine >= 16 ? fine - 16u : 0;

	return i >= 216 ? 0xffffff
			: (uint32_t)level[i / 36] << 16 | (uint32_t)level[i / 6 % 6] << 8 |
				  level[i % 6];
}

char theme_letter(uint8_t role)
{
	return role < ROLE_NR ? theme_roles[role].letter : '?';
}

char theme_letter_mono(uint8_t role)
{
	/* Indexed by the flags: none, B, D, B+D, R, ... */
	static const char letters[16] = ".BDXRVYXUXXXXXXX";

	return role < ROLE_NR ? letters[theme_roles[role].mono & 15] : '?';
}
