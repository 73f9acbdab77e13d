// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP
import Synchronization

/// A stream of a call's messages, for one reader at a time.
///
/// ```swift
/// for try await event in try await feed.watch(request) { show(event) }
/// let response = try await feed.upload(RPCStream(parts))
/// ```
///
/// Reading applies backpressure: a slow reader slows the sender down. Releasing the iterator of a response ends the
/// call.
public struct RPCStream<Element: Message>: AsyncSequence, Sendable {
    /// A function that returns the next message, or nil at the end.
    public typealias Source = @Sendable () async throws -> Element?

    /// The origin of the messages.
    private enum Origin: Sendable {
        /// A source that starts again for each reader.
        case replayable(@Sendable () async throws -> Source)
        /// A source that can be read once.
        case once(SingleUse<Source>)
    }

    /// The messages if all are available; otherwise nil.
    let ready: [Element]?
    private let origin: Origin
    private let fields: StreamFields

    /// The response metadata; for a bidirectional call, empty until its first message was read.
    public var metadata: HTTPFields { fields.metadata }

    /// The trailers; empty until the last message was read.
    public var trailers: HTTPFields { fields.trailers }

    /// Whether the stream can be read repeatedly, so that its call can be sent again after a 401.
    var isReplayable: Bool {
        if case .replayable = origin { true } else { false }
    }

    /// Creates a stream from a source, to be read once.
    public init(once source: @escaping Source) { self.init(source) }

    /// Creates a stream of available messages.
    public init(_ messages: [Element]) {
        ready = messages
        origin = .replayable {
            let rest = Mutex(messages[...])
            return { rest.withLock { $0.popFirst() } }
        }
        fields = StreamFields()
    }

    /// Creates a stream from another sequence, which is read once.
    public init<Messages: AsyncSequence & Sendable>(_ messages: Messages) where Messages.Element == Element {
        self.init { writer in
            for try await message in messages { try await writer.send(message) }
        }
    }

    /// Creates a stream that `body` writes.
    ///
    /// Its task starts at the first read and is canceled when the reader is released.
    public init(_ body: @escaping @Sendable (RPCWriter<Element>) async throws -> Void) {
        ready = nil
        origin = .once(SingleUse { WrittenMessages(body).source })
        fields = StreamFields()
    }

    /// Creates a stream of response messages.
    init(_ source: @escaping Source, fields: StreamFields = StreamFields()) {
        ready = nil
        origin = .once(SingleUse { source })
        self.fields = fields
    }

    /// Creates an iterator that starts at the first message.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Opens the source for one reader.
    ///
    /// - Throws: `HTTPError.streamSpent` if it was read before and cannot be read again.
    func begin() async throws -> Source {
        switch origin {
        case .replayable(let open): return try await open()
        case .once(let once):
            guard let source = once.take() else { throw HTTPError.streamSpent }
            return source
        }
    }

    /// An iterator over the messages of a stream.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        /// The source is wrapped in a separate type: `Optional.take()` would wrap a closure twice more at each message.
        private enum Phase: Sendable {
            case notStarted(RPCStream)
            case reading(Source)
            case finished
        }

        private var phase: Phase

        init(stream: RPCStream) { phase = .notStarted(stream) }

        /// Returns the next message, or nil after the last one.
        ///
        /// - Throws: `RPCError`, once; no message follows it.
        public mutating func next() async throws -> Element? {
            let source: Source
            switch phase {
            case .notStarted(let stream): source = try await stream.begin()
            case .reading(let current): source = current
            case .finished: return nil
            }
            // After an error the iterator stays at its end.
            phase = .finished
            guard let message = try await source() else { return nil }
            phase = .reading(source)
            return message
        }
    }
}

/// A value that is created for and given to the first caller only.
final class SingleUse<Value: Sendable>: Sendable {
    private struct Maker: Sendable { let make: @Sendable () -> Value }

    /// The function that makes the value, with its captures, until the value is taken.
    private let maker: Mutex<Maker?>

    init(_ make: @escaping @Sendable () -> Value) { maker = Mutex(Maker(make: make)) }

    func take() -> Value? { maker.withLock { $0.take() }?.make() }
}

/// The metadata and trailers of a response, filled in as they arrive.
final class StreamFields: Sendable {
    private let held = Mutex((metadata: HTTPFields(), trailers: HTTPFields()))

    var metadata: HTTPFields {
        get { held.withLock { $0.metadata } }
        set { held.withLock { $0.metadata = newValue } }
    }

    var trailers: HTTPFields {
        get { held.withLock { $0.trailers } }
        set { held.withLock { $0.trailers = newValue } }
    }
}

/// A writer of the messages of a stream.
public struct RPCWriter<Element: Message>: Sendable {
    let channel: BoundedChannel<Element>

    /// Sends a message, once fewer than eight are waiting.
    ///
    /// - Throws: `CancellationError` if the task is canceled or the reader was released.
    public func send(_ message: Element) async throws { try await channel.send(message) }
}

/// The task that writes a stream; it lives as long as its reader.
final class WrittenMessages<Element: Message>: Sendable {
    private let channel = BoundedChannel<Element>()
    private let task: Task<Void, Never>

    init(_ body: @escaping @Sendable (RPCWriter<Element>) async throws -> Void) {
        let channel = channel
        task = Task {
            let result: Result<Void, any Error>
            do { result = .success(try await body(RPCWriter(channel: channel))) } catch { result = .failure(error) }
            channel.finish(result)
        }
    }

    deinit {
        channel.close()
        task.cancel()
    }

    /// The source of the written messages, which keeps the task alive.
    var source: RPCStream<Element>.Source {
        { try await self.channel.next() }
    }
}
