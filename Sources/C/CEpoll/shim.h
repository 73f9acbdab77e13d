// SPDX-License-Identifier: Apache-2.0
// What the toolchain's Glibc module leaves out of the C library.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <malloc.h>

// Declared by <sys/socket.h> for GNU programs only; the address is a `struct sockaddr`.
int accept4(int socket, void *address, unsigned int *length, int flags);

// Declared by <pthread.h> for GNU programs only; the thread is a `pthread_t`.
int pthread_setname_np(unsigned long thread, const char *name);
