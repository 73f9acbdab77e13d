// SPDX-License-Identifier: Apache-2.0

/// A parser of the text format, in which options write messages (Protocol Buffers text format).
struct TextFormatParser {
    private let linker: Linker
    private let scope: String
    private var cursor: TextFormatCursor
    /// The number of additional nesting levels of messages, which limits the recursion.
    private var remainingDepth = 200

    init(_ linker: Linker, _ range: Range<Int>, scope: String) {
        self.linker = linker
        self.scope = scope
        cursor = TextFormatCursor(linker.file, range)
    }

    /// Parses fields up to the end, or up to a closing symbol, which it does not consume.
    mutating func message(_ type: MessageDescriptor, until close: String? = nil) throws(InvalidOption) -> OptionMessage
    {
        remainingDepth -= 1
        defer { remainingDepth += 1 }
        guard remainingDepth > 0 else { throw InvalidOption("messages are nested too deeply") }
        var message = OptionMessage()
        while !cursor.isAtEnd, cursor.text != close {
            try field(of: type, into: &message)
            cursor.takeSeparator()
        }
        if let close, cursor.text != close { throw InvalidOption("a '\(close)' is missing") }
        return message
    }

    private mutating func field(of type: MessageDescriptor, into message: inout OptionMessage) throws(InvalidOption) {
        if cursor.isAt("["), type.fullName == "google.protobuf.Any", let url = anyURL() {
            return try any(url, of: type, into: &message)
        }
        let field = try fieldName(of: type)
        guard let fieldType = field.type else { return }
        let hasColon = cursor.take(":")
        var values: [OptionMessage.Value] = []
        if field.label == .repeated, cursor.take("[") {
            if !cursor.isAt("]") {
                repeat { values.append(try value(of: field, hasColon: hasColon)) } while cursor.take(",")
            }
            guard cursor.take("]") else { throw InvalidOption("a ']' is missing") }
        } else {
            values.append(try value(of: field, hasColon: hasColon))
        }
        if field.label != .repeated, message.has(field.number) {
            throw InvalidOption("'\(field.name)' is set twice")
        }
        if let oneof = field.oneofIndex, !field.isProto3Optional,
            let other = type.fields.first(where: { $0.oneofIndex == oneof && message.has($0.number) && $0 !== field })
        {
            throw InvalidOption("'\(field.name)' and '\(other.name)' are members of the same oneof")
        }
        var whole = message.fields[field.number] ?? .init(field, fieldType)
        whole.values += values
        if !values.isEmpty, !whole.isUnset { message.fields[field.number] = whole }
    }

    private mutating func fieldName(of type: MessageDescriptor) throws(InvalidOption) -> FieldDescriptor {
        if cursor.take("[") {
            let name = try qualifiedName()
            guard cursor.take("]") else { throw InvalidOption("a ']' is missing") }
            guard case .field(let field)? = linker.lookUp(name, in: scope), field.isExtension,
                field.extendee?.fullName == type.fullName
            else { throw InvalidOption("'\(type.fullName)' has no extension '\(name)'") }
            return field
        }
        guard let name = cursor.takeIdentifier() else { throw InvalidOption("the name of a field is missing") }
        // The name of a group's message sets the group.
        let field =
            type.fields.first { $0.name == name && $0.type != .group }
            ?? type.fields.first { $0.type == .group && ($0.message?.name == name || $0.name == name) }
        guard let field else { throw InvalidOption("'\(type.fullName)' has no field '\(name)'") }
        return field
    }

    private mutating func value(of field: FieldDescriptor, hasColon: Bool) throws(InvalidOption) -> OptionMessage.Value
    {
        if let type = field.message { return .message(try block(type, named: field.name)) }
        guard hasColon else { throw InvalidOption("a ':' is missing after '\(field.name)'") }
        let written = try scalar(field)
        do throws(InvalidOption) { return try ScalarOption.value(of: field, written) } catch {
            throw InvalidOption("'\(field.name)': \(error.reason)")
        }
    }

