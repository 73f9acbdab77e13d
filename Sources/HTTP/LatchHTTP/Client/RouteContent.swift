// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// The content of a route and its media type.
///
/// ```swift
/// let route = Route.put("users/\(id)/picture", sending: .bytes(png, as: "image/png"))
/// ```
public struct RouteContent: Sendable {
    /// Encoded content and its media type; nil leaves the type to the caller.
    package struct Encoded: Sendable {
        /// The content.
        package var body: HTTPBody
        /// The value of the Content-Type field.
        package var mediaType: String?

        /// Creates content of a media type.
        package init(_ body: HTTPBody = .empty, mediaType: String? = nil) {
            self.body = body
            self.mediaType = mediaType
        }
    }

    private let encode: @Sendable (JSONEncoder) throws -> Encoded

    /// Creates content that is encoded by the client's encoder when the request is made.
    package init(_ encode: @escaping @Sendable (JSONEncoder) throws -> Encoded) { self.encode = encode }

    /// Encodes the content.
    ///
    /// - Throws: `HTTPError.unencodable`, which names the coding path and not the value, or the error of a custom type.
    package func encoded(by encoder: JSONEncoder) throws -> Encoded { try encode(encoder) }
}

extension RouteContent {
    /// The media type of JSON (RFC 8259 §11), which has no charset parameter.
    static let jsonMediaType = "application/json"

    /// Empty content.
    public static let empty = RouteContent { _ in Encoded() }

    /// A value that the client's encoder writes as JSON.
    public static func json(_ value: any Encodable & Sendable) -> RouteContent {
        RouteContent { Encoded(HTTPBody(try jsonBytes(of: value, by: $0)), mediaType: jsonMediaType) }
    }

    /// Pairs as form content; a name can occur more than once.
    public static func form(_ pairs: [(String, String)]) -> RouteContent {
        RouteContent { _ in Encoded(HTTPBody(FormEncoding.encode(pairs)), mediaType: FormEncoding.mediaType) }
    }

    /// Bytes of a media type, such as `image/png`.
    public static func bytes(_ bytes: [UInt8], as mediaType: String) -> RouteContent {
        body(HTTPBody(bytes), as: mediaType)
    }

    /// UTF-8 text.
    public static func text(_ text: String) -> RouteContent {
        body(HTTPBody(text), as: "text/plain; charset=utf-8")
    }

    /// Content that is read while it is sent.
    public static func stream(_ stream: HTTPBodyStream, as mediaType: String) -> RouteContent {
        body(HTTPBody(stream), as: mediaType)
    }

    /// A file that is opened when the request is made and read while it is sent.
    public static func file(at path: String, as mediaType: String) -> RouteContent {
        RouteContent { _ in Encoded(HTTPBody(try .file(at: path)), mediaType: mediaType) }
    }

    /// A body as it is; without a media type the Content-Type field is left to the route.
    public static func body(_ body: HTTPBody, as mediaType: String? = nil) -> RouteContent {
        RouteContent { _ in Encoded(body, mediaType: mediaType) }
    }

    /// Encodes a value.
    ///
    /// Foundation's error is not passed on, since it would print the value, which may be a secret.
    static func jsonBytes(of value: any Encodable, by encoder: JSONEncoder) throws -> [UInt8] {
        do {
            return [UInt8](try encoder.encode(value))
        } catch EncodingError.invalidValue(_, let context) {
            throw HTTPError.unencodable("\(context.codingPath.pathDescription) it cannot be represented in JSON.")
        }
    }
}

extension [any CodingKey] {
    /// The coding path: names in the program's code, never content.
    var pathDescription: String {
        isEmpty ? "at the top" : "at '" + map(\.stringValue).joined(separator: ".") + "'"
    }
}

extension RouteContent {
    /// A value's properties as form content, sorted by name.
    ///
    /// The client's encoder decides how keys and dates are spelled. Properties that are nil are omitted. Nested values
    /// cannot be represented in a form and are rejected. So are numbers that JSON decoders may round.
    public static func form(_ value: any Encodable & Sendable) -> RouteContent {
        RouteContent { encoder in
            let bytes = try jsonBytes(of: value, by: encoder)
            let json: JSONValue
            do { json = try JSONValue(parsing: bytes) } catch {
                throw HTTPError.unencodable("at the top it cannot be represented in a form.")
            }
            return Encoded(HTTPBody(FormEncoding.encode(try pairs(of: json))), mediaType: FormEncoding.mediaType)
        }
    }

    /// Returns the sorted pairs, since the encoder writes the members in a different order each time.
    private static func pairs(of json: JSONValue) throws(HTTPError) -> [(String, String)] {
        guard let members = json.objectValue else {
            throw .unencodable("the value must be an object with named properties.")
        }
        var pairs: [(String, String)] = []
        for (name, value) in members where !value.isNull {
            guard let text = formText(of: value) else {
                throw .unencodable("at '\(name)' it cannot be represented in a form.")
            }
            pairs.append((name, text))
        }
        return pairs.sorted { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }
    }

    private static func formText(of value: JSONValue) -> String? {
        switch value {
        case .string(let text): text
        case .bool(let flag): flag ? "true" : "false"
        case .integer(let number): String(number)
        // RFC 8259 §6: beyond 2⁵³ an integer that does not fit 64 bits is inexact.
        case .number(let number) where number.magnitude <= 0x1p53:
            String(decoding: value.serialized(), as: UTF8.self)
        default: nil
        }
    }
}
