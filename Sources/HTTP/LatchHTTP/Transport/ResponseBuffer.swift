// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A bounded buffer between a transport and the reader of a response: the head, then content up to its capacity.
///
/// If the reader is slower than the network, the transport pauses, and so does the server.
final class ResponseBuffer<Head: Sendable>: Sendable {
    /// The number of buffered bytes at which the transport pauses; the last delivery may exceed it.
    static var capacity: Int { 256 << 10 }

    private struct State {
        var head: Head?
        /// The trailer section.
        var trailers: Head?
        var content: [UInt8] = []
        /// Whether the transport was paused and has to be resumed.
        var isHeld = false
        /// The result of the transfer; nil while it is in progress.
        var result: Result<Void, any Error>?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether the transport is paused by the reader, which is not the server's fault.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Whether the transfer is over.
    var hasEnded: Bool { state.withLock { $0.result != nil } }
}

// MARK: The transport's side

extension ResponseBuffer {
    /// Sets the final head.
    func begin(_ head: Head) {
        let waiter = state.withLock { state in
            state.head = head
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Whether there is room for a chunk of the content; otherwise the transport resumes when the reader has made room.
    func hasRoom() -> Bool {
        state.withLock { state in
            guard state.content.count >= Self.capacity else { return true }
            state.isHeld = true
            return false
        }
    }

    /// Buffers a chunk of the content, or returns false if the buffer is full.
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isKept, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            guard state.content.count < Self.capacity else {
                state.isHeld = true
                return (false, nil)
            }
            if state.content.isEmpty { state.content.reserveCapacity(max(bytes.count, 32 << 10)) }
            state.content.append(contentsOf: bytes)
            return (true, state.waiter.take())
        }
        waiter?.resume()
        return isKept
    }

    /// Buffers a chunk that has already arrived, and returns false if the transport should pause.
    func keep(_ bytes: some Sequence<UInt8>) -> Bool {
        let (hasRoom, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            state.content.append(contentsOf: bytes)
            state.isHeld = state.content.count >= Self.capacity
            return (!state.isHeld, state.waiter.take())
        }
        waiter?.resume()
        return hasRoom
    }

    /// Sets the trailer section.
    func follow(with trailers: Head) { state.withLock { $0.trailers = trailers } }

    /// Ends the transfer; buffered content can still be read.
    func end(_ result: Result<Void, any Error>) {
        let waiter = state.withLock { state in
            (state.result, state.isHeld) = (result, false)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

// MARK: The reader's side

extension ResponseBuffer {
    /// Returns the final head as soon as it has arrived.
    ///
    /// - Throws: The error of the transfer.
    func head() async throws -> Head {
        while true {
            let (head, result) = state.withLock { ($0.head, $0.result) }
            if let head { return head }
            try result?.get()
            // A transfer does not succeed without a head.
            if result != nil { throw HTTPError.malformedMessage }
            await arrival { $0.head != nil }
        }
    }

    /// The trailer section; nil before the end of the content, and if there is none.
    var trailers: Head? { state.withLock { $0.trailers } }

    /// Returns all bytes since the last call, as soon as there are any, or nil at the end.
    ///
    /// - Parameter wake: Called if the transport is paused and this call makes room.
    func next(waking wake: () -> Void) async throws -> [UInt8]? {
        while true {
            let (content, isHeld, result) = state.withLock { state in
                defer { (state.content, state.isHeld) = ([], false) }
                return (state.content, state.isHeld, state.result)
            }
            if isHeld { wake() }
            if !content.isEmpty { return content }
            if let result {
                try result.get()
                return nil
            }
            await arrival { !$0.content.isEmpty }
        }
    }

    private func arrival(of isThere: @Sendable (borrowing State) -> Bool) async {
        await withUnsafeContinuation { waiter in
            let isDue = state.withLock { state in
                let isDue = state.result != nil || isThere(state)
                if !isDue { state.waiter = waiter }
                return isDue
            }
            if isDue { waiter.resume() }
        }
    }
}
