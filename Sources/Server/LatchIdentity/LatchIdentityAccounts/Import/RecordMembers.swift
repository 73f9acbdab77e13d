// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
import LatchIdentityStorage
import LatchJOSE

/// The members of a record.
///
/// Reading must cover all of them: an unread member is a misspelled name.
///
/// `null` and empty texts are as if the member were missing, as the columns of a CSV file are.
struct RecordMembers {
    private let object: JSONObject
    /// The member of the record that the object is in; nil for the record.
    private let parent: String?
    private var read: Set<String> = []

    init(_ object: JSONObject, in parent: String? = nil) { (self.object, self.parent) = (object, parent) }

    /// Requires that all members were read.
    func requireRead() throws(IdentityError) {
        guard let unknown = object.first(where: { !read.contains($0.key) })?.key else { return }
        throw .invalidRecord(
            parent ?? unknown.sanitized(64) ?? "",
            parent == nil ? "is not a member of a record" : "have an unknown member '\(unknown.sanitized(64) ?? "")'",
            hint: "Known members: \(read.sorted().joined(separator: ", ")).")
    }

    private mutating func value(_ name: String) -> JSONValue? {
        read.insert(name)
        guard let value = object[name], !value.isNull, value.stringValue?.isEmpty != true else { return nil }
        return value
    }

    private func wrong(_ name: String, _ expected: String) -> IdentityError {
        parent.map { .invalidRecord($0, "have a \(name) that is not \(expected)") }
            ?? .invalidRecord(name, "is not \(expected)")
    }

    mutating func text(_ name: String) throws(IdentityError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.stringValue else { throw wrong(name, "text") }
        return text
    }

    mutating func required(_ name: String) throws(IdentityError) -> String {
        guard let text = try text(name) else {
            throw parent.map { .invalidRecord($0, "have no \(name)") } ?? .invalidRecord(name, "is missing")
        }
        return text
    }

    /// Returns a boolean, or one of its spellings in a CSV file.
    mutating func flag(_ name: String) throws(IdentityError) -> Bool? {
        guard let value = value(name) else { return nil }
        if let flag = value.boolValue { return flag }
        switch value.stringValue?.lowercasedASCII() ?? value.intValue.map({ String($0) }) {
        case "true", "t", "1", "yes": return true
        case "false", "f", "0", "no": return false
        default: throw wrong(name, "true or false")
        }
    }

    mutating func number(_ name: String) throws(IdentityError) -> Int? {
        guard let value = value(name) else { return nil }
        guard let number = value.intValue ?? value.stringValue.flatMap({ Int($0) }) else {
            throw wrong(name, "a whole number")
        }
        return number
    }

    /// Returns words: an array, or one text with spaces between them.
    mutating func words(_ name: String) throws(IdentityError) -> [String] {
        guard let value = value(name) else { return [] }
        if let text = value.stringValue {
            let words = text.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
            guard words.count <= 100 else { throw wrong(name, "at most 100 words") }
            return OrderedWords.unique(words)
        }
        guard let texts = value.arrayValue?.map(\.stringValue), !texts.contains(nil) else {
            throw wrong(name, "an array of texts")
        }
        guard texts.count <= 100 else { throw wrong(name, "an array of at most 100 texts") }
        return OrderedWords.unique(texts.compactMap(\.self))
    }

    /// Returns a date as ``ImportDate`` reads it.
    mutating func date(_ name: String, upTo latest: Date) throws(IdentityError) -> Date? {
        guard let value = value(name) else { return nil }
        guard let date = ImportDate.date(of: value) else {
            throw wrong(name, "a date such as 2026-11-30T08:00:00Z, or seconds since 1970")
        }
        // The clock of the other system may be ahead, and so is a local time in the east.
        guard date <= latest + 86_400, date.timeIntervalSince1970 >= 0 else {
            throw wrong(name, "between 1970 and today")
        }
        return min(date, latest)
    }

    mutating func object(_ name: String) throws(IdentityError) -> JSONObject? {
        guard let value = value(name) else { return nil }
        guard let object = value.objectValue else { throw wrong(name, "an object") }
        return object
    }

    mutating func objects(_ name: String) throws(IdentityError) -> [JSONObject] {
        guard let value = value(name) else { return [] }
        guard let objects = value.arrayValue?.map(\.objectValue), !objects.contains(nil) else {
            throw wrong(name, "an array of objects")
        }
        return objects.compactMap(\.self)
    }

    mutating func bytes(_ name: String, _ count: ClosedRange<Int>) throws(IdentityError) -> [UInt8] {
        guard let bytes = try optionalBytes(name, count) else {
            throw parent.map { .invalidRecord($0, "have no \(name)") } ?? .invalidRecord(name, "is missing")
        }
        return bytes
    }

    /// Returns the bytes of a text in Base64url.
    mutating func optionalBytes(_ name: String, _ count: ClosedRange<Int>) throws(IdentityError) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        guard text.utf8.count <= 4096, let bytes = try? Base64URL.decode(text), count.contains(bytes.count) else {
            throw wrong(name, "Base64url of \(count.lowerBound) to \(count.upperBound) bytes")
        }
        return bytes
    }
}

private enum OrderedWords {
    /// Returns words without those that were there before.
    static func unique(_ words: [String]) -> [String] {
        var known: Set<String> = []
        return words.filter { known.insert($0).inserted }
    }
}

/// The dates of exports.
package enum ImportDate {
    /// A number of seconds as great as this is in the year 5138, and a number of milliseconds in 1973.
    private static let leastMilliseconds = 1e11

    /// Returns the date of a text in ISO 8601, or of a number of seconds or milliseconds since 1970.
    package static func date(of value: JSONValue) -> Date? {
        // A text such as 20240102 is not a number of seconds.
        let number = value.doubleValue ?? value.stringValue.flatMap { $0.utf8.count > 8 ? Double($0) : nil }
        guard let number else { return value.stringValue.flatMap { date($0) } }
        return Date(timeIntervalSince1970: abs(number) < leastMilliseconds ? number : number / 1000)
    }

    /// Returns the date of a text in ISO 8601, also as databases write it, with a space and a zone such as `+00`.
    ///
    /// A text without a zone is in UTC.
    package static func date(_ text: String) -> Date? {
        var text = text.utf8.count > 10 && !text.utf8.contains(UInt8(ascii: "T")) ? text.withFirstSpace("T") : text
        let clock = text.utf8.dropFirst(10)
        if clock.isEmpty { text += "T00:00:00" }
        if !clock.contains(where: { [UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "-")].contains($0) }) {
            text += "Z"
        }
        let zone = text.utf8.suffix(3)
        if zone.first == UInt8(ascii: "+") || zone.first == UInt8(ascii: "-"), text.utf8.count > 13 { text += ":00" }
        let styles = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]
        for style in styles { if let date = try? Date(text, strategy: style) { return date } }
        return nil
    }
}

extension String {
    /// Returns the text with another text instead of its first space.
    fileprivate func withFirstSpace(_ other: String) -> String {
        guard let space = utf8.firstIndex(of: UInt8(ascii: " ")) else { return self }
        return String(self[..<space]) + other + self[utf8.index(after: space)...]
    }
}
