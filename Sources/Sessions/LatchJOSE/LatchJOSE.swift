// SPDX-License-Identifier: Apache-2.0

// LatchJOSE: keys and signed tokens as text (RFC 7515, 7517, 7518, 7519, 7638, 7797, 8037, 8725, 9278).
//
// For: base64url, JSON Web Keys and sets of them, keys as PEM, signatures in compact form and in JSON, claims, and the check of
// both.
// Must not know: HTTP, sessions, accounts, where keys are kept or how they are fetched. It reads no clock but the one
// that it is given.
//
// A token never chooses how it is verified: each key has one algorithm, a verifier lists those that it accepts, and what
// a header says beyond `alg`, `kid`, `typ` and `crit` is ignored, above all `jku`, `jwk`, `x5u` and `x5c` (RFC 8725 §3.1).
// There is no algorithm `none` here to be chosen. Nothing of a token or of a key is in any error or description.
