/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/kernel/kallsyms.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compare.h"
#include "base/search.h"
#include "base/vec.h"

#define BUFFER      (256u << 10)
#define NO_MODULE   UINT32_MAX
#define MODULES_MAX 65536u

const char *const kernel_marks[KERNEL_ANCHORS] = {[KERNEL_TEXT] = "_text",
						  [KERNEL_STEXT] = "_stext",
						  [KERNEL_IDLE] = "__cpuidle_text_start",
						  [KERNEL_IDLE_END] = "__cpuidle_text_end"};

struct module_symbol {
	uint64_t addr;
	uint32_t name; /* offset in names */
};

struct parser {
	struct symtab *symtab;
	struct module_symbol *symbols; /* symbols of modules */
	size_t nsymbols, symbols_cap;
	char *names; /* modules' names, in the order they first appear */
	size_t names_len, names_cap;
	uint32_t last_name; /* a cache: lines of one module stand together */
	uint64_t low, high; /* address range of the kernel proper */
	uint64_t mark[KERNEL_ANCHORS];
	size_t line, nonzero;
};

/* Values of hexadecimal digits plus one, so that 0 is none. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static int intern_module_name(struct parser *p, const char *name, size_t len, uint32_t *offset)
{
	const char *at = p->names, *end = p->names + p->names_len;

	if (p->last_name != NO_MODULE && !strncmp(p->names + p->last_name, name, len) &&
	    p->names[p->last_name + len] == '\0') {
		*offset = p->last_name;
		return 0;
	}
	for (; at < end; at += strlen(at) + 1)
		if (!strncmp(at, name, len) && at[len] == '\0')
			break;
	if (at == end) {
		if (p->names_len > MODULES_MAX * 8)
			return -EFBIG;
		if (!vec_reserve(&p->names, &p->names_cap, p->names_len + len + 1, 1))
			return -ENOMEM;
		at = p->names + p->names_len;
		memcpy(p->names + p->names_len, name, len);
		p->names[p->names_len + len] = '\0';
		p->names_len += len + 1;
	}
	*offset = p->last_name = (uint32_t)(at - p->names);
	return 0;
}

/* Add a symbol of a module; text is "[ext4]", up to end. */
static int add_module_symbol(struct parser *p, uint64_t addr, const char *text, const char *end)
{
	uint32_t name;
	int ret;

	if (end - text < 3 || *text != '[' || end[-1] != ']' ||
	    memchr(text, '\0', (size_t)(end - text)))
		return -EINVAL;
	ret = intern_module_name(p, text + 1, (size_t)(end - text) - 2, &name);
	if (ret)
		return ret;
	return VEC_PUSH(p->symbols, p->nsymbols, p->symbols_cap, (struct module_symbol){addr, name})
		       ? 0
		       : -ENOMEM;
}

static int add_symbol(struct parser *p, uint64_t addr, bool data, const char *name, const char *end)
{
	const char *tab = memchr(name, '\t', (size_t)(end - name));
	size_t len = (size_t)((tab ? tab : end) - name);
	int ret;

	if (!len)
		return -EINVAL;
	p->nonzero += addr != 0;
	if (!addr)
		return 0;
	ret = symtab_add_kernel(p->symtab, addr,
				(data ? SYMTAB_DATA : SYMTAB_TEXT) | (tab ? SYMTAB_MODULE : 0),
				name, len);
	if (ret || data)
		return ret;
	if (tab)
		return add_module_symbol(p, addr, tab + 1, end);
	if (addr < p->low)
		p->low = addr;
	if (addr > p->high)
		p->high = addr;
	for (int m = 0; m < KERNEL_ANCHORS; m++)
		if (len == strlen(kernel_marks[m]) && !memcmp(name, kernel_marks[m], len))
			p->mark[m] = addr;
	return 0;
}

/* Parse "ffffffff81000000 T _stext[\t[module]]" without its newline. */
static int parse_symbol_line(struct parser *p, const char *at, const char *end)
{
	const char *digits = at;
	uint64_t addr = 0;
	char type;

	for (; at < end && hex_digits[(uint8_t)*at]; at++)
		addr = addr << 4 | (hex_digits[(uint8_t)*at] - 1u);
	if (at == digits || at - digits > 16 || end - at < 4 || at[0] != ' ' || at[2] != ' ')
		return -EINVAL;
	type = at[1];
	switch (type | 0x20) {
	case 't':
	case 'w':
		return add_symbol(p, addr, false, at + 3, end);
	case 'd':
	case 'b':
		return add_symbol(p, addr, true, at + 3, end);
	default:
		return 0;
	}
}

/* Parse all whole lines of text, and with `last` the rest. *used: bytes that were parsed. */
static int parse_lines(struct parser *p, const char *text, size_t len, bool last, size_t *used)
{
	const char *at = text, *end = text + len;
	int ret = 0;

	while (at < end && !ret) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline && !last)
			break;
		p->line++;
		newline = newline ? newline : end;
		ret = parse_symbol_line(p, at, newline);
		at = newline < end ? newline + 1 : end;
	}
	*used = (size_t)(at - text);
	return ret;
}