    /// Parses a message in braces or angle brackets.
    private mutating func block(
        _ type: MessageDescriptor, named name: String
    ) throws(InvalidOption) -> OptionMessage {
        let close = cursor.take("{") ? "}" : cursor.take("<") ? ">" : nil
        guard let close else { throw InvalidOption("'\(name)' is a message, which is written in braces") }
        var message = try message(type, until: close)
        cursor.index += 1
        // An entry of a map always has both fields.
        for field in type.fields where type.isMapEntry && !message.has(field.number) {
            guard let fieldType = field.type else { continue }
            message.fields[field.number] = .init(field, fieldType, [.default(of: fieldType)])
        }
        return message
    }

    /// Parses a scalar; the text format accepts more spellings than options do.
    private mutating func scalar(_ field: FieldDescriptor) throws(InvalidOption) -> UninterpretedOption.Value {
        let isNegative = cursor.take("-")
        let text = cursor.text
        guard let token = cursor.next() else { throw InvalidOption("the value of '\(field.name)' is missing") }
        let sign: Double = isNegative ? -1 : 1
        switch token.kind {
        case .string:
            var bytes = StringEscapes.unescaped(linker.file.source.bytes(of: token))
            while let token = cursor.takeString() {
                bytes += StringEscapes.unescaped(linker.file.source.bytes(of: token))
            }
            return .string(bytes)
        case .identifier: return try word(text, of: field, isNegative: isNegative)
        case .integer:
            guard let number = Parser.integer(text) else { return .double(sign * (Double(text) ?? 0)) }
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
        case .float: return .double(sign * (Double(text) ?? 0))
        case .symbol, .end: throw InvalidOption("the value of '\(field.name)' is missing")
        }
    }

    private func word(
        _ text: String, of field: FieldDescriptor, isNegative: Bool
    ) throws(InvalidOption) -> UninterpretedOption.Value {
        switch (field.type, text.lowercased()) {
        case (.float, "inf"), (.double, "inf"), (.float, "infinity"), (.double, "infinity"):
            return .double(isNegative ? -.infinity : .infinity)
        case (.float, "nan"), (.double, "nan"): return .double(.nan)
        case (.bool, _) where text == "t" || text == "True" || text == "true": return .identifier("true")
        case (.bool, _) where text == "f" || text == "False" || text == "false": return .identifier("false")
        default:
            guard !isNegative else { throw InvalidOption("a number must follow '-'") }
            return .identifier(text)
        }
    }
}

extension TextFormatParser {
    private mutating func qualifiedName() throws(InvalidOption) -> String {
        var name = ""
        repeat {
            guard let part = cursor.takeIdentifier() else { throw InvalidOption("a name is missing") }
            name += (name.isEmpty ? "" : ".") + part
        } while cursor.take(".")
        return name
    }

    /// Consumes a type URL in brackets; returns nil, and consumes nothing, if the brackets contain an extension name.
    private mutating func anyURL() -> String? {
        var ahead = cursor
        _ = ahead.take("[")
        let url = ahead.takeText(upTo: "]")
        guard url.contains("/") else { return nil }
        cursor = ahead
        return url
    }

    /// Parses an expanded `Any`, which stores the type URL and the encoded message.
    private mutating func any(
        _ url: String, of type: MessageDescriptor, into message: inout OptionMessage
    ) throws(InvalidOption) {
        let name = url.lastIndex(of: "/").map { String(url[url.index(after: $0)...]) } ?? ""
        // These hosts stand for the compiled types; others could be registries with different types.
        guard ["type.googleapis.com/", "type.googleprod.com/"].contains(where: { url == $0 + name }) else {
            throw InvalidOption("'\(url)' does not begin with type.googleapis.com/")
        }
        guard case .message(let content)? = linker.find(name) else {
            throw InvalidOption("'\(name)' is not an imported message")
        }
        _ = cursor.take(":")
        var writer = WireWriter()
        try block(content, named: name).write(to: &writer)
        for field in type.fields {
            guard let fieldType = field.type else { continue }
            message.fields[field.number, default: .init(field, fieldType)].values = [
                .bytes(field.number == 1 ? Array(url.utf8) : writer.bytes)
            ]
        }
    }
}

