/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/prompt.h"

#include <string.h>

#include "ui/term/input.h"

void prompt_set(struct prompt *p, const char *text)
{
	size_t n = strlen(text);

	while (n >= sizeof(p->text))
		do
			n--;
		while (n && ((unsigned char)text[n] & 0xc0) == 0x80);
	memmove(p->text, text, n);
	p->text[n] = '\0';
	p->len = p->at = n;
}

void prompt_open(struct prompt *p, enum prompt_kind kind, const char *text)
{
	p->kind = kind;
	prompt_set(p, text);
}

void prompt_close(struct prompt *p)
{
	if (p->len)
		memcpy(p->last[p->kind], p->text, p->len + 1);
	p->kind = PROMPT_NONE;
}

static bool is_inside_prompt(const struct prompt *p, size_t at)
{
	return at < p->len && ((unsigned char)p->text[at] & 0xc0) == 0x80;
}

static size_t char_before(const struct prompt *p, size_t at)
{
	if (at)
		do
			at--;
		while (at && is_inside_prompt(p, at));
	return at;
}

static size_t after(const struct prompt *p, size_t at)
{
	if (at < p->len)
		do
			at++;
		while (is_inside_prompt(p, at));
	return at;
}

static enum prompt_step cut_prompt_text(struct prompt *p, size_t from, size_t to)
{
	if (from == to)
		return PROMPT_SAME;
	memmove(p->text + from, p->text + to, p->len - to + 1);
	p->len -= to - from;
	p->at = from;
	return PROMPT_EDITED;
}

static size_t word_before(const struct prompt *p)
{
	size_t at = p->at;

	while (at && p->text[at - 1] == ' ')
		at--;
	while (at && p->text[at - 1] != ' ')
		at--;
	return at;
}

static size_t encode_utf8_char(char out[4], uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};

	for (size_t i = n; i-- > 1; c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)(lead[n] | c);
	return n;
}

static enum prompt_step insert_prompt_char(struct prompt *p, uint32_t key)
{
	char bytes[4];
	size_t n;

	if (key < 0x20 || (key >= 0x7f && key < 0xa0) || key >= INPUT_UP)
		return PROMPT_SAME;
	n = encode_utf8_char(bytes, key);
	if (p->len + n >= sizeof(p->text))
		return PROMPT_SAME;
	memmove(p->text + p->at + n, p->text + p->at, p->len - p->at + 1);
	memcpy(p->text + p->at, bytes, n);
	p->len += n;
	p->at += n;
	return PROMPT_EDITED;
}

static enum prompt_step move_prompt_cursor(struct prompt *p, size_t at)
{
	p->at = at;
	return PROMPT_MOVED;
}

enum prompt_step prompt_key(struct prompt *p, uint32_t key)
{
	switch (key) {
	case INPUT_ENTER:
		return PROMPT_DONE;
	case INPUT_ESC:
	case INPUT_CTRL('c'):
	case INPUT_CTRL('g'):
		return PROMPT_CANCEL;
	case INPUT_TAB:
		return PROMPT_COMPLETE;
	case INPUT_BACKSPACE:
		return p->len ? cut_prompt_text(p, char_before(p, p->at), p->at) : PROMPT_CANCEL;
	case INPUT_DELETE:
	case INPUT_CTRL('d'):
		return cut_prompt_text(p, p->at, after(p, p->at));
	case INPUT_CTRL('u'):
		return cut_prompt_text(p, 0, p->at);
	case INPUT_CTRL('k'):
		return cut_prompt_text(p, p->at, p->len);
	case INPUT_CTRL('w'):
		return cut_prompt_text(p, word_before(p), p->at);
	case INPUT_LEFT:
		return move_prompt_cursor(p, char_before(p, p->at));
	case INPUT_RIGHT:
		return move_prompt_cursor(p, after(p, p->at));
	case INPUT_HOME:
	case INPUT_CTRL('a'):
		return move_prompt_cursor(p, 0);
	case INPUT_END:
	case INPUT_CTRL('e'):
		return move_prompt_cursor(p, p->len);
	case INPUT_UP:
		prompt_set(p, p->last[p->kind]);
		return PROMPT_EDITED;
	default:
		return insert_prompt_char(p, key);
	}
}
