// SPDX-License-Identifier: Apache-2.0

extension OptionStatement {
    /// Where the values stand that are written within the value of this option, each by its path.
    ///
    /// The path of a value is its names with the index among those of the same name, such as `collections[1].name[0]`;
    /// the first one is also found without its index. The value as a whole is found by the empty path.
    package func places(in file: FileDescriptor) -> [String: Place] {
        var places = ["": valuePlace]
        guard case .aggregate(let range) = value, file.tokens.indices.contains(range.upperBound) else { return places }
        var reader = PlaceReader(file, range)
        reader.message(at: [""], into: &places)
        return places
    }
}

/// Goes through a message in the text format that was read already, and notes where its values begin.
private struct PlaceReader {
    private let file: FileDescriptor
    private let tokens: [Token]
    private var end: Int { tokens.count }
    private var index = 0

    init(_ file: FileDescriptor, _ range: Range<Int>) {
        self.file = file
        // In this format a '#' begins a comment, which ends with its line.
        var commented: Int32?
        tokens = file.tokens[range].filter { token in
            if token.kind == .symbol, file.source.bytes[Int(token.start)] == UInt8(ascii: "#") {
                commented = token.line
            }
            return token.line != commented
        }
    }

    /// The fields up to a closing symbol, which stays.
    mutating func message(at prefixes: [String], into places: inout [String: Place]) {
        var counts: [String: Int] = [:]
        while index < end, !isAt("}"), !isAt(">") {
            let start = index
            let name = fieldName()
            _ = take(":")
            if take("[") {
                while index < end, !isAt("]") {
                    value(of: name, at: prefixes, &counts, into: &places)
                    guard take(",") else { break }
                }
                _ = take("]")
            } else {
                value(of: name, at: prefixes, &counts, into: &places)
            }
            if !take(",") { _ = take(";") }
            // Whatever this is, the reader of the option has taken it: only no endless loop.
            if index == start { index += 1 }
        }
    }

    private mutating func fieldName() -> String {
        guard take("[") else {
            defer { index += 1 }
            return text
        }
        var name = ""
        while index < end, !isAt("]") {
            name += text
            index += 1
        }
        index += 1
        return name
    }

    private mutating func value(
        of name: String, at prefixes: [String], _ counts: inout [String: Int], into places: inout [String: Place]
    ) {
        let count = counts[name, default: 0]
        counts[name] = count + 1
        let paths = prefixes.flatMap { prefix in
            let path = prefix.isEmpty ? name : "\(prefix).\(name)"
            return count == 0 ? ["\(path)[0]", path] : ["\(path)[\(count)]"]
        }
        guard index < end else { return }
        for path in paths { places[path] = tokens[index].place }
        if take("{") || take("<") {
            message(at: paths, into: &places)
            index += 1
        } else {
            _ = take("-")
            let isString = index < end && tokens[index].kind == .string
            repeat { index += 1 } while isString && index < end && tokens[index].kind == .string
        }
    }

    private var text: String {
        guard index < end else { return "" }
        let token = tokens[index]
        return String(decoding: file.source.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
    }

    private func isAt(_ symbol: String) -> Bool { index < end && text == symbol }

    private mutating func take(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        index += 1
        return true
    }
}