extension UninterpretedOption {
    /// Returns the positions of the values inside this option's value, by path.
    ///
    /// A path consists of field names with an index, such as `collections[1].name[0]`; the first element is also found
    /// without its index. The empty path stands for the whole value.
    package func valuePositions(in file: FileDescriptor) -> [String: SourcePosition] {
        var positions = ["": valuePosition]
        guard case .aggregate(let range) = value, file.tokens.indices.contains(range.upperBound) else {
            return positions
        }
        var finder = ValuePositionFinder(cursor: TextFormatCursor(file, range))
        finder.message(at: [""], into: &positions)
        return positions
    }
}

/// A scan of a parsed text-format message for the positions of its values.
private struct ValuePositionFinder {
    var cursor: TextFormatCursor

    /// Scans fields up to a closing symbol, which it does not consume.
    mutating func message(at prefixes: [String], into positions: inout [String: SourcePosition]) {
        var counts: [String: Int] = [:]
        while !cursor.isAtEnd, !cursor.isAt("}"), !cursor.isAt(">") {
            let name = cursor.take("[") ? cursor.takeText(upTo: "]") : cursor.takeText()
            _ = cursor.take(":")
            if cursor.take("[") {
                while !cursor.isAtEnd, !cursor.isAt("]") {
                    value(of: name, at: prefixes, &counts, into: &positions)
                    guard cursor.take(",") else { break }
                }
                _ = cursor.take("]")
            } else {
                value(of: name, at: prefixes, &counts, into: &positions)
            }
            cursor.takeSeparator()
        }
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
        guard let position = cursor.position else { return }
        for path in paths { positions[path] = position }
        if cursor.take("{") || cursor.take("<") {
            message(at: paths, into: &positions)
            cursor.index += 1
        } else {
            _ = cursor.take("-")
            if cursor.next()?.kind == .string { while cursor.takeString() != nil {} }
        }
    }
}

/// A reader of the tokens of a message in the text format.
private struct TextFormatCursor {
    private let source: SourceFile
    private let tokens: [Token]
    var index = 0

    /// Creates a reader that skips comments, which extend from `#` to the end of the line.
    init(_ file: FileDescriptor, _ range: Range<Int>) {
        source = file.source
        var commented: Int32?
        tokens = file.tokens[range].filter { token in
            if token.kind == .symbol, file.source.bytes[Int(token.start)] == UInt8(ascii: "#") {
                commented = token.line
            }
            return token.line != commented
        }
    }

    var isAtEnd: Bool { index >= tokens.count }

    /// The text of the current token; empty at the end.
    var text: String { isAtEnd ? "" : source.text(of: tokens[index]) }

    /// The position of the current token; nil at the end.
    var position: SourcePosition? { isAtEnd ? nil : tokens[index].position }

    func isAt(_ symbol: String) -> Bool { !isAtEnd && tokens[index].kind != .string && text == symbol }

    mutating func take(_ symbol: String) -> Bool {
        guard isAt(symbol) else { return false }
        index += 1
        return true
    }

    mutating func takeSeparator() { if !take(",") { _ = take(";") } }

    /// Consumes the current token; returns nil at the end.
    mutating func next() -> Token? {
        guard !isAtEnd else { return nil }
        defer { index += 1 }
        return tokens[index]
    }

    mutating func takeString() -> Token? { !isAtEnd && tokens[index].kind == .string ? next() : nil }

    mutating func takeIdentifier() -> String? {
        !isAtEnd && tokens[index].kind == .identifier ? takeText() : nil
    }

    mutating func takeText() -> String { next().map(source.text(of:)) ?? "" }

    /// Consumes all tokens up to and including a symbol, and returns the text before the symbol.
    mutating func takeText(upTo end: String) -> String {
        var text = ""
        while !isAtEnd, !take(end) { text += takeText() }
        return text
    }
}
