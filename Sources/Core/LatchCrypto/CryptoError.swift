// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What goes wrong in cryptography.
///
/// A signature that does not verify is no error but `false`. No message holds key material, a password or a plaintext.
public struct CryptoError: CodedError, Hashable {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?

    /// Makes an error of its parts; `code` is one of those below, since callers match by it.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension CryptoError {
    /// The bytes are no key of this kind.
    public static let malformedKey = malformedKey("the bytes are no key of this kind")

    /// The bytes have not the shape of a signature of this kind.
    ///
    /// It is thrown while a signature is read. One of the right shape that is wrong makes a verification answer
    /// `false`.
    public static let malformedSignature = CryptoError(
        code: "malformedSignature", message: "The bytes have not the shape of a signature.",
        hint: "Pass the raw form: r and s of equal length, one after the other.")

    /// A parameter is outside of what is accepted, such as a nonce of the wrong length.
    public static let unacceptableParameter = unacceptableParameter("a parameter is out of its bounds")

    /// The ciphertext, its tag or what was authenticated with it has been changed, or the key is another one.
    ///
    /// AES-GCM cannot tell these apart, and an answer that did would help whoever forges (NIST SP 800-38D §7.2).
    public static let authenticationFailure = CryptoError(
        code: "authenticationFailure",
        message: "The content could not be decrypted: it was changed, or the key differs.",
        hint: "Use the key and the authenticated data with which it was sealed.")

    /// The text is no password hash that is accepted here.
    public static let malformedHash = malformedHash("it is not a PHC string of argon2id")

    /// The library underneath refused or ran out of memory.
    ///
    /// It says nothing about the input: the same call may succeed later.
    public static let engineFailure = engineFailure("an operation")

    /// The platform has no implementation of it.
    public static let unavailable = CryptoError(
        code: "unavailable", message: "This platform has no implementation of the algorithm.")
}

extension CryptoError {
    /// Says why a key is refused; `why` completes a sentence and holds nothing of the key.
    package static func malformedKey(_ why: String) -> CryptoError {
        CryptoError(
            code: "malformedKey", message: "The key cannot be used: \(why).",
            hint: "Check the key's kind, curve or size, and its encoding.")
    }

    /// Says which bound was left; `why` completes a sentence and names the bound, not the value.
    package static func unacceptableParameter(_ why: String) -> CryptoError {
        CryptoError(
            code: "unacceptableParameter", message: "The operation was refused: \(why).",
            hint: "Stay within the documented bounds.")
    }

    /// Says why a stored hash is refused; `why` holds nothing of the text, which can be attacked offline.
    package static func malformedHash(_ why: String) -> CryptoError {
        CryptoError(
            code: "malformedHash", message: "The stored password hash cannot be used: \(why).",
            hint: "Hash the password again, or restore the record from a backup.")
    }

    /// Says at what the library failed; `what` may hold the reason that the library itself gives.
    package static func engineFailure(_ what: String) -> CryptoError {
        CryptoError(
            code: "engineFailure", message: "The cryptographic library failed at \(what).",
            hint: "Check the memory that is left and the installation of the library.")
    }
}
