// SPDX-License-Identifier: Apache-2.0
// kqueue(2) of Darwin, from its manual page. It is C because only a C header can give a structure and a function one name.
#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events, int event_count,
           const struct timespec *timeout);

#define EVFILT_READ (-1)
#define EVFILT_WRITE (-2)
#define EVFILT_USER (-10)
#define EV_ADD 0x0001
#define EV_DELETE 0x0002
#define EV_CLEAR 0x0020
#define EV_EOF 0x8000
#define NOTE_TRIGGER 0x01000000
