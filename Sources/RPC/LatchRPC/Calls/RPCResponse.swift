// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The one message of an answer, and what came with it.
public struct RPCResponse<Answer: Message>: Sendable {
    /// The message.
    public var message: Answer
    /// The fields before it.
    public var metadata: HTTPFields
    /// The fields after it.
    public var trailers: HTTPFields

    /// An answer from its parts.
    public init(_ message: Answer, metadata: HTTPFields = [:], trailers: HTTPFields = [:]) {
        self.message = message
        self.metadata = metadata
        self.trailers = trailers
    }
}
