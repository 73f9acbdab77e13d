// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// The request line and the header fields, with what they mean for the connection (RFC 9112 §3, §5, §6).
struct RequestHead {
    /// How the end of the content is found.
    enum Framing: Equatable {
        /// This many bytes; 0 where no field speaks of content.
        case length(Int)
        /// RFC 9112 §7.1.
        case chunked
    }

    /// As it was spelled: methods know case (RFC 9110 §9.1).
    var method: HTTPMethod
    /// The path with its query in origin form, or `*`; printable ASCII without a fragment.
    var path: String
    /// The host that is meant: of the absolute form, else of `Host`, else our own address (HTTP/1.0).
    var authority: String
    /// All fields, also those that framing is made of.
    var fields: HTTPFields
    /// How the end of the content is found; exactly one way was found to be meant.
    var framing: Framing
    /// Whether another request may follow on the connection.
    var keepsAlive: Bool
    /// Whether the answer may travel in chunks, which HTTP/1.0 does not know (RFC 9112 §7).
    var takesChunks: Bool
    /// Whether the client waits for `100 Continue` before it sends the content.
    var expectsContinue: Bool
}
