// SPDX-License-Identifier: Apache-2.0

/// A parser of the text format, in which options write messages (Protocol Buffers text format).
struct TextFormatParser {
    /// The reason why the text is malformed.
    struct Malformed: Error {
        let reason: String
    }

    private let linker: Linker
    private let scope: String
    private let tokens: [Token]
    private var end: Int { tokens.count }
    private var index = 0
    /// The number of levels that messages may still be nested, which bounds the recursion.
    private var remainingDepth = 200

    init(_ linker: Linker, _ range: Range<Int>, scope: String) {
        self.linker = linker
        self.scope = scope
        tokens = linker.file.textFormatTokens(in: range)
    }

    /// Parses fields up to the end, or up to a closing symbol, which is not taken.
    mutating func message(_ type: MessageDescriptor, until close: String? = nil) throws(Malformed) -> OptionMessage {
        remainingDepth -= 1
        defer { remainingDepth += 1 }
        guard remainingDepth > 0 else { throw Malformed(reason: "messages are nested too deeply") }
        var message = OptionMessage()
        while index < end, text != close {
            try field(of: type, into: &message)
            if !take(",") { _ = take(";") }
        }
        if let close, text != close { throw Malformed(reason: "a '\(close)' is missing") }
        return message
    }

    private mutating func field(of type: MessageDescriptor, into message: inout OptionMessage) throws(Malformed) {
        if isAt("["), type.fullName == "google.protobuf.Any", let url = anyURL() {
            return try any(url, of: type, into: &message)
        }
        let field = try fieldName(of: type)
        guard let fieldType = field.type else { return }
        let hasColon = take(":")
        var values: [OptionMessage.Value] = []
        if isAt("["), field.label == .repeated {
            index += 1
            if !isAt("]") { repeat { values.append(try value(of: field, hasColon: hasColon)) } while take(",") }
            guard take("]") else { throw Malformed(reason: "a ']' is missing") }
        } else {
            values.append(try value(of: field, hasColon: hasColon))
        }
        if field.label != .repeated, message.has(field.number) {
            throw Malformed(reason: "'\(field.name)' is set twice")
        }
        if let oneof = field.oneofIndex, !field.isProto3Optional,
            let other = type.fields.first(where: { $0.oneofIndex == oneof && message.has($0.number) && $0 !== field })
        {
            throw Malformed(reason: "'\(field.name)' and '\(other.name)' are members of the same oneof")
        }
        guard !values.isEmpty else { return }
        message.fields[field.number, default: .init(field, fieldType)].values += values
    }

    private mutating func fieldName(of type: MessageDescriptor) throws(Malformed) -> FieldDescriptor {
        if take("[") {
            let name = try qualifiedName()
            guard take("]") else { throw Malformed(reason: "a ']' is missing") }
            guard case .field(let field)? = linker.lookUp(name, in: scope), field.isExtension,
                field.extendee?.fullName == type.fullName
            else { throw Malformed(reason: "'\(type.fullName)' has no extension '\(name)'") }
            return field
        }
        guard token.kind == .identifier, index < end else { throw Malformed(reason: "the name of a field is missing") }
        let name = text
        index += 1
        // A group is set by the name of its message.
        let field =
            type.fields.first { $0.name == name && $0.type != .group }
            ?? type.fields.first { $0.type == .group && ($0.message?.name == name || $0.name == name) }
        guard let field else { throw Malformed(reason: "'\(type.fullName)' has no field '\(name)'") }
        return field
    }

    private mutating func value(of field: FieldDescriptor, hasColon: Bool) throws(Malformed) -> OptionMessage.Value {
        if let type = field.message {
            let close = take("{") ? "}" : take("<") ? ">" : nil
            guard let close else { throw Malformed(reason: "'\(field.name)' is a message, which is written in braces") }
            let message = try message(type, until: close)
            index += 1
            return .message(message)
        }
        guard hasColon else { throw Malformed(reason: "a ':' is missing after '\(field.name)'") }
        let written = try scalar(field)
        do throws(ScalarOption.InvalidOptionValue) {
            return try ScalarOption.value(of: field, written)
        } catch {
            throw Malformed(reason: "'\(field.name)': \(error.reason)")
        }
    }

