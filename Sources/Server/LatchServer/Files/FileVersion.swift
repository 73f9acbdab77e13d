// SPDX-License-Identifier: Apache-2.0

import LatchCore
internal import LatchFoundation
import LatchHTTP

/// The version of a served file, for the conditions of a request (RFC 9110 §13).
struct FileVersion {
    /// The time of the last change, to the second.
    let lastModified: HTTPDate
    /// The size and the time of the last change, as an entity tag (RFC 9110 §8.8.3).
    ///
    /// It is weak while another change could get the same time: clocks of file systems tick some hundred times a
    /// second.
    let entityTag: String
    private let size: Int

    init(_ file: ServedFile, now: Date) {
        let modified = Date(timeIntervalSince1970: Double(file.modified) / 1e9)
        // RFC 9110 §8.8.2.1: never later than the response.
        lastModified = HTTPDate(min(modified, now))
        let tag = "\"\(String(file.size, radix: 16))-\(String(file.modified, radix: 16))\""
        entityTag = now.timeIntervalSince(modified) > 2 ? tag : "W/" + tag
        size = file.size
    }

    /// The result of evaluating the conditions of a request.
    enum Decision { case send, unchanged, failed }

    /// Evaluates the conditions in their order (RFC 9110 §13.2.2).
    func decision(on request: HTTPRequest) -> Decision {
        let fields = request.fields
        if let tags = Self.list(fields, "If-Match") {
            guard tags == ["*"] || tags.contains(entityTag) && !isWeak else { return .failed }
        } else if let date = fields["If-Unmodified-Since"].flatMap(HTTPDate.init), lastModified.date > date.date {
            return .failed
        }
        if let tags = Self.list(fields, "If-None-Match") {
            // RFC 9110 §8.8.3.2: weak comparison.
            let isKnown = tags == ["*"] || tags.contains { Self.opaque($0) == Self.opaque(entityTag) }
            return isKnown ? .unchanged : .send
        }
        guard let date = fields["If-Modified-Since"].flatMap(HTTPDate.init) else { return .send }
        return lastModified.date <= date.date ? .unchanged : .send
    }

    /// Returns the requested range; nil for the whole file (RFC 9110 §14.2).
    func range(of request: HTTPRequest) -> ByteRange? {
        guard let text = request.fields.onlyValue(of: .range), let range = ByteRange(text) else { return nil }
        guard let condition = request.fields["If-Range"] else { return range }
        // RFC 9110 §13.1.5: strong comparison, or a date that matches exactly.
        let matches =
            condition.utf8.first == UInt8(ascii: "\"")
            ? condition == entityTag : HTTPDate(condition) == lastModified && !isWeak
        return matches ? range : nil
    }

    private var isWeak: Bool { entityTag.utf8.first == UInt8(ascii: "W") }

    /// Returns an entity tag without the prefix of a weak one.
    private static func opaque(_ tag: String) -> Substring {
        tag.utf8.starts(with: "W/".utf8) ? Substring(tag.utf8.dropFirst(2)) : Substring(tag)
    }

    /// Returns the entity tags of a field; nil if the request does not have it.
    private static func list(_ fields: HTTPFields, _ name: HTTPFieldName) -> [String]? {
        let values = fields.values(of: name)
        guard !values.isEmpty else { return nil }
        // An entity tag of a file never contains a comma.
        return values.flatMap { $0.utf8.split(separator: 0x2C).map { String(Substring(trimmed($0))) } }
    }
}

/// One range of bytes (RFC 9110 §14.1.2).
enum ByteRange: Equatable {
    /// From a byte to another one, or to the end.
    case from(Int, through: Int?)
    /// The last bytes.
    case last(Int)

    /// Parses `bytes=0-99`, `bytes=100-` or `bytes=-100`; nil for any other text.
    ///
    /// Several ranges are also nil, since the whole file is sent for them.
    init?(_ field: String) {
        guard field.utf8.count < 64, field.lowercasedASCII().utf8.starts(with: "bytes=".utf8) else { return nil }
        let text = Substring(trimmed(field.utf8.dropFirst(6)))
        let parts = text.utf8.split(separator: 0x2D, omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 2, parts.allSatisfy({ $0.utf8.allSatisfy(isDigit) }) else { return nil }
        // A number that is too large is beyond the end of every file.
        let numbers: [Int?] = parts.map { $0.isEmpty ? nil : Int($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (nil, let count?): self = .last(count)
        case (let start?, let end) where end ?? .max >= start: self = .from(start, through: end)
        default: return nil
        }
    }

    /// Returns the range within a file of the given size; nil if the file has none of those bytes.
    func part(of size: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end):
            start < size ? start..<min(end.map { $0 < .max ? $0 + 1 : $0 } ?? size, size) : nil
        case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }
}
