// SPDX-License-Identifier: Apache-2.0
// Counts the bytes of the heap by standing in front of the C library's allocator, reads the processor's time, and searches.
#define _GNU_SOURCE
#include "CFuzzShim.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static _Atomic int64_t live;
static _Atomic int64_t peak;

int64_t heap_live_bytes(void) { return atomic_load_explicit(&live, memory_order_relaxed); }

int64_t heap_peak_bytes(void) { return atomic_load_explicit(&peak, memory_order_relaxed); }

void heap_reset_peak(void) { atomic_store_explicit(&peak, heap_live_bytes(), memory_order_relaxed); }

double heap_processor_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void add(int64_t bytes) {
    int64_t now = atomic_fetch_add_explicit(&live, bytes, memory_order_relaxed) + bytes;
    int64_t highest = atomic_load_explicit(&peak, memory_order_relaxed);
    while (now > highest
           && !atomic_compare_exchange_weak_explicit(&peak, &highest, now, memory_order_relaxed, memory_order_relaxed)) {
    }
}

static void *counted(void *block) {
    if (block) add((int64_t)malloc_usable_size(block));
    return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size)); }

void *calloc(size_t number, size_t size) { return counted(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
    int64_t before = block ? (int64_t)malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, size);
    if (moved || size == 0) add(-before);
    return counted(moved);
}

void free(void *block) {
    if (block) add(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size)); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *block = made;
    return 0;
}

// Not by memmem or memcmp: libFuzzer intercepts them, and would write what is searched for into its inputs.
long find_bytes(const void *bytes, unsigned long count, const void *text, unsigned long text_count) {
    const char *start = bytes, *pattern = text;
    if (text_count == 0 || text_count > count) return -1;
    for (const char *at = start, *last = start + count - text_count; at <= last; at++) {
        at = memchr(at, pattern[0], (unsigned long)(last - at) + 1);
        if (!at) return -1;
        unsigned long equal = 1;
        while (equal < text_count && at[equal] == pattern[equal]) equal++;
        if (equal == text_count) return at - start;
    }
    return -1;
}
