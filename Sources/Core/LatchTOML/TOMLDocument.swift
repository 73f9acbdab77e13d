// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// What a TOML text says (https://toml.io/en/v1.0.0), read strictly.
///
/// It knows what a configuration needs: tables, dotted and quoted keys, strings of all four kinds, integers, floats,
/// booleans and arrays. Dates, inline tables and arrays of tables are refused with a hint, not misread.
package struct TOMLDocument: Sendable, Hashable {
    /// The root table.
    package private(set) var root = JSONObject()
    /// In which line each value stands, by its dotted key.
    package private(set) var lines: [String: Int] = [:]

    /// Tables that a `[header]` made, which nothing may open again.
    private var headers: Set<[String]> = []
    /// Tables that a dotted key made, which no header may open.
    private var dotted: Set<[String]> = []

    /// Reads a text.
    package init(parsing text: String) throws(TOMLError) {
        self.init()
        var parser = TOMLParser(text)
        try parser.parse(into: &self)
    }

    private init() {}

    /// Opens the table of a header.
    ///
    /// - Returns: What is wrong with it; nil where nothing is.
    package mutating func open(_ path: [String]) -> String? {
        for length in 1...path.count {
            let prefix = Array(path[..<length])
            if let value = value(at: prefix), value.objectValue == nil { return "'\(Self.name(prefix))' is a value" }
        }
        guard !headers.contains(path), !dotted.contains(path) else { return "the table stands here a second time" }
        headers.insert(path)
        if value(at: path) == nil { root.set([:], at: path[...]) }
        return nil
    }

    /// Sets a value of a table.
    ///
    /// - Returns: What is wrong with it; nil where nothing is.
    package mutating func set(_ value: JSONValue, _ key: [String], in table: [String], line: Int) -> String? {
        for length in 1..<max(key.count, 1) {
            let prefix = table + key[..<length]
            if let value = self.value(at: prefix), value.objectValue == nil {
                return "'\(Self.name(prefix))' is a value"
            }
            guard !headers.contains(prefix) else { return "'\(Self.name(prefix))' has a table of its own" }
            dotted.insert(prefix)
        }
        let path = table + key
        guard self.value(at: path) == nil else { return "the key stands here a second time" }
        root.set(value, at: path[...])
        lines[Self.name(path)] = line
        return nil
    }

    /// Nil where there is nothing yet, and where a part of the path is no table.
    private func value(at path: [String]) -> JSONValue? {
        path.reduce(Optional(.object(root))) { $0?[$1] }
    }

    private static func name(_ path: [String]) -> String { path.joined(separator: ".") }
}

extension JSONObject {
    /// Makes the tables on the way that are missing; the caller has made sure that none of them is a value.
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            self[first] = value
            return
        }
        var inner = self[first]?.objectValue ?? [:]
        inner.set(value, at: path.dropFirst())
        self[first] = .object(inner)
    }
}
