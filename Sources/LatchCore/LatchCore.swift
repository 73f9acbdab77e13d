// SPDX-License-Identifier: Apache-2.0

// LatchCore: the few values that every other module needs and that belong to none of them.
//
// For: the shape of an error, the clock, one lock type, JSON as a value.
// Must not know: HTTP, tokens, sockets, files, or any C library. It imports FoundationEssentials for `Date` alone.
