/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * atomics - the only operations on memory shared between threads (and with the kernel).
 *
 * The fields have plain types, so that the same operations serve the kernel's mapped pages; a
 * shared field is marked "shared" where it is declared and is touched only through these.  Every
 * access that is not relaxed names its partner in a comment: "pairs with ...".
 *
 * A single flag or number off the hot path may be declared as C11's _Atomic instead; it is then
 * read and written plainly, never with an explicit order.  src and ui use no other atomics of
 * either kind: tests/check_includes.sh checks that.
 *
 * Orders are on the accesses themselves; a fence orders nothing but atomic accesses, because
 * ThreadSanitizer does not model fences.  The seq form is for store-then-load protocols (each side
 * stores its flag, then loads the other's), where acquire and release do not suffice.
 *
 * These are macros because they take pointers to any integer or pointer type.
 */
#ifndef RINGTOP_BASE_ATOMICS_H
#define RINGTOP_BASE_ATOMICS_H

#include <stdint.h>

#define CACHE_LINE 64
#define cache_aligned __attribute__((aligned(CACHE_LINE)))

#define atomic_load_relaxed(p) __atomic_load_n(p, __ATOMIC_RELAXED)
#define atomic_load_acquire(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define atomic_load_seq(p)     __atomic_load_n(p, __ATOMIC_SEQ_CST)

#define atomic_store_relaxed(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define atomic_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define atomic_store_seq(p, v)     __atomic_store_n(p, v, __ATOMIC_SEQ_CST)

#define atomic_add_relaxed(p, v) __atomic_fetch_add(p, v, __ATOMIC_RELAXED) /* the old value */

/*
 * Publish `new` in *p if *p is *old: true.  Otherwise load *p into *old, whose pointee may then be
 * read: false.  Release on success, acquire on failure, never fails spuriously.
 */
#define atomic_cas_publish(p, old, new) \
	__atomic_compare_exchange_n(p, old, new, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)

/* Like atomic_cas_publish, but relaxed, and it may fail spuriously: for counters, in a loop. */
#define atomic_cas_relaxed(p, old, new) \
	__atomic_compare_exchange_n(p, old, new, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)

/* Exchange the pointer *p for NULL and return the old one; acquire. */
#define atomic_take(p) __atomic_exchange_n(p, NULL, __ATOMIC_ACQUIRE)

/* Lower *p to v (min), or raise it (max).  Writes only if the value changes.  Relaxed. */
static inline void atomic_min_relaxed(uint64_t *p, uint64_t v)
{
	uint64_t old = atomic_load_relaxed(p);

	while (v < old && !__atomic_compare_exchange_n(p, &old, v, 1, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
}

static inline void atomic_max_relaxed(uint64_t *p, uint64_t v)
{
	uint64_t old = atomic_load_relaxed(p);

	while (v > old && !__atomic_compare_exchange_n(p, &old, v, 1, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
}

/* Return how much a shared count has grown since the last call; *seen is the caller's own. */
static inline uint64_t atomic_growth(const uint64_t *count, uint64_t *seen)
{
	uint64_t now = atomic_load_relaxed(count), more = now - *seen;

	*seen = now;
	return more;
}

/* Decrement, acquire and release.  True for the last thread, which sees all earlier writes. */
#define atomic_sub_last(p) (__atomic_fetch_sub(p, 1, __ATOMIC_ACQ_REL) == 1)

/* Clear the flag at p and return its old value; acquire. */
#define atomic_take_flag(p) __atomic_exchange_n(p, 0, __ATOMIC_ACQUIRE)

/* Set a flag; true if it was not set.  Pairs with a release store of false. */
#define atomic_claim_flag(p) (!__atomic_exchange_n(p, true, __ATOMIC_ACQUIRE))

/* Order earlier loads before later loads and stores: for memory that the kernel writes. */
#define atomic_fence_acquire() __atomic_thread_fence(__ATOMIC_ACQUIRE)

/* Place between a store and a load on both sides: at least one side sees the other's store. */
#define atomic_fence_seq() __atomic_thread_fence(__ATOMIC_SEQ_CST)

/* Inside a spin loop: let the other hardware thread go first. */
static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("yield" ::: "memory");
#else
	__asm__ volatile("" ::: "memory");
#endif
}

#endif
