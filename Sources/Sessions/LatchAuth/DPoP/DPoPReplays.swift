// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchCrypto
import Synchronization

/// The proofs that were used, for as long as they could be used again (RFC 9449 §11.1).
///
/// It forgets by date of the proofs, and takes none that is as old as one that it has forgotten: who floods it can make
/// honest clients try again, and cannot make it take a proof twice.
final class DPoPReplays: Sendable {
    /// A proof by what does not repeat: its key and its name, as a hash, so that long names cost no memory.
    private typealias Name = [UInt8]

    private struct Memory {
        /// The proofs that are remembered, by the second in which they say that they were made.
        var used: [Int: Set<Name>] = [:]
        var count = 0
        /// What says that it was made before this second is refused.
        var floor = Int.min
    }

    private let memory = Mutex(Memory())
    private let window: Double
    private let capacity: Int

    init(window: Double, capacity: Int) {
        self.window = window
        self.capacity = max(1, capacity)
    }

    /// Whether a proof, whose date is within the window, was not used before; from now on it was.
    func isNew(_ proof: DPoPProof, at now: Date) -> Bool {
        let name = Array(SHA256.hash(data: Array("\(proof.thumbprint) \(proof.id)".utf8)))
        let second = Int(proof.issued.timeIntervalSince1970.rounded(.down))
        let oldest = Int((now.timeIntervalSince1970 - window).rounded(.down))
        return memory.withLock { memory in
            for second in memory.used.keys where second < oldest { forget(second, in: &memory) }
            while memory.count >= capacity, let first = memory.used.keys.min() { forget(first, in: &memory) }
            guard second >= memory.floor, memory.used[second, default: []].insert(name).inserted else { return false }
            memory.count += 1
            return true
        }
    }

    private func forget(_ second: Int, in memory: inout Memory) {
        memory.count -= memory.used.removeValue(forKey: second)?.count ?? 0
        memory.floor = max(memory.floor, second + 1)
    }
}
