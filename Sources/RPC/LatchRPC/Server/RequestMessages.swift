// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

/// A request message in the form in which it was received.
struct EncodedMessage: Sendable {
    let content: [UInt8]
    /// The compression of the content; nil if it is not compressed.
    let compression: RPCCompression?

    /// Creates a message.
    init(content: [UInt8], compression: RPCCompression?) {
        self.content = content
        self.compression = compression
    }

    /// Creates the message of an envelope.
    ///
    /// - Throws: `RPCError.internal` if it is compressed without a declared compression.
    init(_ envelope: Envelope, by compression: RPCCompression?) throws(RPCError) {
        let isCompressed = envelope.flags.contains(.compressed)
        guard !isCompressed || compression != nil else {
            throw RPCError(.internal, "A message is compressed, but no compression was declared.")
        }
        self.init(content: envelope.content, compression: isCompressed ? compression : nil)
    }

    /// Returns the decompressed content.
    func decompressed(upTo limit: Int) throws -> [UInt8] { try compression?.decompress(content, limit) ?? content }
}

/// The request messages in the form in which they were received.
enum EncodedMessages: Sendable {
    /// One message that has arrived.
    case single(EncodedMessage)
    /// Messages from a function, which returns nil at their end.
    case streamed(@Sendable () async throws -> EncodedMessage?)
}

/// The messages of a request, with the encoding for the response.
///
/// A message is decompressed and decoded within the limits of the call. Its memory is charged to the request before it
/// is used. Only small messages are decoded on the event loop.
struct RequestMessages: Sendable {
    let coding: MessageCoding
    let context: CallContext
    let content: EncodedMessages
    /// Returns the rules that a message violates.
    let violations: @Sendable (any Message) -> [Violation]

    /// The turns for large messages, which use at most half of the processors: health checks and timers need the
    /// others.
    private static let turns = (0..<max(1, ProcessInfo.processInfo.activeProcessorCount / 2)).map { _ in AsyncMutex() }
    private static let turn = Atomic(0)

    /// The maximum size in bytes of a message decoded on the event loop, which takes a fraction of a millisecond.
    private static let maximumInlineBytes = 32 << 10

    /// Returns the message of a request that must have exactly one.
    ///
    /// - Throws: `RPCError.unimplemented` if the request has no message or several (gRPC status codes, "cardinality
    ///   violation"), and `RPCError.invalidArgument` if the message violates its rules.
    func single<Request: Message>() async throws -> Request {
        switch content {
        case .single(let encoded): return try checked(try await decode(encoded).message)
        case .streamed(let next):
            guard let encoded = try await next() else { throw RPCError(.unimplemented, "The request has no message.") }
            let message: Request = try await decode(encoded).message
            guard try await next() == nil else {
                throw RPCError(.unimplemented, "The request has more than one message.")
            }
            return try checked(message)
        }
    }

    /// Returns the messages of a request as a stream.
    ///
    /// The stream ends with an error at a message that violates its rules. A message's memory is released when the next
    /// one is read.
    func stream<Request: Message>() -> RPCStream<Request> {
        switch content {
        case .single(let encoded):
            let rest = Mutex<EncodedMessage?>(encoded)
            return RPCStream(once: {
                guard let encoded = rest.withLock({ $0.take() }) else { return nil }
                return try checked(try await decode(encoded).message)
            })
        case .streamed(let next):
            let held = Mutex(0)
            return RPCStream(once: {
                memory?.release(held.withLock { $0 })
                held.withLock { $0 = 0 }
                guard let encoded = try await next() else { return nil }
                let (message, memory): (Request, Int) = try await decode(encoded)
                held.withLock { $0 = memory }
                return try checked(message)
            })
        }
    }

    func streamedResponse<Response: Message>(_ stream: RPCStream<Response>) async throws -> MessageSource {
        let source = try await stream.begin()
        return { try await source().map { try coding.encode($0) } }
    }
}

extension RequestMessages {
    /// Returns a message after checking that it violates no rules.
    private func checked<Request: Message>(_ message: Request) throws(RPCError) -> Request {
        let violations = violations(message)
        guard !violations.isEmpty else { return message }
        throw RPCError(violations: violations)
    }

    private var memory: MemoryReservation? { context.http.memory }

    /// Returns a message and the number of bytes charged for it.
    private func decode<Request: Message>(
        _ message: EncodedMessage
    ) async throws -> (message: Request, charge: Int) {
        let limit = context.limits.messageBytes
        if message.content.count <= Self.maximumInlineBytes {
            let inlineLimit = min(limit, Self.maximumInlineBytes)
            do {
                return try decoded(try decompressed(message, upTo: inlineLimit))
            } catch RPCError.resourceExhausted where message.compression != nil && inlineLimit < limit {
                // The message is small only while it is compressed.
            }
        }
        let turn = Self.turn.add(1, ordering: .relaxed).oldValue
        return try await Self.turns[turn % Self.turns.count].withLock {
            try await withTaskExecutorPreference(globalConcurrentExecutor) {
                try Task.checkCancellation()
                return try decoded(try decompressed(message, upTo: limit))
            }
        }
    }

    /// Decompresses a message; the caller releases the charge for the result.
    private func decompressed(_ message: EncodedMessage, upTo limit: Int) throws -> (bytes: [UInt8], charge: Int) {
        guard message.compression != nil else { return (message.content, 0) }
        // Deflate expands a byte to at most 1032 bytes (zlib.net, "Maximum expansion factor").
        return try charged(atMost: min(limit, product(message.content.count, 1032))) {
            let bytes = try message.decompressed(upTo: limit)
            return (bytes, bytes.count)
        }
    }

    /// Decodes a message, and releases the charge for its bytes.
    private func decoded<Request: Message>(_ message: (bytes: [UInt8], charge: Int)) throws -> (Request, Int) {
        defer { memory?.release(message.charge) }
        let limit = context.limits.allocatedBytes
        // An element of two bytes uses one object, which is rarely larger than this.
        return try charged(atMost: min(limit, product(message.bytes.count, 2048))) {
            var rest = limit
            let decoded = try coding.decode(
                message.bytes, as: Request.self, orFail: .invalidArgument, budget: &rest)
            return (decoded, limit - rest)
        }
    }

    private func product(_ count: Int, _ factor: Int) -> Int {
        let (product, overflows) = count.multipliedReportingOverflow(by: factor)
        return overflows ? .max : product
    }

    /// Makes a value and charges its actual memory; the foreseeable memory is reserved in advance.
    private func charged<Value>(atMost expected: Int, _ make: () throws -> (Value, Int)) throws -> (Value, Int) {
        guard let memory else { return try make() }
        let advance = min(expected, memory.largestAdvance)
        try reserve(advance)
        do {
            let (value, count) = try make()
            if count > advance { try reserve(count - advance) }
            memory.release(advance - count)
            return (value, count)
        } catch {
            memory.release(advance)
            throw error
        }
    }

    /// Reserves memory of the server.
    ///
    /// - Throws: `RPCError.unavailable` if all requests together use too much.
    private func reserve(_ count: Int) throws(RPCError) {
        guard !(memory?.reserve(count) ?? true) else { return }
        context.responseMetadata[.retryAfter] = "1"
        throw RPCError(.unavailable, "The server currently holds too much content.")
    }
}
