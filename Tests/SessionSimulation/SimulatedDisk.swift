// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

/// The disk, which outlives the processes of a run: the record of the account, the locks of its sections, and the
/// listeners.
final class SimulatedDisk: Sendable {
    /// A process that waits for a section.
    private struct Waiter {
        let ticket: Int
        let process: SimulatedProcess
        let enter: CheckedContinuation<Void, any Error>
    }

    /// A process that listens for changes.
    private struct Listener {
        let process: SimulatedProcess
        let news: AsyncStream<Void>.Continuation
    }

    /// All that changes; a waiter is taken out before it is resumed, so it is resumed once.
    private struct Content {
        var record: TokenRecord<Tokens>?
        /// The same as the item of a secret store, and the items that were set aside.
        var item: [UInt8]?
        var otherItems: [String: [UInt8]] = [:]
        /// The temporary file of a killed writer; the next one starts over.
        var torn: TokenRecord<Tokens>?
        /// The process in each section.
        var holders: [SessionSection: Int] = [:]
        /// The waiting processes, in order of arrival.
        var queues: [SessionSection: [Waiter]] = [:]
        /// The number of changes of the stamp, and the stamp.
        var changes = 0
        var stamp: String?
        /// The last ticket of a waiter, and those that were called back before they waited.
        var lastTicket = 0
        var calledBack: Set<Int> = []
        /// The streams of news, with the process that listens.
        var listeners: [Listener] = []

        /// Gives a section to a process, if nobody has it.
        mutating func take(_ section: SessionSection, for process: SimulatedProcess) -> Bool {
            guard holders[section] == nil else { return false }
            holders[section] = process.id
            return true
        }
    }

    private let content: Mutex<Content>

    /// A disk as an earlier process left it.
    init(holding record: TokenRecord<Tokens>?, as item: [UInt8]?) {
        content = Mutex(Content(record: record, item: item))
    }

    /// The record that a new process would find.
    var record: TokenRecord<Tokens>? { content.withLock { $0.record } }

    /// The item of a secret store that holds the record.
    var item: [UInt8]? { content.withLock { $0.item } }

    /// Returns another item of the secret store.
    func otherItem(_ name: String) -> [UInt8]? { content.withLock { $0.otherItems[name] } }

    /// Writes or removes another item of the secret store.
    func setOtherItem(_ item: [UInt8]?, for name: String) { content.withLock { $0.otherItems[name] = item } }

    /// Begins to write a record, beside the one that stands until `replace(with:)`.
    func begin(_ record: TokenRecord<Tokens>?) { content.withLock { $0.torn = record } }

    /// Replaces the record, as one step.
    ///
    /// - Returns: What was there before.
    func replace(with record: TokenRecord<Tokens>?, as item: [UInt8]? = nil) -> TokenRecord<Tokens>? {
        content.withLock { content in
            defer { (content.record, content.item, content.torn) = (record, item, nil) }
            return content.record
        }
    }

    /// The stamp of the last change; nil while one is incomplete.
    var stamp: String? { content.withLock { $0.stamp } }

    /// Writes a new stamp, or removes it.
    func setStamp(_ isComplete: Bool) -> String? {
        content.withLock { content in
            content.changes += 1
            content.stamp = isComplete ? "\(content.changes)" : nil
            return content.stamp
        }
    }

    /// The process in a section.
    func holder(of section: SessionSection) -> Int? { content.withLock { $0.holders[section] } }

    /// Waits for a section.
    ///
    /// - Parameter onPatience: Waits until the patience of the caller is over, and returns the error that it gets.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    func enter(
        _ section: SessionSection, as process: SimulatedProcess, in simulation: Simulation,
        onPatience: @escaping @Sendable () async throws -> any Error
    ) async throws {
        if enterIfFree(section, as: process) { return }
        let ticket = content.withLock { content in
            content.lastTicket += 1
            return content.lastTicket
        }
        let patience = simulation.spawn(in: process) {
            let error = try await onPatience()
            self.callBack(ticket, from: section, with: error)
        }
        defer { patience.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enter in
                let result: Result<Void, any Error>? = content.withLock { content in
                    if content.calledBack.remove(ticket) != nil { return .failure(CancellationError()) }
                    if content.take(section, for: process) { return .success(()) }
                    content.queues[section, default: []].append(
                        Waiter(ticket: ticket, process: process, enter: enter))
                    return nil
                }
                if let result { enter.resume(with: result) }
            }
        } onCancel: {
            callBack(ticket, from: section, with: CancellationError())
        }
    }

    private func callBack(_ ticket: Int, from section: SessionSection, with error: any Error) {
        let waiter = content.withLock { content -> Waiter? in
            guard let place = content.queues[section]?.firstIndex(where: { $0.ticket == ticket }) else {
                if error is CancellationError { content.calledBack.insert(ticket) }
                return nil
            }
            return content.queues[section]?.remove(at: place)
        }
        waiter?.enter.resume(throwing: error)
    }

    /// Enters a section in which nobody is.
    ///
    /// - Returns: Whether that was so.
    func enterIfFree(_ section: SessionSection, as process: SimulatedProcess) -> Bool {
        content.withLock { $0.take(section, for: process) }
    }

    /// Lets the next one that lives into a section.
    func leave(_ section: SessionSection) {
        content.withLock { $0.holders[section] = nil }
        while let next = nextWaiter(for: section) {
            // A waiter of a killed process is resumed too: its task is dropped then, and nothing leaks.
            next.enter.resume()
            if !next.process.isKilled { return }
        }
    }

    /// Takes the first out of a section's queue; who lives holds the section from now on.
    ///
    /// Who is stopped does not look at the lock.
    private func nextWaiter(for section: SessionSection) -> Waiter? {
        content.withLock { content in
            guard
                let place = content.queues[section]?.firstIndex(where: { !$0.process.isStopped || $0.process.isKilled }
                ),
                let next = content.queues[section]?.remove(at: place)
            else { return nil }
            if !next.process.isKilled { content.holders[section] = next.process.id }
            return next
        }
    }

    /// Lets those look at the locks who could not, since they were stopped.
    func resumeWaiters() {
        for section in SessionSection.allCases where holder(of: section) == nil { leave(section) }
    }

    /// Does what the kernel does for a process that was killed: its locks are free, and it hears nothing.
    func clean(up process: SimulatedProcess) {
        let held = content.withLock { content in
            for listener in content.listeners where listener.process === process { listener.news.finish() }
            content.listeners.removeAll { $0.process === process }
            return content.holders.filter { $0.value == process.id }.map(\.key)
        }
        for section in SessionSection.allCases where held.contains(section) { leave(section) }
    }

    /// The news for a process, until it stops listening.
    func news(for process: SimulatedProcess) -> AsyncStream<Void> {
        let (stream, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        content.withLock { $0.listeners.append(Listener(process: process, news: news)) }
        return stream
    }

    /// Tells all processes but the one that brings the news, if one does.
    func announce(from process: SimulatedProcess?) {
        let listeners = content.withLock { $0.listeners }
        for listener in listeners where listener.process !== process { listener.news.yield() }
    }
}
