// SPDX-License-Identifier: Apache-2.0
// What the client is measured against: libcurl in plain C, and a server that costs as little as it can.
#pragma once
#include <stdint.h>

/// Answers every request with the same small response from a process of its own, which ends with this one.
/// Returns the port, or -1.
int bare_server_start(void);

/// Handles that are made once and keep their connections, as the client under test keeps its own.
typedef struct bare_client bare_client;

bare_client *bare_client_make(const char *url, const char *field, int width);

/// `count` requests one after another by curl_easy_perform on one handle; returns how many were answered with 200.
int bare_sequential(bare_client *client, int count);

/// `count` requests, `width` at a time, by curl_multi_perform and curl_multi_poll; returns how many were answered with 200.
int bare_multi(bare_client *client, int count);

/// Processor time of this process so far, in microseconds.
double bare_cpu_microseconds(void);

/// Takes any upload, answering with its size, and answers GET with `size` bytes, from a process of its own, which ends
/// with this one. Returns the port, or -1.
int bare_volume_start(int64_t size);
