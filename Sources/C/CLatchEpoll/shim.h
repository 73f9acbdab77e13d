// SPDX-License-Identifier: Apache-2.0
// Declarations of the C library that the toolchain's Glibc module leaves out.
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <malloc.h>

// Declared by <sys/socket.h> only for GNU programs; the address is a `struct sockaddr`.
int accept4(int socket, void *address, unsigned int *length, int flags);

// Declared by <pthread.h> only for GNU programs; the thread is a `pthread_t`.
int pthread_setname_np(unsigned long thread, const char *name);
