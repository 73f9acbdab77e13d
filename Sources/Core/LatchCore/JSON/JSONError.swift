// SPDX-License-Identifier: Apache-2.0

/// An error of the JSON parser.
///
/// The message names the offset and the rule, and never the text itself, which may be a secret.
public struct JSONError: CodedError, Hashable {
    /// The stable name of the error.
    public let code: String
    /// The description of the error.
    public let message: String
    /// The suggested remedy.
    public let hint: String?
    /// The offset in bytes from the beginning of the text.
    public let offset: Int

    private init(_ code: String, _ what: String, at offset: Int, hint: String) {
        self.code = code
        self.message = "The JSON text is refused at byte \(offset): \(what)."
        self.hint = hint
        self.offset = offset
    }
}

extension JSONError {
    /// The text breaks JSON's grammar.
    ///
    /// This and the errors below are for matching: a thrown error has its offset, and is equal by its code.
    public static let malformed = malformed("it breaks the grammar", at: 0)

    /// The text contains invalid UTF-8 or half of a surrogate pair.
    public static let invalidUnicode = invalidUnicode(at: 0)

    /// An object has two members with the same name, compared after unescaping (RFC 8259 §4).
    public static let duplicateName = duplicateName(at: 0)

    /// Arrays and objects are nested deeper than ``JSONLimits/depth`` allows.
    public static let tooDeep = tooDeep(at: 0)

    /// The text is longer than allowed, or has more values.
    public static let tooLarge = tooLarge(limit: 0)

    /// A number exceeds the range of a 64-bit float; a number that is too small becomes 0.
    public static let numberOutOfRange = numberOutOfRange(at: 0)
}

extension JSONError {
    static func malformed(_ what: String, at offset: Int) -> JSONError {
        JSONError(
            "malformed", what, at: offset, hint: "Send one JSON value as RFC 8259 defines it, and nothing after it.")
    }

    static func invalidUnicode(at offset: Int) -> JSONError {
        JSONError("invalidUnicode", "it is not valid Unicode", at: offset, hint: "Encode the text as UTF-8.")
    }

    static func duplicateName(at offset: Int) -> JSONError {
        JSONError("duplicateName", "a member's name is repeated", at: offset, hint: "Name each member once.")
    }

    static func tooDeep(at offset: Int) -> JSONError {
        JSONError("tooDeep", "it is nested too deeply", at: offset, hint: "Nest fewer arrays and objects.")
    }

    static func tooLarge(limit: Int) -> JSONError {
        JSONError("tooLarge", "it is longer than \(limit) bytes", at: limit, hint: "Send less at a time.")
    }

    static func tooLarge(values limit: Int, at offset: Int) -> JSONError {
        JSONError("tooLarge", "it has more than \(limit) values", at: offset, hint: "Send less at a time.")
    }

    static func numberOutOfRange(at offset: Int) -> JSONError {
        JSONError(
            "numberOutOfRange", "a number is out of range", at: offset,
            hint: "Send numbers that a 64-bit float can hold, or strings.")
    }
}

/// The limits of a JSON text.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting of arrays and objects; at most 512, so that no text can exhaust the stack.
    public let depth: Int
    /// The maximum number of bytes, checked before parsing.
    public let bytes: Int
    /// The maximum number of values, since two bytes of text can become twenty of memory.
    public let values: Int

    /// Creates limits; a depth out of range is clamped, and 0 permits no array or object.
    public init(depth: Int = 64, bytes: Int = 16 << 20, values: Int = 1_000_000) {
        self.depth = Swift.min(Swift.max(depth, 0), 512)
        self.bytes = bytes
        self.values = values
    }

    /// 64 levels, 16 MiB, and a million values.
    public static let `default` = JSONLimits()
}
