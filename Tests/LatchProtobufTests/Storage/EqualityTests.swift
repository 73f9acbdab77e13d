// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtobuf
import Testing

@Suite struct EqualityTests {
    @Test func `Two messages are equal as protobuf's reference compares numbers`() throws {
        var one = Everything()
        var other = Everything()
        one.mayDouble = .nan
        other.mayDouble = .nan
        expectNotEqual(one, other)
        (one.mayDouble, other.mayDouble) = (0, -0.0)
        expectEqual(one, other)
        expectEqual(one.hashValue, other.hashValue)
        // Without presence of its own -0 is set and 0 is not.
        (one.mayDouble, other.mayDouble) = (nil, nil)
        (one.oneDouble, other.oneDouble) = (0, -0.0)
        expectNotEqual(one, other)
        (one.manyFloat, other.manyFloat) = ([.nan], [.nan])
        other.oneDouble = 0
        expectNotEqual(one, other)
    }

    @Test func `Two messages differ if only one has a field`() {
        var one = Everything()
        one.mayInt32 = 0
        expectNotEqual(one, Everything())
        one.mayInt32 = nil
        one.mayString = ""
        expectNotEqual(one, Everything())
        one.mayString = nil
        one.inner = Everything()
        expectNotEqual(one, Everything())
        one.inner = nil
        one.manyInt32 = [1]
        one.manyInt32 = []
        one.byStringInt32 = ["a": 1]
        one.byStringInt32["a"] = nil
        expectEqual(one, Everything())
        expectEqual(one.hashValue, Everything().hashValue)
    }

    @Test func `Two messages are equal regardless of how they were built`() throws {
        let message = Everything.filled(depth: 1)
        var changed = message
        changed.oneString = "x"
        changed.inners.append(Everything())
        changed.byName["new"] = Everything()
        expectNotEqual(changed, message)
        changed.oneString = message.oneString
        changed.inners.removeLast()
        changed.byName["new"] = nil
        expectEqual(changed, message)
        expectEqual(Set([message, changed]).count, 1)
    }

    @Test func `Two messages share only unchanged parts`() {
        var list = Everything()
        for index in 0..<1_000 {
            var inner = Everything()
            inner.oneInt32 = Int32(index)
            list.inners.append(inner)
        }
        let copy = list
        list.inners[500].oneInt32 = -1
        expectEqual(copy.inners[500].oneInt32, 500)
        expectEqual(list.inners[501], copy.inners[501])
        let sum: Int32 = list.inners.reduce(0) { $0 + $1.oneInt32 }
        expectEqual(sum, 499_500 - 501)
    }
}

@Suite struct StorageSharingTests {
    @Test func `A type with more than its storage is converted one by one`() {
        var outer = Outer()
        outer.list = [Odd(), Odd()]
        outer.list[1].storage[string: 0] = "x"
        outer.byName = ["a": outer.list[1]]
        expectEqual(outer.list.map { $0.storage[string: 0] }, ["", "x"])
        expectEqual(outer.list.map(\.more), [7, 7])
        expectEqual(outer.byName["a"]?.storage[string: 0], "x")
    }

    private struct Odd: Message {
        static let schema = MessageSchema("test.v1.Odd", "1 name string")
        var storage: MessageStorage
        var more = 7
        init(storage: MessageStorage) { self.storage = storage }
    }

    private struct Outer: Message {
        static let schema = MessageSchema(
            "test.v1.Outer", "1 list message 0 repeated\n2 by_name map string message 0", types: [Odd.self])
        var storage: MessageStorage
        init(storage: MessageStorage) { self.storage = storage }
        var list: [Odd] {
            get { storage[messages: 0] }
            set { storage[messages: 0] = newValue }
        }
        var byName: [String: Odd] {
            get { storage[map: 1] }
            set { storage[map: 1] = newValue }
        }
    }
}
