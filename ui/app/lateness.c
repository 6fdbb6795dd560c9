/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/app/lateness.h"

#include "base/clock.h"

void lateness_note(struct lateness *l, uint64_t now, uint64_t start, uint64_t end)
{
	int64_t zero = (int64_t)(now - end),
		drifted = l->zero + (int64_t)((now - l->noted) / LATENESS_DRIFT);

	l->zero = l->known && drifted < zero ? drifted : zero;
	l->known = true;
	l->noted = now;
	l->length = end - start < NSEC_PER_SEC ? end - start : NSEC_PER_SEC;
}

uint64_t lateness_of(const struct lateness *l, uint64_t now, uint64_t shown, uint64_t delay)
{
	int64_t behind = (int64_t)(now - shown) - l->zero;
	uint64_t usual = NSEC_PER_SEC + (delay > NSEC_PER_SEC ? delay : NSEC_PER_SEC) + l->length;

	return l->known && behind > 0 && (uint64_t)behind > usual ? (uint64_t)behind : 0;
}
