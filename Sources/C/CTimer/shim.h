// SPDX-License-Identifier: Apache-2.0
// What the toolchain's Glibc module leaves out of the C library.
#include <sys/timerfd.h>
#include <sys/timex.h>
