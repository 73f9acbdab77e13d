// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The answer to a request on its way from the network to a reader: the head, then as much content as fits.
///
/// The transport brings what arrives; where the reader is slower, it is told to wait, and with it the server.
final class AnswerFeed<Head: Sendable>: Sendable {
    /// How much waits for the reader before the transport is told to wait; the last delivery may exceed it.
    static var capacity: Int { 256 << 10 }

    private struct State {
        var head: Head?
        /// What follows the content.
        var trailers: Head?
        var content: [UInt8] = []
        /// Whether the transport was told to wait, and has to be woken.
        var isHeld = false
        /// How the transfer ended; nil while it is under way.
        var outcome: Result<Void, any Error>?
        var waiter: UnsafeContinuation<Void, Never>?
    }

    private let state = Mutex(State())

    /// Whether the transport waits for the reader, which is not the server's fault.
    var isHeld: Bool { state.withLock { $0.isHeld } }

    /// Whether the transfer is over.
    var hasEnded: Bool { state.withLock { $0.outcome != nil } }
}

// MARK: The transport's side

extension AnswerFeed {
    /// The final head is complete.
    func begin(_ head: Head) {
        let waiter = state.withLock { state in
            state.head = head
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Keeps a piece of the content; false where the reader has enough for now.
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

    /// Keeps a piece that has arrived already; false where no further one should.
    func keep(_ bytes: some Sequence<UInt8>) -> Bool {
        let (hasRoom, waiter) = state.withLock { state -> (Bool, UnsafeContinuation<Void, Never>?) in
            state.content.append(contentsOf: bytes)
            state.isHeld = state.content.count >= Self.capacity
            return (!state.isHeld, state.waiter.take())
        }
        waiter?.resume()
        return hasRoom
    }

    /// The fields after the content are complete.
    func follow(with trailers: Head) { state.withLock { $0.trailers = trailers } }

    /// The transfer is over; what has arrived can still be read.
    func end(_ outcome: Result<Void, any Error>) {
        let waiter = state.withLock { state in
            (state.outcome, state.isHeld) = (outcome, false)
            return state.waiter.take()
        }
        waiter?.resume()
    }
}

// MARK: The reader's side

extension AnswerFeed {
    /// The final head, as soon as it is there.
    ///
    /// - Throws: How the transfer ended before.
    func head() async throws -> Head {
        while true {
            let (head, outcome) = state.withLock { ($0.head, $0.outcome) }
            if let head { return head }
            try outcome?.get()
            // A transfer does not succeed without a head.
            if outcome != nil { throw HTTPError.malformedMessage }
            await arrival { $0.head != nil }
        }
    }

    /// What followed the content; nil before its end, and where nothing did.
    var trailers: Head? { state.withLock { $0.trailers } }

    /// Everything that has arrived since the last call, as soon as there is something; nil at the end.
    ///
    /// - Parameter wake: Called where the transport waits for the room that this call makes.
    func next(waking wake: () -> Void) async throws -> [UInt8]? {
        while true {
            let (content, isHeld, outcome) = state.withLock { state in
                defer { (state.content, state.isHeld) = ([], false) }
                return (state.content, state.isHeld, state.outcome)
            }
            if isHeld { wake() }
            if !content.isEmpty { return content }
            if let outcome {
                try outcome.get()
                return nil
            }
            await arrival { !$0.content.isEmpty }
        }
    }

    private func arrival(of isThere: @Sendable (borrowing State) -> Bool) async {
        await withUnsafeContinuation { waiter in
            let isDue = state.withLock { state in
                let isDue = state.outcome != nil || isThere(state)
                if !isDue { state.waiter = waiter }
                return isDue
            }
            if isDue { waiter.resume() }
        }
    }
}
