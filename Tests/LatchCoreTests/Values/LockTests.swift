// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Testing

@Suite struct `A lock` {
    private struct Refusal: Error {}

    private final class Board: Sendable {
        let sums = Lock<[Int: Int]>([:])
    }

    @Test func `lets no change be lost among threads`() async {
        let board = Board()
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask { for round in 0..<500 { board.sums.withLock { $0[round % 7, default: 0] += worker } } }
            }
        }
        let sum = board.sums.withLock { $0.values.reduce(0, +) }
        #expect(sum == 500 * (0..<16).reduce(0, +))
    }

    @Test func `gives back what its body returns and throws on what it throws`() {
        let lock = Lock(40)
        #expect(lock.withLock { $0 + 2 } == 42)
        #expect(throws: Refusal.self) { try lock.withLock { (_: inout Int) throws(Refusal) -> Int in throw Refusal() } }
    }

    @Test func `is free again, with what was changed, after its body has thrown`() {
        let lock = Lock([1])
        #expect(throws: Refusal.self) {
            try lock.withLock { (value: inout [Int]) throws(Refusal) in
                value.append(2)
                throw Refusal()
            }
        }
        #expect(lock.withLock { $0 } == [1, 2])
    }
}
