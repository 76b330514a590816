// SPDX-License-Identifier: GPL-2.0-only
/* The workload of spin.c in Java: hot(), warm() and mild() do 50, 30 and 20 % of the work, for the given seconds. */
public class Spin {
	static long hot(long value) {
		for (int i = 0; i < 500000; i++)
			value = value * 6364136223846793005L + 1;
		return value;
	}

	static long warm(long value) {
		for (int i = 0; i < 300000; i++)
			value = value * 6364136223846793005L + 2;
		return value;
	}

	static long mild(long value) {
		for (int i = 0; i < 200000; i++)
			value = value * 6364136223846793005L + 3;
		return value;
	}

	public static void main(String[] arguments) {
		long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1000000000L;
		long value = 0;

		while (System.nanoTime() < end)
			value = mild(warm(hot(value)));
		System.out.println(value);
	}
}
