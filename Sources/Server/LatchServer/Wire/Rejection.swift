// SPDX-License-Identifier: Apache-2.0

/// The reason why a request is rejected.
///
/// Over HTTP/1.1 the connection ends after the response, since the start of the next request is unknown. Over HTTP/2
/// only the stream ends.
struct Rejection: Error, Equatable {
    /// The status of the response.
    let status: HTTPStatus
    /// The `detail` of the problem, which never repeats data from the client.
    let reason: String

    init(_ reason: String, status: HTTPStatus = .badRequest) {
        self.status = status
        self.reason = reason
    }

    /// The request line exceeds the limit (RFC 9110 §15.5.15).
    static let uriTooLong = Rejection("The request line is too long.", status: 414)
    /// The header fields (RFC 6585 §5), or the extensions and trailers of chunks, exceed the limit.
    static let headTooLarge = Rejection("The header fields are too large.", status: 431)
    /// The content exceeds the limit (RFC 9110 §15.5.14), as announced or as it arrives.
    static let contentTooLarge = Rejection("The content is larger than allowed.", status: .contentTooLarge)
    /// The contents of all requests together exceed the limit (RFC 9110 §15.6.4).
    static let contentMemoryExhausted = Rejection(
        "The server currently holds too much content.", status: .serviceUnavailable)
    /// The request did not arrive in time (RFC 9110 §15.5.9).
    static let requestTimeout = Rejection("The request did not arrive in time.", status: 408)
}
