# SPDX-License-Identifier: GPL-2.0-or-later
"""jit_hot - a Python function and its caller, for as many milliseconds as it is told."""
import sys
import time


def hot_leaf(n):
    total = 0
    for i in range(n):
        total += i * i
    return total


def hot_caller(n):
    return hot_leaf(n) + hot_leaf(n // 2)


end = time.monotonic() + float(sys.argv[1]) / 1000
while time.monotonic() < end:
    hot_caller(2000)
