// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchTOML

/// A configuration file: flat keys, values and lists of tables, as TOML or, if its name ends in `.json`, as JSON.
struct ConfigurationFile: Sendable {
    /// The value of a setting.
    enum Value: Sendable, Hashable {
        /// The text that would be written in the environment.
        case text(String)
        /// The tables `[[key]]`, each with its line.
        case tables([JSONObject], lines: [Int?])
    }

    /// One setting.
    struct Entry: Sendable, Hashable {
        let key: String
        let value: Value
        /// The line, counted from 1; nil for JSON.
        let line: Int?
    }

    /// The maximum size, so that a wrong path does not parse a log file.
    private static let maximumBytes = 1 << 20

    let path: String
    /// The values in the order of the file; keys are unique in both formats.
    let entries: [Entry]

    /// Reads the file.
    ///
    /// - Throws: `CommandError.failed` with the location; it quotes no values, because they may be secrets.
    init(readingFrom path: String) throws(CommandError) {
        let text = try Self.text(of: path)
        let values: JSONObject
        var lines: [String: Int] = [:]
        if Self.isJSON(path) {
            values = try Self.json(text, path)
        } else {
            do throws(TOMLError) {
                let document = try TOMLDocument(parsing: text)
                (values, lines) = (document.root, document.lines)
            } catch {
                throw .failed(
                    "\(path):\(error.location.line):\(error.location.column): \(error.message).", hint: error.hint)
            }
        }
        self.path = path
        var entries: [Entry] = []
        for (key, value) in values {
            if let tables = Self.tables(of: value) {
                let places = tables.indices.map { lines["\(key).\($0)"] }
                entries.append(Entry(key: key, value: .tables(tables, lines: places), line: places.first ?? nil))
            } else {
                entries.append(Entry(key: key, value: .text(try Self.text(of: value, key, path)), line: lines[key]))
            }
        }
        self.entries = entries
    }

    /// Whether a path is that of a JSON file.
    static func isJSON(_ path: String) -> Bool {
        path.utf8.count >= 5 && path.utf8.suffix(5).map(asciiLowercased).elementsEqual(".json".utf8)
    }

    /// Returns the file as text.
    ///
    /// - Throws: `CommandError.failed` for a file that is missing, unreadable, larger than 1 MiB, or not UTF-8.
    private static func text(of path: String) throws(CommandError) -> String {
        let bytes = try InputFile.bytes(path, hint: "Give the path of a TOML or JSON file.")
        guard bytes.count <= maximumBytes else {
            throw .failed(
                "The configuration '\(path)' is too large.", hint: "A configuration has one line per setting.")
        }
        guard let text = String(validating: bytes.withoutByteOrderMark, as: UTF8.self) else {
            throw .failed("The configuration '\(path)' is not UTF-8 text.", hint: "Save it as UTF-8.")
        }
        return text
    }

    /// Parses a JSON object.
    ///
    /// - Throws: `CommandError.failed` as `path:line:column: …`, which editors recognize.
    private static func json(_ text: String, _ path: String) throws(CommandError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: text)
        } catch {
            let location = TOMLParser(text).location(scalars(before: error.offset, in: text))
            throw .failed(
                "\(path):\(location.line):\(location.column): \(error.message)",
                hint: "Write one JSON object, without comments and without a comma after its last member.")
        }
        guard let object = value.objectValue else {
            throw .failed("\(path):1:1: this is not a JSON object.", hint: "Write {\"listen\": \"127.0.0.1:8080\"}.")
        }
        return object
    }

    /// Returns the number of scalars before a byte, because the JSON parser counts bytes.
    private static func scalars(before byte: Int, in text: String) -> Int {
        String(decoding: text.utf8.prefix(byte), as: UTF8.self).unicodeScalars.count
    }

    /// Returns the tables of a list that has nothing else; nil for any other value.
    private static func tables(of value: JSONValue) -> [JSONObject]? {
        guard let elements = value.arrayValue, !elements.isEmpty else { return nil }
        let tables = elements.compactMap(\.objectValue)
        return tables.count == elements.count ? tables : nil
    }

    /// Returns a value as the text that a setting parses.
    ///
    /// A list of strings is joined by spaces. Numbers are written in Swift's format: `1e3` in a file is `1000.0`, which
    /// is not a whole number.
    private static func text(of value: JSONValue, _ key: String, _ path: String) throws(CommandError) -> String {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .number(let number): return String(number)
        case .bool(let flag): return String(flag)
        case .array(let elements):
            let texts = elements.compactMap(\.stringValue)
            if texts.count == elements.count { return texts.joined(separator: " ") }
        case .object:
            throw .failed(
                "\(path): '\(key)' is a table, and settings are outside of tables.",
                hint: isJSON(path)
                    ? "Write clients and upstreams as lists: \"clients\": [{\"id\": \"phone\"}]."
                    : "Write settings such as listen or store before the first table, and clients as [[clients]].")
        case .null: break
        }
        throw .failed(
            "\(path): '\(key)' has a value of a wrong type.",
            hint: "Settings are texts, numbers, true or false, or lists of texts; clients and upstreams are tables.")
    }
}
