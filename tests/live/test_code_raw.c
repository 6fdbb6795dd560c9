/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The same code as test_code_live's, where who reads it has no disassembler, as ringtop-agent has none. */
#define CODE_RAW 1
#include "tests/live/test_code_live.c"
