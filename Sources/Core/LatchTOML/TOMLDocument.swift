// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// A strictly parsed TOML document (https://toml.io/en/v1.0.0).
///
/// It supports the syntax that a configuration needs: tables, dotted and quoted keys, strings of all four kinds,
/// integers, floats, booleans and arrays. Dates, inline tables and arrays of tables are rejected with a hint.
package struct TOMLDocument: Sendable, Hashable {
    /// The root table.
    package private(set) var root = JSONObject()
    /// The line of each value, by its dotted key.
    package private(set) var lines: [String: Int] = [:]

    /// The tables with a `[header]`, which must not be defined again.
    private var headers: Set<[String]> = []
    /// The tables that a dotted key created, which no header may define.
    private var dotted: Set<[String]> = []

    /// Parses a text.
    package init(parsing text: String) throws(TOMLError) {
        var parser = TOMLParser(text)
        try parser.parse(into: &self)
    }

    /// Defines the table of a header and returns an error message; nil on success.
    mutating func open(_ path: [String]) -> String? {
        for length in 1...path.count {
            if let problem = valueProblem(Array(path[..<length])) { return problem }
        }
        guard !headers.contains(path), !dotted.contains(path) else { return "the table is defined a second time" }
        headers.insert(path)
        if value(at: path) == nil { root.set([:], at: path[...]) }
        return nil
    }

    /// Sets a value of a table and returns an error message; nil on success.
    mutating func set(_ value: JSONValue, _ key: [String], in table: [String], line: Int) -> String? {
        for length in 1..<max(key.count, 1) {
            let prefix = table + key[..<length]
            if let problem = valueProblem(prefix) { return problem }
            guard !headers.contains(prefix) else {
                return "'\(Self.name(prefix))' is already defined by its own [header]"
            }
            dotted.insert(prefix)
        }
        let path = table + key
        guard self.value(at: path) == nil else { return "the key is set a second time" }
        root.set(value, at: path[...])
        lines[Self.name(path)] = line
        return nil
    }

    /// Returns the value at a path; nil if there is none yet.
    private func value(at path: [String]) -> JSONValue? {
        path.reduce(Optional(.object(root))) { $0?[$1] }
    }

    /// Returns an error message if there is a value where a table is expected.
    private func valueProblem(_ path: [String]) -> String? {
        guard let value = value(at: path), value.objectValue == nil else { return nil }
        return "'\(Self.name(path))' is a value"
    }

    private static func name(_ path: [String]) -> String { path.joined(separator: ".") }
}

extension JSONObject {
    /// Sets a value and creates missing tables; the caller has checked that none of them is a value.
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

/// A parsing error with its location.
package struct TOMLError: Error, Sendable, Hashable {
    /// A location in the text; both numbers begin at 1.
    package struct Location: Sendable, Hashable {
        package let line: Int
        package let column: Int
    }

    package let location: Location
    /// The problem; it never quotes a value, which may be a secret.
    package let message: String
    /// The correct form, with an example.
    package let hint: String
}
