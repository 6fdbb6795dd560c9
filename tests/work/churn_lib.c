/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library for dlopen_churn: one function, CHURN_NAME, reached through churn_enter(). */
#include "work.h"

uint32_t churn_enter(uint32_t x);

static __attribute__((noinline)) uint32_t CHURN_NAME(uint32_t x)
{
	return work_spin(x, 20011);
}

uint32_t churn_enter(uint32_t x)
{
	return CHURN_NAME(x) + 1;
}
