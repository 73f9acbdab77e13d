// SPDX-License-Identifier: Apache-2.0

/// The two spellings of a field mask's paths: `user.display_name` in messages, `user.displayName` in JSON.
///
/// Only paths that come back from the other spelling as they went are taken (protobuf.dev, FieldMask in JSON).
enum FieldPathText {
    /// The path in JSON's spelling; nil where it has capitals, a `_` that no small letter follows, or the comma that stands
    /// between two paths.
    static func camel(_ path: String) -> String? {
        var text: [UInt8] = []
        var isAfterUnderscore = false
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "_"):
                if isAfterUnderscore { return nil }
                isAfterUnderscore = true
                continue
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ","): return nil
            case UInt8(ascii: "a")...UInt8(ascii: "z"): text.append(isAfterUnderscore ? byte - 0x20 : byte)
            default:
                if isAfterUnderscore { return nil }
                text.append(byte)
            }
            isAfterUnderscore = false
        }
        return isAfterUnderscore ? nil : String(decoding: text, as: UTF8.self)
    }

    /// The path in the messages' spelling; nil where it has a `_`.
    static func snake(_ path: some StringProtocol) -> String? {
        var text: [UInt8] = []
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "_"): return nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): text += [UInt8(ascii: "_"), byte + 0x20]
            default: text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