    /// Parses a scalar; the text format accepts more spellings than options do.
    private mutating func scalar(_ field: FieldDescriptor) throws(Malformed) -> UninterpretedOption.Value {
        let isNegative = take("-")
        guard index < end else { throw Malformed(reason: "the value of '\(field.name)' is missing") }
        defer { index += 1 }
        switch token.kind {
        case .string:
            var bytes = StringEscapes.unescaped(tokenBytes)
            while index + 1 < end, tokens[index + 1].kind == .string {
                index += 1
                bytes += StringEscapes.unescaped(tokenBytes)
            }
            return .string(bytes)
        case .identifier: return try word(field, isNegative: isNegative)
        case .integer:
            guard let number = Parser.integer(text) else {
                return .double((isNegative ? -1 : 1) * (Double(text) ?? 0))
            }
            if field.type == .bool, number <= 1 { return .identifier(number == 1 ? "true" : "false") }
            if field.type == .enum,
                let value = field.enum?.values.first(where: {
                    Int64($0.number) == (isNegative ? -1 : 1) * (Int64(exactly: number) ?? .max)
                })
            {
                return .identifier(value.name)
            }
            guard isNegative else { return .positive(number) }
            return number <= UInt64(Int64.max) + 1
                ? .negative(Int64(bitPattern: 0 &- number)) : .double(-Double(number))
        case .float: return .double((isNegative ? -1 : 1) * (Double(text) ?? 0))
        case .symbol, .end: throw Malformed(reason: "the value of '\(field.name)' is missing")
        }
    }

    private func word(_ field: FieldDescriptor, isNegative: Bool) throws(Malformed) -> UninterpretedOption.Value {
        switch (field.type, text.lowercased()) {
        case (.float, "inf"), (.double, "inf"), (.float, "infinity"), (.double, "infinity"):
            return .double(isNegative ? -.infinity : .infinity)
        case (.float, "nan"), (.double, "nan"): return .double(.nan)
        case (.bool, _) where text == "t" || text == "True" || text == "true": return .identifier("true")
        case (.bool, _) where text == "f" || text == "False" || text == "false": return .identifier("false")
        default:
            guard !isNegative else { throw Malformed(reason: "a number must follow '-'") }
            return .identifier(text)
        }
    }
}

extension TextFormatParser {
    private var token: Token { tokens[index] }

    private var tokenBytes: ArraySlice<UInt8> { linker.file.source.bytes[Int(token.start)..<Int(token.end)] }

    private var text: String { index < end ? String(decoding: tokenBytes, as: UTF8.self) : "" }

    private func isAt(_ symbol: String) -> Bool { index < end && token.kind != .string && text == symbol }

    private mutating func take(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        index += 1
        return true
    }

    private mutating func qualifiedName() throws(Malformed) -> String {
        var name = ""
        repeat {
            guard index < end, token.kind == .identifier else { throw Malformed(reason: "a name is missing") }
            name += (name.isEmpty ? "" : ".") + text
            index += 1
        } while take(".")
        return name
    }

    /// Takes a type URL in brackets; returns nil, and takes nothing, if the brackets contain an extension name.
    private mutating func anyURL() -> String? {
        var (url, next) = ("", index + 1)
        while next < end {
            let token = tokens[next]
            let text = String(decoding: linker.file.source.bytes[Int(token.start)..<Int(token.end)], as: UTF8.self)
            next += 1
            if text == "]" { break }
            url += text
        }
        guard url.contains("/") else { return nil }
        index = next
        return url
    }

