// SPDX-License-Identifier: Apache-2.0

extension ProtoError {
    /// The text is not the JSON of the message.
    ///
    /// This and the others below are for matching: what is thrown names its own place, and is equal by its code.
    public static let malformedJSON = malformedJSON("it breaks the grammar", at: 0)

    /// The text is not the text format of the message.
    public static let malformedText = malformedText("it breaks the grammar", at: 0)

    /// A field stands twice, be it in two spellings; or two fields of one oneof do.
    public static let duplicateField = duplicateField("?", at: 0)

    /// A member or field that the message does not have.
    public static let unknownField = unknownField("?", in: "?")

    /// A name or a number that the enum does not have.
    public static let unknownEnumValue = unknownEnumValue("?", at: 0)

    /// An Any whose type is not registered.
    public static let unknownType = unknownType("?")

    /// What the message holds has no spelling in JSON.
    public static let unspeakable = unspeakable("?", "it has no spelling")
}

extension ProtoError {
    static func malformedJSON(_ what: String, at offset: Int) -> ProtoError {
        ProtoError(
            code: "malformedJSON", message: "The JSON text is refused at byte \(offset): \(what).",
            hint: "Send the message as ProtoJSON spells it.")
    }

    static func invalidUTF8JSON(at offset: Int) -> ProtoError {
        malformedJSON("a string is not valid Unicode", at: offset)
    }

    static func malformedText(_ what: String, at offset: Int) -> ProtoError {
        ProtoError(
            code: "malformedText", message: "The text is refused at byte \(offset): \(what).",
            hint: "Write the message in protobuf's text format.")
    }

    static func duplicateField(_ name: String, at offset: Int) -> ProtoError {
        ProtoError(
            code: "duplicateField", message: "The field \(name) stands for the second time at byte \(offset).",
            hint: "Name each field once, in one of its spellings.")
    }

    static func duplicateKey(at offset: Int) -> ProtoError {
        ProtoError(
            code: "duplicateField", message: "A map's key stands for the second time at byte \(offset).",
            hint: "Name each key once.")
    }

    static func duplicateOneof(at offset: Int) -> ProtoError {
        ProtoError(
            code: "duplicateField", message: "A second field of one oneof stands at byte \(offset).",
            hint: "Set one field of each oneof.")
    }

    static func unknownField(_ name: String, in message: String) -> ProtoError {
        ProtoError(
            code: "unknownField", message: "The message \(message) has no field \(shortened(name)).",
            hint: "Leave the field out, or ignore unknown fields.")
    }

    static func unknownEnumValue(_ name: String, at offset: Int) -> ProtoError {
        ProtoError(
            code: "unknownEnumValue", message: "The enum \(name) does not have the value at byte \(offset).",
            hint: "Send one of its names, or ignore unknown fields.")
    }

    static func unknownType(_ url: String) -> ProtoError {
        ProtoError(
            code: "unknownType", message: "The type \(shortened(url)) of an Any is not known.",
            hint: "Add the message to the TypeRegistry of the options.")
    }

    static let invalidTypeURL = ProtoError(
        code: "unknownType", message: "An Any has no type.", hint: "Give the full name of its type after a slash.")

    static func unspeakable(_ message: String, _ why: String) -> ProtoError {
        ProtoError(
            code: "unspeakable", message: "A \(message) cannot be spelled: \(why).",
            hint: "Set a value that the text can say.")
    }

    /// A name that came from outside, cut to what a log can bear.
    private static func shortened(_ name: String) -> String {
        name.count <= 100 ? "'\(name)'" : "'\(name.prefix(100))…'"
    }
}
