// SPDX-License-Identifier: Apache-2.0

// A slow disk, and a kill or a loss of power at a chosen point of a commit, for the processes that it is preloaded into.
//
//     cc -shared -fPIC -O1 -o faults.so faults.c
//
// FAULTS_FILE names a file with the numbers of `struct faults`, which a test may change at any time. While `end_at` is 0, nothing
// is counted. FAULTS_STORE is the path with which the names of the store's files begin. FAULTS_PORT is the port of its database.
//
// A point is before, amid and after a write into the store's files and a send to any peer; before and after a sync, a truncation
// and a removal of such a file; and after a receipt from the database. What is written through shared memory cannot be seen.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_LENGTH = 512 };

struct faults {
    // The milliseconds that each sync takes longer; below 0, none is made, since a kill loses nothing that the system has.
    _Atomic int64_t delay;
    // The number of the point at which the process is killed; 0 for none.
    _Atomic int64_t end_at;
    // The number of points so far, of all processes with this file.
    _Atomic int64_t passed;
    // Whether the store's files lose at the end what was not synced, as they may when the power fails.
    _Atomic int64_t loses_power;
};

// What a write into a file has replaced.
struct replaced {
    struct replaced *next;
    char path[PATH_LENGTH];
    off_t size, offset;
    size_t count;
    char bytes[];
};

static struct faults *faults;
static const char *store;
static int port;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// The writes that were not synced, the last one first.
static struct replaced *unsynced;

// Returns the function of the next library with a name.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("FAULTS_FILE");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        fputs("faults.c: FAULTS_FILE cannot be opened\n", stderr);
        _exit(126);
    }
    close(file);
    faults = bytes;
    store = getenv("FAULTS_STORE");
    const char *number = getenv("FAULTS_PORT");
    port = number ? atoi(number) : 0;
}

// Puts back what the last sync of each file left.
static void lose_power(void) {
    pthread_mutex_lock(&mutex);
    for (struct replaced *last = unsynced; last; last = last->next) {
        int file = open(last->path, O_WRONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (NEXT(pwrite64)(file, last->bytes, last->count, last->offset) < 0 || NEXT(ftruncate64)(file, last->size) < 0)
            fputs("faults.c: a write cannot be undone\n", stderr);
        close(file);
    }
}

static bool is_armed(void) { return faults && atomic_load(&faults->end_at) > 0; }

// Counts a point, and returns whether the process ends there.
static bool is_last_point(void) {
    return is_armed() && atomic_fetch_add(&faults->passed, 1) + 1 == atomic_load(&faults->end_at);
}

static void end(void) {
    if (atomic_load(&faults->loses_power)) lose_power();
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

static void pass_point(void) {
    if (is_last_point()) end();
}

static bool is_in_store(const char *path) { return store && strncmp(path, store, strlen(store)) == 0; }

// Finds the path of an open file; returns whether it is one of the store's.
static bool find_path(int file, char path[PATH_LENGTH]) {
    if (!store || !faults || !(is_armed() || atomic_load(&faults->loses_power))) return false;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_LENGTH - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_in_store(path);
}

// Keeps what a change of a file's bytes or size replaces. SQLite's index of the log is made anew after a loss of power.
static void keep_replaced(int file, const char *path, off_t offset, size_t count) {
    struct stat status;
    if (!atomic_load(&faults->loses_power) || strstr(path, "-shm") || fstat(file, &status) != 0) return;
    struct replaced *last = malloc(sizeof *last + count);
    if (!last) abort();
    ssize_t length = pread(file, last->bytes, count, offset);
    strcpy(last->path, path);
    last->size = status.st_size;
    last->offset = offset;
    last->count = length < 0 ? 0 : length;
    pthread_mutex_lock(&mutex);
    last->next = unsynced;
    unsynced = last;
    pthread_mutex_unlock(&mutex);
}

static void forget_replaced(const char *path) {
    pthread_mutex_lock(&mutex);
    for (struct replaced **each = &unsynced; *each;) {
        struct replaced *last = *each;
        if (strcmp(last->path, path) != 0) {
            each = &last->next;
            continue;
        }
        *each = last->next;
        free(last);
    }
    pthread_mutex_unlock(&mutex);
}

// Makes a sync that takes longer, whatever signals arrive meanwhile.
static int sync_slowly(int (*next)(int), int file) {
    int64_t delay = faults ? atomic_load(&faults->delay) : 0;
    if (delay < 0) return 0;
    struct timespec rest = {delay / 1000, delay % 1000 * 1000000};
    while (delay > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) continue;
    return next(file);
}

static int sync_with_points(int (*next)(int), int file) {
    char path[PATH_LENGTH];
    if (!find_path(file, path)) return sync_slowly(next, file);
    pass_point();
    int result = sync_slowly(next, file);
    if (result == 0) forget_replaced(path);
    pass_point();
    return result;
}

static int truncate_with_points(int (*next)(int, off_t), int file, off_t length) {
    char path[PATH_LENGTH];
    struct stat status;
    if (!find_path(file, path) || fstat(file, &status) != 0) return next(file, length);
    pass_point();
    keep_replaced(file, path, length, status.st_size > length ? status.st_size - length : 0);
    int result = next(file, length);
    pass_point();
    return result;
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);

static ssize_t write_with_points(pwrite_function next, int file, const void *bytes, size_t count, off_t offset) {
    char path[PATH_LENGTH];
    if (!find_path(file, path)) return next(file, bytes, count, offset);
    pass_point();
    keep_replaced(file, path, offset, count);
    if (is_last_point()) {
        next(file, bytes, count / 2, offset);
        end();
    }
    ssize_t result = next(file, bytes, count, offset);
    pass_point();
    return result;
}

int fsync(int file) { return sync_with_points(NEXT(fsync), file); }

int fdatasync(int file) { return sync_with_points(NEXT(fdatasync), file); }

int ftruncate(int file, off_t length) { return truncate_with_points(NEXT(ftruncate), file, length); }

int ftruncate64(int file, off64_t length) { return truncate_with_points(NEXT(ftruncate64), file, length); }

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return write_with_points(NEXT(pwrite), file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    return write_with_points(NEXT(pwrite64), file, bytes, count, offset);
}

// A file that is removed has nothing to put back.
int unlink(const char *path) {
    if (!faults || !is_in_store(path)) return NEXT(unlink)(path);
    pass_point();
    int result = NEXT(unlink)(path);
    if (result == 0) forget_replaced(path);
    pass_point();
    return result;
}

ssize_t send(int connection, const void *bytes, size_t count, int flags) {
    pass_point();
    if (is_last_point()) {
        NEXT(send)(connection, bytes, count / 2, flags);
        end();
    }
    ssize_t result = NEXT(send)(connection, bytes, count, flags);
    pass_point();
    return result;
}

static bool is_database(int connection) {
    struct sockaddr_in peer;
    socklen_t length = sizeof peer;
    return port && getpeername(connection, (struct sockaddr *)&peer, &length) == 0 && peer.sin_family == AF_INET
        && ntohs(peer.sin_port) == port;
}

ssize_t recv(int connection, void *bytes, size_t count, int flags) {
    ssize_t result = NEXT(recv)(connection, bytes, count, flags);
    if (result > 0 && is_database(connection)) pass_point();
    return result;
}
