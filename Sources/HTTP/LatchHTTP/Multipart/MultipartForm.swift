// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A form whose values may be files (`multipart/form-data`, RFC 7578).
///
/// ```swift
/// var form = MultipartForm()
/// form.add("Ada", named: "name")
/// form.add(png, named: "picture", filename: "ada.png", mediaType: "image/png")
/// try form.add(fileAt: "/films/ada.mp4", named: "film", mediaType: "video/mp4")
/// let file = try await client.perform(.post("files", multipart: form, as: File.self))
/// ```
///
/// What is a stream is read while it is sent, so a file of any size needs little memory. The length is known before,
/// where every part knows its own, and the form can be sent again where every part can.
public struct MultipartForm: Sendable {
    /// One value of the form.
    public struct Part: Sendable, Hashable {
        /// The name of the form's field.
        public var name: String
        /// The name of the file, where it is one.
        public var filename: String?
        /// The media type; nil means text.
        public var mediaType: String?
        /// The content.
        public var body: HTTPBody

        /// A part from its pieces.
        public init(name: String, filename: String? = nil, mediaType: String? = nil, body: HTTPBody) {
            self.name = name
            self.filename = filename
            self.mediaType = mediaType
            self.body = body
        }
    }

    /// The parts in the order in which they are sent; names may stand more than once.
    public var parts: [Part] = []
    /// Makes the boundary.
    private let random: RandomSource

    /// A form without parts.
    public init(random: RandomSource = .system) { self.random = random }

    /// The first part of a name.
    public subscript(name: String) -> Part? { parts.first { $0.name == name } }

    /// Adds text.
    public mutating func add(_ text: String, named name: String) {
        parts.append(Part(name: name, body: HTTPBody(text)))
    }

    /// Adds bytes as a file.
    public mutating func add(
        _ bytes: [UInt8], named name: String, filename: String, mediaType: String = "application/octet-stream"
    ) {
        parts.append(Part(name: name, filename: filename, mediaType: mediaType, body: HTTPBody(bytes)))
    }

    /// Adds a stream as a file.
    public mutating func add(
        _ stream: HTTPBodyStream, named name: String, filename: String, mediaType: String = "application/octet-stream"
    ) {
        parts.append(Part(name: name, filename: filename, mediaType: mediaType, body: HTTPBody(stream)))
    }

    /// Adds a file, read while it is sent, under its own name or another one.
    ///
    /// - Throws: `HTTPError.fileUnavailable`.
    public mutating func add(
        fileAt path: String, named name: String, filename: String? = nil,
        mediaType: String = "application/octet-stream"
    ) throws(HTTPError) {
        let own = path.utf8.lastIndex(of: 0x2F).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        add(try .file(at: path), named: name, filename: filename ?? String(own), mediaType: mediaType)
    }

    /// The form as it goes on the wire, in memory where it is small.
    ///
    /// - Throws: `HTTPError.unencodable` for a name with a NUL, `HTTPError.invalidField` for a media type that is none.
    public func encoded() throws(HTTPError) -> RouteContent.Encoded {
        let boundary = try boundary()
        var pieces = MultipartPieces()
        for part in parts {
            pieces.add(Array("--\(boundary)\r\n".utf8) + (try part.head()))
            pieces.add(part.body)
            pieces.add(Array("\r\n".utf8))
        }
        pieces.add(Array("--\(boundary)--\r\n".utf8))
        return RouteContent.Encoded(pieces.body, mediaType: "multipart/form-data; boundary=\(boundary)")
    }

    /// RFC 2046 §5.1.1: a line that no content holds.
    ///
    /// What is in memory is searched for it. What is not is held off by 128 bits that nobody can guess.
    private func boundary() throws(HTTPError) -> String {
        for _ in 0..<16 {
            let boundary = "latch-" + random.identifier()
            let bytes = Array(boundary.utf8)
            if !parts.contains(where: { $0.body.bytes.contains(bytes) }) { return boundary }
        }
        throw .unencodable("every boundary that was drawn stands in the content.")
    }
}

extension RouteContent {
    /// A form with files (RFC 7578).
    public static func multipart(_ form: MultipartForm) -> RouteContent {
        RouteContent { _ in try form.encoded() }
    }
}

extension Route where Answer: Decodable {
    /// POST of a form with files, answered with JSON.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], multipart form: MultipartForm, as answer: Answer.Type
    ) -> Route {
        request(.post, path, query: query, sending: .multipart(form), as: answer)
    }
}

extension Route where Answer == Void {
    /// POST of a form with files whose answer's content does not matter.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], multipart form: MultipartForm
    ) -> Route {
        request(.post, path, query: query, sending: .multipart(form))
    }
}
