// SPDX-License-Identifier: Apache-2.0

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
        var json = #"{"title":\#(quoted(status.reasonPhrase)),"status":\#(status.rawValue)"#
        if let code { json += #","code":\#(quoted(code))"# }
        if let detail { json += #","detail":\#(quoted(detail))"# }
        return HTTPResponse(
            status: status, fields: [.contentType: "application/problem+json", .cacheControl: "no-store"],
            body: HTTPBody(json + "}"))
    }
}

/// A JSON string (RFC 8259 §7).
private func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"", "\\": quoted += "\\\(scalar)"
        case "\u{0}"..<"\u{20}":
            let hexadecimal = String(scalar.value, radix: 16)
            quoted += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
        default: quoted.unicodeScalars.append(scalar)
        }
    }
    return quoted + "\""
}
