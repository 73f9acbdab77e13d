// SPDX-License-Identifier: Apache-2.0
#ifndef CMEASURE_H
#define CMEASURE_H
#include <stdint.h>

/// How many blocks of memory this process has asked for.
int64_t measure_allocations(void);

/// Seconds of processor time that this process has used.
double measure_processor_seconds(void);

/// Keeps this process and its children on the core on which it runs; 0 where that succeeds.
int measure_stay_on_core(void);

#endif
