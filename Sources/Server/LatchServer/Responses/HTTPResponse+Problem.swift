// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

extension HTTPResponse {
    /// An error as `application/problem+json` (RFC 9457) that says no more than its status.
    public static func problem(status: HTTPStatus) -> HTTPResponse {
        problem(status: status, code: nil, detail: nil)
    }

    /// An error as `application/problem+json` (RFC 9457); only a client's own errors show their message.
    public static func problem(_ error: ServerError) -> HTTPResponse {
        guard error.status.isClientError else { return problem(status: error.status) }
        return problem(status: error.status, code: error.code, detail: error.message)
    }

    /// An error as `application/problem+json` (RFC 9457) with a stable code and a sentence for people.
    public static func problem(status: HTTPStatus, code: String?, detail: String?) -> HTTPResponse {
        var problem = ProblemDetails(title: status.reasonPhrase, status: status, detail: detail)
        problem.extensions["code"] = code.map { .string($0) }
        return .problem(problem)
    }

    /// A problem (RFC 9457) as the answer to a request; its status is the response's, 500 where it has none.
    public static func problem(_ problem: ProblemDetails) -> HTTPResponse {
        .json(
            problem.json, status: problem.status ?? .internalServerError,
            fields: [.contentType: ProblemDetails.mediaType, .cacheControl: "no-store"])
    }
}
