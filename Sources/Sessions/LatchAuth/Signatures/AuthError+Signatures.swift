// SPDX-License-Identifier: Apache-2.0

extension AuthError {
    /// A credential that cannot be sent as it is, such as a user with a colon for HTTP Basic.
    public static let invalidCredential = AuthError.invalidCredential("it is malformed")

    /// The content is to be signed and can be read only once, which sending it needs.
    public static let unsignableContent = AuthError(
        code: "unsignableContent", message: "The content can be read only once, and signing it would read it.",
        hint: "Give content that can be opened again, such as a file, or choose a signature that leaves content out.")

    /// A message lacks something that its signature is to cover, or has it in a form that cannot be signed.
    public static let unsignableMessage = AuthError.unsignableMessage("a part of it is missing")

    /// A message carries no signature, or none of those that the policy accepts.
    public static let missingSignature = AuthError(
        code: "missingSignature", message: "The message carries no signature that is accepted here.",
        hint: "Compare the signature's label, tag and components with what the policy asks for.")

    /// The fields of a signature are malformed.
    public static let malformedSignature = AuthError.malformedSignature("its form is wrong")

    /// A signature that is well-formed and not believed: wrong, too old, of an unknown key or for something else.
    public static let refusedSignature = AuthError.refusedSignature("it is wrong")

    /// The content is not what the message's digest says.
    public static let digestMismatch = AuthError(
        code: "digestMismatch", message: "The content is not what the message's digest says.",
        hint: "Somebody on the way has changed it, or the digest was made of something else.")
}

extension AuthError {
    /// `why` completes a sentence and holds nothing of the secret.
    package static func invalidCredential(_ why: String) -> AuthError {
        AuthError(
            code: "invalidCredential", message: "The credential cannot be used: \(why).",
            hint: "Compare it with what the server's operator handed out.")
    }

    package static func unsignableMessage(_ why: String) -> AuthError {
        AuthError(
            code: "unsignableMessage", message: "The message cannot be signed or verified: \(why).",
            hint: "Set what is missing before the signature is made, or leave it out of the components.")
    }

    package static func malformedSignature(_ why: String) -> AuthError {
        AuthError(
            code: "malformedSignature", message: "The fields of the signature are malformed: \(why).",
            hint: "Compare Signature-Input and Signature with RFC 9421 §4.")
    }

    package static func refusedSignature(_ why: String) -> AuthError {
        AuthError(
            code: "refusedSignature", message: "The signature was refused: \(why).",
            hint: "Check the key, the clocks of both machines and what was signed.")
    }
}
