// SPDX-License-Identifier: Apache-2.0

// LatchHTTP: messages, handlers, interceptors, routes, cookies, the client and its transports.
//
// For: getting a request to a server and its answer back, the same vocabulary on both sides of the wire.
// Must not know: tokens, sessions, accounts, or where a credential comes from. What carries a credential is an
// `Interceptor` from above. C is reached only from Platform/Linux, Foundation's networking only from Platform/Apple.
