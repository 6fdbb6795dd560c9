/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/codedecode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fieldrows.h"
#include "names/code/disasm.h"
#include "names/code/rawcode.h"
#include "files/elf/elffile.h"
#include "files/unwind/cfi_sandbox.h"

#define PATH_LEN_MAX 8192
#define TEXT_MAX     512           /* of an instruction */
#define LEN_MAX      16            /* bytes of an instruction, or of a ".byte" line */
#define CFI_MEMORY   (64u << 20)   /* for the index of an object's functions */

/* --- here --------------------------------------------------------------------------------- */

bool codedecode_less(struct coderead *r)
{
	if (r->code->size || r->nbytes < 2 * LEN_MAX)
		return false;
	r->nbytes /= 2;
	return true;
}

int codedecode_bytes(struct coderead *r, const struct elffile *f, struct err *err)
{
	int ret;

	r->machine = f->ehdr.e_machine;
	do
		ret = elffile_read_vaddr(f, r->code->addr, r->bytes, r->nbytes);
	while (ret && codedecode_less(r));
	return ret ? err_set(err, -ret, "%s: the function's bytes are not in the file", r->path)
		   : 0;
}

/* Find the function's bounds: one without a symbol has an entry for unwinding, too. */
static int set_range_from_unwind(struct coderead *r, struct err *err)
{
	struct cfi_memory memory = {.max = CFI_MEMORY};
	struct cfi *cfi = cfi_read(&r->image, &memory, NULL);
	struct cfi_copy *copy = cfi ? malloc(sizeof(*copy)) : NULL;
	uint64_t addr = r->code->place.addr;
	uint8_t *bytes;

	if (copy && !cfi_copy(cfi, addr, copy) && addr - copy->fde.start < copy->fde.size)
		coderead_set_range(r, copy->fde.start, copy->fde.size);
	free(copy);
	cfi_free(cfi);
	bytes = budget_resize(r->bytes, r->nbytes);
	if (!bytes)
		return err_set(err, ENOMEM, "out of memory");
	r->bytes = bytes;
	return 0;
}

static int decode_here(struct coderead *r, struct err *err)
{
	struct code *c = r->code;
	struct disasm d;
	int ret = r->image.path ? image_parse(&r->image, err) : 0;

	if (!ret && r->image.path && !c->size)
		ret = set_range_from_unwind(r, err);
	if (!ret && r->image.path)
		ret = codedecode_bytes(r, &r->image.elf, err);
	d = (struct disasm){.machine = r->machine, .bytes = r->bytes, .len = r->nbytes,
			    .addr = c->addr, .from = c->from, .to = c->to};
	if (ret)
		return ret;
	ret = disasm_run(&d, c, err);
	if (ret == -EOPNOTSUPP) {
		size_t skipped = rawcode_cut(c);

		if (rawcode_keep(c, r->machine, r->bytes + skipped, r->nbytes - skipped))
			return err_set(err, ENOMEM, "out of memory");
	}
	return ret;
}

/* --- on a wire ---------------------------------------------------------------------------- */

#define ARRAY(nr, member, number, most) \
	{nr, FIELD_BYTES, FIELD_BLOCK(T, member, number), .max = (most)}

#define T struct code
static const struct field code_rows[] = {
	UINT(1, addr), UINT(2, size), ARRAY(3, insns, ninsns, CODE_PAGE_BYTES),
	ARRAY(4, texts, ntexts, 0), UINT(5, machine), ARRAY(6, bytes, nbytes, CODE_BYTES_MAX),
};
static const struct fields code_table = FIELDS(code_rows, T);
#undef T

/* Set the function's bounds if they were not known: they must include the requested address. */
static bool take_function_range(const struct code *got, struct coderead *r)
{
	if (r->code->size || !got->size)
		return true;
	if (got->addr + got->size < got->addr || r->code->place.addr - got->addr >= got->size)
		return false;
	coderead_set_range(r, got->addr, got->size);
	return true;
}

/*
 * Take instructions, as decoding finds them: they do not overlap, and all begin in the page. Return
 * 0, -EPROTO, -ENOMEM.
 */
