// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An error of decoding or encoding a message.
///
/// The message names the path of fields; it contains no field values.
public struct ProtoError: CodedError, Hashable {
    /// The stable code of the error.
    public let code: String
    /// A description of the failure and its position.
    public let message: String
    /// A suggestion for the developer.
    public let hint: String?

    /// Creates an error; `code` is one of those below, because callers match it.
    package init(code: String, message: String, hint: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
    }
}

extension ProtoError {
    private init(_ code: String, _ message: String) {
        self.init(code: code, message: message, hint: Self.hints[code])
    }

    private static let hints = [
        "truncated": "Check that all bytes arrived, and that they are a message of this type.",
        "malformed": "Check that the bytes are a message of this type, neither compressed nor framed.",
        "invalidText": "Declare the field as bytes if it holds other data.",
        "tooDeep": "Raise the limits of decoding if the sender is trusted.",
        "tooLarge": "Raise the limits of decoding if the sender is trusted, or send less at a time.",
        "missingField": "Set the field before the message is written.",
        "malformedJSON": "Send the message as ProtoJSON.",
        "malformedText": "Write the message in protobuf's text format.",
        "duplicateField": "Name each field once, in one of its spellings.",
        "unknownField": "Leave the field out, or ignore unknown fields.",
        "unknownEnumValue": "Send one of its names, or ignore unknown fields.",
        "unknownType": "Add the message to the TypeRegistry of the options.",
        "unrepresentable": "Set a value that the format can represent.",
    ]
}

// These constants are for matching: a thrown error has its own position, and equality compares only the code.
extension ProtoError {
    /// The bytes end within a value, or a length exceeds the remaining bytes.
    public static let truncated = truncated("?")

    /// A tag, a number or a group is malformed.
    public static let malformed = malformed("?", "its form is invalid")

    /// A string is not UTF-8.
    public static let invalidText = invalidText("?")

    /// Messages are nested too deeply.
    public static let tooDeep = tooDeep("?")

    /// The message exceeds the size limit.
    public static let tooLarge = ProtoError("tooLarge", "The message exceeds the size limit.")

    /// Returns a ``tooLarge`` error for a message whose encoding is within its limit but whose memory is not.
    static func overBudget(_ path: String) -> ProtoError {
        ProtoError("tooLarge", "\(path) would take more memory than a message may.")
    }

    /// A required field is missing.
    public static let missingField = missingField("?", in: "?")

    /// The text is not valid JSON for the message.
    public static let malformedJSON = malformedJSON("it breaks the grammar", at: 0)

    /// The text is not a valid text format of the message.
    public static let malformedText = malformedText("it breaks the grammar", at: 0)

    /// A field occurs twice, possibly in two spellings, or two fields of the same oneof occur.
    public static let duplicateField = duplicateField("?", at: 0)

    /// The message has no field with this name.
    public static let unknownField = unknownField("?", in: "?")

    /// The enum has no value with this name or number.
    public static let unknownEnumValue = unknownEnumValue("?", at: 0)

    /// The type of an Any is not registered.
    public static let unknownType = unknownType("?")

    /// A value of the message has no JSON form.
    public static let unrepresentable = unrepresentable("?", "it has no text form")
}

extension ProtoError {
    static func truncated(_ path: String) -> ProtoError {
        ProtoError("truncated", "The message ends within \(path).")
    }

    static func malformed(_ path: String, _ what: String) -> ProtoError {
        ProtoError("malformed", "The message is malformed at \(path): \(what).")
    }

    static func invalidText(_ path: String) -> ProtoError {
        ProtoError("invalidText", "The string \(path) is not UTF-8.")
    }

    static func tooDeep(_ path: String) -> ProtoError {
        ProtoError("tooDeep", "Messages are nested too deeply at \(path).")
    }

    static func missingField(_ path: String, in message: String) -> ProtoError {
        ProtoError("missingField", "The required field \(path) of \(message) is missing.")
    }

    static func malformedJSON(_ what: String, at offset: Int) -> ProtoError {
        ProtoError("malformedJSON", "The JSON is invalid at byte \(offset): \(what).")
    }

    static func invalidUTF8JSON(at offset: Int) -> ProtoError {
        malformedJSON("a string is not valid Unicode", at: offset)
    }

    static func malformedText(_ what: String, at offset: Int) -> ProtoError {
        ProtoError("malformedText", "The text is invalid at byte \(offset): \(what).")
    }

    static func duplicateField(_ name: String, at offset: Int) -> ProtoError {
        ProtoError("duplicateField", "The field \(name) is repeated at byte \(offset).")
    }

    static func duplicateKey(at offset: Int) -> ProtoError {
        let message = "A map key is repeated at byte \(offset)."
        return ProtoError(code: "duplicateField", message: message, hint: "Name each key once.")
    }

    static func duplicateOneof(at offset: Int) -> ProtoError {
        let message = "A second field of one oneof is set at byte \(offset)."
        return ProtoError(code: "duplicateField", message: message, hint: "Set one field of each oneof.")
    }

    static func unknownField(_ name: String, in message: String) -> ProtoError {
        ProtoError("unknownField", "The message \(message) has no field \(shortened(name)).")
    }

    static func unknownEnumValue(_ name: String, at offset: Int) -> ProtoError {
        ProtoError("unknownEnumValue", "The enum \(name) has no value as at byte \(offset).")
    }

    static func unknownType(_ url: String) -> ProtoError {
        ProtoError("unknownType", "The type \(shortened(url)) of an Any is not registered.")
    }

    static let invalidTypeURL = ProtoError(
        code: "unknownType", message: "An Any has no type.", hint: "Give the full name of its type after a slash.")

    static func unrepresentable(_ message: String, _ why: String) -> ProtoError {
        ProtoError("unrepresentable", "A \(message) has no text form: \(why).")
    }

    /// Quotes a name from the input, truncated for logs.
    private static func shortened(_ name: String) -> String {
        name.unicodeScalars.count <= 100 ? "'\(name)'" : "'\(Substring(name.unicodeScalars.prefix(100)))…'"
    }
}

extension ProtoError {
    /// Returns the error with an enclosing field in its path; called from the innermost field outward.
    func inside(_ field: String) -> ProtoError {
        let opening = "In "
        let message =
            message.utf8.starts(with: opening.utf8)
            ? "\(field).\(Substring(message.utf8.dropFirst(opening.utf8.count)))" : "\(field): \(message)"
        return ProtoError(code: code, message: opening + message, hint: hint)
    }
}