COMPARE_BY(compare_symbols, struct module_symbol, addr)

static int add_module_run(struct kallsyms *out, size_t *cap, char *name, uint64_t first,
			  uint64_t last)
{
	struct symtab_entry e;
	const struct kallsyms_module m = {
		name, first, symtab_find(out->symtab, last, &e) ? e.addr + e.size : last};

	return VEC_PUSH(out->modules, out->nmodules, *cap, m) ? 0 : -ENOMEM;
}

static int make_modules(struct parser *p, struct kallsyms *out)
{
	size_t cap = 0, next;
	int ret;

	if (p->low > p->high)
		p->low = p->high = 0;
	ret = add_module_run(out, &cap, out->names, p->low, p->high);
	if (p->nsymbols)
		qsort(p->symbols, p->nsymbols, sizeof(*p->symbols), compare_symbols);
	for (size_t i = 0; i < p->nsymbols && !ret; i = next) {
		next = i + 1;
		while (next < p->nsymbols && p->symbols[next].name == p->symbols[i].name)
			next++;
		ret = add_module_run(out, &cap, out->names + p->symbols[i].name, p->symbols[i].addr,
				     p->symbols[next - 1].addr);
	}
	return ret;
}

static int start_parsing(struct parser *p)
{
	*p = (struct parser){.low = UINT64_MAX, .last_name = NO_MODULE};
	p->symtab = symtab_create(NULL);
	if (!p->symtab || !vec_reserve(&p->names, &p->names_cap, 1, 1))
		return -ENOMEM;
	p->names[p->names_len++] = '\0'; /* name of the kernel proper */
	return 0;
}

static int explain(const struct parser *p, struct err *err, int ret)
{
	switch (ret) {
	case -EACCES:
		err_set(err, EACCES, "the kernel hides the addresses of its symbols");
		return err ? err_advise(err, "run as root, or set kernel.kptr_restrict to 0 "
					     "(sysctl kernel.kptr_restrict=0)")
			   : ret;
	case -EINVAL:
		return err_set(err, EINVAL, "kernel symbols: line %zu is broken", p->line);
	default:
		return err_set(err, -ret, "cannot read the kernel's symbols: %s", strerror(-ret));
	}
}

/* Turn the parser into *out, or free it if ret is an error or the result is not valid. */
static int finish_parsing(struct parser *p, int ret, struct kallsyms *out, struct err *err)
{
	*out = (struct kallsyms){.symtab = p->symtab, .names = p->names};
	memcpy(out->mark, p->mark, sizeof(out->mark));
	if (!ret && !p->nonzero)
		ret = p->line ? -EACCES : -EINVAL;
	if (!ret)
		ret = symtab_freeze(p->symtab);
	if (!ret)
		ret = make_modules(p, out);
	free(p->symbols);
	if (!ret)
		return 0;
	kallsyms_clear(out);
	return explain(p, err, ret);
}

int kallsyms_parse(const char *text, size_t len, struct kallsyms *out, struct err *err)
{
	struct parser p;
	size_t used;
	int ret = start_parsing(&p);

	if (!ret)
		ret = parse_lines(&p, text, len, true, &used);
	return finish_parsing(&p, ret, out, err);
}

static int parse_fd(struct parser *p, int fd, char *buf)
{
	size_t held = 0, used;
	int ret;

	for (;;) {
		ssize_t n = held < BUFFER ? read(fd, buf + held, BUFFER - held) : -1;

		if (held == BUFFER)
			return -EINVAL; /* no valid line is that long */
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EACCES || errno == EPERM ? -EACCES : -EIO;
		held += (size_t)n;
		ret = parse_lines(p, buf, held, n == 0, &used);
		if (ret || n == 0)
			return ret;
		held -= used;
		memmove(buf, buf + used, held);
	}
}

int kallsyms_load(int fd, struct kallsyms *out, struct err *err)
{
	char *buf = malloc(BUFFER);
	struct parser p;
	int ret = start_parsing(&p);

	if (!ret)
		ret = buf ? parse_fd(&p, fd, buf) : -ENOMEM;
	free(buf);
	return finish_parsing(&p, ret, out, err);
}

void kallsyms_clear(struct kallsyms *k)
{
	symtab_free(k->symtab);
	free(k->modules);
	free(k->names);
	*k = (struct kallsyms){0};
}

const char *kallsyms_module_of(const struct kallsyms *k, uint64_t addr)
{
	/* The first run that starts beyond addr; no module is the first one. */
	size_t at = SEARCH_WHILE(i, 1, k->nmodules, k->modules[i].start <= addr);

	return at > 1 && addr < k->modules[at - 1].end ? k->modules[at - 1].name : "";
}
