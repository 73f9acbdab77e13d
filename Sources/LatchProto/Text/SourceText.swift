// SPDX-License-Identifier: Apache-2.0

/// A .proto file: the name by which it is imported, and its bytes.
public struct SourceText: Sendable {
    /// The name, relative to an include path, with `/` between its parts.
    public let name: String
    /// What it says.
    public let bytes: [UInt8]

    /// A file.
    public init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// A file of a text.
    public init(name: String, text: String) { self.init(name: name, bytes: Array(text.utf8)) }

    /// A line without its end, for people; counted from zero, empty where there is none.
    package func line(_ number: Int) -> String {
        var (start, left) = (0, number)
        while left > 0, let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            start = end + 1
            left -= 1
        }
        guard left == 0 else { return "" }
        let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
