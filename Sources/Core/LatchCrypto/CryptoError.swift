// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An error of a cryptographic operation.
///
/// A signature that does not verify is not an error: the result is `false`. No message contains key material, a
/// password or a plaintext.
public struct CryptoError: CodedError, Hashable {
    /// The stable code of the error.
    public let code: String
    /// The description of the error.
    public let message: String
    /// The suggested remedy.
    public let hint: String?

    /// Creates an error from its parts; `code` is one of the codes below, since callers match by it.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension CryptoError {
    /// The bytes are not a key of this kind.
    public static let malformedKey = malformedKey("the bytes are not a key of this kind")

    /// The bytes do not have the form of a signature of this kind.
    ///
    /// It is thrown when a signature is parsed. Verifying a well-formed but wrong signature returns `false`.
    public static let malformedSignature = CryptoError(
        code: "malformedSignature", message: "The bytes are not a valid signature encoding.",
        hint: "Pass the raw form: r and s of equal length, one after the other.")

    /// A parameter is out of range, such as a nonce with the wrong length.
    public static let unacceptableParameter = unacceptableParameter("a parameter is out of its bounds")

    /// The ciphertext, its tag or the authenticated data was changed, or the key is a different one.
    ///
    /// AES-GCM cannot distinguish these cases. A response that did would help an attacker (NIST SP 800-38D §7.2).
    public static let authenticationFailure = CryptoError(
        code: "authenticationFailure",
        message: "The content could not be decrypted: it was changed, or the key differs.",
        hint: "Use the key and the authenticated data with which it was sealed.")

    /// The text is not an accepted password hash.
    public static let malformedHash = malformedHash("it is not a PHC string of argon2id")

    /// The cryptographic library failed, or ran out of memory.
    ///
    /// It does not depend on the input: the same call may succeed later.
    public static let engineFailure = engineFailure("an operation")

    /// The platform does not implement the algorithm.
    public static let unavailable = CryptoError(
        code: "unavailable", message: "This platform has no implementation of the algorithm.")
}

extension CryptoError {
    /// Returns the error for an algorithm whose library is not installed; `hint` is the command that installs it.
    package static func unavailable(_ what: String, hint: String) -> CryptoError {
        CryptoError(code: "unavailable", message: "\(what) is not installed on this machine.", hint: hint)
    }

    /// Returns the error for a key; `why` completes a sentence and contains nothing of the key.
    package static func malformedKey(_ why: String) -> CryptoError {
        CryptoError(
            code: "malformedKey", message: "The key cannot be used: \(why).",
            hint: "Check the key's kind, curve or size, and its encoding.")
    }

    /// Returns the error for a parameter; `why` completes a sentence and names the bound, not the value.
    package static func unacceptableParameter(_ why: String) -> CryptoError {
        CryptoError(
            code: "unacceptableParameter", message: "The operation was refused: \(why).",
            hint: "Stay within the documented bounds.")
    }

    /// Returns the error for a stored hash; `why` contains nothing of the text, which can be attacked offline.
    package static func malformedHash(_ why: String) -> CryptoError {
        CryptoError(
            code: "malformedHash", message: "The stored password hash cannot be used: \(why).",
            hint: "Hash the password again, or restore the record from a backup.")
    }

    /// Returns the error of the library; `what` may contain the library's reason.
    package static func engineFailure(_ what: String) -> CryptoError {
        CryptoError(
            code: "engineFailure", message: "The cryptographic library failed at \(what).",
            hint: "Check the memory that is left and the installation of the library.")
    }
}
