// SPDX-License-Identifier: Apache-2.0

// LatchAccounts: `AuthClient`, the client of a backend where people have an e-mail address and a password.
//
// For: sign-up, sign-in, sign-out, verification, reset and profile as one object over a `Session`.
// Must not know: screens, or how the server keeps accounts. The session's rules live in LatchAuth and are not repeated
// here; what this module adds is the backend's routes and their wire format.
