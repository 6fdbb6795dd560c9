/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SHA-256 by NIST's examples for FIPS 180-4, in one piece and in many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "base/text.h"

static const struct {
	const char *bytes, *hash;
} known[] = {
	{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
	{"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
	{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	{"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	 "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
};

static void vectors(void **state)
{
	char text[SHA256_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_string_equal(sha256_text(text, known[i].bytes, strlen(known[i].bytes)), known[i].hash);
}

static void million(void **state)
{
	char *bytes = malloc(1000000), text[SHA256_TEXT];

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 'a', 1000000);
	assert_string_equal(sha256_text(text, bytes, 1000000),
			    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	free(bytes);
}

/* However it is cut, and whatever the length leaves of a block. */
static void pieces(void **state)
{
	uint8_t bytes[200], out[SHA256_BYTES];
	char whole[SHA256_TEXT], text[SHA256_TEXT];
	struct sha256 s;

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7);
	for (size_t len = 0; len <= sizeof(bytes); len++) {
		sha256_text(whole, bytes, len);
		for (size_t step = 1; step < 70; step += 13) {
			sha256_init(&s);
			for (size_t at = 0; at < len; at += step)
				sha256_add(&s, bytes + at, step < len - at ? step : len - at);
			sha256_end(&s, out);
			assert_string_equal(text_hex(text, out, sizeof(out)), whole);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vectors),
		cmocka_unit_test(million),
		cmocka_unit_test(pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
