// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The message of a response with its metadata.
public struct RPCResponse<ResponseMessage: Message>: Sendable {
    /// The decoded message of the server.
    public var message: ResponseMessage
    /// The fields before the message.
    public var metadata: HTTPFields
    /// The fields after the message.
    public var trailers: HTTPFields

    /// Creates a response, as a service or a fake returns it.
    public init(_ message: ResponseMessage, metadata: HTTPFields = [:], trailers: HTTPFields = [:]) {
        self.message = message
        self.metadata = metadata
        self.trailers = trailers
    }
}
