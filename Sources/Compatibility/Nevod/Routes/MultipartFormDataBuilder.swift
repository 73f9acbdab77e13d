// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Collects the parts of a form with files (RFC 7578).
///
/// The core writes them: quotation marks and line breaks in names cannot end a header line, and the boundary is one that
/// stands in no part.
public struct MultipartFormDataBuilder: Sendable {
    private var form = MultipartForm()

    /// A form without parts.
    public init() {}

    /// A form without parts; the boundary is chosen when it is written, whatever is given here.
    public init(boundary: String) { self.init() }

    /// Adds text.
    @discardableResult
    public mutating func addTextField(name: String, value: String) -> MultipartFormDataBuilder {
        addPart(FormDataPart(name: name, value: value))
    }

    /// Adds bytes as a file.
    @discardableResult
    public mutating func addFile(
        name: String, filename: String, data: Data, mimeType: String
    ) -> MultipartFormDataBuilder {
        addPart(FormDataPart(name: name, filename: filename, data: data, mimeType: mimeType))
    }

    /// Adds an image as a file.
    @discardableResult
    public mutating func addImage(
        name: String, filename: String, data: Data, type: FormDataPart.ImageType
    ) -> MultipartFormDataBuilder {
        addPart(.image(name: name, filename: filename, data: data, type: type))
    }

    /// Adds a part.
    @discardableResult
    public mutating func addPart(_ part: FormDataPart) -> MultipartFormDataBuilder {
        form.parts.append(part.core)
        return self
    }

    /// The form as it goes on the wire, in memory, and its media type.
    ///
    /// A form with parts on disk is not for memory: send it by a `MultipartRoute`.
    ///
    /// - Throws: `NetworkError.bodyEncodingFailed` for a name or a media type that no header line can hold, and for parts
    ///   on disk.
    public func build() throws(NetworkError) -> (data: Data, contentType: String) {
        let encoded: RouteContent.Encoded
        do { encoded = try self.encoded() } catch { throw .bodyEncodingFailed }
        guard encoded.body.stream == nil, let type = encoded.mediaType else { throw .bodyEncodingFailed }
        return (Data(encoded.body.bytes), type)
    }

    /// The form in the core's terms.
    func encoded() throws(HTTPError) -> RouteContent.Encoded { try form.encoded() }
}
