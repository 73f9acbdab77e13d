// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The reason why a password hash of another system is not imported.
///
/// No text contains anything of the hash.
package struct ImportedHashError: CodedError, Hashable {
    package let code: String
    package let message: String
    package let hint: String?

    /// The text has none of the accepted formats.
    package static let unknownFormat = ImportedHashError(
        code: "unknownHashFormat", message: "The password hash has no format that can be imported.",
        hint: "Accepted are: \(HashFormat.listing).")

    /// The text begins like one of the formats and does not continue like it; `why` completes a sentence.
    package static func malformed(_ format: String, _ why: String) -> ImportedHashError {
        ImportedHashError(
            code: "malformedHash", message: "The password hash is not readable as \(format): \(why).",
            hint: "Accepted are: \(HashFormat.listing).")
    }

    /// The hash would need more memory or time than a sign-in may take, or protects too little; `why` names the bound.
    package static func outOfBounds(_ format: String, _ why: String) -> ImportedHashError {
        ImportedHashError(
            code: "hashOutOfBounds", message: "The password hash exceeds the bounds of \(format): \(why).",
            hint: "Import the account without a password hash, so that its owner sets a new password.")
    }
}
