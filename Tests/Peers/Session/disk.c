// SPDX-License-Identifier: Apache-2.0

// A disk without room for the processes that it is preloaded into: while the first eight bytes of the file that DISK_FULL_FILE
// names are not 0, a write to a regular file fails with ENOSPC. Pipes and sockets need no room.
//
//     cc -shared -fPIC -O1 -o disk.so disk.c

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const _Atomic int64_t *is_full;

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("DISK_FULL_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        fputs("disk.c: DISK_FULL_FILE cannot be read\n", stderr);
        _exit(126);
    }
    close(file);
    is_full = bytes;
}

static bool has_room(int file) {
    struct stat entry;
    return !is_full || !atomic_load(is_full) || fstat(file, &entry) != 0 || !S_ISREG(entry.st_mode);
}

// Returns the function of the next library with a name.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t count) {
    static __typeof__(&write) next;
    if (!next) next = NEXT(write);
    if (has_room(file)) return next(file, bytes, count);
    errno = ENOSPC;
    return -1;
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    static __typeof__(&pwrite) next;
    if (!next) next = NEXT(pwrite);
    if (has_room(file)) return next(file, bytes, count, offset);
    errno = ENOSPC;
    return -1;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    static __typeof__(&pwrite64) next;
    if (!next) next = NEXT(pwrite64);
    if (has_room(file)) return next(file, bytes, count, offset);
    errno = ENOSPC;
    return -1;
}
