// SPDX-License-Identifier: Apache-2.0

/// The functions of argon2 (RFC 9106 §3.4), which differ in how they address memory.
package enum Argon2Variant: String, Sendable {
    case d = "argon2d"
    case i = "argon2i"
    case id = "argon2id"
}
