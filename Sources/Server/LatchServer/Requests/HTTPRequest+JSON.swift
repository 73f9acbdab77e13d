// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

extension HTTPRequest {
    /// The content as JSON (RFC 8259).
    ///
    /// - Throws: `ServerError.unsupportedMediaType` when the content is neither `application/json` nor of a type that
    ///   ends in `+json`, `.malformedRequest` when it is not JSON; the error says where.
    public func json(limits: JSONLimits = .default) throws(ServerError) -> JSONValue {
        guard let mediaType, mediaType == "application/json" || mediaType.hasSuffix("+json") else {
            throw .unsupportedMediaType(expected: "application/json")
        }
        do {
            return try JSONValue(parsing: body.bytes, limits: limits)
        } catch {
            throw .malformedRequest("The content is not JSON that is read here: \(error.message)")
        }
    }
}

extension HTTPResponse {
    /// A response whose content is JSON (RFC 8259 §11).
    public static func json(_ value: JSONValue, status: HTTPStatus = .ok, fields: HTTPFields = [:]) -> HTTPResponse {
        var response = HTTPResponse(status: status, fields: fields, body: HTTPBody(value.serialized()))
        response.fields[.contentType] = response.fields[.contentType] ?? "application/json"
        return response
    }
}
