// SPDX-License-Identifier: Apache-2.0

/// Takes the messages of a stream from whoever makes them.
public struct RPCWriter<Element: Message>: Sendable {
    let handoff: Handoff<Element>

    /// Hands a message over, when the one before it was taken.
    ///
    /// - Throws: `CancellationError` where the task is cancelled, or nobody reads any more.
    public func send(_ message: Element) async throws { try await handoff.send(message) }
}

/// The task that writes a stream, which lives as long as somebody reads it.
final class WrittenMessages<Element: Message>: Sendable {
    private let handoff = Handoff<Element>()
    private let task: Task<Void, Never>

    init(_ body: @escaping @Sendable (RPCWriter<Element>) async throws -> Void) {
        let handoff = handoff
        task = Task {
            do {
                try await body(RPCWriter(handoff: handoff))
                handoff.finish(.success(()))
            } catch {
                handoff.finish(.failure(error))
            }
        }
    }

    deinit {
        handoff.close()
        task.cancel()
    }

    /// Gives what is written, and keeps the task alive.
    var source: RPCStream<Element>.Source {
        { try await self.handoff.next() }
    }
}
