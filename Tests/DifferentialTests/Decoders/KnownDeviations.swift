// SPDX-License-Identifier: Apache-2.0

/// The known deviations of Python from ProtoJSON and the binary encoding; anything else is a difference.
///
/// Tests/Peers/Protobuf/decode.py watches the places where json_format is lenient, and says which of them an input took:
/// an excuse holds only for an input that did.
enum KnownDeviations {
    /// The name of the deviation that explains a difference; nil where there is none.
    static func excuse(
        for input: Input, _ what: Comparison.Kind, _ theirs: PythonDecoder.Answer, ours: String
    ) -> String? {
        let notes = theirs.notes.split(separator: ",").map(String.init)
        switch what {
        case .weRefuse:
            if let note = notes.first(where: { leniencies[$0] != nil }) { return note }
            // A `String` cannot hold what upb keeps of a proto2 string. There is no note where a later field of a oneof has replaced it.
            let isRaw = notes.contains("raw") || ours.contains("The string kinds.v2.")
            if !input.isJSON, isRaw, ours.hasSuffix("is not UTF-8.") { return "raw" }
            // The group may be in a message that a later field of its oneof took the place of, where no note is made.
            let hasGroup = !input.isJSON && input.bytes.contains { $0 & 7 == 3 }
            return hasGroup && ours.hasSuffix("a tag has no field's number.") ? "number" : nil
        case .meaning: return notes.first { misreadings[$0] != nil }
        case .pythonRefuses: return refusals.first { theirs.notes.contains($0.key) }?.key
        case .written: return notes.first { spellings[$0] != nil }
        }
    }

    /// The inputs that json_format accepts although ProtoJSON or RFC 8259 does not permit them.
    private static let leniencies = [
        "constant": "Python's json reads NaN and Infinity without quotes",
        "integer": "int() reads leading zeros, a plus, underscores, blanks at the ends and digits of other scripts",
        "rounded": "an integer with an exponent goes through a double, so that 1e-400 is 0",
        "float": "float() reads inf, nan, +1, 1_0 and blanks at the ends",
        "infinite": "a string or a Value with a number beyond the range becomes infinite",
        "bool": "float(True) is 1",
        "enum": "int() reads a number in quotes, a fraction and a bool as an enum's number",
        "base64": "b64decode drops foreign characters and what follows the padding",
        "timestamp": "strptime reads numbers of one digit, a point without digits, and offsets beyond a day",
        "duration": "int() reads a plus, leading zeros and underscores, and a point needs no digits",
        "mask": "paths are not checked",
        "any": "members beside @type and value are not looked at",
        "url": "the URL of an Any needs no host, nor a slash",
        "extension": "an extension is looked for a second time without the last part of its name",
        "object": "an empty text or list is taken for an object without members",
        "spelled": "a field may stand twice if its two names are used",
        "number": "upb does not look at the numbers of fields in an unknown group, where 0 is none",
        "entry": "what is required in an entry that upb takes for an unknown field is not missed",
        "keys": "keys of one number in two spellings are not refused",
        "oneof": "null makes no member of a oneof",
    ]

    /// The inputs that json_format reads as another value.
    private static let misreadings = [
        "rounded": "an integer with an exponent goes through a double, and loses what is beyond 2^53",
        "zero": "-0 is the integer 0 for Python's json, and loses its sign",
        "infinite": "a string or a Value with a number beyond the range becomes infinite",
        "keys": "keys of one number in two spellings are two keys",
        "entry":
            "an entry that upb takes for an unknown field is written behind the others, of which it may replace one",
    ]

    /// The inputs that json_format refuses, by its message, although ProtoJSON permits them.
    private static let refusals = [
        "Float value too large": "the greatest float in its shortest spelling is above it as a double",
        "Float value too small": "the same with a minus",
    ]

    /// The JSON that Python writes for a message decoded from bytes.
    private static let spellings = [
        "entry": "an entry of a map in which stands an unknown field is for upb an unknown field as a whole",
        "value": "a Value without a kind is written as null, though struct.proto calls it an error",
        "path": "a path that does not come back from lowerCamelCase is written",
    ]
}
