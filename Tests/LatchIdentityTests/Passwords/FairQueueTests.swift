// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct FairQueueTests {
    private func queue(_ addresses: [String], maximum: Int = 100) -> (FairQueue<String>, rejected: [String]) {
        var queue = FairQueue<String>(maximumCount: maximum)
        let rejected = addresses.compactMap { queue.append($0, from: NetworkPrefix(of: $0)) }
        return (queue, rejected)
    }

    private func order(_ queue: FairQueue<String>) -> [String] {
        var queue = queue
        var order: [String] = []
        while let next = queue.popFirst() { order.append(next) }
        return order
    }

    @Test func `A fair queue serves the networks in turn, and each in order of arrival`() {
        let (queue, _) = queue(["10.0.0.1", "10.0.0.1", "10.0.0.1", "10.1.0.1", "10.2.0.1", "10.1.0.1"])
        expectEqual(order(queue), ["10.0.0.1", "10.1.0.1", "10.2.0.1", "10.0.0.1", "10.1.0.1", "10.0.0.1"])
    }

    @Test(.tags(.hashFlood)) func `A fair queue counts the many networks of one subscriber as one`() {
        let flood = (0..<50).map { "2001:db8:0:\($0)::1" }
        let (queue, _) = queue(flood + ["198.51.100.7"])
        #expect(order(queue).prefix(2).contains("198.51.100.7"))
        // Within the wider network its networks take turns too.
        let (two, _) = self.queue(["10.0.0.1", "10.0.0.1", "10.0.0.2"])
        expectEqual(order(two), ["10.0.0.1", "10.0.0.2", "10.0.0.1"])
    }

    @Test func `A fair queue does not serve a network earlier because it came back`() {
        var (queue, _) = queue(["10.0.0.1", "10.1.0.1", "10.1.0.1"])
        var order: [String] = []
        for _ in 0..<4 {
            order.append(queue.popFirst() ?? "")
            if order.last == "10.0.0.1" { _ = queue.append("10.0.0.1", from: NetworkPrefix(of: "10.0.0.1")) }
        }
        expectEqual(order, ["10.0.0.1", "10.1.0.1", "10.0.0.1", "10.1.0.1"])
    }

    @Test(.tags(.hashFlood)) func `A fair queue makes room in the longest line when it is full`() {
        let (full, first) = queue(Array(repeating: "10.0.0.1", count: 5) + ["10.1.0.1"], maximum: 5)
        #expect(first == ["10.0.0.1"] && full.count == 5)
        expectEqual(order(full).prefix(2), ["10.0.0.1", "10.1.0.1"])
        // Whoever has the longest line already is rejected, and nobody else.
        expectEqual(queue(["10.1.0.1"] + Array(repeating: "10.0.0.1", count: 5), maximum: 5).rejected, ["10.0.0.1"])
        // Of the many wider networks of one provider one makes room, and where all are equal, any does.
        let flood = (0..<5).map { "2001:db8:\($0)::1" }
        #expect(queue(flood + ["198.51.100.7"], maximum: 5).rejected.allSatisfy(flood.contains))
        let equal = (0..<6).map { "10.\($0).0.1" }
        let rejected = (0..<200).flatMap { _ in queue(equal, maximum: 5).rejected }
        #expect(rejected.count == 200 && Set(rejected).count > 1)
    }

    @Test func `A fair queue gives the place of a caller that left to others`() {
        var (queue, _) = queue(["10.0.0.1", "10.1.0.1"])
        expectEqual(queue.removeFirst { $0 == "10.0.0.1" }, "10.0.0.1")
        expectNil(queue.removeFirst { $0 == "10.0.0.1" })
        #expect(queue.count == 1 && order(queue) == ["10.1.0.1"])
    }
}
