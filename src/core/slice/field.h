/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * field - what a tracepoint's samples came to in a slice, by some of their fields (session_event.by).
 *
 * Threads: whose the slice is.
 */
#ifndef RINGTOP_CORE_SLICE_FIELD_H
#define RINGTOP_CORE_SLICE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLICE_FIELD_BINS 65  /* 0: of 0; i: of 2^(i-1) to 2^i - 1 */
#define SLICE_FIELD_KEY	 192 /* bytes, with the NUL; what is longer ends with "..." */

#define SLICE_FIELD_NAMES 320
#define SLICE_FIELD_KINDS 8
#define SLICE_FIELD_PATH  'p' /* the kind of the field that is a call path: its text is "", it is in slice_field.path */

/*
 * What a number of slice_field.by stands for: said where that list of fields takes another one's place, and then of that
 * one, too.  Where none was said of an event it has the list of its session_event.
 */
struct slice_fieldlist {
	uint16_t event, by;
	uint64_t since; /* session time from which on it was the event's; 0: from the start */
	char names[SLICE_FIELD_NAMES]; /* ", " between them, "": it is summed up by nothing; raw */
	char kinds[SLICE_FIELD_KINDS]; /* of each of them: n number, s text, p the call path (SLICE_FIELD_PATH), once at most */
};

/* Samples of one event whose fields have the same values. */
struct slice_field {
	uint16_t event; /* index into session_info.events */
	uint16_t by;    /* which of the lists of fields that its event has had: session_event.by is the last one */
	bool rest;      /* there was no room for their keys: all others of the event together */
	uint32_t path;  /* the call path among the values (DICT_PATH); 0: none, or nothing is known of it */
	char key[SLICE_FIELD_KEY]; /* the values, numbers in digits, a tab between them; raw */
	uint64_t count, sum, min, max; /* of samples; of what they weigh */
	uint32_t hist[SLICE_FIELD_BINS]; /* how many weigh so much; UINT32_MAX: that many at least */
};

/* Those of one event, list, key and path become one; sorted by these.  The number left. */
size_t slice_fields_fold(struct slice_field *fields, size_t nr);

#define SLICE_FIELDS_MOST    131072u /* keys of slices that were merged: 64 MB */
#define SLICE_FIELDS_MESSAGE 4096u  /* of one that is encoded (link/agent/thin.h, link/wire/slicecode.h): 600 bytes each at most */

/*
 * The same, and no more than `most` keys stay: those with the most samples, about; the others are their events' rest.
 * The number left, at most one more for each event.
 */
size_t slice_fields_limit(struct slice_field *fields, size_t nr, size_t most);

#endif
