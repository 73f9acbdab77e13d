// SPDX-License-Identifier: Apache-2.0

// LatchCore: the few values that every other module needs and that belong to none of them.
//
// For: the shape of an error, the clock, one lock type, JSON as a value; for the package itself, files that survive a
// crash and child processes.
// Must not know: HTTP, tokens, sockets.
