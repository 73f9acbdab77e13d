// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The key under which the server leaves the address of the client.
package enum RemoteAddress: HTTPContextKey {
    package static var defaultValue: String? { nil }
}

extension HTTPRequest {
    /// The address of the socket's other end, without the port; nil in process.
    ///
    /// It is never taken from a header field, which anyone can write.
    public var remoteAddress: String? { context[RemoteAddress.self] }
}
