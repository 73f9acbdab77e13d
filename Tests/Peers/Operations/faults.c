// SPDX-License-Identifier: Apache-2.0

// A slow disk, and a kill or a loss of power at a chosen point of a commit, for the processes that it is preloaded into.
//
//     cc -shared -fPIC -O1 -o faults.so faults.c
//
// FAULTS_FILE names a file with the numbers of `struct faults`, which a test may change at any time. While `end_at` is 0, no point
// is counted. FAULTS_STORE is the path with which the names of the store's files begin; its folder must exist, and may be reached
// over symbolic links. FAULTS_PORT is the port of its database.
//
// A point is before, amid and after a write into the store's files and a send to any peer; before and after a sync, a truncation
// and a removal of such a file; and after a receipt from the database. Only calls of `pwrite`, `fsync`, `fdatasync`, `ftruncate`,
// `unlink`, `send`, `sendmsg` and `recv` are seen: not what is written through shared memory, as SQLite does with its file `-shm`,
// and not what OpenSSL sends and receives on a connection with TLS, which it does by `write` and `read`.
//
// A loss of power undoes what the killed process has written since its own last sync of each file. It does not undo the writes of
// another process, and it does undo a write that another process has synced: a test that loses power lets only one process at a
// time change the store. Creations and removals of files are not undone. The bytes of `-shm` are not undone either: SQLite builds
// that file again from the log when it opens a store that no other process has open, and only then.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

// The test scripts write this struct as a whole: a file of another size is an error.
struct faults {
    // The milliseconds that each sync takes longer; below 0, none is made, since a kill loses nothing that the system has.
    _Atomic int64_t delay;
    // The number of the point at which the process is killed; 0 for none.
    _Atomic int64_t end_at;
    // The number of points so far, of all processes with this file.
    _Atomic int64_t passed;
    // Whether the store's files lose at the end what was not synced, as they may when the power fails.
    _Atomic int64_t loses_power;
    // The number of those points that belong to the store's files; a test sets it to 0.
    _Atomic int64_t store_points;
    // The number of writes and truncations that losses of power have undone; a test sets it to 0.
    _Atomic int64_t undone;
    // The number of syncs that took longer; a test sets it to 0.
    _Atomic int64_t slow_syncs;
};

// What a write into a file has replaced.
struct replaced {
    struct replaced *next;
    uint64_t number;
    char path[PATH_LENGTH];
    off_t size, offset;
    size_t count;
    char bytes[];
};

static struct faults *faults;
// The resolved path with which the names of the store's files begin; empty if there is none.
static char store[PATH_LENGTH];
static int port;
// Held over each change of the store's files together with its record, and from the beginning of the end on.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// The writes that were not synced, the last one first.
static struct replaced *unsynced;
// The number of the last record.
static uint64_t last_number;
// Whether the process ends: its other threads come no further than to their next point.
static _Atomic bool is_ending;

// Returns the function of the next library with a name.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void fail(const char *text) {
    fprintf(stderr, "faults.c: %s\n", text);
    _exit(126);
}

// Resolves the symbolic links of a path's folder, whether or not the file exists; returns whether the folder exists.
static bool resolve(const char *path, char resolved[PATH_LENGTH]) {
    char folder[PATH_MAX], found[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = name - path;
    if (length >= sizeof folder) return false;
    memcpy(folder, path, length);
    strcpy(folder + length, ".");
    if (!realpath(folder, found)) return false;
    int count = snprintf(resolved, PATH_LENGTH, "%s/%s", strcmp(found, "/") == 0 ? "" : found, name);
    return count > 0 && count < PATH_LENGTH;
}

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("FAULTS_FILE"), *files = getenv("FAULTS_STORE"), *number = getenv("FAULTS_PORT");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) fail("FAULTS_FILE cannot be opened");
    if (status.st_size != sizeof(struct faults)) fail("FAULTS_FILE has another size than struct faults");
    void *bytes = mmap(NULL, sizeof(struct faults), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) fail("FAULTS_FILE cannot be mapped");
    close(file);
    if (files && !resolve(files, store)) fail("the folder of FAULTS_STORE does not exist, or its path is too long");
    port = number ? atoi(number) : 0;
    faults = bytes;
}

// Puts back what the last sync of each file left; the mutex is held.
static void lose_power(void) {
    for (struct replaced *last = unsynced; last; last = last->next) {
        int file = open(last->path, O_WRONLY | O_CLOEXEC);
        if (file < 0) continue;
        if (NEXT(pwrite64)(file, last->bytes, last->count, last->offset) < 0 || NEXT(ftruncate64)(file, last->size) < 0)
            fputs("faults.c: a write cannot be undone\n", stderr);
        else
            atomic_fetch_add(&faults->undone, 1);
        close(file);
    }
}

static bool is_armed(void) { return faults && atomic_load(&faults->end_at) > 0; }

// Counts a point, and returns whether the process ends there.
static bool is_last_point(void) {
    return is_armed() && atomic_fetch_add(&faults->passed, 1) + 1 == atomic_load(&faults->end_at);
}

static bool is_last_store_point(void) {
    if (is_armed()) atomic_fetch_add(&faults->store_points, 1);
    return is_last_point();
}

