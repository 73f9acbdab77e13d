// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import Synchronization

/// A process's way to the record: slow, locked and full at times; it never loses what a successful call stored.
struct SimulatedStore: TokenRecordStore {
    /// The kind of an app's store.
    enum Kind: Sendable {
        /// Records that several processes share.
        case shared
        /// Records that one process at a time uses.
        case lone
        /// Credentials only, for one process at a time.
        case plain
    }

    /// The record, which the processes share.
    let disk: SimulatedDisk
    /// The process of the calls.
    let process: SimulatedProcess
    /// The network, whose faults it shares.
    let network: SimulatedNetwork
    /// Whether sessions take turns.
    let kind: Kind
    /// The closures that are called at each read and each change of the record, in the order of the disk.
    let onLook: @Sendable (SimulatedProcess) -> Void
    let onChange: @Sendable (SimulatedProcess, _ old: TokenRecord<Tokens>?, _ new: TokenRecord<Tokens>?) -> Void
    /// A closure that is called at each wait for a section.
    var onWait: @Sendable (SimulatedProcess, SessionSection) -> Void = { _, _ in }

    func save(_ tokens: Tokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> Tokens? { try await loadRecord()?.credential }

    /// Stores a record; it may fail before, and returns late.
    func save(record: TokenRecord<Tokens>) async throws {
        try await access(failing: [.storeFull, .storeLocked, .storeDenied], percent: 10)
        try await write(record)
    }

    /// Returns the stored record; it may fail.
    func loadRecord() async throws -> TokenRecord<Tokens>? {
        await process.reach(.reading)
        try await access(failing: [.storeLocked, .storeDenied, .storeUnavailable], percent: 6)
        onLook(process)
        return disk.record
    }

    /// Removes the record; it may fail before.
    func clear() async throws {
        try await access(failing: [.storeLocked, .storeDenied], percent: 6)
        try await write(nil)
    }

    var coordination: (any SessionCoordination)? {
        guard kind == .shared else { return nil }
        return SimulatedCoordination(disk: disk, process: process, network: network, onWait: onWait)
    }

    /// Writes beside what is there, and puts it in its place as one step; the process may be killed at each moment.
    private func write(_ record: TokenRecord<Tokens>?) async throws {
        let writing = writing(of: record)
        await process.reach(.writing(writing, .before))
        disk.begin(record)
        await process.reach(.writing(writing, .amid))
        onChange(process, disk.replace(with: record), record)
        if writing != .intent { network.issuer.committed(process.id) }
        await process.reach(.writing(writing, .after))
        await network.simulation.work(upToMilliseconds: 20)
        guard !network.isCalm, network.simulation.chance(1) else { return onLook(process) }
        network.simulation.happens(.storedThoughFailed)
        process.isOwedAnAnswer.withLock { $0 = true }
        throw AuthError.storeUnavailable
    }

    /// Returns the kind of a written record.
    private func writing(of record: TokenRecord<Tokens>?) -> StorageStep.Writing {
        guard let record else { return .nothing }
        guard let credential = record.credential else { return .end }
        if record.refreshKey != nil { return .intent }
        let old = disk.record?.credential.flatMap { network.issuer.version(of: $0)?.family }
        return old == network.issuer.version(of: credential)?.family ? .successor : .signIn
    }

    /// The time that the store takes, and its moods.
    private func access(failing errors: [AuthError], percent: Int) async throws {
        // Usually quick, at times as slow as a keychain that asks.
        let isSlow = !network.isCalm && network.simulation.chance(25)
        if isSlow { network.simulation.happens(.storeSlow) }
        await network.simulation.work(upToMilliseconds: isSlow ? 3_000 : 20)
        // Nobody can know what became of a change while neither the writing nor the reading succeeds.
        let isOwed = process.isOwedAnAnswer.withLock { isOwed in
            defer { isOwed = false }
            return isOwed
        }
        guard !network.isCalm, !isOwed, network.simulation.chance(percent) else { return }
        let error = errors[network.simulation.below(errors.count)]
        network.simulation.note("the store fails process \(process.id)")
        network.simulation.happens(Self.fault(of: error))
        throw error
    }

    private static func fault(of error: AuthError) -> SimulatedFault {
        switch error {
        case .storeLocked: .storeLocked
        case .storeDenied: .storeDenied
        case .storeFull: .storeFull
        default: .storeUnavailable
        }
    }
}

/// The same for an app whose store keeps credentials only.
struct SimulatedPlainStore: TokenStore {
    let store: SimulatedStore

    func save(_ tokens: Tokens) async throws { try await store.save(tokens) }

    func load() async throws -> Tokens? { try await store.load() }

    func clear() async throws { try await store.clear() }
}
