// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Why bytes are no request that we serve: they are answered by `status`, and the connection ends.
struct Refusal: Error, Equatable {
    /// A client's error; the connection closes behind it, since nobody knows where the next request begins.
    let status: HTTPStatus
    /// For people, in the problem's `detail`.
    ///
    /// It never repeats what the client sent.
    let reason: String

    init(_ reason: String, status: HTTPStatus = .badRequest) {
        self.status = status
        self.reason = reason
    }

    /// RFC 9110 §15.5.15.
    static let uriTooLong = Refusal("The request line is too long.", status: 414)
    /// RFC 6585 §5; also for the lines of chunks that never end.
    static let headTooLarge = Refusal("The header fields are too large.", status: 431)
    /// RFC 9110 §15.5.14; said before the content is read, or as soon as it grows too long.
    static let bodyTooLarge = Refusal("The content is larger than allowed.", status: .contentTooLarge)
    /// RFC 9110 §15.6.4: the contents of other requests fill what there is for all.
    static let noRoom = Refusal("The server holds too much content now.", status: .serviceUnavailable)
    /// RFC 9110 §15.5.9.
    static let tooSlow = Refusal("The request did not arrive in time.", status: 408)
}
