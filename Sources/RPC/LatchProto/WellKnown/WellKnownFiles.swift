// SPDX-License-Identifier: Apache-2.0

/// The files that every compiler of Protocol Buffers brings along, as declarations without comments.
enum WellKnownFiles {
    private static let texts = [
        "any": any, "api": api, "descriptor": descriptor, "duration": duration, "empty": empty, "field_mask": fieldMask,
        "source_context": sourceContext, "struct": `struct`, "timestamp": timestamp, "type": type, "wrappers": wrappers,
    ]

    /// The bytes of a file by the name under which it is imported; nil for all others.
    static func bytes(of name: String) -> [UInt8]? {
        guard name.hasPrefix("google/protobuf/"), name.hasSuffix(".proto") else { return nil }
        return texts[String(name.dropFirst(16).dropLast(6))].map { Array($0.utf8) }
    }
}
