// SPDX-License-Identifier: Apache-2.0

// LatchServer: the router, the server-side interceptors and the HTTP/1.1 server that carries them.
//
// For: giving any `Handler` a socket, and giving handlers paths. The router is itself a handler, so everything that is
// built with it also runs in process, without a socket.
// Must not know: tokens, accounts, stores. What an endpoint means comes from above; C and system calls are reached
// only from Platform/Linux.
