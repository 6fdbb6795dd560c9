/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/code/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "names/code/disasm.h"
#include "names/code/raw.h"
#include "files/elf/elffile.h"
#include "files/unwind/cfi_fence.h"

#define PATH_LEN_MAX 8192
#define TEXT_MAX     512           /* of an instruction */
#define LEN_MAX      16            /* bytes of an instruction, or of a ".byte" line */
#define CFI_MEMORY   (64u << 20)   /* for the index of an object's functions */

/* --- here --------------------------------------------------------------------------------- */

bool decode_less(struct coderead *r)
{
	if (r->code->size || r->nbytes < 2 * LEN_MAX)
		return false;
	r->nbytes /= 2;
	return true;
}

int decode_bytes(struct coderead *r, const struct elffile *f, struct err *err)
{
	int ret;

	r->machine = f->ehdr.e_machine;
	do
		ret = elffile_read_vaddr(f, r->code->addr, r->bytes, r->nbytes);
	while (ret && decode_less(r));
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
		ret = decode_bytes(r, &r->image.elf, err);
	d = (struct disasm){.machine = r->machine, .bytes = r->bytes, .len = r->nbytes,
			    .addr = c->addr, .from = c->from, .to = c->to};
	if (ret)
		return ret;
	ret = disasm_run(&d, c, err);
	if (ret == -EOPNOTSUPP) {
		size_t skipped = raw_cut(c);

		if (raw_keep(c, r->machine, r->bytes + skipped, r->nbytes - skipped))
			return err_set(err, ENOMEM, "out of memory");
	}
	return ret;
}

/* --- on a wire ---------------------------------------------------------------------------- */

static void put_code(const struct code *c, struct wire_out *out)
{
	wire_put(out, c->addr, 8);
	wire_put(out, c->size, 8);
	wire_put(out, c->ninsns, 8);
	for (size_t i = 0; i < c->ninsns; i++) {
		const struct code_insn *in = &c->insns[i];

		wire_put(out, in->addr, 8);
		wire_put(out, in->target, 8);
		wire_put(out, in->len, 1);
		wire_put(out, in->flow, 1);
		wire_put_text(out, code_text(c, in->text));
	}
	wire_put(out, c->machine, 2);
	wire_put(out, c->nbytes, 8);
	wire_put_bytes(out, c->bytes, c->nbytes);
}

/* Get the function's bounds if they were not known: they must include the requested address. */
static int get_function_range(struct wire_in *in, struct coderead *r)
{
	uint64_t addr = wire_get(in, 8), size = wire_get(in, 8);

	if (r->code->size || !size)
		return 0;
	if (addr + size < addr || r->code->place.addr - addr >= size)
		return -EPROTO;
	coderead_set_range(r, addr, size);
	return 0;
}

/* Get an instruction, as decoding finds them: they do not overlap, and all begin in the page. */
static int get_insn(struct wire_in *in, struct code *c, uint64_t *end)
{
	uint64_t addr = wire_get(in, 8), target = wire_get(in, 8);
	uint8_t len = (uint8_t)wire_get(in, 1), flow = (uint8_t)wire_get(in, 1);
	const char *text = wire_get_text(in, TEXT_MAX);
	struct code_insn *insn;

	if (in->failed || addr < *end || addr >= c->to || !len || len > LEN_MAX ||
	    flow > CODE_RETURN || !*text)
		return -EPROTO;
	insn = code_add_insn(c);
	if (!insn)
		return -ENOMEM;
	*insn = (struct code_insn){.addr = addr, .target = target, .len = len, .flow = flow,
				   .text = code_add_text(c, text, TEXT_MAX)};
	*end = addr + len;
	return insn->text ? 0 : -ENOMEM;
}

/* Get bytes that were not decoded: they are of the range that both sides know. */
static int get_bytes(struct wire_in *in, struct coderead *r)
{
	uint16_t machine = (uint16_t)wire_get(in, 2);
	size_t nbytes = wire_get_count(in, 1);
	const uint8_t *bytes = wire_get_bytes(in, nbytes);

	if (in->failed || nbytes > r->nbytes)
		return -EPROTO;
	if (!nbytes)
		return 0;
	raw_cut(r->code);
	return raw_keep(r->code, machine, bytes, nbytes);
}

static int get_code(struct wire_in *in, struct coderead *r)
{
	int ret = get_function_range(in, r);
	uint64_t end = r->code->from;
	size_t nr = wire_get_count(in, 8 + 8 + 1 + 1 + 5);

	for (size_t i = 0; i < nr && !ret; i++)
		ret = get_insn(in, r->code, &end);
	return ret ? ret : get_bytes(in, r);
}

/* --- both sides --------------------------------------------------------------------------- */

static int take_decoded_code(struct fence_call *call, struct coderead *r, struct err *err)
{
	int said = helper_get_error(&call->in, err), ret = said;

	if (ret && ret != -EPROTO && ret != -EOPNOTSUPP)
		return ret;
	if (ret != -EPROTO)
		ret = get_code(&call->in, r);
	if (!ret)
		return said;
	r->code->ninsns = 0;
	return ret == -EPROTO ? fence_nonsense(call, err) : err_set(err, -ret, "out of memory");
}

static int decode_ask(struct coderead *r, struct err *err)
{
	struct fence_call call = {.job = FENCE_DISASM, .fd = r->image.path ? r->image.fd : -1,
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
	ret = fence_call(&call, err);
	if (!ret)
		ret = take_decoded_code(&call, r, err);
	fence_done(&call);
	return ret;
}

int decode_run(struct coderead *r, bool trusted, struct err *err)
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
		put_code(r.code, out);
	coderead_clear(&r);
}
