// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Gives messages as bytes, one after the other; nil at the end.
typealias MessageSource = @Sendable () async throws -> [UInt8]?

/// A call without the types of its messages.
///
/// Everything from here to the wire is the same for all methods, so that it is compiled once and not for each.
struct WireCall: Sendable {
    let path: String
    let kind: RPCKind
    let idempotency: RPCIdempotency
    let options: CallOptions
    /// When nobody waits for it any more.
    let deadline: CallDeadline?

    init<Request, Answer>(_ method: RPCMethod<Request, Answer>, _ options: CallOptions, _ terms: RPCTerms) {
        path = method.path
        kind = method.kind
        idempotency = method.idempotency
        var options = options
        options.timeout = options.timeout.map { min($0, CallDeadline.longest) }
        self.options = options
        deadline = options.timeout.map { CallDeadline(in: $0, clock: terms.clock) }
    }
}

/// What a call sends.
enum CallContent: Sendable {
    /// One message.
    case one([UInt8])
    /// Messages that are there, and few.
    case few([[UInt8]])
    /// Messages as they come, from `open` each time that they are sent.
    case many(isReplayable: Bool, open: @Sendable () async throws -> MessageSource)

    /// Whether the server may answer before all is sent.
    var isStreamed: Bool {
        if case .one = self { false } else { true }
    }
}

/// The one message of an answer.
struct WireAnswer: Sendable {
    let message: [UInt8]
    let metadata: HTTPFields
    let trailers: HTTPFields
}

/// The messages of an answer as they come.
struct WireStream: Sendable {
    let fields: StreamFields
    let next: MessageSource
}
