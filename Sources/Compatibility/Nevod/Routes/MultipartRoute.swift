// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A request with a multipart form (RFC 7578) and a JSON response.
public struct MultipartRoute<Response: Decodable, Domain: ServiceDomain>: StreamedRoute {
    /// The value that the response's JSON decodes to.
    public typealias Response = Response

    /// The service.
    public let domain: Domain
    /// The path below the service's base URL.
    public let endpoint: String
    /// The method, which must allow content.
    public let method: HTTPMethod
    private let formData: MultipartFormDataBuilder

    /// Always nil, because the form contains all data.
    public var parameters: [String: String]? { nil }

    /// Always `.none`.
    public var parameterEncoding: ParameterEncoding { .none }

    /// Creates a route that sends a form.
    public init(endpoint: String, domain: Domain, method: HTTPMethod = .post, formData: MultipartFormDataBuilder) {
        self.endpoint = endpoint
        self.domain = domain
        self.method = method
        self.formData = formData
    }

    /// Creates a route that sends parts; the boundary is ignored, because it is chosen when they are encoded.
    public init(
        endpoint: String, domain: Domain, method: HTTPMethod = .post, parts: [FormDataPart], boundary: String = ""
    ) {
        var builder = MultipartFormDataBuilder()
        for part in parts { builder.addPart(part) }
        self.init(endpoint: endpoint, domain: domain, method: method, formData: builder)
    }

    /// Returns the form in memory; a provider streams it instead.
    public func bodyData(using encoder: JSONEncoder) throws -> Data? { try formData.build().data }

    /// Returns the form.
    func content() throws -> RouteContent.Encoded { try formData.encoded() }

    /// Creates a route with one file and text fields, sorted by name.
    public static func uploadFile(
        endpoint: String, domain: Domain, fieldName: String = "file", filename: String, fileData: Data,
        mimeType: String, additionalFields: [String: String] = [:]
    ) -> MultipartRoute {
        // Sorted by name, so that the order is stable.
        let texts = additionalFields.sorted { $0.key < $1.key }.map { FormDataPart(name: $0.key, value: $0.value) }
        let file = FormDataPart(name: fieldName, filename: filename, data: fileData, mimeType: mimeType)
        return MultipartRoute(endpoint: endpoint, domain: domain, parts: texts + [file])
    }

    /// Creates a route with one image, whose format gives the media type.
    public static func uploadImage(
        endpoint: String, domain: Domain, fieldName: String = "image", filename: String, imageData: Data,
        imageType: FormDataPart.ImageType, additionalFields: [String: String] = [:]
    ) -> MultipartRoute {
        uploadFile(
            endpoint: endpoint, domain: domain, fieldName: fieldName, filename: filename, fileData: imageData,
            mimeType: imageType.mimeType, additionalFields: additionalFields)
    }
}

/// A builder of multipart forms (RFC 7578).
///
/// LatchHTTP encodes the parts. Quotation marks and line breaks in names cannot end a header line, and the boundary
/// does not occur in any part.
public struct MultipartFormDataBuilder: Sendable {
    private var form = MultipartForm()

    /// Creates a form without parts.
    public init() {}

    /// Creates a form without parts; the boundary is ignored, because it is chosen when the form is encoded.
    public init(boundary: String) { self.init() }

    /// Adds a part without a file name, and returns the form.
    @discardableResult
    public mutating func addTextField(name: String, value: String) -> MultipartFormDataBuilder {
        addPart(FormDataPart(name: name, value: value))
    }

    /// Adds a part with a file name and a media type, and returns the form.
    @discardableResult
    public mutating func addFile(
        name: String, filename: String, data: Data, mimeType: String
    ) -> MultipartFormDataBuilder {
        addPart(FormDataPart(name: name, filename: filename, data: data, mimeType: mimeType))
    }

    /// Adds a file whose media type is that of the format, and returns the form.
    @discardableResult
    public mutating func addImage(
        name: String, filename: String, data: Data, type: FormDataPart.ImageType
    ) -> MultipartFormDataBuilder {
        addPart(.image(name: name, filename: filename, data: data, type: type))
    }

    /// Adds a part after the others, and returns the form.
    @discardableResult
    public mutating func addPart(_ part: FormDataPart) -> MultipartFormDataBuilder {
        form.parts.append(part.core)
        return self
    }

    /// Encodes the form in memory, and returns it with its media type.
    ///
    /// Use a `MultipartRoute` to send a form with parts on disk.
    ///
    /// - Throws: `NetworkError.bodyEncodingFailed` for parts on disk, and for a name or media type that is invalid in a
    ///   header line.
    public func build() throws(NetworkError) -> (data: Data, contentType: String) {
        let encoded: RouteContent.Encoded
        do { encoded = try self.encoded() } catch { throw .bodyEncodingFailed }
        guard encoded.body.stream == nil, let type = encoded.mediaType else { throw .bodyEncodingFailed }
        return (Data(encoded.body.bytes), type)
    }

    /// Encodes the form for streaming.
    func encoded() throws(HTTPError) -> RouteContent.Encoded { try form.encoded() }
}

/// A part of a multipart form (RFC 7578).
public struct FormDataPart: Sendable {
    /// The name of the form's field.
    public let name: String
    /// The name of the file; nil if the part is not a file.
    public let filename: String?
    /// The content; empty if it is streamed from a file.
    public let data: Data
    /// The media type.
    public let mimeType: String
    /// The content to send.
    let body: HTTPBody

    private init(name: String, filename: String?, data: Data, mimeType: String, body: HTTPBody) {
        self.name = name
        self.filename = filename
        self.data = data
        self.mimeType = mimeType
        self.body = body
    }

    /// Creates a text field.
    public init(name: String, value: String) {
        self.init(name: name, data: Data(value.utf8), mimeType: "text/plain; charset=utf-8")
    }

    /// Creates a field of bytes.
    public init(name: String, data: Data, mimeType: String = "application/octet-stream") {
        self.init(name: name, filename: nil, data: data, mimeType: mimeType, body: HTTPBody(Array(data)))
    }

    /// Creates a file from bytes.
    public init(name: String, filename: String, data: Data, mimeType: String) {
        self.init(name: name, filename: filename, data: data, mimeType: mimeType, body: HTTPBody(Array(data)))
    }

    /// Creates a file that is streamed from disk.
    ///
    /// - Throws: `NetworkError.bodyEncodingFailed` if the file cannot be read.
    public init(
        name: String, fileURL: URL, filename: String? = nil, mimeType: String = "application/octet-stream"
    ) throws(NetworkError) {
        let body: HTTPBody
        do { body = HTTPBody(try .file(at: fileURL.path)) } catch { throw .bodyEncodingFailed }
        let filename = filename ?? fileURL.lastPathComponent
        self.init(name: name, filename: filename, data: Data(), mimeType: mimeType, body: body)
    }

    /// Creates a file whose media type is that of the format.
    public static func image(name: String, filename: String, data: Data, type: ImageType) -> FormDataPart {
        FormDataPart(name: name, filename: filename, data: data, mimeType: type.mimeType)
    }

    /// An image format with a media type.
    public enum ImageType: String, Sendable, Hashable, CaseIterable {
        case jpeg = "image/jpeg"
        case png = "image/png"
        case gif = "image/gif"
        case webp = "image/webp"

        /// The media type.
        public var mimeType: String { rawValue }
    }

    /// The corresponding part of LatchHTTP.
    var core: MultipartForm.Part {
        MultipartForm.Part(name: name, filename: filename, mediaType: mimeType, body: body)
    }
}