// Ends the process; the mutex is held, and stays so. No other thread sends what it may have read from files that lose their bytes.
static void end(void) {
    atomic_store(&is_ending, true);
    if (atomic_load(&faults->loses_power)) lose_power();
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// Ends the process if asked to; after the beginning of its end, no thread returns from here.
static void end_if(bool ends) {
    while (atomic_load(&is_ending)) pause();
    if (!ends) return;
    pthread_mutex_lock(&mutex);
    end();
}

static void pass_point(void) { end_if(is_last_point()); }

static void pass_store_point(void) { end_if(is_last_store_point()); }

static bool is_in_store(const char *path) { return store[0] && strncmp(path, store, strlen(store)) == 0; }

// Finds the path of an open file; returns whether it is one of the store's.
static bool find_path(int file, char path[PATH_LENGTH]) {
    if (!store[0] || !faults || !(is_armed() || atomic_load(&faults->loses_power))) return false;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, PATH_LENGTH - 1);
    path[length < 0 ? 0 : length] = 0;
    return is_in_store(path);
}

static bool is_index(const char *path) {
    size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, "-shm") == 0;
}

// Keeps what a change of a file's bytes or size replaces; the mutex is held until the change is made.
static void keep_replaced(int file, const char *path, off_t offset, size_t count) {
    struct stat status;
    if (!atomic_load(&faults->loses_power) || is_index(path) || fstat(file, &status) != 0) return;
    struct replaced *last = malloc(sizeof *last + count);
    if (!last) abort();
    ssize_t length = pread(file, last->bytes, count, offset);
    strcpy(last->path, path);
    last->size = status.st_size;
    last->offset = offset;
    last->count = length < 0 ? 0 : length;
    last->number = ++last_number;
    last->next = unsynced;
    unsynced = last;
}

// Forgets the records of a file up to one with a number; the mutex is held.
static void forget_replaced(const char *path, uint64_t number) {
    for (struct replaced **each = &unsynced; *each;) {
        struct replaced *last = *each;
        if (last->number > number || strcmp(last->path, path) != 0) {
            each = &last->next;
            continue;
        }
        *each = last->next;
        free(last);
    }
}

// Makes a sync that takes longer, whatever signals arrive meanwhile.
static int sync_slowly(int (*next)(int), int file) {
    int64_t delay = faults ? atomic_load(&faults->delay) : 0;
    if (delay < 0) return 0;
    struct timespec rest = {delay / 1000, delay % 1000 * 1000000};
    if (delay > 0) atomic_fetch_add(&faults->slow_syncs, 1);
    while (delay > 0 && clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) continue;
    return next(file);
}

static int sync_with_points(int (*next)(int), int file) {
    char path[PATH_LENGTH];
    if (!find_path(file, path)) return sync_slowly(next, file);
    pass_store_point();
    // What is written during the sync may be lost: only the records from before are forgotten.
    pthread_mutex_lock(&mutex);
    uint64_t number = last_number;
    pthread_mutex_unlock(&mutex);
    int result = sync_slowly(next, file);
    pthread_mutex_lock(&mutex);
    if (result == 0) forget_replaced(path, number);
    pthread_mutex_unlock(&mutex);
    pass_store_point();
    return result;
}

static int truncate_with_points(int (*next)(int, off_t), int file, off_t length) {
    char path[PATH_LENGTH];
    struct stat status;
    if (!find_path(file, path)) return next(file, length);
    pass_store_point();
    pthread_mutex_lock(&mutex);
    off_t size = fstat(file, &status) == 0 ? status.st_size : 0;
    keep_replaced(file, path, length, size > length ? size - length : 0);
    int result = next(file, length);
    pthread_mutex_unlock(&mutex);
    pass_store_point();
    return result;
}

typedef ssize_t (*pwrite_function)(int, const void *, size_t, off_t);

static ssize_t write_with_points(pwrite_function next, int file, const void *bytes, size_t count, off_t offset) {
    char path[PATH_LENGTH];
    if (!find_path(file, path)) return next(file, bytes, count, offset);
    pass_store_point();
    pthread_mutex_lock(&mutex);
    keep_replaced(file, path, offset, count);
    bool ends = is_last_store_point();
    ssize_t result = next(file, bytes, ends ? count / 2 : count, offset);
    if (ends) end();
    pthread_mutex_unlock(&mutex);
    pass_store_point();
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
    char resolved[PATH_LENGTH];
    if (!faults || !store[0] || !resolve(path, resolved) || !is_in_store(resolved)) return NEXT(unlink)(path);
    pass_store_point();
    pthread_mutex_lock(&mutex);
    int result = NEXT(unlink)(path);
    if (result == 0) forget_replaced(resolved, last_number);
    pthread_mutex_unlock(&mutex);
    pass_store_point();
    return result;
}

ssize_t send(int connection, const void *bytes, size_t count, int flags) {
    pass_point();
    bool ends = is_last_point();
    ssize_t result = NEXT(send)(connection, bytes, ends ? count / 2 : count, flags);
    end_if(ends);
    pass_point();
    return result;
}

// Sends the first half of a message's bytes.
static void send_half(int connection, const struct msghdr *message, int flags) {
    size_t rest = 0;
    for (size_t each = 0; each < message->msg_iovlen; each++) rest += message->msg_iov[each].iov_len;
    rest /= 2;
    for (size_t each = 0; each < message->msg_iovlen && rest > 0; each++) {
        const struct iovec *part = &message->msg_iov[each];
        size_t count = part->iov_len < rest ? part->iov_len : rest;
        if (NEXT(send)(connection, part->iov_base, count, flags) != (ssize_t)count) return;
        rest -= count;
    }
}

ssize_t sendmsg(int connection, const struct msghdr *message, int flags) {
    pass_point();
    bool ends = is_last_point();
    if (ends) send_half(connection, message, flags);
    end_if(ends);
    ssize_t result = NEXT(sendmsg)(connection, message, flags);
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
