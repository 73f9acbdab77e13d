// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

extension HTTPRequest {
    /// The parts of a form with files in the content (RFC 7578).
    ///
    /// - Throws: `ServerError.unsupportedMediaType` when the content is no `multipart/form-data`, `.malformedRequest` when
    ///   it cannot be read strictly or exceeds the limits.
    public func multipartForm(
        limits: MultipartParser.Limits = MultipartParser.Limits()
    ) throws(ServerError) -> MultipartForm {
        guard mediaType == "multipart/form-data", let type = fields[.contentType] else {
            throw .unsupportedMediaType(expected: "multipart/form-data")
        }
        do {
            return try MultipartForm(parsing: body.bytes, contentType: type, limits: limits)
        } catch {
            throw .malformedRequest("The form is none that is read here: \(error.message)")
        }
    }
}