static int take_insns(const struct code *got, struct code *c)
{
	uint64_t end = c->from;

	for (size_t i = 0; i < got->ninsns; i++) {
		const struct code_insn *in = &got->insns[i];
		struct code_insn *insn;

		if (in->addr < end || in->addr >= c->to || !in->len || in->len > LEN_MAX ||
		    in->flow > CODE_RETURN || !in->text || in->text >= got->ntexts ||
		    !got->texts[in->text])
			return -EPROTO;
		insn = code_add_insn(c);
		if (!insn)
			return -ENOMEM;
		*insn = (struct code_insn){
			.addr = in->addr, .target = in->target, .len = in->len, .flow = in->flow,
			.text = code_add_text(c, got->texts + in->text, TEXT_MAX)};
		if (!insn->text)
			return -ENOMEM;
		end = in->addr + in->len;
	}
	return 0;
}

static int get_code(struct wire_in *in, struct coderead *r)
{
	struct code got = {.size = 0};
	int ret = fields_get_part(in, &code_table, &got, NULL);

	if (!ret && !take_function_range(&got, r))
		ret = -EPROTO;
	if (!ret)
		ret = take_insns(&got, r->code);
	/* Bytes that were not decoded are of the range that both sides know. */
	if (!ret && got.nbytes > r->nbytes)
		ret = -EPROTO;
	if (!ret && got.nbytes) {
		rawcode_cut(r->code);
		ret = rawcode_keep(r->code, got.machine, got.bytes, got.nbytes);
	}
	fields_clear(&code_table, &got);
	return ret;
}

/* --- both sides --------------------------------------------------------------------------- */

static int take_decoded_code(struct sandbox_call *call, struct coderead *r, struct err *err)
{
	int said = helper_get_error(&call->in, err), ret = said;

	if (ret && ret != -EPROTO && ret != -EOPNOTSUPP)
		return ret;
	if (ret != -EPROTO)
		ret = get_code(&call->in, r);
	if (!ret)
		return said;
	r->code->ninsns = 0;
	return ret == -EPROTO ? sandbox_nonsense(call, err) : err_set(err, -ret, "out of memory");
}

static int decode_ask(struct coderead *r, struct err *err)
{
	struct sandbox_call call = {.job = SANDBOX_DISASM, .fd = r->image.path ? r->image.fd : -1,
				  .budget = &r->budget};
	const struct code *c = r->code;
	int ret;

	wire_put_text(&call.ask, r->path);
	wire_put(&call.ask, c->place.addr, 8);
	wire_put(&call.ask, c->addr, 8);
	wire_put(&call.ask, c->size, 8);
	wire_put(&call.ask, r->machine, 2);
	wire_put(&call.ask, r->image.path ? 0 : r->nbytes, 8);
	wire_put_bytes(&call.ask, r->bytes, r->image.path ? 0 : r->nbytes);
	ret = sandbox_call(&call, err);
	if (!ret)
		ret = take_decoded_code(&call, r, err);
	sandbox_done(&call);
	return ret;
}

int codedecode_run(struct coderead *r, bool trusted, struct err *err)
{
	return trusted ? decode_here(r, err) : decode_ask(r, err);
}

/* Get the request and decode it with decode_here(). */
static int serve_request(struct coderead *r, struct wire_in *in, int fd, struct err *err)
{
	const char *path = wire_get_text(in, PATH_LEN_MAX);
	struct code_place place = {.addr = wire_get(in, 8)};
	uint64_t addr = wire_get(in, 8), size = wire_get(in, 8), nbytes;
	const void *bytes;

	r->machine = (uint16_t)wire_get(in, 2);
	nbytes = wire_get_count(in, 1);
	bytes = wire_get_bytes(in, nbytes);
	r->path = strdup(path);
	r->code = code_create(&place);
	if (!r->path || !r->code)
		return err_set(err, ENOMEM, "out of memory");
	coderead_set_range(r, addr, size);
	r->nbytes = fd >= 0 ? r->nbytes : nbytes;
	r->bytes = budget_alloc(&r->budget, BUDGET_CODE, r->nbytes);
	if (!r->bytes)
		return err_set(err, ENOMEM, "out of memory");
	if (fd >= 0)
		r->image = image_from_fd(fd, r->path, NULL, &r->budget);
	else if (nbytes)
		memcpy(r->bytes, bytes, nbytes);
	return decode_here(r, err);
}

void decode_serve(struct wire_in *in, int fd, struct wire_out *out)
{
	struct coderead r = {.image.fd = -1, .dump.fd = -1};
	struct err err = {.code = 0};
	int ret = serve_request(&r, in, fd, &err);

	helper_put_error(out, ret, &err);
	if (!ret || ret == -EOPNOTSUPP)
		fields_put_part(out, &code_table, r.code);
	coderead_clear(&r);
}
