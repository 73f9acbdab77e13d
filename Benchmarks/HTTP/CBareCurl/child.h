// SPDX-License-Identifier: Apache-2.0
// A listener of its own on the loopback, served by a child process that ends with this one.
#pragma once

/// Runs `body`, which never returns, in a child. Returns the port, or -1.
int bare_listen_in_child(int backlog, void (*body)(int listener, void *context), void *context);
