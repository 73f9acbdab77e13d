// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization
public import LatchHTTP

/// Messages of a call that come one after the other, read by one reader at a time.
///
/// ```swift
/// for try await event in try await service.watch(request) { show(event) }
/// let answer = try await service.upload(RPCStream(parts))
/// ```
///
/// Reading is by demand, so a slow reader slows the sender. Letting the iterator of an answer go ends the call.
public struct RPCStream<Element: Message>: AsyncSequence, Sendable {
    /// Gives the next message, and nil at the end.
    public typealias Source = @Sendable () async throws -> Element?

    /// Where messages come from.
    private enum Origin: Sendable {
        /// Begins anew for each reader.
        case replayable(@Sendable () async throws -> Source)
        /// What can be read once, until somebody does.
        case once(Once<Source>)
    }

    /// The messages, where all are there already.
    let ready: [Element]?
    private let origin: Origin
    private let fields: StreamFields

    /// The fields that came before the messages; of a bidirectional call none until its first message was read.
    public var metadata: HTTPFields { fields.metadata }

    /// The fields that came after the messages; none until the last message was read.
    public var trailers: HTTPFields { fields.trailers }

    /// Whether it can be read more than once, so that a call with it can be sent again after a 401.
    var isReplayable: Bool {
        if case .replayable = origin { true } else { false }
    }

    /// Messages that `source` gives, to be read once.
    public init(once source: @escaping Source) { self.init(source) }

    /// Messages that are there already.
    public init(_ messages: [Element]) {
        ready = messages
        origin = .replayable {
            let rest = Mutex(messages[...])
            return { rest.withLock { $0.popFirst() } }
        }
        fields = StreamFields()
    }

    /// The messages of another sequence; it is read once, from its beginning.
    public init<Messages: AsyncSequence & Sendable>(_ messages: Messages) where Messages.Element == Element {
        self.init { writer in
            for try await message in messages { try await writer.send(message) }
        }
    }

    /// What `body` writes: it runs as a task of its own from the first time that somebody reads, and is cancelled when
    /// nobody does any more.
    public init(_ body: @escaping @Sendable (RPCWriter<Element>) async throws -> Void) {
        ready = nil
        origin = .once(Once { WrittenMessages(body).source })
        fields = StreamFields()
    }

    /// The messages of an answer.
    init(_ source: @escaping Source, fields: StreamFields = StreamFields()) {
        ready = nil
        origin = .once(Once { source })
        self.fields = fields
    }

    /// Begins to read at the first message.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// The source for one reader.
    ///
    /// - Throws: `HTTPError.streamSpent` where it was read before and cannot be read again.
    func begin() async throws -> Source {
        switch origin {
        case .replayable(let open): return try await open()
        case .once(let once):
            guard let source = once.take() else { throw HTTPError.streamSpent }
            return source
        }
    }

    /// Reads a stream once.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private enum Place: Sendable {
            case before(RPCStream)
            case inside(Source)
            case after
        }

        private var place: Place

        init(stream: RPCStream) { place = .before(stream) }

        /// The next message, nil at the end and ever after.
        ///
        /// - Throws: `RPCError`, once; nothing comes after it.
        public mutating func next() async throws -> Element? {
            let source: Source
            switch place {
            case .before(let stream): source = try await stream.begin()
            case .inside(let current): source = current
            case .after: return nil
            }
            place = .after
            guard let message = try await source() else { return nil }
            place = .inside(source)
            return message
        }
    }
}

/// Something that the first who asks gets, made when he does.
final class Once<Value: Sendable>: Sendable {
    private let make: Mutex<(@Sendable () -> Value)?>

    init(_ make: @escaping @Sendable () -> Value) { self.make = Mutex(make) }

    func take() -> Value? { make.withLock { $0.take() }?() }
}

/// The fields before and after the messages of an answer, as soon as they are there.
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
