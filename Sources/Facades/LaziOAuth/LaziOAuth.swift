// SPDX-License-Identifier: Apache-2.0

// LaziOAuth: the names of seed 004 over the core.
//
// For: programs written against that document: `OAuthService`, `OAuthScope`, `AuthViewModel`, `APIClient`.
// Must not know: an engine of its own. Grants, renewal and storage are those of LatchOAuth and LatchAuth.
