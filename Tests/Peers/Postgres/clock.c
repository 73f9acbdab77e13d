// SPDX-License-Identifier: Apache-2.0

// A wrong date for one process: preloaded, it adds to the date the seconds in the first eight bytes of the file that
// CLOCK_OFFSET_FILE names, which a test may change at any time. Monotonic clocks stay right.
//
//     cc -shared -fPIC -O1 -o clock.so clock.c
//
// Deadlines that the process has by its own date are brought back to the kernel's, which would otherwise wait for a day.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static const _Atomic int64_t *offset_in_file;

// Uptimes are below this, and dates above.
static const time_t EARLIEST_DATE = 1000000000;

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("CLOCK_OFFSET_FILE");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *bytes = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, file, 0);
    if (bytes == MAP_FAILED) {
        fputs("clock.c: CLOCK_OFFSET_FILE cannot be read\n", stderr);
        _exit(126);
    }
    close(file);
    offset_in_file = bytes;
}

static time_t offset(void) { return offset_in_file ? atomic_load(offset_in_file) : 0; }

// Returns the function of the next library with a name.
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int result = next(clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    static __typeof__(&gettimeofday) next;
    if (!next) next = NEXT(gettimeofday);
    int result = next(now, zone);
    if (result == 0) now->tv_sec += offset();
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
    static __typeof__(&sem_timedwait) next;
    if (!next) next = NEXT(sem_timedwait);
    struct timespec right = *deadline;
    right.tv_sec -= offset();
    return next(semaphore, &right);
}

int timerfd_settime(int timer, int flags, const struct itimerspec *value, struct itimerspec *old) {
    static __typeof__(&timerfd_settime) next;
    if (!next) next = NEXT(timerfd_settime);
    struct itimerspec right = *value;
    if (flags & TFD_TIMER_ABSTIME && right.it_value.tv_sec > EARLIEST_DATE) right.it_value.tv_sec -= offset();
    return next(timer, flags, &right, old);
}
