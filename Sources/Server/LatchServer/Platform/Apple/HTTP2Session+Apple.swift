// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// The frames of one HTTP/2 connection, which this platform does not support: the server speaks HTTP/1.1.
enum HTTP2Session {
    /// Returns nil.
    init?(_ limits: HTTP2Limits, of connection: HTTP2Connection) { return nil }

    var opening: [UInt8] { switch self {} }

    var isActive: Bool { switch self {} }

    func free() {}

    func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> HTTP2Error? { switch self {} }

    func nextOutput() -> UnsafeBufferPointer<UInt8>? { switch self {} }

    func respond(_ head: borrowing HTTP2FieldBlock, to stream: HTTP2Stream, hasContent: Bool) {}

    func inform(_ head: borrowing HTTP2FieldBlock, on stream: HTTP2Stream) {}

    func resume(_ stream: HTTP2Stream) {}

    func reset(_ id: Int32, _ error: HTTP2Error) {}

    func consume(_ id: Int32, _ count: Int) {}

    func consumeConnection(_ count: Int) {}

    func consumeStream(_ id: Int32, _ count: Int) {}

    func ping() {}

    func announceEnd() {}

    func refuseNewStreams() {}

    func end(_ error: HTTP2Error) {}
}

#endif
