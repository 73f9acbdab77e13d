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
        var members: JSONObject = ["title": .string(status.reasonPhrase), "status": .integer(Int64(status.rawValue))]
        members["code"] = code.map { .string($0) }
        members["detail"] = detail.map { .string($0) }
        return .json(
            .object(members), status: status,
            fields: [.contentType: "application/problem+json", .cacheControl: "no-store"])
    }
}
