// SPDX-License-Identifier: Apache-2.0

/// How many messages each side of a call sends.
public enum RPCKind: Sendable, Hashable, CaseIterable {
    /// One message there, one back.
    case unary
    /// One message there, any number back.
    case serverStreaming
    /// Any number of messages there, one back.
    case clientStreaming
    /// Any number of messages both ways.
    case bidirectional

    /// Whether the caller sends exactly one message.
    var sendsOne: Bool { self == .unary || self == .serverStreaming }

    /// Whether the answer is exactly one message.
    var answersOne: Bool { self == .unary || self == .clientStreaming }
}

/// What a method's author promises about repeating a call (`option idempotency_level`).
public enum RPCIdempotency: Sendable, Hashable {
    /// Nothing is promised: a call whose outcome is unknown is not repeated.
    case unknown
    /// The call changes nothing, so it may be repeated, be sent with GET, and be answered by a cache.
    case noSideEffects
    /// Calling twice has the effect of calling once.
    case idempotent
}
