// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// A strictly parsed TOML document (https://toml.io/en/v1.0.0).
///
/// It supports what a configuration needs: tables, arrays of tables, dotted and quoted keys, strings of all four kinds,
/// integers, floats, booleans and arrays. Dates and inline tables are rejected with a hint.
package struct TOMLDocument: Sendable, Hashable {
    /// The root table.
    package private(set) var root = JSONObject()
    /// The line of each value, by its dotted key, and of each table of an array, by the array's key and the table's index.
    ///
    /// The key of a value in such a table has the index as well: `clients.0.id`.
    package private(set) var lines: [String: Int] = [:]

    /// The tables with a `[header]`, which must not be defined again.
    private var headers: Set<[String]> = []
    /// The tables that a dotted key created, which no header may define.
    private var dotted: Set<[String]> = []
    /// The arrays of tables; a header or a key below one means its last table (TOML 1.0, "Array of Tables").
    private var arrays: Set<[String]> = []

    package init(parsing text: String) throws(TOMLError) {
        var parser = TOMLParser(text)
        try parser.parse(into: &self)
    }

    /// Defines the table of a header and returns an error message; nil on success.
    mutating func open(_ path: [String]) -> String? {
        for length in 1...path.count {
            if let problem = valueProblem(Array(path[..<length])) { return problem }
        }
        guard !headers.contains(path), !dotted.contains(path), !arrays.contains(path) else {
            return "the table is defined a second time"
        }
        headers.insert(path)
        if value(at: path) == nil { root.set([:], at: path[...]) }
        return nil
    }

    /// The maximum number of tables of an array.
    private static let maximumTables = 1000

    /// Adds a table to the array of a header in double brackets and returns an error message; nil on success.
    mutating func append(_ path: [String], line: Int) -> String? {
        for length in 1..<path.count {
            if let problem = valueProblem(Array(path[..<length])) { return problem }
        }
        if arrays.insert(path).inserted {
            guard value(at: path) == nil else { return "'\(Self.name(path))' is a value or a table" }
            root.set(.array([]), at: path[...])
        } else {
            // What the last table has, the next one may have as well.
            let isBelow = { (other: [String]) in other.count > path.count && other.starts(with: path) }
            headers = headers.filter { !isBelow($0) }
            dotted = dotted.filter { !isBelow($0) }
            arrays = arrays.filter { !isBelow($0) }
        }
        let count = value(at: path)?.arrayValue?.count ?? 0
        guard count < Self.maximumTables else { return "the array has more than \(Self.maximumTables) tables" }
        root.append([:], at: path[...])
        lines["\(indexedName(path)).\(count)"] = line
        return nil
    }

    /// Sets a value of a table and returns an error message; nil on success.
    mutating func set(_ value: JSONValue, _ key: [String], in table: [String], line: Int) -> String? {
        for length in 1..<max(key.count, 1) {
            let prefix = table + key[..<length]
            if let problem = valueProblem(prefix) { return problem }
            guard !headers.contains(prefix), !arrays.contains(prefix) else {
                return "'\(Self.name(prefix))' is already defined by its own [header]"
            }
            dotted.insert(prefix)
        }
        let path = table + key
        guard self.value(at: path) == nil else { return "the key is set a second time" }
        root.set(value, at: path[...])
        lines[indexedName(path)] = line
        return nil
    }

    /// Returns the value at a path; nil if there is none yet.
    private func value(at path: [String]) -> JSONValue? {
        path.reduce(Optional(.object(root))) { ($0?.arrayValue?.last ?? $0)?[$1] }
    }

    /// Returns an error message if there is a value where a table is expected.
    private func valueProblem(_ path: [String]) -> String? {
        guard let value = value(at: path), value.objectValue == nil, !arrays.contains(path) else { return nil }
        return "'\(Self.name(path))' is a value"
    }

    private static func name(_ path: [String]) -> String { path.joined(separator: ".") }

    /// Returns the dotted key of a path, with the index of the last table after each array of tables.
    private func indexedName(_ path: [String]) -> String {
        let parts = path.indices.map { index in
            let prefix = Array(path[...index])
            guard index < path.count - 1, arrays.contains(prefix), let tables = value(at: prefix)?.arrayValue else {
                return path[index]
            }
            return "\(path[index]).\(tables.count - 1)"
        }
        return Self.name(parts)
    }
}

extension JSONObject {
    /// Sets a value and creates missing tables; the caller has checked that none of them is a value.
    fileprivate mutating func set(_ value: JSONValue, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            self[first] = value
            return
        }
        change(first) { $0.set(value, at: path.dropFirst()) }
    }

    fileprivate mutating func append(_ table: JSONObject, at path: ArraySlice<String>) {
        guard let first = path.first else { return }
        guard path.count > 1 else {
            self[first] = .array((self[first]?.arrayValue ?? []) + [.object(table)])
            return
        }
        change(first) { $0.append(table, at: path.dropFirst()) }
    }

    /// Changes the table of a key, or the last one of its array, and creates a missing one.
    private mutating func change(_ key: String, _ body: (inout JSONObject) -> Void) {
        var tables = self[key]?.arrayValue
        var table = (tables?.popLast() ?? self[key])?.objectValue ?? [:]
        body(&table)
        self[key] = tables.map { .array($0 + [.object(table)]) } ?? .object(table)
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
