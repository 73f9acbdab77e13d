// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A sequence of a client's states: the current one, and then each different one.
///
/// An action ends when the loops that wait on an actor have received its last state. So a loop on the main actor has
/// seen the new state when `process` returns to a caller on the main actor. An exception is a loop with a suspended
/// body.
///
/// The sequence ends with the client, or when the task of its reader is canceled. Iterators of one sequence share its
/// states; read `stateStream` again for another reader.
public struct StateStream<State: Sendable & Equatable>: AsyncSequence, Sendable {
    /// A client's state.
    public typealias Element = State
    /// The sequence does not fail.
    public typealias Failure = Never

    let reader: StateReader<State>

    /// An iterator over the states.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: StateReader<State>

        /// Waits for the next state, on the caller's actor; nil at the end.
        public mutating func next(isolation: isolated (any Actor)?) async -> State? {
            await reader.next(isolation: isolation)
        }
    }

    /// Returns an iterator over the unread states.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: reader) }
}

/// The unread states of a reader, with the tasks that wait for the next one.
final class StateReader<State: Sendable>: Sendable {
    private typealias Waiter = CheckedContinuation<(state: State?, isDelivery: Bool), Never>

    private struct Content {
        var unread: [State]
        var isFinished: Bool
        /// The tasks that wait for a state, and whether they wait on an actor.
        var waiting: [(task: Waiter, isOnActor: Bool)] = []
        /// The number of states with which tasks on an actor were resumed, but which they have not received yet.
        var deliveries = 0
        /// The actions that wait for these deliveries.
        var actions: [CheckedContinuation<Void, Never>] = []
    }

    private let content: Mutex<Content>
    private let depth: Int
    private let end: @Sendable () -> Void

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - state: The first state to read.
    ///   - depth: The number of states that are kept for a slow reader.
    ///   - end: A function that is called when the reader was canceled or released; it may be called twice.
    init(_ state: State, depth: Int, isFinished: Bool, end: @escaping @Sendable () -> Void) {
        content = Mutex(Content(unread: [state], isFinished: isFinished))
        self.depth = depth
        self.end = end
    }

    deinit { end() }

    /// Adds a state; if the buffer is full, drops the oldest unread state.
    ///
    /// No lock is held while a task is resumed, because the runtime locks the task, also while it calls the
    /// cancellation handler.
    func add(_ state: State) {
        let (task, isDelivery): (Waiter?, Bool) = content.withLock { content in
            guard !content.isFinished else { return (nil, false) }
            guard content.waiting.isEmpty else {
                let (task, isOnActor) = content.waiting.removeFirst()
                if isOnActor { content.deliveries += 1 }
                return (task, isOnActor)
            }
            if content.unread.count == depth { content.unread.removeFirst() }
            content.unread.append(state)
            return (nil, false)
        }
        task?.resume(returning: (state, isDelivery))
    }

    /// Ends the sequence after the unread states.
    func finish() {
        let waiting = content.withLock { content in
            content.isFinished = true
            defer { content.waiting = [] }
            return content.waiting
        }
        for (task, _) in waiting { task.resume(returning: (nil, false)) }
    }

    /// Waits for the next state, on the caller's actor.
    func next(isolation: isolated (any Actor)?) async -> State? {
        let isOnActor = isolation != nil
        return await withTaskCancellationHandler(
            operation: {
                let (state, isDelivery) = await withCheckedContinuation(isolation: isolation) { (task: Waiter) in
                    let next: State?? = content.withLock { content in
                        guard content.unread.isEmpty else { return .some(content.unread.removeFirst()) }
                        guard content.isFinished else {
                            content.waiting.append((task, isOnActor))
                            return nil
                        }
                        return .some(nil)
                    }
                    if let next { task.resume(returning: (next, false)) }
                }
                if isDelivery { take() }
                return state
            },
            onCancel: {
                finish()
                end()
            }, isolation: isolation)
    }

    /// Resumes the actions that wait for this delivery; their callers on the same actor run after its current turn.
    private func take() {
        let actions = content.withLock { content -> [CheckedContinuation<Void, Never>] in
            content.deliveries -= 1
            guard content.deliveries == 0 else { return [] }
            defer { content.actions = [] }
            return content.actions
        }
        for action in actions { action.resume() }
    }

    /// Waits until the tasks that were resumed on an actor have received their states.
    func waitForDeliveries() async {
        guard content.withLock({ $0.deliveries > 0 }) else { return }
        await withCheckedContinuation { action in
            let isDone = content.withLock { content in
                if content.deliveries > 0 { content.actions.append(action) }
                return content.deliveries == 0
            }
            if isDone { action.resume() }
        }
    }
}
