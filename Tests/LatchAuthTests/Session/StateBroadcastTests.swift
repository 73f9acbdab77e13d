// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import Testing

@Suite struct StateBroadcastTests {
    let broadcast = StateBroadcast("first")

    @Test func `A broadcast of states begins each stream with the state of that moment`() async {
        let early = broadcast.stream()
        broadcast.send("second")
        let late = broadcast.stream()
        broadcast.send("third")
        broadcast.finish()
        await expectEqual(Array(early), ["first", "second", "third"])
        await expectEqual(Array(late), ["second", "third"])
    }

    @Test func `A broadcast of states does not send a state that is current already`() async {
        let stream = broadcast.stream()
        for state in ["first", "second", "second", "first", "first"] { broadcast.send(state) }
        broadcast.finish()
        await expectEqual(Array(stream), ["first", "second", "first"])
    }

    @Test func `A broadcast of states keeps its last state after the end, and sends it to late observers`() async {
        broadcast.send("last")
        broadcast.finish()
        broadcast.send("too late")
        expectEqual(broadcast.current, "last")
        await expectEqual(Array(broadcast.stream()), ["last"])
        await expectEqual(Array(broadcast.stream()), ["last"])
        expectEqual(broadcast.watcherCount, 0)
    }

    @Test func `A broadcast of states ends all streams, and can be ended twice`() async {
        let streams = (0..<10).map { _ in broadcast.stream() }
        expectEqual(broadcast.watcherCount, 10)
        broadcast.finish()
        broadcast.finish()
        for stream in streams { await expectEqual(Array(stream), ["first"]) }
    }

    @Test func `A broadcast of states forgets a stream that no task keeps`() {
        for _ in 0..<1_000 { _ = broadcast.stream() }
        expectEqual(broadcast.watcherCount, 0)
    }

    @Test func `A broadcast of states loses nothing for a reader that is slow`() async {
        let numbers = StateBroadcast(0)
        let stream = numbers.stream()
        for number in 1...5_000 { numbers.send(number) }
        numbers.finish()
        await expectEqual(Array(stream), Array(0...5_000))
    }

    @Test(.timeLimit(.minutes(1)))
    func `A broadcast of states does not wait for an observer that stops meanwhile`() async {
        let numbers = StateBroadcast(-1)
        for round in 0..<500 {
            let consumer = Task { for await _ in numbers.stream() {} }
            async let sent: Void = { for step in 0..<20 { numbers.send(round * 20 + step) } }()
            consumer.cancel()
            await sent
            await consumer.value
        }
        #expect(numbers.watcherCount == 0 && numbers.current == 9999)
    }

    @Test func `A broadcast of states has one order in all streams while many threads send`() async {
        let numbers = StateBroadcast(-1)
        let (one, other) = (numbers.stream(), numbers.stream())
        await withTaskGroup { group in
            for sender in 0..<8 {
                group.addTask { for round in 0..<100 { numbers.send(sender * 100 + round) } }
            }
        }
        numbers.finish()
        let seen = await Array(one)
        await expectEqual(Array(other), seen)
        expectEqual(seen.count, 801)
        expectEqual(seen.last, numbers.current)
    }
}

extension Array {
    /// Everything that a stream brings until it ends.
    fileprivate init(_ stream: AsyncStream<Element>) async {
        self = []
        for await element in stream { append(element) }
    }
}
