/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fieldrows - rows that many tables of base/fieldtable.h have: numbers of a struct's members.  For
 * the .c file of a table, with T defined as the struct.
 */
#ifndef RINGTOP_BASE_FIELDROWS_H
#define RINGTOP_BASE_FIELDROWS_H

#include "base/fieldtable.h"

#define UINT(nr, member)       {nr, FIELD_UINT, FIELD_MEMBER(T, member)}
#define FLAG(nr, member)       {nr, FIELD_UINT, FIELD_MEMBER(T, member), .max = 1}
#define DELTA(nr, member)      {nr, FIELD_DELTA, FIELD_MEMBER(T, member)}

#endif
