// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

/// Sequences of updates, each of a run; a state is the list of those that were done.
@Suite struct UpdateLogTests {
    @Test(arguments: 0..<200)
    func `A log of updates undoes the updates of one run and keeps all others in order`(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var log = UpdateLog<[Int]>()
        var (state, expected): ([Int], [(run: Int, update: Int)]) = ([], [])
        var openRuns: [Int] = []
        for step in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                log.open(step + 1_000, at: state)
                openRuns.append(step + 1_000)
            case 1:
                guard let run = openRuns.randomElement(using: &random) else { continue }
                openRuns.removeAll { $0 == run }
                log.commit(run)
            case 2:
                guard let run = openRuns.randomElement(using: &random) else { continue }
                openRuns.removeAll { $0 == run }
                state = log.undo(run) ?? state
                expected.removeAll { $0.run == run }
            default:
                // Of one of the open runs, or of one that stands alone.
                let run = (openRuns + [step]).randomElement(using: &random) ?? step
                let update: @Sendable (inout [Int]) -> Void = { $0.append(step) }
                log.record(update, of: run)
                update(&state)
                expected.append((run, step))
            }
            expectEqual(state, expected.map(\.update))
        }
    }

    @Test func `A log of updates undoes nothing of a committed or unknown run`() {
        var log = UpdateLog<Int>()
        log.open(1, at: 0)
        log.record({ $0 += 1 }, of: 1)
        log.commit(1)
        expectNil(log.undo(1))
        expectNil(log.undo(2))
    }
}
