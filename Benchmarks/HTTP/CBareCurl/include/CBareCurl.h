// SPDX-License-Identifier: Apache-2.0
// What the client is measured against: libcurl in plain C, and a server that costs as little as it can.
#pragma once
#include <stdint.h>

/// Answers every request with the same small response from a process of its own, which ends with this one.
/// Returns the port, or -1.
int bare_server_start(void);

/// `count` requests one after another on one easy handle; returns how many were answered with 200.
int bare_sequential(const char *url, const char *field, int count);

/// `count` requests, `width` at a time, on one multi handle; returns how many were answered with 200.
int bare_multi(const char *url, const char *field, int count, int width);

/// Processor time of this process so far, in microseconds.
double bare_cpu_microseconds(void);

/// How many blocks of memory this process has asked for so far.
int64_t bare_allocations(void);
