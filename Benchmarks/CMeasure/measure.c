// SPDX-License-Identifier: Apache-2.0
// Counts allocations by standing in front of the C library's allocator, and reads the processor's time.
#define _GNU_SOURCE
#include "CMeasure.h"

#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static _Atomic int64_t allocations;

int64_t measure_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

double measure_processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#ifdef __linux__
#include <sched.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *block, size_t size) {
    count();
    return __libc_realloc(block, size);
}

int measure_stay_on_core(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    return sched_setaffinity(0, sizeof set, &set);
}
#else
int measure_stay_on_core(void) { return -1; }
#endif
