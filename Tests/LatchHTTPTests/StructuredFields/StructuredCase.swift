// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// A field of any of the three kinds.
enum StructuredField: Equatable {
    case item(StructuredItem)
    case list(StructuredList)
    case dictionary(StructuredDictionary)

    func serialized() throws -> String {
        switch self {
        case .item(let item): try item.serialized()
        case .list(let list): try list.serialized()
        case .dictionary(let dictionary): try dictionary.serialized()
        }
    }
}

/// One of the working group's cases, in the layout that its README describes.
struct StructuredCase {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    var name: String { json["name"]?.stringValue ?? "" }
    var mustFail: Bool { json["must_fail"]?.boolValue ?? false }
    var canFail: Bool { json["can_fail"]?.boolValue ?? false }
    private var lines: [String] { (json["raw"]?.arrayValue ?? []).compactMap(\.stringValue) }

    /// The canonical serialization: the raw lines unless the case specifies it, and empty for an empty field.
    var canonical: String {
        (json["canonical"]?.arrayValue?.compactMap(\.stringValue) ?? lines).joined(separator: ", ")
    }

    /// Reads the case's lines as one field.
    func parse() throws -> StructuredField {
        var fields = HTTPFields()
        for line in lines { fields.append(line, for: "Field") }
        switch json["header_type"]?.stringValue {
        case "list": return .list(try fields.structuredList("Field"))
        case "dictionary": return .dictionary(try fields.structuredDictionary("Field"))
        default: return .item(try StructuredItem(parsing: fields.combinedValue(of: "Field") ?? ""))
        }
    }

    /// The value that the case expects.
    var expected: StructuredField? {
        guard let value = json["expected"] else { return nil }
        switch json["header_type"]?.stringValue {
        case "list": return .list(StructuredList((value.arrayValue ?? []).map(Self.member)))
        case "dictionary":
            var dictionary = StructuredDictionary()
            for pair in value.arrayValue ?? [] {
                guard let pair = pair.arrayValue, let key = pair[0].stringValue else { continue }
                dictionary[key] = Self.member(pair[1])
            }
            return .dictionary(dictionary)
        default: return .item(Self.item(value))
        }
    }

    private static func member(_ json: JSONValue) -> StructuredMember {
        guard let parts = json.arrayValue, let items = parts[0].arrayValue else { return .item(item(json)) }
        return .innerList(StructuredInnerList(items.map(item), parameters(parts[1])))
    }

    private static func item(_ json: JSONValue) -> StructuredItem {
        let parts = json.arrayValue ?? []
        return StructuredItem(value(parts[0]), parameters(parts[1]))
    }

    private static func parameters(_ json: JSONValue) -> StructuredParameters {
        var parameters = StructuredParameters()
        for pair in json.arrayValue ?? [] {
            guard let pair = pair.arrayValue, let key = pair[0].stringValue else { continue }
            parameters[key] = value(pair[1])
        }
        return parameters
    }

    private static func value(_ json: JSONValue) -> StructuredValue {
        switch json {
        case .bool(let isTrue): return .boolean(isTrue)
        case .integer(let number): return .integer(number)
        case .number(let number): return .decimal(StructuredDecimal(number))
        case .string(let text): return .string(text)
        default: break
        }
        let content = json["value"]
        switch json["__type"]?.stringValue {
        case "token": return .token(content?.stringValue ?? "")
        case "binary": return .bytes(base32(content?.stringValue ?? ""))
        case "date": return .date(content?.intValue.map(Int64.init) ?? 0)
        default: return .displayString(content?.stringValue ?? "")
        }
    }

    /// RFC 4648 §6, in which the cases write bytes.
    private static func base32(_ text: String) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (bytes, bits, held): ([UInt8], UInt32, Int) = ([], 0, 0)
        for digit in text.utf8 {
            guard let value = digits.firstIndex(of: digit) else { continue }
            (bits, held) = (bits << 5 | UInt32(value), held + 5)
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> held))
        }
        return bytes
    }
}

extension HTTPFields {
    /// Parses a field whose value is one item, or returns nil if it is missing.
    func structuredItem(_ name: HTTPFieldName) throws(HTTPError) -> StructuredItem? {
        guard let text = combinedValue(of: name) else { return nil }
        return try StructuredItem(parsing: text)
    }

    /// Parses a field whose value is a list, across all of its lines; empty if it is missing.
    func structuredList(_ name: HTTPFieldName) throws(HTTPError) -> StructuredList {
        try StructuredList(parsing: combinedValue(of: name) ?? "")
    }
}
