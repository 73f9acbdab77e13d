# SPDX-License-Identifier: Apache-2.0
"""How often something can be done in a second: the median of five rounds, after one that only warms up."""

import time


def rate(count, body):
    rates = []
    for _ in range(6):
        began = time.perf_counter()
        body(count)
        rates.append(count / (time.perf_counter() - began))
    return sorted(rates[1:])[2]
