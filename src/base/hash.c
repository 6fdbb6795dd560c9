/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include <sys/auxv.h>

struct hash_secret hash_secret;

/* Draw the secret from the kernel's random bytes for this process, or else from addresses. */
static void __attribute__((constructor)) draw_secret(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	hash_secret = (struct hash_secret){(uintptr_t)&hash_secret,
					   (uintptr_t)__builtin_frame_address(0)};
	if (random)
		memcpy(&hash_secret, random, sizeof(hash_secret));
	hash_secret.start |= 1;
	hash_secret.factor |= 1;
}
