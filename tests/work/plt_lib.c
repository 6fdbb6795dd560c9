/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A library for plt_calls: functions so short that the PLT entry before them shows up. */
unsigned plt_target(unsigned x);

unsigned plt_target(unsigned x)
{
	return x + 1;
}
