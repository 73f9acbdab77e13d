// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The key under which the server leaves the address of the client.
package enum RemoteAddress: HTTPContextKey {
    package static var defaultValue: String? { nil }
}

extension HTTPRequest {
    /// The address of the client, without the port; nil in process.
    ///
    /// It is that of the socket's other end. Where that is a trusted proxy (``TrustedProxies``), it is what that one says;
    /// from anybody else it is never taken from a header field, which anyone can write.
    public var remoteAddress: String? { context[RemoteAddress.self] }
}
