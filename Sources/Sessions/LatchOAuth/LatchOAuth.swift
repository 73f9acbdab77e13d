// SPDX-License-Identifier: Apache-2.0

// LatchOAuth: how tokens are obtained, renewed and given back: one file for each grant of OAuth 2.
//
// For: `Provider` (who issues), `AppRegistration` (as whom the program is known there), `TokenEndpoint`, the grants,
// revocation, and the session over them.
// Must not know: screens, an account backend's own routes, or how tokens are kept. What becomes of tokens once they are
// here is the session's business, in LatchAuth.
