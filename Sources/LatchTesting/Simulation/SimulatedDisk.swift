// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// What outlives the processes of a run: the record of the account, the locks of its sections, and who listens.
final class SimulatedDisk: Sendable {
    /// All that changes; a waiter is taken out before it is resumed, so it is resumed once.
    private struct Content {
        var record: TokenRecord<Tokens>?
        /// Who is in each section.
        var holders: [SessionSection: Int] = [:]
        /// Who waits for it, in order of arrival.
        var queues: [SessionSection: [(process: SimulatedProcess, waiter: CheckedContinuation<Void, Never>)]] = [:]
        /// The streams of news, with the process that listens.
        var listeners: [(process: SimulatedProcess, news: AsyncStream<Void>.Continuation)] = []
        /// Sign-ins that the person has left; nothing may bring them back.
        var left: Set<String> = []
    }

    private let content: Lock<Content>

    /// A disk as an earlier process left it.
    init(holding tokens: Tokens?) {
        content = Lock(Content(record: tokens.map { TokenRecord(credential: $0, signIn: "restored") }))
    }

    /// What a new process would find.
    var record: TokenRecord<Tokens>? { content.withLock { $0.record } }

    /// Replaces the record, as one step.
    ///
    /// - Returns: Whether that brought back a sign-in that the person had left.
    func replace(with record: TokenRecord<Tokens>?) -> Bool {
        content.withLock { content in
            if let last = content.record?.signIn, last != record?.signIn, record?.end != .issuer {
                content.left.insert(last)
            }
            content.record = record
            return record?.signIn.map { content.left.contains($0) } ?? false
        }
    }

    /// Waits for a section.
    func enter(_ section: SessionSection, as process: SimulatedProcess) async {
        await withCheckedContinuation { waiter in
            let isFree = content.withLock { content in
                guard content.holders[section] == nil else {
                    content.queues[section, default: []].append((process, waiter))
                    return false
                }
                content.holders[section] = process.id
                return true
            }
            if isFree { waiter.resume() }
        }
    }

    /// Lets the next one that lives into a section.
    func leave(_ section: SessionSection) {
        var next: CheckedContinuation<Void, Never>?
        repeat {
            // A waiter of a killed process is resumed too: its task is dropped then, and nothing leaks.
            next?.resume()
            next = nil
            let first = content.withLock { content -> (SimulatedProcess, CheckedContinuation<Void, Never>)? in
                content.holders[section] = nil
                guard content.queues[section]?.isEmpty == false, let first = content.queues[section]?.removeFirst()
                else { return nil }
                if !first.process.isKilled { content.holders[section] = first.process.id }
                return first
            }
            guard let first else { return }
            next = first.1
            if !first.0.isKilled { break }
        } while true
        next?.resume()
    }

    /// Does what the kernel does for a process that was killed: its locks are free.
    func clean(up process: SimulatedProcess) {
        let held = content.withLock { content in
            content.listeners.removeAll { $0.process === process }
            return content.holders.filter { $0.value == process.id }.map(\.key)
        }
        for section in SessionSection.allCases where held.contains(section) { leave(section) }
    }

    /// The news for a process, until it stops listening.
    func news(for process: SimulatedProcess) -> AsyncStream<Void> {
        let (stream, news) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        content.withLock { $0.listeners.append((process, news)) }
        return stream
    }

    /// Tells all processes but the one that brings the news, if one does.
    func announce(from process: SimulatedProcess?) {
        let listeners = content.withLock { $0.listeners }
        for listener in listeners where listener.process !== process { listener.news.yield() }
    }
}

/// A process's way to the sections and the news of a disk.
struct SimulatedCoordination: SessionCoordination {
    let disk: SimulatedDisk
    let process: SimulatedProcess
    let network: SimulatedNetwork

    func enter(_ section: SessionSection) async throws -> SessionTurn {
        await disk.enter(section, as: process)
        return SessionTurn { disk.leave(section) }
    }

    /// In a storm some news is lost, and the next must make good for it.
    func announceChange() async {
        network.simulation.note("process \(process.id) announces")
        guard network.isCalm || !network.simulation.chance(20) else { return }
        disk.announce(from: process)
    }

    func changes() -> AsyncStream<Void> { disk.news(for: process) }
}
