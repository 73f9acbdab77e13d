// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// What a route sends, and of which media type it is.
///
/// ```swift
/// .put("users/\(id)/picture", sending: .bytes(png, as: "image/png"))
/// ```
public struct RouteContent: Sendable {
    /// Content on its way, and its media type; without one the field is left to the caller.
    public struct Encoded: Sendable {
        /// The content.
        public var body: HTTPBody
        /// The value of the Content-Type field.
        public var mediaType: String?

        /// Content of a media type.
        public init(_ body: HTTPBody = .empty, mediaType: String? = nil) {
            self.body = body
            self.mediaType = mediaType
        }
    }

    private let encode: @Sendable (JSONEncoder) throws -> Encoded

    /// Content that is written when the request is made, with the client's encoder.
    public init(_ encode: @escaping @Sendable (JSONEncoder) throws -> Encoded) { self.encode = encode }

    /// The content's bytes and what they are.
    ///
    /// - Throws: `HTTPError.unencodable`, which names the place and not the value, or what a type of the caller's throws.
    public func encoded(by encoder: JSONEncoder) throws -> Encoded { try encode(encoder) }
}

extension RouteContent {
    /// RFC 8259 §11; it has no charset parameter.
    static let jsonMediaType = "application/json"

    /// No content.
    public static let nothing = RouteContent { _ in Encoded() }

    /// JSON.
    public static func json(_ value: any Encodable & Sendable) -> RouteContent {
        RouteContent { Encoded(HTTPBody(try jsonBytes(of: value, by: $0)), mediaType: jsonMediaType) }
    }

    /// Pairs as a form; a name may stand more than once.
    public static func form(_ pairs: [(String, String)]) -> RouteContent {
        RouteContent { _ in Encoded(HTTPBody(FormEncoding.encode(pairs)), mediaType: FormEncoding.mediaType) }
    }

    /// Bytes of a media type, such as `image/png`.
    public static func bytes(_ bytes: [UInt8], as mediaType: String) -> RouteContent {
        body(HTTPBody(bytes), as: mediaType)
    }

    /// Text in UTF-8.
    public static func text(_ text: String) -> RouteContent {
        body(HTTPBody(text), as: "text/plain; charset=utf-8")
    }

    /// Content that is read while it is sent.
    public static func stream(_ stream: HTTPBodyStream, as mediaType: String) -> RouteContent {
        body(HTTPBody(stream), as: mediaType)
    }

    /// A file, read while it is sent; it is opened when the request is made.
    public static func file(at path: String, as mediaType: String) -> RouteContent {
        RouteContent { _ in Encoded(HTTPBody(try .file(at: path)), mediaType: mediaType) }
    }

    /// Content as it is; without a media type the field is left to the route.
    public static func body(_ body: HTTPBody, as mediaType: String? = nil) -> RouteContent {
        RouteContent { _ in Encoded(body, mediaType: mediaType) }
    }

    /// Foundation's error would print the value, which may be a secret.
    static func jsonBytes(of value: any Encodable, by encoder: JSONEncoder) throws -> [UInt8] {
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
