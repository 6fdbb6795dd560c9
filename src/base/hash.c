/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/hash.h"

#include <sys/auxv.h>

struct hash_secret hash_secret;

/* Of the kernel's random bytes for this process; a kernel without them: by where the process lies. */
static void __attribute__((constructor)) draw(void)
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	hash_secret = (struct hash_secret){(uintptr_t)&hash_secret, (uintptr_t)__builtin_frame_address(0)};
	if (random)
		memcpy(&hash_secret, random, sizeof(hash_secret));
	hash_secret.start |= 1;
	hash_secret.factor |= 1;
}
