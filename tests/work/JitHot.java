// SPDX-License-Identifier: GPL-2.0-or-later
// JitHot - two methods that the JVM compiles, for as many milliseconds as it is told.
public class JitHot {
	static int hotFib(int n) {
		return n < 2 ? n : hotFib(n - 1) + hotFib(n - 2);
	}

	static long hotSum(int n) {
		long sum = 0;

		for (int i = 0; i < n; i++)
			sum = (sum * 31 + i) % 1000003;
		return sum;
	}

	public static void main(String[] args) {
		long end = System.currentTimeMillis() + Long.parseLong(args[0]);
		long turns = 0;

		for (; System.currentTimeMillis() < end; turns++)
			if (hotFib(16) + hotSum(20000) < 0)
				return;
		System.out.println("turns=" + turns);
	}
}
