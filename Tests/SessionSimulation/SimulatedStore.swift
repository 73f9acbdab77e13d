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
    /// A closure that is called when the store says that it holds nothing, though it does.
    let onForget: @Sendable (SimulatedProcess) -> Void
    /// A closure that is called when a call fails.
    let onFailure: @Sendable (SimulatedProcess) -> Void
    /// The locks among the processes; nil where there is one process.
    let coordination: (any SessionCoordination)?

    func save(_ tokens: Tokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> Tokens? { try await loadRecord()?.credential }

    /// Stores a record; it may fail before, and returns late.
    func save(record: TokenRecord<Tokens>) async throws { try await save(record: record, as: nil) }

    /// Stores a record, and the item that contains it.
    func save(record: TokenRecord<Tokens>, as item: [UInt8]?) async throws {
        try await access(failing: [.storeFull, .storeLocked, .storeDenied], percent: 10)
        if network.spells.isOn(.full) { throw failed(.storeFull, as: .diskFull) }
        var record = record
        if network.defect == .intentKept, record.refreshKey == nil { record.refreshKey = disk.record?.refreshKey }
        try await write(record, as: item)
    }

    /// Returns the stored record; it may fail.
    func loadRecord() async throws -> TokenRecord<Tokens>? {
        switch try await look() {
        case .nothing: return nil
        case .damaged: throw AuthError.storeCorrupt
        case .content:
            onLook(process)
            return disk.record
        }
    }

    /// The result of a look at the store.
    enum Look: Sendable { case content, nothing, damaged }

    /// Looks at the store, which may fail.
    func look() async throws -> Look {
        await process.reach(.reading)
        let isOwed = try await access(failing: [.storeLocked, .storeDenied, .storeUnavailable], percent: 6)
        if isOwed || network.isCalm { return .content }
        if network.spells.isOn(.forgetful), disk.record?.credential != nil {
            network.simulation.happens(.storeForgetful)
            onForget(process)
            return .nothing
        }
        if network.spells.isOn(.corrupt), disk.record != nil {
            if network.defect == .corruptCountsAsEmpty { return .nothing }
            _ = failed(.storeCorrupt, as: .storeCorrupt)
            return .damaged
        }
        return .content
    }

    /// Removes the record; it may fail before.
    func clear() async throws {
        try await access(failing: [.storeLocked, .storeDenied], percent: 6)
        try await write(nil)
    }

    /// Writes beside what is there, and puts it in its place as one step; the process may be killed at each moment.
    private func write(_ record: TokenRecord<Tokens>?, as item: [UInt8]? = nil) async throws {
        let writing = writing(of: record)
        await process.reach(.writing(writing, .before))
        disk.begin(record)
        await process.reach(.writing(writing, .amid))
        onChange(process, disk.replace(with: record, as: item), record)
        if writing != .intent { network.issuer.committed(process.id) }
        await process.reach(.writing(writing, .after))
        await network.simulation.work(upToMilliseconds: 20)
        guard !network.isCalm, network.simulation.chance(1) else { return onLook(process) }
        network.simulation.happens(.storedThoughFailed)
        process.isOwedAnAnswer.withLock { $0 = true }
        onFailure(process)
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
    ///
    /// - Returns: Whether this call must succeed.
    @discardableResult
    private func access(failing errors: [AuthError], percent: Int) async throws -> Bool {
        // Usually quick, at times as slow as a keychain that asks.
        let isSlow = !network.isCalm && network.simulation.chance(25)
        if isSlow { network.simulation.happens(.storeSlow) }
        await network.simulation.work(upToMilliseconds: isSlow ? 3_000 : 20)
        // Nobody can know what became of a change while neither the writing nor the reading succeeds.
        let isOwed = process.isOwedAnAnswer.withLock { isOwed in
            defer { isOwed = false }
            return isOwed
        }
        guard !network.isCalm, !isOwed, network.simulation.chance(percent) else { return isOwed }
        let error = errors[network.simulation.below(errors.count)]
        throw failed(error, as: Self.fault(of: error))
    }

    /// Notes a failure.
    private func failed(_ error: AuthError, as fault: SimulatedFault) -> AuthError {
        network.simulation.note("the store fails process \(process.id)")
        network.simulation.happens(fault)
        onFailure(process)
        return error
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
