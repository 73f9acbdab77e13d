// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Why bytes are no request that we serve: they are answered by `status`, and the connection ends.
struct Refusal: Error, Equatable {
    let status: HTTPStatus
    let reason: String

    init(_ reason: String, status: HTTPStatus = .badRequest) {
        self.status = status
        self.reason = reason
    }

    static let uriTooLong = Refusal("The request line is too long.", status: 414)
    static let headTooLarge = Refusal("The header fields are too large.", status: 431)
    static let bodyTooLarge = Refusal("The content is larger than allowed.", status: .contentTooLarge)
    static let tooSlow = Refusal("The request did not arrive in time.", status: 408)
}
