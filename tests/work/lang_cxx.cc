// SPDX-License-Identifier: GPL-2.0-or-later
// lang_cxx - C++ call paths: work in the handler of an exception, in templates that call one another,
// behind a virtual function.  A third of the time each; -s SECONDS.
#include <stdexcept>

#include "work.h"

namespace lang {

static volatile uint32_t sink;
static const unsigned rounds = 2000000;

static inline void keep()
{
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void spin()
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
	sink = work_spin(sink, rounds);
}

__attribute__((noinline)) static void thrower(unsigned depth)
{
	if (!depth)
		throw std::runtime_error("on purpose");
	thrower(depth - 1);
	keep();
}

__attribute__((noinline)) static void recover()
{
	spin();
	keep();
}

__attribute__((noinline)) static void guard()
{
	try {
		thrower(10);
	} catch (const std::exception &) {
		recover();
	}
	keep();
}

template <unsigned Depth> struct Nest {
	__attribute__((noinline)) static void descend()
	{
		Nest<Depth - 1>::descend();
		keep();
	}
};

template <> struct Nest<0> {
	__attribute__((noinline)) static void descend()
	{
		spin();
		keep();
	}
};

struct Base {
	virtual ~Base() = default;
	virtual void act() = 0;
};

struct Derived : Base {
	__attribute__((noinline)) void act() override
	{
		spin();
		keep();
	}
};

__attribute__((noinline)) static void dispatch(Base *base)
{
	base->act();
	keep();
}

} // namespace lang

int main(int argc, char **argv)
{
	struct work w;
	lang::Derived derived;
	lang::Base *volatile base = &derived;

	work_parse(&w, argc, argv);
	for (uint64_t until = work_deadline(&w); work_now() < until;) {
		lang::guard();
		lang::Nest<20>::descend();
		lang::dispatch(base);
	}
	return 0;
}
