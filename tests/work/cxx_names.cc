/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cxx_names - works in C++ functions whose names need demangling: cxx::Box<int>::churn<long>(long)
 * takes two thirds of the time, an operator and a lambda's caller the rest.
 */
#include <cstdint>
#include <cstdio>

extern "C" {
#include "work.h"
}

namespace cxx
{
template <typename T> struct Box {
	T value;
	template <typename U> __attribute__((noinline)) U churn(U x);
	__attribute__((noinline)) Box &operator+=(const Box &other);
};

template <typename T> template <typename U> U Box<T>::churn(U x)
{
	value = static_cast<T>(work_spin(static_cast<uint32_t>(value), 40009));
	return x + static_cast<U>(value);
}

template <typename T> Box<T> &Box<T>::operator+=(const Box &other)
{
	value += static_cast<T>(work_spin(static_cast<uint32_t>(other.value), 20011));
	return *this;
}
}

int main(int argc, char **argv)
{
	cxx::Box<int> box{1};
	uint64_t turns = 0;
	struct work w;
	long x = 0;

	work_parse(&w, argc, argv);
	work_begin(&w);
	for (uint64_t deadline = work_deadline(&w); work_now() < deadline; turns++) {
		x = box.churn<long>(x);
		box += cxx::Box<int>{static_cast<int>(x)};
	}
	std::printf("pid=%d turns=%llu x=%ld\n", static_cast<int>(getpid()),
		    static_cast<unsigned long long>(turns), x);
	return 0;
}
