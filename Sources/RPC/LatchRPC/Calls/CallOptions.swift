// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// What one call says beside its message.
public struct CallOptions: Sendable {
    /// Fields to send with it; names that end in `-bin` hold bytes (`HTTPFields.appendBinary`).
    public var metadata: HTTPFields
    /// How long the call may take in all, streams to their end; nil waits for as long as it takes.
    ///
    /// The server is told, and this side keeps the time too.
    public var timeout: Duration?
    /// What travels with the request inside the process, for interceptors.
    public var context: HTTPContext

    /// Nothing but what is given.
    public init(metadata: HTTPFields = [:], timeout: Duration? = nil, context: HTTPContext = HTTPContext()) {
        self.metadata = metadata
        self.timeout = timeout
        self.context = context
    }
}
