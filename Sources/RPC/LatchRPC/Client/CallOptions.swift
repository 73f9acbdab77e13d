// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The metadata and the limits of one call.
public struct CallOptions: Sendable {
    /// The request metadata; names that end with `-bin` carry bytes (`HTTPFields.appendBinary`).
    public var metadata: HTTPFields
    /// The time within which the call, including its streams, must end; nil for no limit.
    ///
    /// The server receives the limit, and the client also enforces it.
    public var timeout: Duration?
    /// Values for interceptors; they stay inside the process.
    public var context: HTTPContext

    /// Creates options.
    public init(metadata: HTTPFields = [:], timeout: Duration? = nil, context: HTTPContext = HTTPContext()) {
        self.metadata = metadata
        self.timeout = timeout
        self.context = context
    }
}
