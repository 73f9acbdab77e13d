// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

/// Returns the bytes that the process has allocated and not freed.
int64_t heap_live_bytes(void);

/// Returns the largest number of such bytes since the last call of `heap_reset_peak`.
int64_t heap_peak_bytes(void);

/// Begins a new measurement of the peak.
void heap_reset_peak(void);

/// Returns the processor time of the process in seconds.
double heap_processor_seconds(void);

/// Returns where `text` begins in `bytes`, or -1.
long find_bytes(const void *bytes, unsigned long count, const void *text, unsigned long text_count);
