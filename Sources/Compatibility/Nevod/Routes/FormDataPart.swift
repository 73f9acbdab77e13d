// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// One value of a form with files (RFC 7578).
public struct FormDataPart: Sendable {
    /// The name of the form's field.
    public let name: String
    /// The name of the file; nil where it is none.
    public let filename: String?
    /// The content; empty where it is read from a file while it is sent.
    public let data: Data
    /// The media type.
    public let mimeType: String
    /// The content as it is sent.
    let body: HTTPBody

    /// Text.
    public init(name: String, value: String) {
        self.init(name: name, data: Data(value.utf8), mimeType: "text/plain; charset=utf-8")
    }

    /// Bytes that are no file.
    public init(name: String, data: Data, mimeType: String = "application/octet-stream") {
        self.name = name
        filename = nil
        self.data = data
        self.mimeType = mimeType
        body = HTTPBody(Array(data))
    }

    /// Bytes as a file.
    public init(name: String, filename: String, data: Data, mimeType: String) {
        self.name = name
        self.filename = filename
        self.data = data
        self.mimeType = mimeType
        body = HTTPBody(Array(data))
    }

    /// A file on disk, which is read while it is sent: it may be larger than the memory.
    ///
    /// - Throws: `NetworkError.bodyEncodingFailed` where there is no file that can be read.
    public init(
        name: String, fileURL: URL, filename: String? = nil, mimeType: String = "application/octet-stream"
    ) throws(NetworkError) {
        self.name = name
        self.filename = filename ?? fileURL.lastPathComponent
        data = Data()
        self.mimeType = mimeType
        do { body = HTTPBody(try .file(at: fileURL.path)) } catch { throw .bodyEncodingFailed }
    }

    /// An image as a file.
    public static func image(name: String, filename: String, data: Data, type: ImageType) -> FormDataPart {
        FormDataPart(name: name, filename: filename, data: data, mimeType: type.mimeType)
    }

    /// The kinds of images that have a media type here.
    public enum ImageType: Sendable, Hashable, CaseIterable {
        /// JPEG.
        case jpeg
        /// PNG.
        case png
        /// GIF.
        case gif
        /// WebP.
        case webp

        /// The media type.
        public var mimeType: String {
            switch self {
            case .jpeg: "image/jpeg"
            case .png: "image/png"
            case .gif: "image/gif"
            case .webp: "image/webp"
            }
        }
    }

    /// The part in the core's terms.
    var core: MultipartForm.Part {
        MultipartForm.Part(name: name, filename: filename, mediaType: mimeType, body: body)
    }
}
