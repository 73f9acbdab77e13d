// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The request line and the header fields, with what they mean for the connection (RFC 9112 §3, §5, §6).
struct RequestHead {
    /// How the end of the content is found.
    enum Framing: Equatable {
        case length(Int)
        case chunked
    }

    var method: HTTPMethod
    var path: String
    var authority: String
    var fields: HTTPFields
    var framing: Framing
    /// Whether another request may follow on the connection.
    var keepsAlive: Bool
    /// Whether the client waits for `100 Continue` before it sends the content.
    var expectsContinue: Bool
}
