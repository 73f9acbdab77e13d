// SPDX-License-Identifier: Apache-2.0
// What the server is measured against, libmicrohttpd in plain C, and the load for both.
#pragma once
#include <stdint.h>

/// Serves `GET /users/{id}` by libmicrohttpd on its own epoll thread, with the guards that can be built on it.
/// Returns the port, or -1. The server lives as long as the process.
int bare_server_start(void);

/// What a run of the load saw.
struct bare_load {
    double seconds;
    int64_t answers;
    /// Answers that were not 200, connections that broke; the run is void unless it is 0.
    int64_t failures;
};

/// Keeps `connections` busy with one request each at a time for `seconds`, from this thread.
struct bare_load bare_load_run(int port, int connections, double seconds);

/// Processor time of a process so far, in microseconds.
double bare_cpu_microseconds(int pid);

/// Resident memory of a process, in KiB.
int64_t bare_resident_kib(int pid);
