// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A form whose values can be files (`multipart/form-data`, RFC 7578).
///
/// ```swift
/// var form = MultipartForm()
/// form.add("Ada", named: "name")
/// form.add(png, named: "picture", filename: "ada.png", mediaType: "image/png")
/// try form.add(fileAt: "/films/ada.mp4", named: "film", mediaType: "video/mp4")
/// let file = try await client.perform(.post("files", sending: .multipart(form), as: File.self))
/// ```
///
/// Streams are read while the form is sent, so a file of any size needs little memory. The length is known in advance
/// if the length of every part is. The form can be sent again if every part can.
public struct MultipartForm: Sendable {
    /// A part of the form.
    public struct Part: Sendable, Hashable {
        /// The name of the form field.
        public var name: String
        /// The name of the file; nil for other values.
        public var filename: String?
        /// The media type; nil means text.
        public var mediaType: String?
        /// The content.
        public var body: HTTPBody

        /// Creates a part.
        package init(name: String, filename: String? = nil, mediaType: String? = nil, body: HTTPBody) {
            self.name = name
            self.filename = filename
            self.mediaType = mediaType
            self.body = body
        }
    }

    /// The limits of a form.
    public struct Limits: Sendable {
        /// The maximum number of parts.
        public var parts = 100
        /// The maximum number of bytes of one part's header fields.
        package var headBytes = 8 << 10

        /// Creates the default limits.
        public init() {}
    }

    /// The parts in the order in which they are sent; a name can occur more than once.
    public var parts: [Part] = []
    /// The source of the boundary.
    private let random: RandomSource

    /// Creates an empty form.
    public init(random: RandomSource = .system) { self.random = random }

    /// Returns the first part with a name.
    public subscript(name: String) -> Part? { parts.first { $0.name == name } }

    /// Adds a text field.
    public mutating func add(_ text: String, named name: String) {
        parts.append(Part(name: name, body: HTTPBody(text)))
    }

    /// Adds a file whose content is in memory.
    public mutating func add(
        _ bytes: [UInt8], named name: String, filename: String, mediaType: String = "application/octet-stream"
    ) {
        parts.append(Part(name: name, filename: filename, mediaType: mediaType, body: HTTPBody(bytes)))
    }

    /// Adds a file whose content is read while the form is sent.
    public mutating func add(
        _ stream: HTTPBodyStream, named name: String, filename: String, mediaType: String = "application/octet-stream"
    ) {
        parts.append(Part(name: name, filename: filename, mediaType: mediaType, body: HTTPBody(stream)))
    }

    /// Adds a file that is read while it is sent.
    ///
    /// - Throws: `HTTPError.fileUnavailable`.
    public mutating func add(
        fileAt path: String, named name: String, filename: String? = nil,
        mediaType: String = "application/octet-stream"
    ) throws(HTTPError) {
        let own = path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        add(try .file(at: path), named: name, filename: filename ?? String(own), mediaType: mediaType)
    }

    /// Encodes the form, in memory if it is small.
    ///
    /// - Throws: `HTTPError.unencodable` for a name with a NUL, `HTTPError.invalidField` for an invalid media type.
    package func encoded() throws(HTTPError) -> RouteContent.Encoded {
        // RFC 2046 §5.1.1: it must not occur in the content, and 128 random bits will not.
        let boundary = "latch-" + random.identifier()
        var pieces = MultipartBody()
        for part in parts {
            pieces.add(Array("--\(boundary)\r\n".utf8) + (try part.head()))
            pieces.add(part.body)
            pieces.add(Array("\r\n".utf8))
        }
        pieces.add(Array("--\(boundary)--\r\n".utf8))
        return RouteContent.Encoded(pieces.body, mediaType: "multipart/form-data; boundary=\(boundary)")
    }
}

extension RouteContent {
    /// A form with files (RFC 7578).
    public static func multipart(_ form: MultipartForm) -> RouteContent {
        RouteContent { _ in try form.encoded() }
    }
}

extension MultipartForm.Part {
    /// Returns the header fields of the part, and the empty line after them.
    ///
    /// RFC 7578 §4.8 allows no other fields than these.
    ///
    /// - Throws: `HTTPError.unencodable` and `HTTPError.invalidField`.
    func head() throws(HTTPError) -> [UInt8] {
        var head = Array("Content-Disposition: form-data; name=\"".utf8)
        try Self.append(name, to: &head)
        if let filename {
            head += Array("\"; filename=\"".utf8)
            try Self.append(filename, to: &head)
        }
        head += Array("\"\r\n".utf8)
        if let mediaType {
            try HTTPFields(dictionaryLiteral: (.contentType, mediaType)).validate()
            head += Array("Content-Type: \(mediaType)\r\n".utf8)
        }
        return head + Array("\r\n".utf8)
    }

    /// Appends a quoted name in the format of browsers.
    ///
    /// HTML §4.10.21.8 escapes only quotation marks and line breaks in this way. The rest, in UTF-8 (RFC 7578 §5.1),
    /// cannot end the quoted string or the line. The `filename*` of RFC 5987 must not be used in forms (RFC 7578 §4.2).
    /// A backslash is not escaped. A parser that treats it as an escape would misread one at the end, so such a name is
    /// rejected.
    private static func append(_ name: String, to head: inout [UInt8]) throws(HTTPError) {
        guard name.utf8.last != 0x5C else { throw .unencodable("the name of a part ends with a backslash.") }
        for byte in name.utf8 {
            switch byte {
            case 0x00: throw .unencodable("the name of a part holds a NUL.")
            case 0x0A, 0x0D, 0x22: PercentEncoding.appendEncoded(byte, to: &head)
            default: head.append(byte)
            }
        }
    }
}