    /// Parses an expanded `Any`, which stores the type URL and the encoded message.
    private mutating func any(
        _ url: String, of type: MessageDescriptor, into message: inout OptionMessage
    ) throws(Malformed) {
        let name = url.lastIndex(of: "/").map { String(url[url.index(after: $0)...]) } ?? ""
        // These hosts stand for the compiled types; others could be registries with different types.
        guard ["type.googleapis.com/", "type.googleprod.com/"].contains(where: { url == $0 + name }) else {
            throw Malformed(reason: "'\(url)' does not begin with type.googleapis.com/")
        }
        guard case .message(let content)? = linker.find(name) else {
            throw Malformed(reason: "'\(name)' is not an imported message")
        }
        _ = take(":")
        let close = take("{") ? "}" : take("<") ? ">" : nil
        guard let close else { throw Malformed(reason: "'\(name)' is a message, which is written in braces") }
        let inner = try self.message(content, until: close)
        index += 1
        var writer = WireWriter()
        inner.write(to: &writer)
        for field in type.fields {
            guard let fieldType = field.type else { continue }
            message.fields[field.number, default: .init(field, fieldType)].values = [
                .bytes(field.number == 1 ? Array(url.utf8) : writer.bytes)
            ]
        }
    }
}

extension UninterpretedOption {
    /// Returns the positions of the values within the value of this option, by path.
    ///
    /// A path consists of field names with an index, such as `collections[1].name[0]`; the first element is also found
    /// without its index. The empty path leads to the whole value.
    package func valuePositions(in file: FileDescriptor) -> [String: SourcePosition] {
        var positions = ["": valuePosition]
        guard case .aggregate(let range) = value, file.tokens.indices.contains(range.upperBound) else {
            return positions
        }
        var reader = ValuePositionFinder(file, range)
        reader.message(at: [""], into: &positions)
        return positions
    }
}

/// A scan of a message in the text format that was parsed already, for the positions of its values.
private struct ValuePositionFinder {
    private let file: FileDescriptor
    private let tokens: [Token]
    private var end: Int { tokens.count }
    private var index = 0

    init(_ file: FileDescriptor, _ range: Range<Int>) {
        self.file = file
        tokens = file.textFormatTokens(in: range)
    }

    /// Scans fields up to a closing symbol, which is not taken.
    mutating func message(at prefixes: [String], into positions: inout [String: SourcePosition]) {
        var counts: [String: Int] = [:]
        while index < end, !isAt("}"), !isAt(">") {
            let start = index
            let name = fieldName()
            _ = take(":")
            if take("[") {
                while index < end, !isAt("]") {
                    value(of: name, at: prefixes, &counts, into: &positions)
                    guard take(",") else { break }
                }
                _ = take("]")
            } else {
                value(of: name, at: prefixes, &counts, into: &positions)
            }
            if !take(",") { _ = take(";") }
            // The parser has accepted this text; only avoid an endless loop.
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
        of name: String, at prefixes: [String], _ counts: inout [String: Int],
        into positions: inout [String: SourcePosition]
    ) {
        let count = counts[name, default: 0]
        counts[name] = count + 1
        let paths = prefixes.flatMap { prefix in
            let path = prefix.isEmpty ? name : "\(prefix).\(name)"
            return count == 0 ? ["\(path)[0]", path] : ["\(path)[\(count)]"]
        }
        guard index < end else { return }
        for path in paths { positions[path] = tokens[index].position }
        if take("{") || take("<") {
            message(at: paths, into: &positions)
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

extension FileDescriptor {
    /// Returns the tokens of a message in the text format without its comments, which go from `#` to the end of the
    /// line.
    fileprivate func textFormatTokens(in range: Range<Int>) -> [Token] {
        var commented: Int32?
        return tokens[range].filter { token in
            if token.kind == .symbol, source.bytes[Int(token.start)] == UInt8(ascii: "#") { commented = token.line }
            return token.line != commented
        }
    }
}
