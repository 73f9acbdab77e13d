// SPDX-License-Identifier: Apache-2.0

/// A parsed request line and header section, with their effect on the connection (RFC 9112 §3, §5, §6).
struct RequestHead {
    /// The rule that determines the end of the content (RFC 9112 §6.3).
    enum Framing: Equatable {
        /// A known number of bytes; 0 without content.
        case length(Int)
        /// The chunked coding (RFC 9112 §7.1).
        case chunked
    }

    /// The method, which is case-sensitive (RFC 9110 §9.1).
    var method: HTTPMethod
    /// The path with its query in origin form, or `*`; printable ASCII without a fragment.
    var path: String
    /// The host of the absolute form, else of `Host`, else the server's address (HTTP/1.0).
    var authority: String
    /// All fields, including those of the framing.
    var fields: HTTPFields
    /// The framing of the content.
    var framing: Framing
    /// Whether another request may follow on the connection.
    var keepsAlive: Bool
    /// Whether the response may be chunked, which HTTP/1.0 does not support (RFC 9112 §7).
    var acceptsChunks: Bool
    /// Whether the client waits for `100 Continue` before it sends the content.
    var expectsContinue: Bool

    /// Returns the request with its content.
    consuming func request(_ scheme: String, body: HTTPBody, _ context: HTTPContext) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: scheme, authority: authority, path: path, fields: fields, body: body,
            context: context)
    }
}
