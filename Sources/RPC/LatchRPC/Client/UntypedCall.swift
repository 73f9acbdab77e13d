// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A source of encoded messages; it returns nil at the end.
typealias MessageSource = @Sendable () async throws -> [UInt8]?

/// A call without the types of its messages.
///
/// The code below is the same for all methods, so it is compiled only once.
struct UntypedCall: Sendable {
    let path: String
    let kind: RPCKind
    let idempotency: RPCIdempotency
    let options: CallOptions
    /// The deadline; nil if the call has none.
    let deadline: RPCDeadline?

    init<Request, Response>(
        _ method: RPCMethod<Request, Response>, _ options: CallOptions, _ configuration: RPCChannelConfiguration
    ) {
        path = method.path
        kind = method.kind
        idempotency = method.idempotency
        var options = options
        options.timeout = options.timeout.map { min($0, RPCDeadline.longest) }
        self.options = options
        deadline = options.timeout.map { RPCDeadline(in: $0, clock: configuration.clock) }
    }
}

/// The request messages of a call.
enum RequestContent: Sendable {
    /// One message.
    case one([UInt8])
    /// A few messages that are all available.
    case few([[UInt8]])
    /// Messages from a source that `open` returns for each attempt to send them.
    case many(isReplayable: Bool, open: @Sendable () async throws -> MessageSource)

    /// Whether the server may respond before the request has ended.
    var isStreamed: Bool {
        if case .one = self { false } else { true }
    }
}

/// A response with one message.
struct UntypedResponse: Sendable {
    let message: [UInt8]
    let metadata: HTTPFields
    let trailers: HTTPFields
}

/// A response with a stream of messages.
struct UntypedResponseStream: Sendable {
    let fields: StreamFields
    let next: MessageSource
}
