// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation

extension HTTPResponse {
    /// Creates a response whose content is JSON (RFC 8259 §11).
    public static func json(_ value: JSONValue, status: HTTPStatus = .ok, fields: HTTPFields = [:]) -> HTTPResponse {
        json(value.serialized(), status, fields)
    }

    /// Creates a response whose content is a value encoded as JSON (RFC 8259 §11).
    ///
    /// - Throws: An `EncodingError`.
    public static func json(
        encoding value: some Encodable, status: HTTPStatus = .ok, fields: HTTPFields = [:],
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> HTTPResponse {
        json([UInt8](try encoder.encode(value)), status, fields)
    }

    private static func json(_ content: [UInt8], _ status: HTTPStatus, _ fields: HTTPFields) -> HTTPResponse {
        var response = HTTPResponse(status: status, fields: fields, body: HTTPBody(content))
        response.fields[.contentType] = response.fields[.contentType] ?? "application/json"
        return response
    }

    /// Creates an error response as `application/problem+json` (RFC 9457).
    ///
    /// It shows the message only for an error of the client.
    public static func problem(_ error: ServerError) -> HTTPResponse {
        guard error.status.isClientError else { return problem(status: error.status) }
        var response = problem(status: error.status, code: error.code, detail: error.message)
        // RFC 7694 §3: a client then sends the content again without the coding.
        if error.code == ServerError.unsupportedContentCoding.code { response.fields[.acceptEncoding] = "identity" }
        return response
    }

    /// Creates an error response as `application/problem+json` (RFC 9457), by default only with a status.
    ///
    /// - Parameters:
    ///   - status: The status, whose reason phrase is the title.
    ///   - code: The stable name of the error; nil for none.
    ///   - detail: A sentence that describes the error; nil for none.
    public static func problem(status: HTTPStatus, code: String? = nil, detail: String? = nil) -> HTTPResponse {
        var problem = ProblemDetails(title: status.reasonPhrase, status: status, detail: detail)
        problem.extensions["code"] = code.map { .string($0) }
        return .problem(problem)
    }

    /// Creates an error response from a problem (RFC 9457), with its status, or 500 if it has none.
    public static func problem(_ problem: ProblemDetails) -> HTTPResponse {
        var fields: HTTPFields = [.contentType: ProblemDetails.mediaType, .cacheControl: "no-store"]
        // RFC 9110 §10.2.3: a client that repeats the request immediately makes the overload worse.
        if problem.status == .serviceUnavailable { fields[.retryAfter] = "1" }
        return .json(problem.json, status: problem.status ?? .internalServerError, fields: fields)
    }
}

extension HTTPResponse {
    /// Creates a redirect of a request to another path of the same host, with its query.
    ///
    /// It is a 404 for a path that would name a host. The client repeats method and content (RFC 9110 §15.4.9).
    static func redirect(_ request: HTTPRequest, to path: String) -> HTTPResponse {
        // RFC 3986 §4.2: a reference that begins with two slashes names a host. Browsers treat a backslash as a slash.
        let second = path.utf8.dropFirst().first
        guard second != 0x2F, second != 0x5C else { return .problem(status: .notFound) }
        return HTTPResponse(status: 308, fields: [.location: path + (request.query.map { "?" + $0 } ?? "")])
    }
}

extension HTTPStatus {
    /// The reason phrase of the status (RFC 9110 §15, RFC 6585), or of the first status in its class.
    var reasonPhrase: String { Self.phrases[rawValue] ?? Self.phrases[rawValue / 100 * 100] ?? "Unknown" }

    private static let phrases: [Int: String] = [
        100: "Continue", 200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized",
        403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 500: "Internal Server Error", 501: "Not Implemented",
        502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout", 505: "HTTP Version Not Supported",
    ]
}
