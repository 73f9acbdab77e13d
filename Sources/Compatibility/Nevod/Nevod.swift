// SPDX-License-Identifier: Apache-2.0

// Nevod: the names of seed 003 over the core.
//
// For: programs that were written against Nevod. `NetworkProvider` is an adapter over LatchHTTP's `Client` and its
// interceptors, the interceptors that authenticate are faces of LatchAuth's `Session`, and `TokenStorage` keeps what that
// session commits. URLRequest is seen at the edge only. Documentation/Seeds/003-nevod.md tells where a behaviour differs
// from the original and why.
// Must not hold: an engine of its own.
