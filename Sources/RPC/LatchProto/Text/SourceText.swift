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

    /// A line without its end; counted from zero, empty where there is none.
    package func line(_ number: Int) -> ArraySlice<UInt8> {
        let starts = lineStarts
        guard starts.indices.contains(number) else { return [] }
        return bytes[starts[number]..<(number + 1 < starts.count ? starts[number + 1] - 1 : bytes.count)]
    }

    /// Where each line begins.
    var lineStarts: [Int] {
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == UInt8(ascii: "\n") { starts.append(index + 1) }
        return starts
    }
}
