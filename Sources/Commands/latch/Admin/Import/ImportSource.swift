// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchCore
import LatchFoundation

/// A system whose exports can be imported.
struct ImportSource: Sendable {
    /// What the converter needs besides the file.
    struct Context: Sendable {
        /// The objects of the second file, by ``secondFileKey``.
        var secondFile: [String: [JSONObject]] = [:]
        /// The parameters of Firebase's hashes.
        var hashConfiguration: FirebaseHashConfiguration?
        let now: Date
        /// Whether second factors that cannot be imported are left out, and not an error.
        var skipsFactors = false
        /// Whether password hashes that cannot be imported are left out, and not an error.
        var skipsHashes = false
    }

    let name: String
    /// The members in which one JSON object may hold the list.
    var listMembers: [String] = []
    /// The value that joins the second file to the first; nil for a system with one file.
    var secondFileKey: (@Sendable (JSONObject) -> String?)?
    /// What to do if a file has accounts without passwords; nil where nothing helps.
    var passwordHint: String?
    /// Returns the record of an object; nil for an object that is not an account.
    let record: @Sendable (JSONObject, Context) throws(CommandError) -> JSONObject?

    static let all = [latchwork] + hosted + ofFrameworks

    /// The format of this server; the columns of a CSV file may be `attributes.NAME` and `links.PROVIDER`.
    static let latchwork = ImportSource(name: "latchwork") {
        (object, _) throws(CommandError) in
        var record = JSONObject()
        var attributes = JSONObject()
        var links: [JSONValue] = []
        for (name, value) in object {
            let parts = name.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1).map { String(Substring($0)) }
            switch (parts.first, parts.count) {
            case ("attributes", 2): if value.stringValue?.isEmpty != true { attributes[parts[1]] = value }
            case ("links", 2):
                guard value.stringValue?.isEmpty != true else { continue }
                links.append(["provider": .string(parts[1]), "subject": value])
            default: record[name] = value
            }
        }
        if !attributes.isEmpty { record["attributes"] = .object(attributes) }
        if !links.isEmpty { record["links"] = .array(links) }
        return record
    }
}

extension JSONObject {
    /// The text of a member; nil for an empty one, and for other types.
    func filled(_ names: String...) -> String? {
        names.lazy.compactMap { self[$0]?.stringValue }.first { !$0.isEmpty }
    }

    /// The identifier of a row, a text or a number.
    func id(_ names: String...) -> String? {
        names.lazy.compactMap { self[$0]?.stringValue ?? self[$0]?.intValue.map { String($0) } }.first { !$0.isEmpty }
    }

    /// The object of a member, also where it is text with JSON in it.
    func nested(_ name: String) -> JSONObject? {
        self[name]?.objectValue ?? self[name]?.stringValue.flatMap { (try? JSONValue(parsing: $0))?.objectValue }
    }

    /// The array of a member, also where it is text with JSON in it.
    func list(_ name: String) -> [JSONValue] {
        self[name]?.arrayValue ?? self[name]?.stringValue.flatMap { (try? JSONValue(parsing: $0))?.arrayValue } ?? []
    }

    /// A boolean, also as a number or as text.
    func isTrue(_ names: String...) -> Bool {
        names.contains { name in
            guard let value = self[name] else { return false }
            return value == true || value == 1
                || ["true", "t", "1", "yes"].contains(value.stringValue?.lowercasedASCII() ?? "")
        }
    }

    /// The number of a member in milliseconds, also as text, as a date in seconds.
    func milliseconds(_ name: String) -> JSONValue? {
        (self[name]?.doubleValue ?? self[name]?.stringValue.flatMap { Double($0) }).map {
            .number(($0 / 1000).rounded())
        }
    }

    /// Sets a text, unless it is missing.
    mutating func set(_ name: String, _ text: String?) {
        if let text { self[name] = .string(text) }
    }
}
