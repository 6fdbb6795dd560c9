/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field - a slice's sums of a tracepoint's samples, grouped by some of their fields
 * (session_event.by).
 *
 * Threads: one owner at a time, like the slice.
 */
#ifndef RINGTOP_CORE_SLICE_FIELD_H
#define RINGTOP_CORE_SLICE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_FIELD_BINS 65  /* bin 0: weight 0; bin i: weights 2^(i-1) to 2^i - 1 */
#define SLICE_FIELD_KEY	 192 /* bytes, with the NUL; a longer key is cut and ends with "..." */

#define SLICE_FIELD_NAMES 320
#define SLICE_FIELD_KINDS 8
#define SLICE_FIELD_PATH  'p' /* kind of a field that is a call path: its text is "", the path is in
			       * slice_field.path */

/*
 * A list of fields that a number of slice_field.by stands for.  Slices bring it when the list
 * replaces another one, together with the list that it replaces.  An event without any in slices
 * has the list of its session_event.
 */
struct slice_fieldlist {
	uint16_t event, by;
	uint64_t since; /* session time from which on the event had it; 0: from the start */
	char names[SLICE_FIELD_NAMES]; /* ", " between them, "": no fields; raw */
	char kinds[SLICE_FIELD_KINDS]; /* one letter a field: n number, s text, p the call path
					* (SLICE_FIELD_PATH), once at most */
};

/* Samples of one event whose fields have the same values. */
struct slice_field {
	uint16_t event; /* index into session_info.events */
	uint16_t by;    /* number of the list of fields; the event's last is session_event.by */
	bool rest;      /* the event's samples whose keys found no room, together */
	uint32_t path;  /* the call path among the values (DICT_PATH); 0: none, or not known */
	char key[SLICE_FIELD_KEY]; /* the values, numbers in digits, a tab between them; raw */
	uint64_t count, sum, min, max; /* number of samples; sum, least and most of their weights */
	uint32_t hist[SLICE_FIELD_BINS]; /* samples by weight; UINT32_MAX: that many at least */
};

/*
 * Sort by event, list, key and path, and sum up entries that are equal in these.  Return the number
 * left.
 */
size_t slice_fields_fold(struct slice_field *fields, size_t nr);

#define SLICE_FIELDS_MOST    131072u /* keys of slices that were merged: 64 MB */
#define SLICE_FIELDS_MESSAGE 4096u  /* keys of an encoded slice (link/agent/compact.h,
				     * link/wire/slicecode.h): 600 bytes each at most */

/*
 * Like slice_fields_fold(), and also keep no more than about the `most` keys with the most samples;
 * all others are added to the rest of their event and list.  Return the number left: `most`, and
 * these rests, at most.
 */
size_t slice_fields_limit(struct slice_field *fields, size_t nr, size_t most);

#endif
