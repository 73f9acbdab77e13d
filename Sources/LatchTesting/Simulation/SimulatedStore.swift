// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

/// A process's way to the record: slow, locked and full at times; it never loses what a successful call stored.
struct SimulatedStore: TokenRecordStore {
    /// The record, which the processes share.
    let disk: SimulatedDisk
    /// Whose calls these are.
    let process: SimulatedProcess
    /// For its luck, and to know when the storm is over.
    let network: SimulatedNetwork
    /// Told of each change, in the order in which the disk sees them.
    let onChange: @Sendable (_ record: TokenRecord<Tokens>?, _ isResurrection: Bool) -> Void

    func save(_ tokens: Tokens) async throws { try await save(record: TokenRecord(credential: tokens)) }

    func load() async throws -> Tokens? { try await loadRecord()?.credential }

    /// May fail before anything is stored, and is slow to say that it was.
    func save(record: TokenRecord<Tokens>) async throws {
        try await access(failing: [.storeFull, .storeLocked, .storeDenied], percent: 10)
        if record.intent == nil { network.issuer.committed(process.id) }
        onChange(record, disk.replace(with: record))
        try await network.simulation.pause(upToMilliseconds: 20)
    }

    /// May fail; never gives anything but what was stored.
    func loadRecord() async throws -> TokenRecord<Tokens>? {
        try await access(failing: [.storeLocked, .storeDenied, .storeUnavailable], percent: 6)
        return disk.record
    }

    /// May fail before anything is removed.
    func clear() async throws {
        try await access(failing: [.storeLocked, .storeDenied], percent: 6)
        onChange(nil, disk.replace(with: nil))
        try await network.simulation.pause(upToMilliseconds: 20)
    }

    var coordination: (any SessionCoordination)? {
        SimulatedCoordination(disk: disk, process: process, network: network)
    }

    /// The time that the store takes, and its moods.
    private func access(failing errors: [AuthError], percent: Int) async throws {
        // Usually quick, at times as slow as a keychain that asks.
        let isSlow = !network.isCalm && network.simulation.chance(25)
        try await network.simulation.pause(upToMilliseconds: isSlow ? 3_000 : 20)
        guard !network.isCalm, network.simulation.chance(percent) else { return }
        network.simulation.note("store of \(process.id) fails")
        // What could not be stored may be asked for again by another process.
        network.issuer.forgive(process.id, isOver: false)
        throw errors[network.simulation.below(errors.count)]
    }
}
