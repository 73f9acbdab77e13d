// SPDX-License-Identifier: Apache-2.0

/// A word of a .proto file: a range of its bytes, and where that stands.
struct Token {
    /// What a token is.
    enum Kind: UInt8 {
        case identifier, integer, float, string, symbol, end
    }

    let kind: Kind
    /// The first byte.
    let start: Int32
    /// Behind the last byte.
    let end: Int32
    let line: Int32
    let column: Int32
    /// Behind the last column; of a string over several lines, in its last line.
    let endColumn: Int32

    var place: Place { Place(line: line, column: column) }
    var endPlace: Place { Place(line: line, column: endColumn) }
}
