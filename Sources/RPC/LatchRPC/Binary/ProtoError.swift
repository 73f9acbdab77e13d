// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Why a message could not be read or written.
///
/// The message tells the place as the fields that lead to it; nothing of the values is in it.
public struct ProtoError: CodedError, Hashable {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened, and where.
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

extension ProtoError {
    /// The bytes end within a value, or a length says more than there are.
    public static let truncated = truncated("?")

    /// A tag, a number or a group is not formed as protobuf demands.
    public static let malformed = malformed("?", "its form is wrong")

    /// A text is not UTF-8.
    public static let invalidText = invalidText("?")

    /// Too many messages lie inside of each other.
    public static let tooDeep = tooDeep("?")

    /// The message has more bytes than are accepted.
    public static let tooLarge = ProtoError(
        code: "tooLarge", message: "The message has more bytes than are accepted.",
        hint: "Raise the limits of decoding if the sender is trusted, or send less at once.")

    /// A required field is missing.
    public static let missingField = missingField("?", in: "?")

    static func truncated(_ place: String) -> ProtoError {
        ProtoError(
            code: "truncated", message: "The message ends within \(place).",
            hint: "Check that all bytes arrived, and that they are a message of this type.")
    }

    static func malformed(_ place: String, _ what: String) -> ProtoError {
        ProtoError(
            code: "malformed", message: "The message is malformed at \(place): \(what).",
            hint: "Check that the bytes are a message of this type, neither compressed nor framed.")
    }

    static func invalidText(_ place: String) -> ProtoError {
        ProtoError(
            code: "invalidText", message: "The text of \(place) is not UTF-8.",
            hint: "Declare the field as bytes if it holds something else than text.")
    }

    static func tooDeep(_ place: String) -> ProtoError {
        ProtoError(
            code: "tooDeep", message: "Too many messages lie inside of each other at \(place).",
            hint: "Raise the limits of decoding if the sender is trusted.")
    }

    static func missingField(_ place: String, in message: String) -> ProtoError {
        ProtoError(
            code: "missingField", message: "The required field \(place) of \(message) is missing.",
            hint: "Set the field before the message is written.")
    }
}
