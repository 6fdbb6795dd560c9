/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one end of a connection may get from the other: bytes to frames, frames to messages.  Mutations know what a
 * frame is, and make its checksum right again.  `fuzz_link --seeds DIR` writes the corpus.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fieldfill.h"
#include "tests/fuzz/linkmutate.h"
#include "tests/fuzz/must.h"
#include "link/wire/message.h"
#include "link/wire/slicecode.h"

#define BUDGET (4u << 20)
#define PIECE  5000u /* what is fed at once */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

/* --- one conversation --------------------------------------------------------------------- */

/* What was understood is said again, and understood as the same. */
static void again(enum wire_kind kind, const void *message)
{
	const struct fields *t = message_fields(kind);
	struct wire_out o = {.len = 0};
	struct link_frame f;
	void *is = calloc(1, t->size + 1);

	must(is != NULL);
	message_put(&o, kind, message);
	f = (struct link_frame){kind, o.data ? o.data : (const uint8_t *)"", o.len};
	must(!message_get(&f, is, 16 * BUDGET, NULL));
	must(!fieldfill_differ(t, message, is));
	message_clear(kind, is);
	wire_clear(&o);
	free(is);
}

static void take(const struct link_frame *f)
{
	struct err err = {.code = 0};
	void *message = calloc(1, message_fields(f->kind)->size + 1);
	int ret;

	must(message != NULL);
	ret = message_get(f, message, BUDGET, &err);
	must(!ret || (err.code == -ret && *err.text));
	if (!ret) {
		again(f->kind, message);
		message_clear(f->kind, message);
	}
	free(message);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct link *l = link_create();
	struct err err = {.code = 0};
	struct link_frame f;
	size_t done = 0;
	int ret = 0;

	must(l != NULL);
	while (done < size && ret >= 0) {
		size_t len = size - done < PIECE ? size - done : PIECE;

		must(!link_feed(l, data + done, len));
		done += len;
		while ((ret = link_next(l, &f, &err)) > 0) {
			must(f.kind > 0 && f.kind < WIRE_KINDS && f.len < LINK_MESSAGE_MAX);
			take(&f);
		}
	}
	must(!ret || *err.text);
	link_free(l);
	return 0;
}

/* --- mutations ---------------------------------------------------------------------------- */

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
	return linkmutate(data, size, max, seed, 0);
}

/* --- seeds -------------------------------------------------------------------------------- */

static void write_seed(const char *dir, const char *name, struct link *l)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	must(f != NULL);
	must(!link_send(l, fileno(f)));
	must(!fclose(f));
}

static void seed_conversation(const char *dir, const char *name, bool pack, uint64_t seed)
{
	struct link *l = link_create();

	for (enum wire_kind kind = WIRE_HELLO; kind < WIRE_KINDS; kind++) {
		const struct fields *t = message_fields(kind);
		void *message = calloc(1, t->size + 1);
		struct wire_out o = {.len = 0};

		fieldfill(t, message, &seed);
		message_put(&o, kind, message);
		must(!link_put(l, kind, &o, pack));
		message_clear(kind, message);
		wire_clear(&o);
		free(message);
	}
	write_seed(dir, name, l);
	link_free(l);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	if (*argc < 3 || strcmp((*argv)[1], "--seeds") != 0)
		return 0;
	seed_conversation((*argv)[2], "plain", false, 1);
	seed_conversation((*argv)[2], "plain-2", false, 77);
	seed_conversation((*argv)[2], "packed", true, 1);
	exit(0);
}
