// SPDX-License-Identifier: Apache-2.0
// Stands in front of the C library's allocator and counts.
#ifdef __linux__
#include <stdatomic.h>
#include <stddef.h>

#include "CBareCurl.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

static _Atomic int64_t allocations;

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

int64_t bare_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }
#endif
