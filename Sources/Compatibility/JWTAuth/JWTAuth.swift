// SPDX-License-Identifier: Apache-2.0

// JWTAuth: the names of seed 001 over the core.
//
// For: programs written against that document: `AuthTokens`, `AuthSession`, `JWTAuthClient`, the request builder,
// `@Dependency` and `@Shared`.
// Must not know: an engine of its own. Renewal, storage and sending are those of LatchAuth and LatchHTTP.
