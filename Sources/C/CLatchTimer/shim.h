// SPDX-License-Identifier: Apache-2.0
// Declarations of the C library that the toolchain's Glibc module leaves out.
#include <sys/timerfd.h>
#include <sys/timex.h>
