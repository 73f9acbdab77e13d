// SPDX-License-Identifier: Apache-2.0

// LaziOAuth: the names of seed 004 over the core.
//
// For: programs that were written against the OAuth part of the Lazi app. `OAuthService` is a face of LatchAuth's
// `Session` over LatchOAuth's `TokenEndpoint`, `APIClient` one of LatchHTTP's `Client`; the view models hold what the
// screens show. Documentation/Compatibility/LaziOAuth.md tells where a behaviour differs from the original and why.
// Must not hold: an engine of its own, or views.
