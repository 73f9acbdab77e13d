// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What a route sends.
enum RouteContent: Sendable {
    case nothing
    case json(any Encodable & Sendable)
    case form([(String, String)])

    /// RFC 8259 §11; it has no charset parameter.
    static let json = "application/json"

    /// Content on its way, and its media type; without one the field is left to the caller.
    struct Encoded: Sendable {
        var content = HTTPBody.empty
        var mediaType: String?
    }

    /// The content's bytes and what they are.
    ///
    /// - Throws: `HTTPError.unencodable`, which names the place and not the value, or what a type of the caller's throws.
    func encoded(by encoder: JSONEncoder) throws -> Encoded {
        switch self {
        case .nothing: Encoded()
        case .json(let value): Encoded(content: HTTPBody(try Self.bytes(of: value, by: encoder)), mediaType: Self.json)
        case .form(let pairs): Encoded(content: HTTPBody(FormEncoding.encode(pairs)), mediaType: FormEncoding.mediaType)
        }
    }

    /// Foundation's error would print the value, which may be a secret.
    private static func bytes(of value: any Encodable, by encoder: JSONEncoder) throws -> [UInt8] {
        do {
            return [UInt8](try encoder.encode(value))
        } catch EncodingError.invalidValue(_, let context) {
            throw HTTPError.unencodable("\(context.codingPath.place) it has no spelling in JSON.")
        }
    }
}

extension [any CodingKey] {
    /// Where in a document, by the names that lead there: they are the program's, the content is somebody's.
    var place: String {
        isEmpty ? "at the top" : "at '" + map(\.stringValue).joined(separator: ".") + "'"
    }
}
